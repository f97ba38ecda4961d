// SPDX-License-Identifier: MIT
// Whether loads have come to rest: not that nothing has moved for a while, but that nothing ever will.
#ifndef CORE_THEORY_REST_H
#define CORE_THEORY_REST_H

#include "core/links/link.h"
#include "core/method.h"

// Whether rest can be seen in the loads alone: the method is a rule that compares the two ends of a link, keeps nothing
// and follows no schedule. Which links take part, and when, may then be drawn by lot.
bool core_rest_shows(const struct ek_method *method, const struct ek_plan *plan);

// What a rule sees: the loads held, each divided by its capacity or less its target where there are such (else NULL).
struct core_rest {
    const struct ek_method *method;
    const struct ek_plan *plan;
    const struct ek_topology *topology;
    const struct ek_link_model *links;
    const double *held, *capacity, *target;
    bool tokens;
    double *announced;     // room for the ports of a processor, as many as any has
    const uint8_t *usable; // by port: load can go over it; NULL: over all
};

// Whether such a method sends nothing over any link, in either direction.
bool core_rest_holds(const struct core_rest *rest);

#endif
