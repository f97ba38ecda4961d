// SPDX-License-Identifier: MIT
// The loads of a run at its start and at its end.
#include "threads/loads.h"

#include <string.h>

void machine_loads_draw(const struct ek_machine *machine, uint64_t seed, double *held, double *initial, double *target,
                        struct machine_start *start)
{
    uint32_t processors = machine->topology->processors;
    core_load_draw(&machine->load, seed, processors, held);
    if (initial) {
        memcpy(initial, held, processors * sizeof *held);
    }
    struct core_measure measure;
    machine_loads_measure(machine, held, &measure, &start->distance);
    start->total = measure.total;
    start->mean = measure.total / processors;
    start->variance = measure.variance;
    if (target) {
        core_capacity_shares(machine->capacity, processors, measure.total, target);
    }
}

void machine_loads_measure(const struct ek_machine *machine, const double *held, struct core_measure *measure,
                           double *distance)
{
    uint32_t processors = machine->topology->processors;
    core_measure_loads(held, processors, measure);
    *distance = core_measure_distance(held, machine->capacity, processors, measure);
}

void machine_loads_report(const struct machine_start *start, const struct core_measure *end, struct ek_report *report)
{
    report->variance_initial = start->variance;
    report->variance_final = end->variance;
    report->spread_final = end->maximum - end->minimum;
    report->minimum = end->minimum;
    report->maximum = end->maximum;
    report->total_initial = start->total;
    report->held_final = end->total;
    report->total_final = end->total + report->in_flight;
    report->idle = end->idle;
}
