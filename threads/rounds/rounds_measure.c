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

// Adds up an array of which each process has its own part.
static struct core_tally tally_of(struct rounds_run *rounds, const double *array)
{
    struct core_tally tally = core_tally_of_none();
    for (unsigned b = 0; b < rounds->blocks; b++) {
        const struct rounds_worker *block = &rounds->worker[b];
        core_tally_add(&tally, array + block->begin, block->end - block->begin);
    }
    rounds->transport->merge(rounds, &tally);
    return tally;
}

static void measure_by_block(struct rounds_run *rounds, double in_flight, struct core_measure *measure)
{
    const double *held = rounds->loads.held;
    uint32_t processors = rounds->topology->processors;
    if (!rounds_sums_parts(rounds)) {
        core_measure_loads(rounds->transport->read(rounds, held), NULL, processors, in_flight, measure);
        return;
    }
    struct core_tally tally = tally_of(rounds, held), squares = core_tally_of_none();
    double mean = core_measure_tally(&tally, processors, in_flight, measure);
    for (unsigned b = 0; b < rounds->blocks; b++) {
        const struct rounds_worker *block = &rounds->worker[b];
        core_exact_add_squares(&squares.sum, held + block->begin, block->end - block->begin, mean);
    }
    rounds->transport->merge(rounds, &squares);
    core_measure_squares(&squares.sum, measure);
}

// Returns the largest difference of load over a link of any process.
static double gradient_by_block(struct rounds_run *rounds)
{
    struct core_tally tally = core_tally_of_none();
    rounds->transport->cross_loads(rounds, rounds->loads.held);
    tally.maximum = 0.0;
    for (unsigned b = 0; b < rounds->blocks; b++) {
        const struct rounds_worker *block = &rounds->worker[b];
        tally.maximum =
            fmax(tally.maximum, core_measure_gradient(rounds->topology, rounds->loads.held, block->begin, block->end));
    }
    rounds->transport->merge(rounds, &tally);
    return tally.maximum;
}

bool rounds_stop_reached(struct rounds_run *rounds, const struct core_measure *measure)
{
    const struct core_stop *stop = &rounds->machine->stop;
    if (!rounds->by_block) {
        return core_stop_reached(stop, rounds->machine->topology, rounds_loads_settled(rounds), measure);
    }
    double gradient = stop->kind == CORE_STOP_NEIGHBOURS ? gradient_by_block(rounds) : 0.0;
    return core_stop_reached_at(stop, rounds->topology->processors, gradient, measure);
}

void rounds_measure(struct rounds_run *rounds, bool all, struct core_measure *measure)
{
    double delayed = rounds->transport ? rounds->transport->in_flight(rounds)
                                       : mail_delay_in_flight(&rounds->lines, rounds->topology->ports);
    double in_flight = delayed + cargo_letters_in_flight(&rounds->letters);
    if (rounds->by_block) {
        measure_by_block(rounds, in_flight, measure);
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
           core_bounds_check(violation, machine->method->name, when, machine->units, lowest, rounds->start.total);
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
        .initial_size = rounds->start.total,
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

// Returns the sum of an array by processor.
static double sum_all(struct rounds_run *rounds, double *array)
{
    uint32_t processors = rounds->topology->processors;
    if (rounds_sums_parts(rounds)) {
        struct core_tally tally = tally_of(rounds, array);
        return core_exact_total(&tally.sum);
    }
    if (rounds->by_block) {
        return core_measure_sum(rounds->transport->read(rounds, array), processors);
    }
    rounds_collect(rounds, array, 1);
    return core_measure_sum(array, processors);
}

double rounds_moved(struct rounds_run *rounds)
{
    double moved = sum_all(rounds, rounds->loads.moved);
    for (unsigned w = 0; w < rounds->workers; w++) {
        moved += rounds->worker[w].swapped;
    }
    return moved;
}

void rounds_measure_flows(struct rounds_run *rounds, double *l1, double *l2)
{
    const struct ek_topology *topology = rounds->topology;
    if (!rounds->sent || !rounds_sums_parts(rounds)) {
        core_measure_flows(topology, rounds->sent, rounds->sent_plane, l1, l2);
        return;
    }
    struct core_flows flows = {.sizes = {.added = 0}};
    rounds->transport->cross_sent(rounds);
    for (unsigned b = 0; b < rounds->blocks; b++) {
        core_flows_add(&flows, topology, rounds->sent, rounds->sent_plane, rounds->worker[b].begin,
                       rounds->worker[b].end);
    }
    struct core_tally sizes = core_tally_of_none(), squares = core_tally_of_none();
    sizes.sum = flows.sizes;
    squares.sum = flows.squares;
    rounds->transport->merge(rounds, &sizes);
    rounds->transport->merge(rounds, &squares);
    *l1 = core_exact_total(&sizes.sum);
    *l2 = sqrt(core_exact_total(&squares.sum));
}

double rounds_stayed(struct rounds_run *rounds)
{
    double *native = rounds->loads.native;
    double stayed = native ? sum_all(rounds, native) : NAN;
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
