// SPDX-License-Identifier: MIT
// The loads of a run at its start and at its end, in every timing.
#ifndef THREADS_MACHINE_LOADS_H
#define THREADS_MACHINE_LOADS_H

#include "core/measure.h"
#include "core/theory/rest.h"
#include "threads/machine/plan.h"

// The loads at the start of a run.
struct machine_start {
    double total, mean, variance;
    double distance; // sum of squared distances from balance, with capacities
    double size;     // sum of |w_i|
};

// Draws the loads of the run with this seed into `held` [processors]. Switches have none.
void machine_loads_place(const struct machine_plan *plan, uint64_t seed, double *held);

// Draws the loads of the run with this seed into `held`, and measures them into `start`. Copies them to `initial`
// unless it is NULL. Writes each processor's share of all load to `target` unless it is NULL.
void machine_loads_draw(const struct machine_plan *plan, uint64_t seed, double *held, double *initial, double *target,
                        struct machine_start *start);

// Does the same for a rank that needs only the loads of its own processors: `held` gets no others. `window` is room for
// CORE_WINDOW numbers. Capacities must be equal.
void machine_loads_draw_own(const struct machine_plan *plan, uint64_t seed, double *window, double *held,
                            struct machine_start *start);

// Returns the sum of squared distances from the mean of the loads of the run with this seed. `window` is such room too.
double machine_loads_distance(const struct machine_plan *plan, uint64_t seed, double *window);

// Prepares the test whether a rule would still move anything, and plans its memory. The caller sets the loads and
// targets of the test when their memory has been allocated. The test gets no memory if the loads alone do not show
// rest, or if there is a workload.
void machine_rest_plan(struct core_rest *rest, const struct machine_plan *plan, struct base_arena *memory);

// Writes the loads at the start and at the end to a report. `start` and `end` are their measurements. `converged`
// becomes whether the stop criterion holds for the loads in the report, whatever ended the run. So the loads and
// `converged` never contradict each other.
void machine_loads_report(const struct machine_plan *plan, const double *held, const struct machine_start *start,
                          const struct core_measure *end, struct ek_report *report);

#endif
