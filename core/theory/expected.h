// SPDX-License-Identifier: MIT
// The expected variance under random work of everybody: Xu, Monien, Lüling & Lau 1995, section 5. Their Eqs. (27) and
// (29) hold for one operation; here the covariances C := M C M' + sigma^2 I are followed through all of them, or
// C := M (C + sigma^2 I) M' where work comes first.
#ifndef CORE_THEORY_EXPECTED_H
#define CORE_THEORY_EXPECTED_H

#include "core/method.h"

// Operations of one matrix, with work after or before each, or by steps after or before each colour of an exchange.
struct core_process {
    const struct ek_topology *topology;
    enum ek_matrix matrix;
    double parameter;
    bool work_by_steps;
    bool work_first;
};

// Sums of squares about the mean that are expected at the end.
struct core_expected {
    double from_load;  // of the load that was given
    double from_drawn; // of independent loads, over their variance
    double from_work;  // of the work, over its variance in a tick
    bool even;         // nothing is left of the start: more steps would change nothing
};

// After `steps` steps: a colour of an exchange, an operation of diffusion. `room` holds two numbers a processor. The
// time it takes is that of core_expected_cost simple operations. Without a load (NULL) it is about the long run, and
// given up as soon as anything is left of the start.
void core_expected_find(const struct core_process *process, uint64_t steps, const double *load, double *room,
                        struct core_expected *expected);
double core_expected_cost(const struct core_process *process, uint64_t steps);

// How many steps an operation has.
uint32_t core_expected_steps(const struct core_process *process);

#endif
