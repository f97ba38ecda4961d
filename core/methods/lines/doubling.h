// SPDX-License-Identifier: MIT
// Recursive doubling over the lines of a product: a scan over a binomial tree, one level a step, along links that are
// added to the lines.
#ifndef CORE_METHODS_LINES_DOUBLING_H
#define CORE_METHODS_LINES_DOUBLING_H

#include "core/methods/lines/walk.h"

// Returns the topology with the links of the lines and the trees, for plan->overlay, or NULL with `error` filled if
// there is no memory.
struct ek_topology *method_doubling_overlay(const struct ek_topology *topology, struct ek_error *error);

// The functions of a method whose plan was filled by method_walk_prepare.
enum ek_next method_doubling_next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step);
void method_doubling_announce(const struct ek_turn *turn, double *values);
void method_doubling_act(struct ek_turn *turn, double *amounts);

#endif
