// SPDX-License-Identifier: MIT
// Free timing: snapshots of the running machine (Chandy & Lamport, Distributed snapshots, ACM TOCS 3, 1985), over the
// same mailboxes as everything else. When a snapshot begins, every processor records itself at its next turn, or before
// it takes a marker, and sends a marker over each link; what it takes on a port between its record and the port's
// marker was under way. So all parts belong to one possible moment, though no two were taken at once.
//
// Three things are read from a complete snapshot. The ledger: initial + generated = held + in flight + consumed. The
// stop criteria. And termination, a stable property: nobody is in an operation or wants one, and nothing is under way;
// once true it stays so, and a snapshot that shows it was no accident (section 4 of the paper).
#include <math.h>
#include <stdlib.h>

#include "threads/free_state.h"
#include "topologies/scan.h"

// Between two snapshots lies so many times what the last one took, so that they take at most a tenth of the time; but
// not more than that many nanoseconds, since the first one may wait for threads that have not begun.
enum { REST = 9, REST_MAX = 200 * 1000 * 1000 };

// Whether something can still come that makes it invoke: work, or a lot.
static bool goes_on(const struct ek_free *free, uint32_t p)
{
    const struct ek_workload *work = &free->machine->work;
    return free->machine->invoke.kind == EK_INVOKE_PROBABILITY || work->kind == EK_WORKLOAD_NORMAL ||
           work->kind == EK_WORKLOAD_CONSTANT ||
           (work->kind == EK_WORKLOAD_FILE && free->processor[p].ticks < work->ticks);
}

bool ek_audit_record(struct ek_free_worker *worker, uint32_t p, uint32_t epoch)
{
    struct ek_free *free = worker->free;
    struct ek_free_processor *processor = &free->processor[p];
    const struct ek_topology *topology = free->topology;
    if (processor->epoch == epoch) {
        return false;
    }
    bool idle = processor->phase == EK_PHASE_IDLE && processor->engaged == 0;
    free->snapshot[p] = (struct ek_snapshot){.held = processor->held,
                                             .generated = processor->generated,
                                             .consumed = processor->consumed,
                                             .moved = processor->moved,
                                             .idle = idle,
                                             .asks = ek_operation_wanted(worker, p),
                                             .blocked = idle && ek_operation_blocked(worker, p),
                                             .cut_off = !ek_operation_possible(worker, p),
                                             .tried = processor->operation,
                                             .goes_on = goes_on(free, p)};
    processor->epoch = epoch;
    processor->markers = topology->first[p + 1] - topology->first[p];
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        free->port[port].marked = false;
        ek_post(worker, port, EK_MARKER, epoch, 0);
    }
    if (processor->markers == 0) {
        atomic_fetch_add_explicit(&free->complete, 1, memory_order_release); // as in ek_audit_mark
    }
    return true;
}

void ek_audit_note(struct ek_free *free, uint32_t p, uint32_t port, const struct ek_message *message)
{
    if (free->port[port].marked || ek_message_kind(message) == EK_MARKER) {
        return;
    }
    free->snapshot[p].messages++;
    if (ek_message_carries(message)) {
        free->snapshot[p].in_flight += message->amount;
    }
}

void ek_audit_mark(struct ek_free_worker *worker, uint32_t p, uint32_t port, const struct ek_message *message)
{
    struct ek_free *free = worker->free;
    ek_audit_record(worker, p, (uint32_t)message->amount);
    free->port[port].marked = true;
    if (--free->processor[p].markers == 0) {
        // Release: pairs with the attendant's acquire. The snapshot is there before it is counted.
        atomic_fetch_add_explicit(&free->complete, 1, memory_order_release);
    }
}

// Whether anything that is down will come back; the next event is known already.
static bool repairs_come(const struct ek_free *free)
{
    return free->faults && (ek_faults_repairs_pending(free->faults) || (free->fault_waits && free->fault.repair));
}

static void begin(struct ek_free *free, uint64_t now)
{
    free->mending = repairs_come(free); // if not, the snapshot is of processors that have seen all repairs
    atomic_store_explicit(&free->complete, 0, memory_order_relaxed); // before the epoch, whose release orders it
    free->auditing = true;
    free->audit_began = now;
    // Release: pairs with the acquire of the epoch in a worker's sweep.
    atomic_fetch_add_explicit(&free->epoch, 1, memory_order_release);
    ek_free_ring_all(free);
}

