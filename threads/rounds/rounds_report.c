// SPDX-License-Identifier: MIT
// The report of a run in rounds or in turns, and its progress.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "threads/api/run.h"
#include "threads/cargo/picture.h"
#include "threads/machine/effects.h"
#include "threads/machine/on_ranks.h"
#include "threads/rounds/rounds_engine.h"
#include "threads/rounds/rounds_measure.h"
#include "threads/rounds/transport.h"

static void report_loads(struct rounds_run *rounds, struct ek_report *report)
{
    uint32_t processors = rounds->topology->processors;
    const struct rounds_loads *loads = &rounds->loads;
    struct core_measure measure;
    rounds_measure(rounds, true, &measure);
    rounds_collect(rounds, loads->unmet, 1);
    if (rounds_check_ledger(rounds, &measure) == WATCH_MEANINGLESS) {
        rounds->now.ended = EK_ENDED_DIVERGES;
    }
    machine_loads_report(rounds->machine, rounds_stop_reached(rounds, &measure), &rounds->start, &measure, report);
    report->moved = rounds_moved(rounds);
    if (rounds->machine->experiment->overlaps) {
        machine_effects_report(rounds->overlaps.effects, report);
    }
    report->generated = loads->generated ? core_measure_sum(loads->generated, processors) : 0.0;
    report->consumed = loads->consumed ? core_measure_sum(loads->consumed, processors) : 0.0;
    report->unmet = loads->unmet ? core_measure_sum(loads->unmet, processors) : 0.0;
    report->has_stayed = loads->native != NULL;
    report->stayed = report->has_stayed ? rounds_stayed(rounds) : 0.0;
}

// Returns the mean factor by which an operation reduced the distance from balance. If the run was cut within an
// operation, the factor is computed from the steps if all operations have equally many steps; otherwise it is NaN.
static double factor_of(const struct rounds_run *rounds, const struct ek_report *report)
{
    enum ek_links links = rounds->machine->method->links;
    bool by_colour = links == EK_LINKS_COLOUR || (links == EK_LINKS_ALL && rounds->machine->ports == EK_ONE_PORT);
    bool whole = rounds->now.operation_begins && rounds->now.fresh;
    double operations = by_colour ? (double)report->steps / rounds->topology->colours
                        : whole   ? (double)report->operations
                                  : 0.0;
    return operations > 0.0 ? pow(report->variance_final / report->variance_initial, 0.5 / operations) : NAN;
}

static void report_workers(const struct rounds_run *rounds, struct ek_report *report)
{
    report->minimum_ever = INFINITY;
    for (unsigned w = 0; w < rounds->workers; w++) {
        const struct rounds_worker *worker = &rounds->worker[w];
        report->minimum_ever = fmin(report->minimum_ever, worker->minimum);
        report->parcels += worker->parcels;
    }
    report->messages = rounds_messages(rounds);
    report->workers = rounds->machine->workers;
    machine_ranks_report(rounds->machine, report);
}

static void report_links(struct rounds_run *rounds, struct ek_report *report)
{
    const struct ek_topology *topology = rounds->topology;
    size_t link = 0;
    for (uint32_t port = 0; rounds->flow && port < topology->ports; port++) {
        uint32_t twin = topology->twin[port];
        if (topology->neighbour[twin] < topology->neighbour[port]) {
            rounds->flow[link++] = (struct ek_flow_report){.from = topology->neighbour[twin],
                                                           .to = topology->neighbour[port],
                                                           .dimension = topology->dimension[port],
                                                           .colour = topology->colour[port],
                                                           .forth = rounds->sent[port],
                                                           .back = rounds->sent[twin],
                                                           .net = rounds->sent[port] - rounds->sent[twin]};
        }
    }
    report->flow_count = rounds->flow ? topology->links : 0;
    report->flow = base_arena_detach(&rounds->plan, &rounds->flow);
}

// Reports the quotas that the method settled, dimension by dimension.
static void report_quotas(struct rounds_run *rounds, struct ek_report *report)
{
    const struct ek_plan *plan = &rounds->machine->method_plan;
    uint32_t processors = rounds->topology->processors;
    if (rounds->quota) {
        rounds_collect(rounds, rounds->state, plan->state_doubles);
    }
    for (uint32_t p = 0; rounds->quota && p < processors; p++) {
        const double *kept = rounds->state + (p + 1) * (size_t)plan->state_doubles - plan->quotas;
        for (uint32_t d = 0; d < plan->quotas; d++) {
            rounds->quota[d * (size_t)processors + p] = kept[d] > 0.0 ? kept[d] - 1.0 : NAN;
        }
    }
    report->quota_dimensions = plan->quotas;
    report->quota = base_arena_detach(&rounds->plan, &rounds->quota);
}

// Reports the estimates of a method that computes the mean load.
static void report_estimates(struct rounds_run *rounds, struct ek_report *report)
{
    const struct machine_plan *machine = rounds->machine;
    uint32_t processors = rounds->topology->processors;
    if (!machine->method->rounds->estimate) {
        return;
    }
    rounds_collect(rounds, rounds->state, machine->method_plan.state_doubles);
    const double *held = rounds_loads_settled(rounds);
    double mean = report->total_final / processors;
    double least = INFINITY;
    double most = -INFINITY;
    double sum = 0.0;
    double squares = 0.0;
    for (uint32_t p = 0; p < processors; p++) {
        const double *state = rounds->state + p * (size_t)machine->method_plan.state_doubles;
        double estimate = machine->method->rounds->estimate(state, held[p]);
        least = fmin(least, estimate);
        most = fmax(most, estimate);
        sum += estimate - mean;
        squares += (estimate - mean) * (estimate - mean);
    }
    report->has_estimates = true;
    report->estimate_mean = mean + sum / processors;
    report->estimate_spread = most - least;
    report->estimate_error = sqrt(squares);
}

