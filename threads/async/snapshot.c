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

#include "threads/async/state.h"
#include "topologies/scan.h"

// Between two snapshots lies so many times what the last one took, so that they take at most a tenth of the time; but
// not more than that many nanoseconds, since the first one may wait for threads that have not begun.
enum { REST = 9, REST_MAX = 200 * 1000 * 1000 };

// Whether something can still come that makes it invoke: work, or a lot.
static bool goes_on(const struct async_run *run, uint32_t p)
{
    const struct core_workload *work = &run->machine->work;
    return run->machine->invoke.kind == CORE_INVOKE_PROBABILITY || work->kind == CORE_WORKLOAD_NORMAL ||
           work->kind == CORE_WORKLOAD_CONSTANT ||
           (work->kind == CORE_WORKLOAD_FILE && run->processor[p].ticks < work->ticks);
}

bool async_snapshot_record(struct async_worker *worker, uint32_t p, uint32_t epoch)
{
    struct async_run *run = worker->run;
    struct async_processor *processor = &run->processor[p];
    const struct ek_topology *topology = run->topology;
    if (processor->epoch == epoch) {
        return false;
    }
    bool idle = processor->phase == ASYNC_PHASE_IDLE && processor->engaged == 0;
    run->snapshot[p] = (struct async_snapshot){.held = processor->held,
                                               .generated = processor->generated,
                                               .consumed = processor->consumed,
                                               .moved = processor->moved,
                                               .idle = idle,
                                               .asks = async_operation_wanted(worker, p),
                                               .blocked = idle && async_operation_blocked(worker, p),
                                               .cut_off = !async_operation_possible(worker, p),
                                               .tried = processor->operation,
                                               .goes_on = goes_on(run, p)};
    processor->epoch = epoch;
    processor->markers = topology->first[p + 1] - topology->first[p];
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        run->port[port].marked = false;
        async_post(worker, port, ASYNC_MARKER, epoch, 0);
    }
    if (processor->markers == 0) {
        atomic_fetch_add_explicit(&run->complete, 1, memory_order_release); // as in async_snapshot_mark
    }
    return true;
}

void async_snapshot_note(struct async_run *run, uint32_t p, uint32_t port, const struct mail_message *message)
{
    if (run->port[port].marked || async_message_kind(message) == ASYNC_MARKER) {
        return;
    }
    run->snapshot[p].messages++;
    if (async_message_carries(message)) {
        run->snapshot[p].in_flight += message->amount;
    }
}

void async_snapshot_mark(struct async_worker *worker, uint32_t p, uint32_t port, const struct mail_message *message)
{
    struct async_run *run = worker->run;
    async_snapshot_record(worker, p, (uint32_t)message->amount);
    run->port[port].marked = true;
    if (--run->processor[p].markers == 0) {
        // Release: pairs with the attendant's acquire. The snapshot is there before it is counted.
        atomic_fetch_add_explicit(&run->complete, 1, memory_order_release);
    }
}

// Whether anything that is down will come back; the next event is known already.
static bool repairs_come(const struct async_run *run)
{
    return run->faults && (core_faults_repairs_pending(run->faults) || (run->fault_waits && run->fault.repair));
}

static void begin(struct async_run *run, uint64_t now)
{
    run->mending = repairs_come(run); // if not, the snapshot is of processors that have seen all repairs
    atomic_store_explicit(&run->complete, 0, memory_order_relaxed); // before the epoch, whose release orders it
    run->auditing = true;
    run->audit_began = now;
    // Release: pairs with the acquire of the epoch in a worker's sweep.
    atomic_fetch_add_explicit(&run->epoch, 1, memory_order_release);
    async_ring_all(run);
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

static struct whole sum_up(struct async_run *run)
{
    struct whole whole = {.tried = UINT64_MAX, .tries = UINT64_MAX};
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        const struct async_snapshot *part = &run->snapshot[p];
        run->held[p] = part->held;
        whole.in_flight += part->in_flight;
        whole.generated += part->generated;
        whole.consumed += part->consumed;
        whole.moved += part->moved;
        whole.messages += part->messages;
        whole.active += !part->idle;
        whole.asking += part->asks;
        whole.blocked += part->asks && part->blocked;
        bool lost = run->links && part->cut_off && !run->mending; // it stands still for ever
        whole.goes_on = whole.goes_on || (part->goes_on && !lost);
        if (part->asks && !part->blocked) {
            uint64_t tries = part->tried - run->tried[p];
            whole.tried = part->tried < whole.tried ? part->tried : whole.tried;
            whole.tries = tries < whole.tries ? tries : whole.tries;
        }
        whole.fingerprint += part->held * (1.0 + (double)(p % 8191) / 8192.0);
    }
    return whole;
}

bool async_ledger(struct async_run *run, double held, double in_flight, double generated, double consumed, double moved)
{
    double gap = fabs(run->total_initial + generated - consumed - held - in_flight);
    double handled = run->total_initial + generated + moved;
    if (gap <= core_measure_tolerance(handled, run->machine->units == EK_TOKENS)) {
        return true;
    }
    struct ek_error violation;
    topo_fail(
        &violation, EK_VIOLATION, "", -1,
        "%.17g of load was lost or made: held %.17g and in flight %.17g, of %.17g at the start, %.17g generated and "
        "%.17g consumed",
        gap, held, in_flight, run->total_initial, generated, consumed);
    async_violate(run, &violation);
    return false;
}

