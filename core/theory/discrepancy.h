// SPDX-License-Identifier: MIT
// How far apart whole tokens leave the loads: the bounds of the papers, by the way of rounding.
#ifndef CORE_THEORY_DISCREPANCY_H
#define CORE_THEORY_DISCREPANCY_H

#include "core/theory/facts.h"

// Returns the local divergence of I - alpha L, L the Laplacian of the topology: the largest sum, over all steps and
// links, of the differences between the probabilities of a walk that begins at one processor. NaN: it is infinite, or
// finding it takes too long, or there is no memory (errno is ENOMEM).
double core_local_divergence(const struct ek_topology *topology, double alpha, double gamma);

// Adds the bound for pairs of processors that share their tokens evenly, if the odd token is drawn.
void core_facts_add_pairs(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts);

// Adds the bound for the rounding of a method whose matrix is known.
void core_facts_add_discrepancy(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts);

#endif
