// SPDX-License-Identifier: MIT
// Measurements of a run in rounds.
#include "threads/rounds/rounds_measure.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "core/promises.h"
#include "threads/api/experiment.h"
#include "threads/rounds/transport.h"

uint64_t rounds_parcels(const struct rounds_run *rounds)
{
    uint64_t parcels = 0;
    for (unsigned w = 0; w < rounds->workers; w++) {
        parcels += rounds->worker[w].parcels;
    }
    return parcels;
}

uint64_t rounds_messages(const struct rounds_run *rounds)
{
    uint64_t messages = 0;
    for (unsigned w = 0; w < rounds->workers; w++) {
        messages += rounds->worker[w].messages;
    }
    return messages;
}

static double lowest_so_far(const struct rounds_run *rounds)
{
    double lowest = INFINITY;
    for (unsigned w = 0; w < rounds->workers; w++) {
        lowest = fmin(lowest, rounds->worker[w].minimum);
    }
    return lowest;
}

// An array by processor of which this process has a part.
struct parted {
    struct rounds_run *rounds;
    const double *array;
};

static const double *read_window(void *context, uint32_t from, uint32_t count)
{
    struct parted *parted = context;
    return parted->rounds->transport->read_window(parted->rounds, parted->array, from, count);
}

void rounds_measure(struct rounds_run *rounds, bool all, struct core_measure *measure)
{
    double delayed = rounds->transport ? rounds->transport->in_flight(rounds)
                                       : mail_delay_in_flight(&rounds->lines, rounds->topology->ports);
    double in_flight = delayed + cargo_letters_in_flight(&rounds->letters);
    if (rounds->by_block) {
        struct parted held = {rounds, rounds->loads.held};
        core_measure_windows(&(struct core_windows){read_window, &held, rounds->topology->processors}, in_flight,
                             measure);
        return;
    }
    rounds_collect(rounds, rounds->loads.held, 1);
    (all ? core_measure_loads : core_measure_balance)(rounds_loads_settled(rounds), rounds->machine->capacity,
                                                      rounds->topology->processors, in_flight, measure);
}

// Returns whether no processor has sent more than it held, if the method promises that.
static bool check_bounds(const struct rounds_run *rounds, double lowest, struct ek_error *violation)
{
    char when[40];
    const struct machine_plan *machine = rounds->machine;
    bool promised = machine->checked && !machine->method->supports.overdraws && !machine->capacity &&
                    !machine->to_target && machine->work.kind == CORE_WORKLOAD_NONE;
    snprintf(when, sizeof when, "by step %llu", (unsigned long long)rounds->now.step);
    return !promised ||
           core_bounds_check(violation, machine->method->name, when, machine->units, lowest, rounds->start.size);
}

// In each step, a load is rounded at most once for each parcel sent or received, and twice for a tick.
enum watch_verdict rounds_check_ledger(struct rounds_run *rounds, const struct core_measure *measure)
{
    uint32_t processors = rounds->topology->processors;
    const struct rounds_loads *loads = &rounds->loads;
    rounds_collect(rounds, loads->generated, 1);
    rounds_collect(rounds, loads->consumed, 1);
    struct watch_ledger ledger = {
        .initial = rounds->start.total,
        .initial_size = rounds->start.size,
        .generated = loads->generated ? core_measure_sum(loads->generated, processors) : 0.0,
        .consumed = loads->consumed ? core_measure_sum(loads->consumed, processors) : 0.0,
        .held = measure->total,
        .in_flight = measure->in_flight,
        .lowest = lowest_so_far(rounds),
        .additions =
            2.0 * rounds->topology->degree_max * (double)(rounds->now.time + 1) + 2.0 * (double)rounds->now.ticks,
    };
    char when[40];
    struct ek_error violation;
    snprintf(when, sizeof when, " by step %llu", (unsigned long long)rounds->now.step);
    enum watch_verdict verdict = watch_ledger_look(&ledger, processors, rounds->machine->units, when, &violation);
    if (verdict == WATCH_BALANCES && !check_bounds(rounds, ledger.lowest, &violation)) {
        verdict = WATCH_VIOLATED;
    }
    if (verdict == WATCH_VIOLATED) {
        rounds_violate(rounds, &violation);
    }
    return verdict;
}

