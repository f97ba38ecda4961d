// SPDX-License-Identifier: MIT
// The caller's thread while the workers run: it is the attendant and the watchdog. It never blocks.
#include "threads/drivers/threads/thread_driver.h"
#include "threads/free/control/attend.h"
#include "threads/free/control/end.h"

// Returns whether since the last progress every worker has made TURNS turns, or sleeps with nothing due yet. On a busy
// computer a thread may wait long for a core, which is no fault of the run.
static bool all_had_turns(const struct thread_driver *driver, uint64_t now_ns)
{
    enum { TURNS = 64 };
    const struct free_run *run = &driver->control->run;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        // Relaxed: counts, and a flag that may be a moment old.
        const struct free_worker *worker = &run->worker[w];
        uint64_t turns = atomic_load_explicit(&worker->turns, memory_order_relaxed);
        bool sleeps = atomic_load_explicit(&run->bell[w].lying, memory_order_relaxed) != 0 &&
                      atomic_load_explicit(&worker->sleeps_until, memory_order_relaxed) > now_ns;
        if (turns - driver->watchdog.turns_seen[w] < TURNS && !sleeps) {
            return false;
        }
    }
    return true;
}

// Ends a run that is stuck. A run makes progress when an operation advances, or when a snapshot shows that no processor
// waits. It is stuck if
//   1. it has made no progress for the watchdog's time plus the longest delay of a link there and back; and
//   2. all workers have had turns since, or all threads together have used PATIENCE times as much processor time.
static void watch(struct thread_driver *driver, uint64_t now_ns)
{
    enum { LOOKS = 20, PATIENCE = 5 };
    struct thread_watchdog *watchdog = &driver->watchdog;
    const struct free_attendant *attendant = &driver->control->attendant;
    const struct free_run *run = &driver->control->run;
    double limit_ns =
        1e9 * run->machine->experiment.watchdog_s + 2.0 * (double)core_links_delay_most(&run->machine->links);
    if ((double)(now_ns - watchdog->watched_ns) < limit_ns / LOOKS) {
        return;
    }
    watchdog->watched_ns = now_ns;
    uint64_t advances = free_advances(run);
    bool snapshot = attendant->audits > watchdog->audits_seen && attendant->none_waits;
    if (advances > watchdog->advances_seen || snapshot || watchdog->progress_ns == 0) {
        watchdog->progress_ns = now_ns;
        watchdog->worked_ns = driver->worked_ns(driver);
        for (unsigned w = 0; w < run->machine->workers; w++) { // relaxed: a count
            watchdog->turns_seen[w] = atomic_load_explicit(&run->worker[w].turns, memory_order_relaxed);
        }
    }
    watchdog->advances_seen = advances;
    watchdog->audits_seen = attendant->audits;
    double waited_ns = (double)(now_ns - watchdog->progress_ns);
    if (waited_ns > limit_ns && (all_had_turns(driver, now_ns) ||
                                 (double)(driver->worked_ns(driver) - watchdog->worked_ns) > PATIENCE * limit_ns)) {
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
