// SPDX-License-Identifier: MIT
// Whether loads are at rest: the method will never move anything again.
#ifndef CORE_THEORY_REST_H
#define CORE_THEORY_REST_H

#include "core/links/link.h"
#include "core/method.h"

// Returns whether rest can be seen from the loads alone: the method is a rule without memory and without a schedule of
// its own. Which links take part, and when, may still be drawn at random.
bool core_rest_shows(const struct ek_method *method, const struct ek_plan *plan);

// What a rule sees. `held`, `capacity` and `target` are [processors]; NULL capacities are all 1, and without targets
// held loads are compared.
struct core_rest {
    const struct ek_method *method;
    const struct ek_plan *plan;
    const struct ek_topology *topology;
    const struct ek_link_model *links;
    const double *held, *capacity, *target;
    bool tokens;
    double *announced;     // room for the ports of one processor, as many as any processor has
    const uint8_t *usable; // by port: whether load can go over it; NULL: it can go over all
};

// Returns whether the rule sends nothing over any link, in either direction.
bool core_rest_holds(const struct core_rest *rest);

#endif
