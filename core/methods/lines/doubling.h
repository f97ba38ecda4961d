// SPDX-License-Identifier: MIT
// Recursive doubling over the lines of a product: a scan over a binomial tree, one level of it a step, whose links it
// adds to the line's own.
#ifndef CORE_METHODS_LINES_DOUBLING_H
#define CORE_METHODS_LINES_DOUBLING_H

#include "core/methods/lines/walk.h"

// The topology with the trees' links, for plan->overlay.
struct ek_topology *method_doubling_overlay(const struct ek_topology *topology, struct ek_error *error);

// A method's functions, for a plan from method_walk_prepare.
enum ek_next method_doubling_next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step);
void method_doubling_announce(const struct ek_turn *turn, double *values);
void method_doubling_act(struct ek_turn *turn, double *amounts);

#endif
