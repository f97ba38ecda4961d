// SPDX-License-Identifier: MIT
// The rule of the polynomial schemes, which the files of several schemes share. Every operation is one step over all
// links: y := gain * difference + memory * (y of the step before). The memory of a port is its y, and the error that
// rounding left there.
#ifndef CORE_METHODS_POLYNOMIAL_H
#define CORE_METHODS_POLYNOMIAL_H

#include "core/theory/schemes.h"

struct ek_plan;
struct ek_setting;

// The data of a plan.
struct method_polynomial {
    struct core_polynomial polynomial;
    const struct ek_topology *topology;
    uint64_t switch_at; // the operation from which on steps are of first order; 0: none
};

extern const struct ek_rule method_polynomial_rule;
extern const struct ek_rounds_part method_polynomial_rounds;

// The part that the rows of all schemes share.
#define METHOD_POLYNOMIAL_ROW(UNITS)                                                                                   \
    .supports = {.units = (UNITS),                                                                                     \
                 .ports = EK_ALL_PORTS | EK_ONE_PORT,                                                                  \
                 .capacities = true,                                                                                   \
                 .delays = true,                                                                                       \
                 .overdraws = true},                                                                                   \
    .links = EK_LINKS_SCHEDULED, .destroy = method_polynomial_release, .rule = &method_polynomial_rule,                \
    .rounds = &method_polynomial_rounds

// Prepares a scheme whose coefficients follow from the spectrum of the topology with the capacities, or from `bounds`
// if it is not NULL.
bool method_polynomial_prepare(struct ek_plan *plan, const struct core_scheme *scheme, const struct ek_spectrum *bounds,
                               const struct ek_setting *setting, struct ek_error *error);
void method_polynomial_release(struct ek_plan *plan);

#endif