double rounds_moved(struct rounds_run *rounds)
{
    double moved;
    if (rounds->by_block) {
        struct parted sent = {rounds, rounds->loads.moved};
        moved = core_measure_windows_sum(&(struct core_windows){read_window, &sent, rounds->topology->processors});
    } else {
        rounds_collect(rounds, rounds->loads.moved, 1);
        moved = core_measure_sum(rounds->loads.moved, rounds->topology->processors);
    }
    for (unsigned w = 0; w < rounds->workers; w++) {
        moved += rounds->worker[w].swapped;
    }
    return moved;
}

double rounds_stayed(struct rounds_run *rounds)
{
    double *native = rounds->loads.native;
    rounds_collect(rounds, native, 1);
    double stayed = native ? core_measure_sum(native, rounds->topology->processors) : NAN;
    for (unsigned w = 0; w < rounds->workers; w++) {
        stayed += rounds->worker[w].consumed_at_home;
    }
    return stayed;
}

static struct ek_trace_row row_of(struct rounds_run *rounds, const struct core_measure *measure)
{
    uint32_t processors = rounds->topology->processors;
    const double *generated = rounds->loads.generated;
    struct watch_passed passed = {.moved = rounds_moved(rounds),
                                  .there = rounds->start.total,
                                  .stayed = rounds_stayed(rounds),
                                  .invokers = rounds->now.invokers,
                                  .invocations = rounds->now.invocations,
                                  .messages = rounds_messages(rounds)};
    passed.there += generated ? core_measure_sum(generated, processors) : 0.0;
    struct ek_trace_row row = watch_trace_row_of(measure, processors, &passed);
    row.step = rounds->now.step;
    row.time = rounds_clock_s(rounds);
    return row;
}

static bool is_traced(const struct rounds_run *rounds)
{
    return rounds->machine->experiment->keep_trace && rounds->now.step % rounds->now.trace.every == 0;
}

static bool is_in_window(const struct rounds_run *rounds)
{
    return watch_window_has(&rounds->now.window, (double)rounds->now.step);
}

bool rounds_step_is_shown(const struct rounds_run *rounds)
{
    return is_traced(rounds) || is_in_window(rounds) || rounds->now.observed;
}

// Adds a row to the trace; a row of the same step is replaced.
static void trace(struct rounds_run *rounds, const struct ek_trace_row *row)
{
    struct watch_trace *trace = &rounds->now.trace;
    if (trace->count > 0 && trace->rows[trace->count - 1].step == row->step) {
        trace->count--;
    }
    struct ek_error violation;
    bool grows = trace->count == trace->room; // the same in all processes
    bool good = watch_trace_add(trace, row) ||
                base_fail(&violation, EK_BAD_INPUT, "every", "no memory for a longer trace: keep fewer rows");
    if (grows && !rounds_agree(rounds, good, &violation)) {
        rounds_violate(rounds, &violation);
    }
}

static void show_observer(struct rounds_run *rounds, const struct ek_trace_row *row)
{
    const double *loads = rounds_loads_settled(rounds);
    double *tasks = cargo_tasks_had(&rounds->tasks, loads, 0);
    if (tasks) {
        rounds_collect(rounds, tasks, 1);
    }
    rounds->now.observed_s +=
        watch_trace_show(rounds->machine->experiment, row, loads, tasks, rounds->topology->processors);
}

void rounds_show_step(struct rounds_run *rounds, const struct core_measure *measure)
{
    struct ek_trace_row *last = &rounds->now.shown;
    struct ek_trace_row row = row_of(rounds, measure);
    if (rounds->now.has_shown && last->step == row.step) {
        // Uncounted steps have this step's number too: their row replaces the earlier one, but not its invokers.
        row.invokers = last->invokers;
        row.invocations = last->invocations;
    }
    rounds->now.has_shown = true;
    *last = row;
    if (is_traced(rounds)) {
        trace(rounds, &row);
    }
    if (rounds->now.observed) {
        show_observer(rounds, &row);
    }
    if (is_in_window(rounds)) {
        watch_window_add(&rounds->now.window, (double)row.step, &row);
    }
}