// A run must end. Tokens: nothing has changed, though everybody who wants to has tried several times, the slowest too.
static bool stands_still(struct async_run *run, const struct whole *whole)
{
    enum { TRIES = 16 };
    if (whole->fingerprint != run->fingerprint || whole->moved != run->moved_before) {
        run->fingerprint = whole->fingerprint;
        run->moved_before = whole->moved;
        for (uint32_t p = 0; p < run->topology->processors; p++) {
            run->tried[p] = run->snapshot[p].tried;
        }
        return false;
    }
    return whole->tries >= TRIES;
}

// The least distance from balance did not fall while the number of operations of everybody who wants any doubled,
// beyond any transient. Tokens too: where amounts are rounded up they may go round for ever.
static bool gets_no_better(struct async_run *run, double distance, uint64_t operations)
{
    enum { TRANSIENT = 512 };
    run->distance_least = fmin(run->distance_least, distance);
    if (operations < TRANSIENT || operations < 2 * run->operations_doubled) {
        return false;
    }
    bool no_better = !(run->distance_least < run->distance_before * (1.0 - 1e-9));
    run->distance_before = run->distance_least;
    run->distance_least = INFINITY;
    run->operations_doubled = operations;
    return no_better;
}

static bool hopeless(struct async_run *run, const struct whole *whole, double distance)
{
    if (run->mending || whole->goes_on) { // what comes may take it from balance, and is to be balanced then
        run->distance_before = run->distance_least = INFINITY;
        run->operations_doubled = whole->tried < UINT64_MAX ? whole->tried : 0;
        return false;
    }
    if (whole->active == 0 && whole->messages == 0 && whole->asking > 0 && whole->asking == whole->blocked) {
        return true; // who would balance is cut off
    }
    return whole->tried < UINT64_MAX && ((run->machine->units == EK_TOKENS && stands_still(run, whole)) ||
                                         gets_no_better(run, distance, whole->tried));
}

// By snapshot; where there is no memory for more, the trace ends and the run goes on.
static void trace(struct async_run *run, const struct core_measure *measure, const struct whole *whole)
{
    struct ek_trace_row row = watch_trace_row_of(measure);
    row.step = run->audits - 1;
    row.moved = whole->moved;
    row.invokers = whole->active;
    row.time = 1e-9 * (double)run->audit_began;
    row.in_flight = whole->in_flight;
    watch_trace_add(&run->trace, &row);
}

// Whether what is under way is little enough for the criterion to hold when it has arrived, most likely.
static bool near_enough(const struct core_stop *stop, double in_flight)
{
    return stop->kind == CORE_STOP_SHARED ||
           (stop->kind == CORE_STOP_VARIANCE ? in_flight * in_flight : in_flight) <= stop->limit;
}

// Everything has arrived. A criterion must hold now, too; else the machine goes on.
static void end_drained(struct async_run *run, bool reached)
{
    if (run->reason != EK_CRITERION || reached) {
        async_end(run, run->reason);
        return;
    }
    run->stopping = false;
    atomic_store_explicit(&run->draining, false, memory_order_relaxed); // a lone flag
    async_ring_all(run);
}

// Tests what is tested between operations in rounds, here on a snapshot.
static void test(struct async_run *run, const struct whole *whole)
{
    const struct ek_machine *machine = run->machine;
    struct core_measure measure;
    core_measure_loads(run->held, run->topology->processors, &measure);
    double distance = core_measure_distance(run->held, machine->capacity, run->topology->processors, &measure);
    atomic_store_explicit(&run->variance, measure.variance, memory_order_relaxed); // a lone value, for progress
    if (run->machine->keep_trace) {
        trace(run, &measure, whole);
    }
    if (!async_ledger(run, measure.total, whole->in_flight, whole->generated, whole->consumed, whole->moved)) {
        return;
    }
    run->nobody_waits = whole->active == 0 && whole->asking == whole->blocked;
    bool quiet = whole->active == 0 && whole->messages == 0;
    bool reached = machine->stop.kind != CORE_STOP_NEVER && machine->stop.kind != CORE_STOP_ITSELF &&
                   core_stop_reached(&machine->stop, run->topology, run->held, &measure, distance, whole->in_flight);
    if (run->stopping) { // one that began before may have missed an operation that was to begin
        if (quiet && atomic_load_explicit(&run->epoch, memory_order_relaxed) >= run->drained_epoch) {
            end_drained(run, reached);
        }
    } else if (quiet && whole->asking == 0 && !whole->goes_on) {
        async_end(run, EK_QUIET);
    } else if (reached && near_enough(&machine->stop, whole->in_flight)) {
        async_stop(run, EK_CRITERION);
    } else if (machine->stop.kind != CORE_STOP_NEVER && hopeless(run, whole, distance)) {
        async_stop(run, EK_FROZEN);
    }
}

void async_snapshot_attend(struct async_run *run, uint64_t now)
{
    if (!run->auditing) {
        if (now >= run->audit_next) {
            begin(run, now);
        }
        return;
    }
    // Acquire: pairs with the release of each processor that counted its part.
    if (atomic_load_explicit(&run->complete, memory_order_acquire) < run->topology->processors) {
        return;
    }
    run->auditing = false;
    run->audits++;
    if (!run->stopping) {
        run->audits_before_end = run->audits;
        run->audited_until = run->audit_began;
    }
    uint64_t interval = run->stopping ? 0 : (uint64_t)(1e9 * run->machine->audit_s); // the end does not wait for it
    uint64_t rest = REST * (now - run->audit_began);
    rest = now + (rest < REST_MAX ? rest : REST_MAX);
    run->audit_next = run->audit_began + interval > rest ? run->audit_began + interval : rest;
    struct whole whole = sum_up(run);
    test(run, &whole);
}
