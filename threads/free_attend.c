// SPDX-License-Identifier: MIT
// Free timing: what the caller's thread does while the workers run. It begins snapshots and looks at them
// (free_audit.c), lets links and processors fail and come back, ends the run when its time is over, and watches that it
// goes on.
#include <math.h>
#include <time.h>

#include "threads/free_state.h"
#include "topologies/scan.h"

uint64_t ek_free_now(const struct ek_free *free)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - free->began;
}

uint64_t ek_free_operations(const struct ek_free *free)
{
    uint64_t operations = 0;
    for (unsigned w = 0; w < free->machine->workers; w++) {
        operations += atomic_load_explicit(&free->worker[w].operations, memory_order_relaxed); // a count, no data
    }
    return operations;
}

void ek_free_ring_all(struct ek_free *free)
{
    for (unsigned w = 0; w < free->machine->workers; w++) {
        ek_bell_ring(&free->bell[w]);
    }
}

void ek_free_end(struct ek_free *free, enum ek_reason reason)
{
    free->reason = reason;
    free->ended = ek_free_now(free);
    for (unsigned w = 0; w < free->machine->workers; w++) { // for the dump, before they are woken
        struct ek_free_worker *worker = &free->worker[w];
        worker->slept = atomic_load_explicit(&worker->bell->lying, memory_order_relaxed) != 0;
    }
    // Release: pairs with the acquire in a worker's loop.
    atomic_store_explicit(&free->over, true, memory_order_release);
    ek_free_ring_all(free);
}

void ek_free_stop(struct ek_free *free, enum ek_reason reason)
{
    if (free->stopping) {
        return;
    }
    free->stopping = true;
    free->reason = reason;
    free->audit_next = 0;                                                               // at once
    free->drained_epoch = atomic_load_explicit(&free->epoch, memory_order_relaxed) + 1; // the attendant's own
    // Relaxed: ordered by the release of the next snapshot's epoch, which decides.
    atomic_store_explicit(&free->draining, true, memory_order_relaxed);
}

void ek_free_violate(struct ek_free *free, const struct ek_error *violation)
{
    if (!atomic_exchange_explicit(&free->violated, true, memory_order_acq_rel)) {
        free->violation = *violation; // read when all workers have ended
    }
    atomic_store_explicit(&free->over, true, memory_order_release);
    ek_free_ring_all(free);
}

// Those at the ends of what failed or came back look at once whether they have something to do.
static void ring_ends(struct ek_free *free, const struct ek_fault *fault)
{
    const struct ek_topology *topology = free->topology;
    uint32_t p = fault->processor ? fault->which : topology->neighbour[topology->twin[fault->which]];
    ek_bell_ring(ek_free_bell(free, p));
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        ek_bell_ring(ek_free_bell(free, topology->neighbour[port]));
    }
}

// A few at a time, since each waits until all threads have let go of the old table: where more are due, they are late.
static void let_fail(struct ek_free *free, uint64_t now)
{
    enum { CHANGES_MAX = 4 };
    for (int k = 0; k < CHANGES_MAX && free->fault_waits && free->fault.at_ns <= now; k++) {
        if (!ek_links_change(free->links, &free->fault)) {
            struct ek_error violation;
            ek_fail(&violation, EK_BAD_INPUT, "faults", -1, "there is no memory left for another link table");
            ek_free_violate(free, &violation);
            return;
        }
        free->repairs += free->fault.repair;
        free->link_failures += !free->fault.repair && !free->fault.processor;
        free->processor_failures += !free->fault.repair && free->fault.processor;
        ring_ends(free, &free->fault);
        free->fault_waits = ek_fault_next(free->faults, &free->fault);
    }
}

static void end_in_time(struct ek_free *free, uint64_t now)
{
    const struct ek_machine *machine = free->machine;
    if (machine->seconds_max > 0.0 && (double)now >= 1e9 * machine->seconds_max) {
        ek_free_stop(free, EK_TIME);
    } else if (atomic_load_explicit(&machine->interrupted, memory_order_relaxed)) { // a lone flag
        ek_free_stop(free, EK_INTERRUPT);
    } else if (machine->operations_max > 0 && atomic_load_explicit(&free->permits, memory_order_relaxed) <= 0 &&
               ek_free_operations(free) >= machine->operations_max) { // permits: a count
        ek_free_stop(free, EK_STEPS);
    }
}

// Whether every worker that is not asleep has had its turns since something last went on: on a busy machine one may
// wait long for a core, which is nobody's fault here.
static bool all_had_turns(const struct ek_free *free)
{
    enum { TURNS = 64 };
    for (unsigned w = 0; w < free->machine->workers; w++) {
        const struct ek_free_worker *worker = &free->worker[w];
        // Relaxed: a count, and a flag of which a moment ago is good enough.
        uint64_t turns = atomic_load_explicit(&worker->turns, memory_order_relaxed) - worker->turns_seen;
        if (turns < TURNS && atomic_load_explicit(&worker->bell->lying, memory_order_relaxed) == 0) {
            return false;
        }
    }
    return true;
}

static uint64_t advances_of(const struct ek_free *free)
{
    uint64_t advances = 0;
    for (unsigned w = 0; w < free->machine->workers; w++) {
        advances += atomic_load_explicit(&free->worker[w].advances, memory_order_relaxed); // a count, no data
    }
    return advances;
}

// The run goes on when operations get on, or snapshots are complete and nobody waits in an operation. What has not gone
// on for the time of the watchdog, and of the longest delay there and back, is stuck; where threads wait for a core,
// for some times as long.
static void watch(struct ek_free *free, uint64_t now)
{
    enum { LOOKS = 20, PATIENCE = 5 };
    double limit = 1e9 * free->machine->watchdog + 2.0 * (double)free->machine->delay.high;
    if ((double)(now - free->watched_at) < limit / LOOKS) {
        return;
    }
    free->watched_at = now;
    uint64_t advances = advances_of(free);
    bool snapshot = free->audits > free->audits_seen && free->nobody_waits;
    if (advances > free->advances_seen || snapshot || free->progress_at == 0) {
        free->progress_at = now;
        for (unsigned w = 0; w < free->machine->workers; w++) {
            free->worker[w].turns_seen = atomic_load_explicit(&free->worker[w].turns, memory_order_relaxed); // a count
        }
    }
    free->advances_seen = advances;
    free->audits_seen = free->audits;
    double waited = (double)(now - free->progress_at);
    if (waited > limit && (waited > PATIENCE * limit || all_had_turns(free))) {
        ek_free_end(free, EK_WATCHDOG);
    }
}

void ek_free_attend(struct ek_free *free)
{
    // Acquire: pairs with the release of the last worker, which sets when time begins.
    if (!atomic_load_explicit(&free->started, memory_order_acquire) ||
        atomic_load_explicit(&free->over, memory_order_relaxed)) { // this thread's own, or a violation
        return;
    }
    uint64_t now = ek_free_now(free);
    end_in_time(free, now);
    let_fail(free, now);
    ek_audit_attend(free, now);
    watch(free, now);
}
