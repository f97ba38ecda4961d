// SPDX-License-Identifier: MIT
// The loads of a run at its start and at its end, in every timing.
#ifndef THREADS_MACHINE_LOADS_H
#define THREADS_MACHINE_LOADS_H

#include "core/measure.h"
#include "core/theory/rest.h"
#include "threads/machine/plan.h"

// The loads at the start of a run. No load is negative.
struct machine_start {
    double total, mean, variance;
    double distance; // sum of squared distances from balance, with capacities
};

// Draws the loads of the run with this seed into `held` [processors]. Switches have none.
void machine_loads_place(const struct machine_plan *plan, uint64_t seed, double *held);

// Draws the loads of the run with this seed into `held`, and measures them into `start`. Copies them to `initial`
// unless it is NULL. Writes each processor's share of all load to `target` unless it is NULL.
void machine_loads_draw(const struct machine_plan *plan, uint64_t seed, double *held, double *initial, double *target,
                        struct machine_start *start);

// Returns the start of a run that is known from a measurement of its loads.
struct machine_start machine_start_of(const struct core_measure *measure, uint32_t processors);

// Draws the loads of this rank's processors only.
void machine_loads_draw_own(const struct machine_plan *plan, uint64_t seed, double *held);

// Returns a fingerprint of the loads if they were given one by one, else 0.
uint64_t machine_loads_print(const struct machine_plan *plan);

// Returns whether the facts about a large machine need none of its loads, but their distance from balance.
bool machine_loads_need_distance_only(const struct machine_plan *plan);

// Finds the sum of squared distances from the mean of the loads of the run with this seed. Each rank draws its own
// processors. Returns false if another rank does not answer.
bool machine_loads_distance(const struct machine_plan *plan, uint64_t seed, double *distance);

// Prepares the test whether a rule would still move anything, and plans its memory. The caller sets the loads and
// targets of the test when their memory has been allocated. The test gets no memory if the loads alone do not show
// rest, or if there is a workload.
void machine_rest_plan(struct core_rest *rest, const struct machine_plan *plan, struct base_arena *memory);

// Writes the loads at the start and at the end to a report. `start` and `end` are their measurements. `converged`
// says whether the stop criterion holds for the loads in the report, whatever ended the run. So the loads and
// `converged` never contradict each other.
void machine_loads_report(const struct machine_plan *plan, bool converged, const struct machine_start *start,
                          const struct core_measure *end, struct ek_report *report);

#endif
