// SPDX-License-Identifier: MIT
// Free timing: what the attendant reads from a complete snapshot (snapshot.h). The ledger: initial + generated = held +
// in flight + consumed. The stop criteria. And termination, a stable property: nobody is in an operation or wants one,
// and nothing is under way; once true it stays so, and a snapshot that shows it was no accident (Chandy & Lamport 1985,
// section 4).
#include "threads/async/audit.h"

#include <math.h>

#include "threads/async/end.h"
#include "threads/watch/ledger.h"

// Between two snapshots lies so many times what the last one took, so that they take at most a tenth of the time; but
// not more than that many nanoseconds, since the first one may wait for threads that have not begun.
enum { REST = 9, REST_MAX_NS = 200 * 1000 * 1000 };

// Whether anything that is down will come back; the next event is known already.
static bool repairs_come(const struct async_run *run)
{
    const struct async_attendant *attendant = &run->attendant;
    return async_faults(run->machine) &&
           (core_faults_repairs_pending(&attendant->faults) || (attendant->fault_waits && attendant->fault.repair));
}

static void begin(struct async_run *run, uint64_t now_ns)
{
    run->attendant.mending = repairs_come(run); // if not, the snapshot is of processors that have seen all repairs
    run->attendant.auditing = true;
    run->attendant.audit_began_ns = now_ns;
    // Relaxed: before the epoch, whose release orders it.
    atomic_store_explicit(&run->shared.complete, 0, memory_order_relaxed);
    // Release: pairs with the acquire of the epoch in a look.
    atomic_fetch_add_explicit(&run->shared.epoch, 1, memory_order_release);
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
    struct async_attendant *attendant = &run->attendant;
    struct whole whole = {.tried = UINT64_MAX, .tries = UINT64_MAX};
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        const struct async_snapshot *part = &run->snapshot[p];
        attendant->held[p] = part->held;
        whole.in_flight += part->in_flight;
        whole.generated += part->generated;
        whole.consumed += part->consumed;
        whole.moved += part->moved;
        whole.messages += part->messages;
        whole.active += !part->idle;
        whole.asking += part->asks;
        whole.blocked += part->asks && part->blocked;
        bool lost = async_faults(run->machine) && part->cut_off && !attendant->mending; // it stands still for ever
        whole.goes_on = whole.goes_on || (part->goes_on && !lost);
        if (part->asks && !part->blocked) {
            uint64_t tries = part->tried - attendant->tried[p];
            whole.tried = part->tried < whole.tried ? part->tried : whole.tried;
            whole.tries = tries < whole.tries ? tries : whole.tries;
        }
        whole.fingerprint += part->held * (1.0 + (double)(p % 8191) / 8192.0);
    }
    return whole;
}

bool async_ledger(struct async_run *run, double held, double in_flight, double generated, double consumed, double moved)
{
    struct watch_ledger ledger = {.initial = run->start.total,
                                  .generated = generated,
                                  .consumed = consumed,
                                  .held = held,
                                  .in_flight = in_flight,
                                  .moved = moved};
    struct ek_error violation;
    bool balances = watch_ledger_balances(&ledger, run->machine->units, "", &violation);
    if (!balances) {
        async_violate(run, &violation);
    }
    return balances;
}

// A run must end. Tokens: nothing has changed, though everybody who wants to has tried several times, the slowest too.
static bool stands_still(struct async_run *run, const struct whole *whole)
{
    enum { TRIES = 16 };
    struct async_attendant *attendant = &run->attendant;
    if (whole->fingerprint != attendant->fingerprint || whole->moved != attendant->moved_before) {
        attendant->fingerprint = whole->fingerprint;
        attendant->moved_before = whole->moved;
        for (uint32_t p = 0; p < run->topology->processors; p++) {
            attendant->tried[p] = run->snapshot[p].tried;
        }
        return false;
    }
    return whole->tries >= TRIES;
}

// What comes may take the loads from balance, and is to be balanced then: as long as it does, hope begins anew. Tokens
// too may get no better while they move: where amounts are rounded up they may go round for ever.
static bool hopeless(struct async_run *run, const struct whole *whole, double distance)
{
    struct async_attendant *attendant = &run->attendant;
    if (attendant->mending || whole->goes_on) {
        watch_hope_begin(&attendant->hope, INFINITY, whole->tried < UINT64_MAX ? whole->tried : 0);
        return false;
    }
    if (whole->active == 0 && whole->messages == 0 && whole->asking > 0 && whole->asking == whole->blocked) {
        return true; // who would balance is cut off
    }
    return whole->tried < UINT64_MAX && ((run->machine->units == EK_TOKENS && stands_still(run, whole)) ||
                                         !watch_hope_lasts(&attendant->hope, distance, whole->tried, 0));
}

