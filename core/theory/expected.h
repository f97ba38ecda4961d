// SPDX-License-Identifier: MIT
// The expected variance under random work of all processors: Xu, Monien, Lüling & Lau 1995, section 5. Their Eqs. (27)
// and (29) hold for one operation. Here the covariances C := M C M' + sigma^2 I are followed through all operations, or
// C := M (C + sigma^2 I) M' if work comes first.
#ifndef CORE_THEORY_EXPECTED_H
#define CORE_THEORY_EXPECTED_H

#include "core/method.h"

// Operations of one matrix, with work after or before each of them. With `work_by_steps` work comes after or before
// each colour of an exchange.
struct core_process {
    const struct ek_topology *topology;
    enum ek_matrix matrix;
    double parameter;
    bool work_by_steps;
    bool work_first;
};

// Expected sums of squares about the mean at the end.
struct core_expected {
    double from_load;  // from the given load
    double from_drawn; // from independently drawn loads, relative to their variance
    double from_work;  // from the work, relative to its variance in a tick
    bool even;         // nothing is left of the initial load: more steps would change nothing
};

// Finds the expectation after `steps` steps: a step is a colour of an exchange or an operation of diffusion. `load` is
// [processors]. NULL as load asks for the long run; then the function returns early if the initial load still matters.
// `room` has space for core_expected_room numbers. core_expected_cost returns the cost in simple operations.
void core_expected_find(const struct core_process *process, uint64_t steps, const double *load, double *room,
                        struct core_expected *expected);
size_t core_expected_room(uint32_t processors);
double core_expected_cost(const struct core_process *process, uint64_t steps);

// Returns the number of steps of an operation.
uint32_t core_expected_steps(const struct core_process *process);

#endif