// What a snapshot says of the machine as a whole.
struct whole {
    double in_flight, generated, consumed, moved;
    uint64_t messages;
    uint32_t active;  // in an operation
    uint32_t asking;  // would invoke
    uint32_t blocked; // of those
    bool goes_on;
    double fingerprint;
    uint64_t tried; // the fewest operations of anybody who would invoke and can: so far,
    uint64_t tries; // and since something changed
};

static struct whole sum_up(struct ek_free *free)
{
    struct whole whole = {.tried = UINT64_MAX, .tries = UINT64_MAX};
    for (uint32_t p = 0; p < free->topology->processors; p++) {
        const struct ek_snapshot *part = &free->snapshot[p];
        free->held[p] = part->held;
        whole.in_flight += part->in_flight;
        whole.generated += part->generated;
        whole.consumed += part->consumed;
        whole.moved += part->moved;
        whole.messages += part->messages;
        whole.active += !part->idle;
        whole.asking += part->asks;
        whole.blocked += part->asks && part->blocked;
        bool lost = free->links && part->cut_off && !free->mending; // it stands still for ever
        whole.goes_on = whole.goes_on || (part->goes_on && !lost);
        if (part->asks && !part->blocked) {
            uint64_t tries = part->tried - free->tried[p];
            whole.tried = part->tried < whole.tried ? part->tried : whole.tried;
            whole.tries = tries < whole.tries ? tries : whole.tries;
        }
        whole.fingerprint += part->held * (1.0 + (double)(p % 8191) / 8192.0);
    }
    return whole;
}

bool ek_free_ledger(struct ek_free *free, double held, double in_flight, double generated, double consumed,
                    double moved)
{
    double gap = fabs(free->total_initial + generated - consumed - held - in_flight);
    double handled = free->total_initial + generated + moved;
    if (gap <= ek_measure_tolerance(handled, free->machine->units == EK_TOKENS)) {
        return true;
    }
    struct ek_error violation;
    ek_fail(
        &violation, EK_VIOLATION, "", -1,
        "%.17g of load was lost or made: held %.17g and in flight %.17g, of %.17g at the start, %.17g generated and "
        "%.17g consumed",
        gap, held, in_flight, free->total_initial, generated, consumed);
    ek_free_violate(free, &violation);
    return false;
}

// A run must end. Tokens: nothing has changed, though everybody who wants to has tried several times, the slowest too.
static bool stands_still(struct ek_free *free, const struct whole *whole)
{
    enum { TRIES = 16 };
    if (whole->fingerprint != free->fingerprint || whole->moved != free->moved_before) {
        free->fingerprint = whole->fingerprint;
        free->moved_before = whole->moved;
        for (uint32_t p = 0; p < free->topology->processors; p++) {
            free->tried[p] = free->snapshot[p].tried;
        }
        return false;
    }
    return whole->tries >= TRIES;
}

// The least distance from balance did not fall while the number of operations of everybody who wants any doubled,
// beyond any transient. Tokens too: where amounts are rounded up they may go round for ever.
static bool gets_no_better(struct ek_free *free, double distance, uint64_t operations)
{
    enum { TRANSIENT = 512 };
    free->distance_least = fmin(free->distance_least, distance);
    if (operations < TRANSIENT || operations < 2 * free->operations_doubled) {
        return false;
    }
    bool no_better = !(free->distance_least < free->distance_before * (1.0 - 1e-9));
    free->distance_before = free->distance_least;
    free->distance_least = INFINITY;
    free->operations_doubled = operations;
    return no_better;
}

static bool hopeless(struct ek_free *free, const struct whole *whole, double distance)
{
    if (free->mending || whole->goes_on) { // what comes may take it from balance, and is to be balanced then
        free->distance_before = free->distance_least = INFINITY;
        free->operations_doubled = whole->tried < UINT64_MAX ? whole->tried : 0;
        return false;
    }
    if (whole->active == 0 && whole->messages == 0 && whole->asking > 0 && whole->asking == whole->blocked) {
        return true; // who would balance is cut off
    }
    return whole->tried < UINT64_MAX && ((free->machine->units == EK_TOKENS && stands_still(free, whole)) ||
                                         gets_no_better(free, distance, whole->tried));
}

