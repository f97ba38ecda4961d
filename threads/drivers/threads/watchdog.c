// SPDX-License-Identifier: MIT
// The caller's thread while the workers run: it is the attendant and the watchdog. It never blocks.
#include "threads/api/experiment.h"
#include "threads/drivers/threads/thread_driver.h"
#include "threads/free/control/attend.h"
#include "threads/free/control/end.h"

// A run counts as stuck only if each processor, and the caller, has had this many turns since the last progress. On a
// busy computer a thread may wait long for a core, although the run is not stuck.
enum { TURNS = 64 };

// Computes for each worker the number of turns in which each of its processors has TURNS turns. A slow processor has
// one turn in several passes.
void threads_watch_begin(struct thread_driver *driver)
{
    const struct free_run *run = &driver->control->run;
    const uint32_t *slow = run->machine->slow;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        const struct free_worker *worker = &run->worker[w];
        double a_pass = 0.0, slowest = 1.0;
        for (uint32_t place = worker->begin; place < worker->end; place++) {
            double passes = slow ? slow[free_processor_at(run, place)] : 1.0; // from a turn to the next
            a_pass += 1.0 / passes;
            slowest = passes > slowest ? passes : slowest;
        }
        driver->watchdog.turns_enough[w] = (uint64_t)(TURNS * slowest * a_pass);
    }
}

// Returns whether every processor has had its turns since the last progress. A worker that sleeps needs none until
// something is due.
static bool all_had_turns(const struct thread_driver *driver, uint64_t now_ns)
{
    const struct free_run *run = &driver->control->run;
    const struct thread_watchdog *watchdog = &driver->watchdog;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        const struct free_worker *worker = &run->worker[w];
        uint64_t turns = atomic_load_explicit(&worker->turns, memory_order_relaxed); // a count
        // Acquire: pairs with the release in mail_bell_lie_down. A worker that lies down has cleared `sleeps_until`.
        bool sleeps = atomic_load_explicit(&run->bell[w].lying, memory_order_acquire) != 0 &&
                      atomic_load_explicit(&worker->sleeps_until, memory_order_relaxed) > now_ns; // a lone value
        if (turns - watchdog->turns_seen[w] < watchdog->turns_enough[w] && !sleeps) {
            return false;
        }
    }
    return true;
}

// Returns whether a snapshot that began after the last progress is complete, or whether the current snapshot has been
// incomplete for more than `limit_ns`. Only a snapshot shows whether a processor waits.
static bool snapshot_shows_it(const struct thread_driver *driver, uint64_t now_ns, double limit_ns)
{
    const struct free_attendant *attendant = &driver->control->attendant;
    return attendant->audits > driver->watchdog.audits_before ||
           (attendant->auditing && (double)(now_ns - attendant->audit_began_ns) > limit_ns);
}

// Ends a run that is stuck. A run makes progress when an operation advances, or when a snapshot shows that no processor
// waits. It is stuck if
//   1. it has made no progress for the watchdog's time plus the longest delay of a link there and back;
//   2. a snapshot has shown this; and
//   3. all processors have had their turns since, and so has the caller, which on ranks carries the messages.
static void watch(struct thread_driver *driver, uint64_t now_ns)
{
    enum { LOOKS = 20 };
    struct thread_watchdog *watchdog = &driver->watchdog;
    const struct free_attendant *attendant = &driver->control->attendant;
    const struct free_run *run = &driver->control->run;
    double limit_ns =
        1e9 * run->machine->experiment->watchdog_s + 2.0 * (double)core_links_delay_most(&run->machine->links);
    watchdog->calls++;
    if ((double)(now_ns - watchdog->watched_ns) < limit_ns / LOOKS) {
        return;
    }
    watchdog->watched_ns = now_ns;
    uint64_t advances = free_advances(run);
    bool snapshot = attendant->audits > watchdog->audits_seen && attendant->none_waits;
    if (advances > watchdog->advances_seen || snapshot || watchdog->progress_ns == 0) {
        watchdog->progress_ns = now_ns;
        watchdog->calls = 0;
        watchdog->audits_before = attendant->audits + attendant->auditing;
        for (unsigned w = 0; w < run->machine->workers; w++) { // relaxed: a count
            watchdog->turns_seen[w] = atomic_load_explicit(&run->worker[w].turns, memory_order_relaxed);
        }
    }
    watchdog->advances_seen = advances;
    watchdog->audits_seen = attendant->audits;
    bool waited = (double)(now_ns - watchdog->progress_ns) > limit_ns && watchdog->calls >= TURNS;
    if (waited && snapshot_shows_it(driver, now_ns, limit_ns) && all_had_turns(driver, now_ns)) {
        free_end_now(driver->control, EK_ENDED_STUCK);
    }
}

void threads_attend(struct thread_driver *driver)
{
    struct free_run *run = &driver->control->run;
    // Acquire: pairs with the release in threads_start_clock.
    if (!atomic_load_explicit(&driver->started, memory_order_acquire) ||
        atomic_load_explicit(&run->shared.over, memory_order_relaxed)) { // set by this thread, or by a violation
        return;
    }
    uint64_t now_ns = free_now(run);
    if (driver->interrupted) {
        free_drain(driver->control, EK_ENDED_INTERRUPT);
    }
    free_attend_at(driver->control, now_ns);
    watch(driver, now_ns);
}
