// SPDX-License-Identifier: MIT
// The loads of a run at its start and at its end.
#include "threads/machine/loads.h"
#include "threads/api/report.h"
#include "topologies/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/theory/potential.h"
#include "topologies/rows.h"

void machine_loads_place(const struct machine_plan *plan, uint64_t seed, double *held)
{
    uint32_t hosts = plan->topology->hosts;
    core_load_draw(&plan->load, seed, hosts, held);
    for (uint32_t p = hosts; p < plan->topology->processors; p++) {
        held[p] = 0.0; // a switch
    }
}

struct machine_start machine_start_of(const struct core_measure *measure, uint32_t processors)
{
    return (struct machine_start){.distance = measure->distance,
                                  .total = measure->total,
                                  .mean = measure->total / processors,
                                  .variance = measure->variance};
}

void machine_loads_draw_own(const struct machine_plan *plan, uint64_t seed, double *held)
{
    const struct rank_placement *placement = &plan->placement;
    struct core_load_draws draws = {.load = &plan->load, .seed = seed, .processors = plan->topology->processors};
    for (uint32_t i = 0; i < placement->spans; i++) {
        if (placement->rank[i] == plan->ranks->rank) {
            uint32_t begin = placement->begin[i];
            core_load_draw_skip(&draws, begin);
            core_load_draw_next(&draws, placement->begin[i + 1] - begin, held + begin);
        }
    }
}

uint64_t machine_loads_print(const struct machine_plan *plan)
{
    uint64_t print = 0;
    for (uint32_t p = 0; plan->load.values && p < plan->topology->processors; p++) {
        uint64_t bits;
        memcpy(&bits, &plan->load.values[p], sizeof bits);
        print = (print ^ bits) * 0x100000001b3u; // FNV-1a (Fowler, Noll and Vo), on words
    }
    return print;
}

// Only on a line the least flow follows from the loads quickly.
bool machine_loads_need_distance_only(const struct machine_plan *plan)
{
    const struct ek_topology *topology = plan->topology;
    bool part = !topo_is_stored(topology) || topology->window;
    return part && topology->processors > CORE_POTENTIAL_MAX && topology->dimensions != 1;
}

// Draws the loads begin..end-1 and adds them to a sum; or, if `mean` is not NULL, the squares of their distances from
// it.
static void draw_and_add(struct core_load_draws *draws, uint32_t begin, uint32_t end, const double *mean,
                         struct core_exact *sum)
{
    enum { WINDOW = 1024 };
    double window[WINDOW];
    core_load_draw_skip(draws, begin);
    while (draws->next < end) {
        uint32_t left = end - draws->next, count = left < WINDOW ? left : WINDOW;
        core_load_draw_next(draws, count, window);
        if (mean) {
            core_exact_add_squares(sum, window, count, *mean);
        } else {
            core_exact_add(sum, window, count);
        }
    }
}

// Merges the sums of all ranks. Returns false if a rank does not answer.
static bool merge(const struct ek_ranks *ranks, struct core_exact *sum)
{
    struct core_exact *all = calloc(ranks->count, sizeof *all);
    bool good = all && ranks->gather(ranks->context, sum, all, sizeof *all);
    for (unsigned r = 0; good && r < ranks->count; r++) {
        if (r != ranks->rank) {
            core_exact_merge(sum, &all[r]);
        }
    }
    free(all);
    return good;
}

// Draws all loads and adds them up, or the squares.
static bool draw_all(const struct machine_plan *plan, uint64_t seed, const double *mean, double *total)
{
    const struct rank_placement *placement = &plan->placement;
    uint32_t processors = plan->topology->processors;
    struct core_load_draws draws = {.load = &plan->load, .seed = seed, .processors = processors};
    struct core_exact sum = {.added = 0};
    for (uint32_t i = 0; plan->ranks && i < placement->spans; i++) {
        if (placement->rank[i] == plan->ranks->rank) {
            draw_and_add(&draws, placement->begin[i], placement->begin[i + 1], mean, &sum);
        }
    }
    if (!plan->ranks) {
        draw_and_add(&draws, 0, processors, mean, &sum);
    }
    bool good = !plan->ranks || merge(plan->ranks, &sum);
    *total = core_exact_total(&sum);
    return good;
}

bool machine_loads_distance(const struct machine_plan *plan, uint64_t seed, double *distance)
{
    double total;
    if (!draw_all(plan, seed, NULL, &total)) {
        return false;
    }
    double mean = total / plan->topology->processors;
    return draw_all(plan, seed, &mean, distance);
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
    *start = machine_start_of(&measure, processors);
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

void machine_loads_report(const struct machine_plan *plan, bool converged, const struct machine_start *start,
                          const struct core_measure *end, struct ek_report *report)
{
    report->converged = converged;
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