// By snapshot; where there is no memory for more, the trace ends and the run goes on.
static void trace(struct ek_free *free, const struct ek_measure *measure, const struct whole *whole)
{
    struct ek_trace_row row = ek_trace_row_of(measure);
    row.step = free->audits - 1;
    row.moved = whole->moved;
    row.invokers = whole->active;
    row.time = 1e-9 * (double)free->audit_began;
    row.in_flight = whole->in_flight;
    ek_trace_add(&free->trace, &row);
}

// Whether what is under way is little enough for the criterion to hold when it has arrived, most likely.
static bool near_enough(const struct ek_stop *stop, double in_flight)
{
    return stop->kind == EK_STOP_SHARED ||
           (stop->kind == EK_STOP_VARIANCE ? in_flight * in_flight : in_flight) <= stop->limit;
}

// Everything has arrived. A criterion must hold now, too; else the machine goes on.
static void end_drained(struct ek_free *free, bool reached)
{
    if (free->reason != EK_CRITERION || reached) {
        ek_free_end(free, free->reason);
        return;
    }
    free->stopping = false;
    atomic_store_explicit(&free->draining, false, memory_order_relaxed); // a lone flag
    ek_free_ring_all(free);
}

// Tests what is tested between operations in rounds, here on a snapshot.
static void test(struct ek_free *free, const struct whole *whole)
{
    const struct ek_machine *machine = free->machine;
    struct ek_measure measure;
    ek_measure_loads(free->held, free->topology->processors, &measure);
    double distance = ek_measure_distance(free->held, machine->capacity, free->topology->processors, &measure);
    atomic_store_explicit(&free->variance, measure.variance, memory_order_relaxed); // a lone value, for progress
    if (free->machine->keep_trace) {
        trace(free, &measure, whole);
    }
    if (!ek_free_ledger(free, measure.total, whole->in_flight, whole->generated, whole->consumed, whole->moved)) {
        return;
    }
    free->nobody_waits = whole->active == 0 && whole->asking == whole->blocked;
    bool quiet = whole->active == 0 && whole->messages == 0;
    bool reached = machine->stop.kind != EK_STOP_NEVER && machine->stop.kind != EK_STOP_ITSELF &&
                   ek_stop_reached(&machine->stop, free->topology, free->held, &measure, distance, whole->in_flight);
    if (free->stopping) { // one that began before may have missed an operation that was to begin
        if (quiet && atomic_load_explicit(&free->epoch, memory_order_relaxed) >= free->drained_epoch) {
            end_drained(free, reached);
        }
    } else if (quiet && whole->asking == 0 && !whole->goes_on) {
        ek_free_end(free, EK_QUIET);
    } else if (reached && near_enough(&machine->stop, whole->in_flight)) {
        ek_free_stop(free, EK_CRITERION);
    } else if (machine->stop.kind != EK_STOP_NEVER && hopeless(free, whole, distance)) {
        ek_free_stop(free, EK_FROZEN);
    }
}

void ek_audit_attend(struct ek_free *free, uint64_t now)
{
    if (!free->auditing) {
        if (now >= free->audit_next) {
            begin(free, now);
        }
        return;
    }
    // Acquire: pairs with the release of each processor that counted its part.
    if (atomic_load_explicit(&free->complete, memory_order_acquire) < free->topology->processors) {
        return;
    }
    free->auditing = false;
    free->audits++;
    if (!free->stopping) {
        free->audits_before_end = free->audits;
        free->audited_until = free->audit_began;
    }
    uint64_t interval = free->stopping ? 0 : (uint64_t)(1e9 * free->machine->audit); // the end does not wait for it
    uint64_t rest = REST * (now - free->audit_began);
    rest = now + (rest < REST_MAX ? rest : REST_MAX);
    free->audit_next = free->audit_began + interval > rest ? free->audit_began + interval : rest;
    struct whole whole = sum_up(free);
    test(free, &whole);
}