// Reports the steps as the method's paper counts them, if the machine counts them otherwise.
static void report_paper_steps(const struct machine_plan *machine, struct ek_report *report)
{
    const struct ek_counted counted = {.units = machine->units,
                                       .operations = report->operations,
                                       .steps = report->steps,
                                       .scan_steps = report->scan_steps,
                                       .exchange_steps = report->exchange_steps,
                                       .shifts = report->shifts};
    const struct ek_method *method = machine->method;
    const char *counts = method->rounds->paper_steps
                             ? method->rounds->paper_steps(&machine->method_plan, &counted, &report->steps_paper)
                             : NULL;
    report->has_steps_paper = counts != NULL;
    if (counts) {
        snprintf(report->steps_paper_counts, sizeof report->steps_paper_counts, "%s", counts);
    }
}

// Reports what only some methods count.
static void report_counts(const struct rounds_run *rounds, struct ek_report *report)
{
    unsigned counts = rounds->machine->method->rounds->counts;
    report->scan_steps = rounds->now.count[EK_COUNT_SCAN];
    report->exchange_steps = rounds->now.count[EK_COUNT_EXCHANGE];
    report->reduction_steps = rounds->now.count[EK_COUNT_REDUCTION];
    report->has_scan = report->has_exchange = counts & EK_COUNTS_SCAN;
    report->has_reduction = counts & EK_COUNTS_REDUCTION;
    report->has_shifts = counts & EK_COUNTS_SHIFTS;
    report->shifts = rounds->now.shifts;
    report_paper_steps(rounds->machine, report);
    report->has_cycle = rounds->now.ended == EK_ENDED_REPEATS;
    report->cycle = rounds->now.cycle;
}

static void report_tasks(struct rounds_run *rounds, struct ek_report *report)
{
    struct cargo_tasks *tasks = &rounds->tasks;
    struct watch_profile *profile = &tasks->profile;
    report->has_tasks = true;
    if (rounds->transport) {
        rounds->transport->gather_tasks(rounds);
    }
    watch_profile_settle(profile, tasks->ticks);
    if (profile->most > 0) {
        rounds_collect(rounds, profile->time, WATCH_PROFILE_PARTS * (size_t)profile->most);
        rounds_collect(rounds, profile->tasks, WATCH_PROFILE_PARTS);
    }
    cargo_report_ticks(tasks, &report->tasks);
    cargo_picture_report(tasks, &rounds->plan, &report->tasks);
    watch_profile_give(profile, tasks->ticks, 1.0, &rounds->plan, report);
}

enum ek_status rounds_report(void *run, struct ek_report *report, struct ek_error *error)
{
    struct rounds_run *rounds = run;
    if (rounds->transport && rounds->sent && !rounds_sums_parts(rounds)) {
        rounds->transport->collect_sent(rounds);
    }
    if (rounds->machine->migrates_last) {
        rounds_objects_settle(rounds);
    } else if (rounds->machine->objects && rounds->transport) {
        rounds->transport->gather_objects(rounds);
    }
    report_loads(rounds, report); // this may set `ended`, if the numbers have lost their meaning
    report->seed = rounds->seed;
    report->ended = rounds->now.ended;
    report->hopeless = rounds->now.no_progress.suspected;
    report->operations = rounds->now.operation;
    report->invocations = rounds->now.invocations;
    report->steps = rounds->now.step;
    report->factor = factor_of(rounds, report);
    report->elapsed_s = rounds->now.elapsed_s;
    report->virtual_s = rounds_clock_s(rounds);
    report->has_virtual = !isnan(report->virtual_s);
    rounds_measure_flows(rounds, &report->flow_l1, &report->flow_l2);
    report_links(rounds, report);
    report_quotas(rounds, report);
    report_estimates(rounds, report);
    report_workers(rounds, report);
    report_counts(rounds, report);
    if (rounds_has_tasks(rounds)) {
        report_tasks(rounds, report);
    }
    cargo_letters_report(&rounds->letters, &report->tasks);
    report->has_objects = rounds->machine->objects != NULL;
    bool good = !report->has_objects || rounds_objects_report(rounds, report, error);
    report->has_faults = rounds_has_faults(rounds);
    report->faults = rounds->faults.report;
    watch_trace_give(&rounds->now.trace, report);
    watch_window_report(&rounds->now.window, report);
    watch_frames_give(&rounds->frames, (struct ek_frame){.step = rounds->now.step}, rounds->loads.held, rounds->sent,
                      &rounds->plan, report);
    if (rounds->machine->experiment->keep_loads) {
        report->initial = base_arena_detach(&rounds->plan, &rounds->loads.initial);
        bool swapped = rounds->one_pass && rounds->now.time % 2 == 1; // the loads lie in the array planned for the next
        report->final = base_arena_detach(&rounds->plan, swapped ? &rounds->loads.foreseen : &rounds->loads.held);
    }
    if (atomic_load_explicit(&rounds->shared.violated, memory_order_relaxed)) { // relaxed: the workers have ended
        *error = rounds->shared.violation;
        return error->status;
    }
    return good ? EK_OK : error->status;
}

void rounds_progress(void *run, struct ek_progress *progress)
{
    struct rounds_run *rounds = run;
    // Relaxed: these values are independent of each other and of other data.
    progress->steps = atomic_load_explicit(&rounds->now.shown_step, memory_order_relaxed);
    progress->operations = atomic_load_explicit(&rounds->now.shown_operation, memory_order_relaxed);
    progress->variance = atomic_load_explicit(&rounds->now.shown_variance, memory_order_relaxed);
}
