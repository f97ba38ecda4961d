// SPDX-License-Identifier: MIT
// The flow with the smallest 2-norm that balances given loads. It is the differences of a potential x with L x = b
// over the links, L the Laplacian, b how much each processor has too much (Hu & Blake 1999; Diekmann, Frommer &
// Monien 1999).
#ifndef CORE_THEORY_POTENTIAL_H
#define CORE_THEORY_POTENTIAL_H

#include "topologies/topology.h"

// Beyond so many processors only chains and rings are solved.
enum { CORE_POTENTIAL_MAX = 1 << 17 };

// Finds x = L^+ b, whose sum is 0; b sums to 0. A chain or ring is summed up, other graphs take conjugate gradients
// in a bounded number of iterations. False and `error` where these do not suffice.
bool core_potential_find(const struct ek_topology *topology, const double *b, double *x, struct ek_error *error);

// The 2-norm of the flow of this potential.
double core_potential_flow(const struct ek_topology *topology, const double *x);

#endif
