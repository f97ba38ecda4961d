// SPDX-License-Identifier: MIT
// Free timing: what the caller's thread does while the workers run. It begins snapshots and looks at them
// (snapshot.c), lets links and processors fail and come back, ends the run when its time is over, and watches that it
// goes on.
#include <math.h>
#include <time.h>

#include "threads/async/state.h"
#include "topologies/scan.h"

uint64_t async_now(const struct async_run *run)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - run->began;
}

uint64_t async_operations(const struct async_run *run)
{
    uint64_t operations = 0;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        operations += atomic_load_explicit(&run->worker[w].operations, memory_order_relaxed); // a count, no data
    }
    return operations;
}

void async_ring_all(struct async_run *run)
{
    for (unsigned w = 0; w < run->machine->workers; w++) {
        mail_bell_ring(&run->bell[w]);
    }
}

void async_end(struct async_run *run, enum ek_reason reason)
{
    run->reason = reason;
    run->ended = async_now(run);
    for (unsigned w = 0; w < run->machine->workers; w++) { // for the dump, before they are woken
        struct async_worker *worker = &run->worker[w];
        worker->slept = atomic_load_explicit(&worker->bell->lying, memory_order_relaxed) != 0;
    }
    // Release: pairs with the acquire in a worker's loop.
    atomic_store_explicit(&run->over, true, memory_order_release);
    async_ring_all(run);
}

void async_stop(struct async_run *run, enum ek_reason reason)
{
    if (run->stopping) {
        return;
    }
    run->stopping = true;
    run->reason = reason;
    run->audit_next = 0;                                                              // at once
    run->drained_epoch = atomic_load_explicit(&run->epoch, memory_order_relaxed) + 1; // the attendant's own
    // Relaxed: ordered by the release of the next snapshot's epoch, which decides.
    atomic_store_explicit(&run->draining, true, memory_order_relaxed);
}

void async_violate(struct async_run *run, const struct ek_error *violation)
{
    if (!atomic_exchange_explicit(&run->violated, true, memory_order_acq_rel)) {
        run->violation = *violation; // read when all workers have ended
    }
    atomic_store_explicit(&run->over, true, memory_order_release);
    async_ring_all(run);
}

// Those at the ends of what failed or came back look at once whether they have something to do.
static void ring_ends(struct async_run *run, const struct core_fault *fault)
{
    const struct ek_topology *topology = run->topology;
    uint32_t p = fault->processor ? fault->which : topology->neighbour[topology->twin[fault->which]];
    mail_bell_ring(async_bell(run, p));
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        mail_bell_ring(async_bell(run, topology->neighbour[port]));
    }
}

// A few at a time, since each waits until all threads have let go of the old table: where more are due, they are late.
static void let_fail(struct async_run *run, uint64_t now)
{
    enum { CHANGES_MAX = 4 };
    for (int k = 0; k < CHANGES_MAX && run->fault_waits && run->fault.at_ns <= now; k++) {
        if (!async_links_change(run->links, &run->fault)) {
            struct ek_error violation;
            topo_fail(&violation, EK_BAD_INPUT, "faults", -1, "there is no memory left for another link table");
            async_violate(run, &violation);
            return;
        }
        run->repairs += run->fault.repair;
        run->link_failures += !run->fault.repair && !run->fault.processor;
        run->processor_failures += !run->fault.repair && run->fault.processor;
        ring_ends(run, &run->fault);
        run->fault_waits = core_fault_next(run->faults, &run->fault);
    }
}

static void end_in_time(struct async_run *run, uint64_t now)
{
    const struct ek_machine *machine = run->machine;
    if (machine->seconds_max > 0.0 && (double)now >= 1e9 * machine->seconds_max) {
        async_stop(run, EK_TIME);
    } else if (atomic_load_explicit(&machine->interrupted, memory_order_relaxed)) { // a lone flag
        async_stop(run, EK_INTERRUPT);
    } else if (machine->operations_max > 0 && atomic_load_explicit(&run->permits, memory_order_relaxed) <= 0 &&
               async_operations(run) >= machine->operations_max) { // permits: a count
        async_stop(run, EK_STEPS);
    }
}

// Whether every worker that is not asleep has had its turns since something last went on: on a busy machine one may
// wait long for a core, which is nobody's fault here.
static bool all_had_turns(const struct async_run *run)
{
    enum { TURNS = 64 };
    for (unsigned w = 0; w < run->machine->workers; w++) {
        const struct async_worker *worker = &run->worker[w];
        // Relaxed: a count, and a flag of which a moment ago is good enough.
        uint64_t turns = atomic_load_explicit(&worker->turns, memory_order_relaxed) - worker->turns_seen;
        if (turns < TURNS && atomic_load_explicit(&worker->bell->lying, memory_order_relaxed) == 0) {
            return false;
        }
    }
    return true;
}

static uint64_t advances_of(const struct async_run *run)
{
    uint64_t advances = 0;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        advances += atomic_load_explicit(&run->worker[w].advances, memory_order_relaxed); // a count, no data
    }
    return advances;
}

// The run goes on when operations get on, or snapshots are complete and nobody waits in an operation. What has not gone
// on for the time of the watchdog, and of the longest delay there and back, is stuck; where threads wait for a core,
// for some times as long.
static void watch(struct async_run *run, uint64_t now)
{
    enum { LOOKS = 20, PATIENCE = 5 };
    double limit = 1e9 * run->machine->watchdog_s + 2.0 * (double)run->machine->delay.high;
    if ((double)(now - run->watched_at) < limit / LOOKS) {
        return;
    }
    run->watched_at = now;
    uint64_t advances = advances_of(run);
    bool snapshot = run->audits > run->audits_seen && run->nobody_waits;
    if (advances > run->advances_seen || snapshot || run->progress_at == 0) {
        run->progress_at = now;
        for (unsigned w = 0; w < run->machine->workers; w++) {
            run->worker[w].turns_seen = atomic_load_explicit(&run->worker[w].turns, memory_order_relaxed); // a count
        }
    }
    run->advances_seen = advances;
    run->audits_seen = run->audits;
    double waited = (double)(now - run->progress_at);
    if (waited > limit && (waited > PATIENCE * limit || all_had_turns(run))) {
        async_end(run, EK_WATCHDOG);
    }
}

void async_attend(struct async_run *run)
{
    // Acquire: pairs with the release of the last worker, which sets when time begins.
    if (!atomic_load_explicit(&run->started, memory_order_acquire) ||
        atomic_load_explicit(&run->over, memory_order_relaxed)) { // this thread's own, or a violation
        return;
    }
    uint64_t now = async_now(run);
    end_in_time(run, now);
    let_fail(run, now);
    async_snapshot_attend(run, now);
    watch(run, now);
}
