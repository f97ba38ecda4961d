// SPDX-License-Identifier: MIT
// The loads of a run at its start and at its end.
#include "threads/machine/loads.h"
#include "threads/api/report.h"
#include "topologies/topology.h"

#include <math.h>
#include <string.h>

void machine_loads_place(const struct machine_plan *plan, uint64_t seed, double *held)
{
    uint32_t hosts = plan->topology->hosts;
    core_load_draw(&plan->load, seed, hosts, held);
    for (uint32_t p = hosts; p < plan->topology->processors; p++) {
        held[p] = 0.0; // a switch
    }
}

// Draws windows of the loads. In the first pass over them, `held` gets the loads of this rank's processors.
struct drawing {
    const struct machine_plan *plan;
    struct core_load_draws draws;
    double *window, *held;
    uint32_t span;
    double size;
};

// Copies the own part of a window.
static void keep_own(struct drawing *drawing, uint32_t from, uint32_t end)
{
    const struct rank_placement *placement = &drawing->plan->placement;
    for (;; drawing->span++) {
        uint32_t begin = placement->begin[drawing->span], stop = placement->begin[drawing->span + 1];
        uint32_t low = begin > from ? begin : from, high = stop < end ? stop : end;
        if (placement->rank[drawing->span] == drawing->plan->ranks->rank && low < high) {
            memcpy(drawing->held + low, drawing->window + (low - from), (high - low) * sizeof *drawing->held);
        }
        if (stop >= end) {
            return;
        }
    }
}

static const double *draw_window(void *context, uint32_t from, uint32_t count)
{
    struct drawing *drawing = context;
    if (from == 0) {
        drawing->draws.next = 0;
    }
    core_load_draw_next(&drawing->draws, count, drawing->window);
    for (uint32_t i = 0; drawing->held && i < count; i++) {
        drawing->size += fabs(drawing->window[i]);
    }
    if (drawing->held) {
        keep_own(drawing, from, from + count);
    }
    drawing->held = from + count == drawing->draws.processors ? NULL : drawing->held;
    return drawing->window;
}

void machine_loads_draw_own(const struct machine_plan *plan, uint64_t seed, double *window, double *held,
                            struct machine_start *start)
{
    uint32_t processors = plan->topology->processors;
    struct drawing drawing = {.plan = plan,
                              .draws = {.load = &plan->load, .seed = seed, .processors = processors},
                              .window = window,
                              .held = held};
    struct core_measure measure;
    core_measure_windows(&(struct core_windows){draw_window, &drawing, processors}, 0.0, &measure);
    *start = (struct machine_start){.distance = measure.distance,
                                    .total = measure.total,
                                    .mean = measure.total / processors,
                                    .variance = measure.variance,
                                    .size = drawing.size};
}

double machine_loads_distance(const struct machine_plan *plan, uint64_t seed, double *window)
{
    uint32_t processors = plan->topology->processors;
    struct drawing drawing = {.draws = {.load = &plan->load, .seed = seed, .processors = processors}, .window = window};
    struct core_windows windows = {draw_window, &drawing, processors};
    double each = core_measure_windows_sum(&windows) / processors;
    double squares = 0.0;
    for (uint32_t from = 0; from < processors; from += CORE_WINDOW) {
        uint32_t left = processors - from, count = left < CORE_WINDOW ? left : CORE_WINDOW;
        const double *load = draw_window(&drawing, from, count);
        for (uint32_t i = 0; i < count; i++) {
            squares += (load[i] - each) * (load[i] - each);
        }
    }
    return squares;
}

void machine_loads_draw(const struct machine_plan *plan, uint64_t seed, double *held, double *initial, double *target,
                        struct machine_start *start)
{
    uint32_t processors = plan->topology->processors;
    machine_loads_place(plan, seed, held);
    if (initial) {
        memcpy(initial, held, processors * sizeof *held);
    }
    struct core_measure measure;
    core_measure_loads(held, plan->capacity, processors, 0.0, &measure);
    start->distance = measure.distance;
    start->total = measure.total;
    start->mean = measure.total / processors;
    start->variance = measure.variance;
    start->size = 0.0;
    for (uint32_t p = 0; p < processors; p++) {
        start->size += fabs(held[p]);
    }
    if (target) {
        core_capacity_shares(plan->capacity, processors, measure.total, target);
    }
}

void machine_rest_plan(struct core_rest *rest, const struct machine_plan *plan, struct base_arena *memory)
{
    bool shows = plan->work.kind == CORE_WORKLOAD_NONE && core_rest_shows(plan->method, &plan->method_plan);
    *rest = (struct core_rest){.plan = &plan->method_plan,
                               .topology = plan->topology,
                               .links = &plan->links,
                               .capacity = plan->to_target ? NULL : plan->capacity,
                               .flow = shows ? machine_flow(plan) : NULL,
                               .rounding = plan->rounding};
    base_arena_plan(memory, &rest->announced, shows ? plan->topology->degree_max : 0, sizeof(double));
}

void machine_loads_report(const struct machine_plan *plan, const double *held, const struct machine_start *start,
                          const struct core_measure *end, struct ek_report *report)
{
    report->converged = core_stop_reached(&plan->stop, plan->topology, held, end);
    report->variance_initial = start->variance;
    report->variance_final = end->variance;
    report->error_initial = sqrt(start->distance);
    report->error_final = sqrt(end->distance);
    report->spread_final = end->maximum - end->minimum;
    report->has_discrepancy = plan->capacity || plan->stop.kind == CORE_STOP_DISCREPANCY;
    report->discrepancy_final = end->discrepancy;
    report->minimum = end->minimum;
    report->maximum = end->maximum;
    report->total_initial = start->total;
    report->held_final = end->total;
    report->mean_final = end->total / plan->topology->processors;
    report->total_final = end->total + end->in_flight;
    report->in_flight = end->in_flight;
    report->idle = end->idle;
}
