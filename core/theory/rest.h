// SPDX-License-Identifier: MIT
// Tests whether loads are at rest, which means that the method will never move load again.
#ifndef CORE_THEORY_REST_H
#define CORE_THEORY_REST_H

#include "core/cargo/rounding.h"
#include "core/links/link.h"

// Returns whether rest can be seen from the loads alone: the method is a rule without memory and without a schedule of
// its own. Which links take part, and when, may still be drawn at random.
bool core_rest_shows(const struct ek_method *method, const struct ek_plan *plan);

// The data that a rule reads. `held`, `capacity` and `target` are [processors]. NULL capacities are all 1. If `target`
// is NULL held loads are compared.
struct core_rest {
    const struct ek_plan *plan;
    const struct ek_topology *topology;
    const struct ek_link_model *links;
    const double *held, *capacity, *target;
    ek_flow *flow;               // of the method's rule
    enum core_rounding rounding; // of the amounts of `flow`
    double *announced;           // room for the ports of one processor, as many as any processor has
    const uint8_t *usable;       // by port: whether its link is up; NULL: all are
};

// Returns whether the rule sends nothing over any link, in either direction.
bool core_rest_holds(const struct core_rest *rest);

#endif
