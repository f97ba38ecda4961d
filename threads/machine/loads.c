// SPDX-License-Identifier: MIT
// The loads of a run at its start and at its end.
#include "threads/machine/loads.h"

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
    report->minimum = end->minimum;
    report->maximum = end->maximum;
    report->total_initial = start->total;
    report->held_final = end->total;
    report->mean_final = end->total / plan->topology->processors;
    report->total_final = end->total + end->in_flight;
    report->in_flight = end->in_flight;
    report->idle = end->idle;
}
