// SPDX-License-Identifier: MIT
// Serial sections of rounds: what one worker does for all while they wait at the barrier. Sums are taken in processor order, by one.
#include <math.h>
#include <stdlib.h>

#include "threads/rounds_state.h"
#include "topologies/scan.h"

static double seconds_since(const struct timespec *from)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - from->tv_sec) + 1e-9 * (double)(now.tv_nsec - from->tv_nsec);
}

static uint64_t parcels_so_far(const struct ek_rounds *rounds)
{
    uint64_t parcels = 0;
    for (unsigned w = 0; w < rounds->machine->workers; w++) {
        parcels += rounds->worker[w].parcels;
    }
    return parcels;
}

void ek_rounds_check_ledger(struct ek_rounds *rounds, double total)
{
    double gap = fabs(total - rounds->total_initial);
    if (gap == 0.0) {
        return;
    }
    double moved = ek_measure_sum(rounds->moved, rounds->topology->processors);
    double handled = rounds->total_initial + moved;
    bool exact = rounds->machine->units == EK_TOKENS && handled <= 0x1p53; // beyond, a diverging run's loads are not whole
    double allowed = exact ? 0.0 : 1e-12 * handled;
    if (!(gap <= allowed) && isfinite(total)) {
        struct ek_error violation;
        ek_fail(&violation, EK_VIOLATION, "", -1,
                "load was lost or made: %.17g at the start, %.17g after step %llu, with %.17g moved in between",
                rounds->total_initial, total, (unsigned long long)rounds->step, moved);
        ek_rounds_violate(rounds, &violation);
    }
}

static void finish(struct ek_rounds *rounds, enum ek_reason reason)
{
    rounds->over = true;
    rounds->reason = reason;
    rounds->elapsed_s = seconds_since(&rounds->began);
}

// Where the trace may have no more rows: every second one goes, and half as many come from now on.
static void thin_trace(struct ek_rounds *rounds)
{
    rounds->every *= 2;
    size_t kept = 0;
    for (size_t i = 0; i < rounds->trace_count; i++) {
        if (rounds->trace[i].step % rounds->every == 0) {
            rounds->trace[kept++] = rounds->trace[i];
        }
    }
    rounds->trace_count = kept;
}

static void trace(struct ek_rounds *rounds, const struct ek_measure *measure)
{
    if (rounds->trace_count > 1 && rounds->trace_count == rounds->machine->trace_rows) {
        thin_trace(rounds);
    }
    if (rounds->trace_count == rounds->trace_room) {
        size_t room = rounds->trace_room ? 2 * rounds->trace_room : 1024;
        struct ek_trace_row *grown = realloc(rounds->trace, room * sizeof *grown);
        if (!grown) {
            struct ek_error violation;
            ek_fail(&violation, EK_BAD_INPUT, "every", -1, "no memory for a longer trace: take every so many-th step");
            ek_rounds_violate(rounds, &violation);
            return;
        }
        rounds->trace = grown;
        rounds->trace_room = room;
    }
    rounds->trace[rounds->trace_count++] = (struct ek_trace_row){
        .step = rounds->step,
        .variance = measure->variance,
        .spread = measure->maximum - measure->minimum,
        .minimum = measure->minimum,
        .maximum = measure->maximum,
        .moved = ek_measure_sum(rounds->moved, rounds->topology->processors),
    };
}

// A run must end. Nothing moved in a whole operation of a rule that draws no lots: it never will. Or the variance
// did not fall while the number of operations doubled, beyond any transient: it is at its floor, or grows.
static bool hopeless(struct ek_rounds *rounds, const struct ek_measure *measure)
{
    uint64_t parcels = parcels_so_far(rounds);
    bool still = rounds->operation > 0 && parcels == rounds->parcels_before &&
                 rounds->machine->method->links != EK_LINKS_MATCHING;
    rounds->parcels_before = parcels;
    const struct ek_topology *topology = rounds->topology;
    uint64_t transient = 4 * (topology->diameter >= 0 ? (uint64_t)topology->diameter : topology->processors);
    bool doubled = (rounds->operation & (rounds->operation - 1)) == 0; // a power of two
    if (still || rounds->operation < 1024 || rounds->operation < transient || !doubled) {
        return still;
    }
    bool stands = !(measure->variance < rounds->variance_before * (1.0 - 1e-9));
    rounds->variance_before = measure->variance;
    return stands;
}

static bool limits_reached(struct ek_rounds *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    if ((machine->steps_max && rounds->step >= machine->steps_max) ||
        (machine->operations_max && rounds->operation >= machine->operations_max)) {
        finish(rounds, EK_STEPS);
    } else if (machine->seconds_max > 0.0 && seconds_since(&rounds->began) >= machine->seconds_max) {
        finish(rounds, EK_TIME);
    } else if (atomic_load_explicit(&machine->interrupted, memory_order_relaxed)) {
        finish(rounds, EK_INTERRUPT);
    }
    return rounds->over;
}

// After the announce phase, with all parcels taken in: measure where asked, then go on or end.
void ek_rounds_decide(void *context)
{
    struct ek_rounds *rounds = context;
    const struct ek_machine *machine = rounds->machine;
    bool operation_done = rounds->step % rounds->steps_per_operation == 0;
    bool test = operation_done && machine->stop.kind != EK_STOP_NEVER;
    bool show = machine->keep_trace && rounds->step % rounds->every == 0;
    if (operation_done) {
        rounds->operation = rounds->step / rounds->steps_per_operation;
    }
    if (test || show) {
        struct ek_measure measure;
        if (show || machine->stop.kind != EK_STOP_VARIANCE) {
            ek_measure_loads(rounds->held, rounds->topology->processors, &measure);
        } else {
            ek_measure_balance(rounds->held, rounds->topology->processors, &measure);
        }
        ek_rounds_check_ledger(rounds, measure.total);
        atomic_store_explicit(&rounds->shown_variance, measure.variance, memory_order_relaxed);
        if (show) {
            trace(rounds, &measure);
        }
        if (test && ek_stop_reached(&machine->stop, rounds->topology, rounds->held, &measure, 0.0)) {
            finish(rounds, EK_CRITERION);
        } else if (test && hopeless(rounds, &measure)) {
            finish(rounds, EK_FROZEN);
        }
    }
    if (atomic_load_explicit(&rounds->violated, memory_order_relaxed)) {
        finish(rounds, EK_STEPS);
    }
    if (!rounds->over && !limits_reached(rounds)) {
        atomic_store_explicit(&rounds->shown_step, rounds->step, memory_order_relaxed);
        atomic_store_explicit(&rounds->shown_operation, rounds->operation, memory_order_relaxed);
    }
}

// After the migrate phase: the step is complete.
void ek_rounds_step_done(void *context)
{
    struct ek_rounds *rounds = context;
    rounds->step++;
    if (rounds->machine->method->links == EK_LINKS_MATCHING) {
        ek_matching_draw(&rounds->matching, rounds->topology, rounds->seed, rounds->step);
    }
}

void ek_rounds_begin(void *context)
{
    struct ek_rounds *rounds = context;
    clock_gettime(CLOCK_MONOTONIC, &rounds->began);
}

void ek_rounds_progress(struct ek_rounds *rounds, struct ek_progress *progress)
{
    progress->steps = atomic_load_explicit(&rounds->shown_step, memory_order_relaxed);
    progress->operations = atomic_load_explicit(&rounds->shown_operation, memory_order_relaxed);
    progress->variance = atomic_load_explicit(&rounds->shown_variance, memory_order_relaxed);
}
