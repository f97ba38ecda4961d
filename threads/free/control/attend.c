// SPDX-License-Identifier: MIT
// Free timing: what the caller's thread does while the workers run. It begins snapshots and looks at them (audit.c),
// ends the run when its time is over, and watches that it goes on. It waits for nobody.
#include <math.h>
#include <time.h>

#include "threads/free/control/audit.h"
#include "threads/free/control/end.h"
#include "threads/free/free_engine.h"
#include "threads/free/look.h"
#include "threads/ranks/porter.h"

// A sum over all workers of a count that grows. Relaxed: a count, no data.
static uint64_t operations_of(const struct free_run *run)
{
    uint64_t operations = 0;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        operations += atomic_load_explicit(&run->worker[w].operations, memory_order_relaxed);
    }
    return operations;
}

void free_progress(void *context, struct ek_progress *progress)
{
    struct free_run *run = context;
    progress->operations = operations_of(run);
    progress->steps = 0;
    progress->variance = atomic_load_explicit(&run->shared.variance, memory_order_relaxed); // a lone value
}

static void end_in_time(struct free_run *run, uint64_t now_ns)
{
    const struct ek_machine *machine = run->machine;
    double most_s = machine->experiment.seconds_max;
    uint64_t operations_max = machine->experiment.operations_max;
    if (most_s > 0.0 && (double)now_ns >= 1e9 * most_s) {
        free_stop(run, EK_ENDED_TIME);
    } else if (machine_interrupts(machine) != run->interrupts_before || run->ranks.interrupted ||
               free_record_failed(run)) {
        free_stop(run, EK_ENDED_INTERRUPT);
    } else if (operations_max > 0 && atomic_load_explicit(&run->shared.permits, memory_order_relaxed) <= 0 &&
               operations_of(run) >= operations_max) { // permits: a count, cheaper to look at
        free_stop(run, EK_ENDED_OPERATIONS);
    }
}

// Whether every worker has had its turns since something last went on, or sleeps and has nothing to wake up for yet: on
// a busy machine one may wait long for a core, also one whose sleep is over, which is nobody's fault here.
static bool all_had_turns(const struct free_run *run, uint64_t now_ns)
{
    enum { TURNS = 64 };
    for (unsigned w = 0; w < run->machine->workers; w++) {
        // Relaxed: counts, and a flag of which a moment ago is good enough.
        const struct free_worker *worker = &run->worker[w];
        uint64_t turns = atomic_load_explicit(&worker->turns, memory_order_relaxed);
        bool sleeps = atomic_load_explicit(&run->bell[w].lying, memory_order_relaxed) != 0 &&
                      atomic_load_explicit(&worker->sleeps_until, memory_order_relaxed) > now_ns;
        if (turns - run->attendant.turns_seen[w] < TURNS && !sleeps) {
            return false;
        }
    }
    return true;
}

// The processor time of all threads that work.
static uint64_t worked_ns(const struct free_run *run)
{
    struct timespec time;
    if (run->ranks.link) {
        return free_porter_worked_ns(run);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t advances_of(const struct free_run *run)
{
    uint64_t advances = 0;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        advances += atomic_load_explicit(&run->worker[w].advances, memory_order_relaxed); // a count, no data
    }
    return advances;
}

// The run goes on when operations get on, or snapshots are complete and nobody waits in an operation. What has not gone
// on for the time of the watchdog, and of the longest delay there and back, is stuck; where threads wait for a core,
// when they have worked for some times as long.
static void watch(struct free_run *run, uint64_t now_ns)
{
    enum { LOOKS = 20, PATIENCE = 5 };
    struct free_attendant *attendant = &run->attendant;
    double limit_ns =
        1e9 * run->machine->experiment.watchdog_s + 2.0 * (double)core_links_delay_most(&run->machine->links);
    if ((double)(now_ns - attendant->watched_ns) < limit_ns / LOOKS) {
        return;
    }
    attendant->watched_ns = now_ns;
    uint64_t advances = advances_of(run);
    bool snapshot = attendant->audits > attendant->audits_seen && attendant->nobody_waits;
    if (advances > attendant->advances_seen || snapshot || attendant->progress_ns == 0) {
        attendant->progress_ns = now_ns;
        attendant->progress_worked_ns = worked_ns(run);
        for (unsigned w = 0; w < run->machine->workers; w++) { // relaxed: a count
            attendant->turns_seen[w] = atomic_load_explicit(&run->worker[w].turns, memory_order_relaxed);
        }
    }
    attendant->advances_seen = advances;
    attendant->audits_seen = attendant->audits;
    double waited_ns = (double)(now_ns - attendant->progress_ns);
    if (waited_ns > limit_ns && (all_had_turns(run, now_ns) ||
                                 (double)(worked_ns(run) - attendant->progress_worked_ns) > PATIENCE * limit_ns)) {
        free_end(run, EK_ENDED_STUCK);
    }
}

bool free_attend_due(const struct free_run *run, uint64_t now_ns)
{
    const struct ek_experiment *experiment = &run->machine->experiment;
    bool permits = experiment->operations_max > 0 && !run->attendant.stopping &&
                   atomic_load_explicit(&run->shared.permits, memory_order_relaxed) <= 0 && // a count
                   operations_of(run) >= experiment->operations_max;
    return permits || free_audit_due(run, now_ns);
}

void free_attend_at(struct free_run *run, uint64_t now_ns)
{
    end_in_time(run, now_ns);
    free_audit(run, now_ns);
}

static void attend(struct free_run *run)
{
    // Acquire: pairs with the release of the last worker, which sets when time begins.
    if (!atomic_load_explicit(&run->shared.started, memory_order_acquire) ||
        atomic_load_explicit(&run->shared.over, memory_order_relaxed)) { // this thread's own, or a violation
        return;
    }
    uint64_t now_ns = free_now(run);
    free_attend_at(run, now_ns);
    watch(run, now_ns);
}

// A porter goes from meeting to meeting, until the first rank says that all are to see to what else a caller does: else
// each would wait for every other to do so.
void free_attend(void *context)
{
    struct free_run *run = context;
    if (!run->ranks.link) {
        attend(run);
        return;
    }
    bool leaves = false;
    while (!leaves && free_porter_meet(run)) {
        leaves = run->ranks.leaves;
        if (run->ranks.link->rank == 0) {
            attend(run);
        }
    }
}