// By snapshot; where there is no memory for more, the trace ends and the run goes on.
static void trace(struct async_run *run, const struct core_measure *measure, const struct whole *whole)
{
    struct ek_trace_row row = watch_trace_row_of(measure);
    row.step = run->attendant.audits - 1;
    row.moved = whole->moved;
    row.invokers = whole->active;
    row.time = 1e-9 * (double)run->attendant.audit_began_ns;
    row.in_flight = whole->in_flight;
    watch_trace_add(&run->attendant.trace, &row);
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
    if (run->attendant.ended != EK_ENDED_CRITERION || reached) {
        async_end(run, run->attendant.ended);
        return;
    }
    run->attendant.stopping = false;
    atomic_store_explicit(&run->shared.draining, false, memory_order_relaxed); // a lone flag
    async_ring_all(run);
}

bool async_trigger(struct async_run *run, const struct core_measure *measure)
{
    bool triggered = core_invoke_whole(&run->machine->invoke, measure);
    // Relaxed: a lone flag.
    bool before = atomic_exchange_explicit(&run->shared.triggered, triggered, memory_order_relaxed);
    if (triggered && !before) {
        async_ring_all(run);
    }
    return triggered;
}

// Tests what is tested between operations in rounds, here on a snapshot.
static void test(struct async_run *run, const struct whole *whole)
{
    const struct ek_machine *machine = run->machine;
    struct async_attendant *attendant = &run->attendant;
    enum core_stop_kind stop = machine->stop.kind;
    struct core_measure measure;
    double distance;
    machine_loads_measure(machine, attendant->held, &measure, &distance);
    atomic_store_explicit(&run->shared.variance, measure.variance, memory_order_relaxed); // a lone value, for progress
    if (machine->experiment.keep_trace) {
        trace(run, &measure, whole);
    }
    if (!async_ledger(run, measure.total, whole->in_flight, whole->generated, whole->consumed, whole->moved)) {
        return;
    }
    bool triggered = async_trigger(run, &measure);
    attendant->nobody_waits = whole->active == 0 && whole->asking == whole->blocked;
    bool quiet = whole->active == 0 && whole->messages == 0;
    bool reached =
        stop != CORE_STOP_NEVER && stop != CORE_STOP_ITSELF &&
        core_stop_reached(&machine->stop, run->topology, attendant->held, &measure, distance, whole->in_flight);
    if (attendant->stopping) { // one that began before may have missed an operation that was to begin
        if (quiet && atomic_load_explicit(&run->shared.epoch, memory_order_relaxed) >= attendant->drained_epoch) {
            end_drained(run, reached);
        }
    } else if (quiet && whole->asking == 0 && !whole->goes_on && !triggered) {
        async_end(run, EK_ENDED_ITSELF);
    } else if (reached && near_enough(&machine->stop, whole->in_flight)) {
        async_stop(run, EK_ENDED_CRITERION);
    } else if (stop != CORE_STOP_NEVER && hopeless(run, whole, distance)) {
        async_stop(run, EK_ENDED_FROZEN);
    }
}

// When the next one may begin: at its interval, and not before this one has had its rest.
static uint64_t next_after(const struct async_run *run, uint64_t now_ns)
{
    const struct async_attendant *attendant = &run->attendant;
    uint64_t interval_ns = attendant->stopping ? 0 : (uint64_t)(1e9 * run->machine->experiment.audit_s);
    uint64_t rest_ns = REST * (now_ns - attendant->audit_began_ns);
    uint64_t rested = now_ns + (rest_ns < REST_MAX_NS ? rest_ns : REST_MAX_NS);
    uint64_t due = attendant->audit_began_ns + interval_ns;
    return due > rested ? due : rested;
}

void async_audit(struct async_run *run, uint64_t now_ns)
{
    struct async_attendant *attendant = &run->attendant;
    if (!attendant->auditing) {
        if (now_ns >= attendant->audit_next_ns) {
            begin(run, now_ns);
        }
        return;
    }
    // Acquire: pairs with the release of each processor that counted its part.
    if (atomic_load_explicit(&run->shared.complete, memory_order_acquire) < run->topology->processors) {
        return;
    }
    attendant->auditing = false;
    attendant->audits++;
    if (!attendant->stopping) {
        attendant->audits_before_end = attendant->audits;
        attendant->audited_until_ns = attendant->audit_began_ns;
    }
    attendant->audit_next_ns = next_after(run, now_ns);
    struct whole whole = sum_up(run);
    test(run, &whole);
}
