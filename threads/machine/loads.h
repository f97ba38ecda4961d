// SPDX-License-Identifier: MIT
// The loads of a run, at its start and at its end, in whatever timing.
#ifndef THREADS_MACHINE_LOADS_H
#define THREADS_MACHINE_LOADS_H

#include "core/measure.h"
#include "core/theory/rest.h"
#include "threads/machine/plan.h"

// The loads at the start of a run.
struct machine_start {
    double total, mean, variance;
    double distance; // sum of squares from balance, with capacities
    double size;     // sum of |w_i|
};

// Draws the loads of the run with this seed into `held`, and copies them to `initial` and each processor's share of
// them to `target`, where these are not NULL.
void machine_loads_draw(const struct machine_plan *plan, uint64_t seed, double *held, double *initial, double *target,
                        struct machine_start *start);

// Plans what a rule is asked of whether it would still move anything: its loads, and targets, are set when their memory
// is taken. It has no room where rest does not show in the loads alone, or work may come.
void machine_rest_plan(struct core_rest *rest, const struct machine_plan *plan, struct base_arena *memory);

// Fills what a report says of the loads at the start and at the end, which were measured so. It has converged where the
// criterion holds of the loads that the report shows, whatever ended it: so the two never contradict each other.
void machine_loads_report(const struct machine_plan *plan, const double *held, const struct machine_start *start,
                          const struct core_measure *end, struct ek_report *report);

#endif
