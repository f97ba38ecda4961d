// SPDX-License-Identifier: MIT
// The flow with the least 2-norm that balances given loads. It equals the differences of a potential x over the links,
// L x = b, where L is the Laplacian and b the surplus of each processor (Hu & Blake 1999; Diekmann, Frommer & Monien
// 1999).
#ifndef CORE_THEORY_POTENTIAL_H
#define CORE_THEORY_POTENTIAL_H

#include "base/common.h"

struct ek_topology;

// Above this number of processors only chains and rings are solved.
enum { CORE_POTENTIAL_MAX = 1 << 17 };

// Finds x = L^+ b, whose sum is 0. `b` and `x` are [processors], and the sum of `b` is 0. Chains and rings are summed
// up; other graphs take conjugate gradients in a bounded number of iterations. Returns false with `error` filled if
// these do not suffice.
bool core_potential_find(const struct ek_topology *topology, const double *b, double *x, struct ek_error *error);

// Returns the 2-norm of the flow of this potential.
double core_potential_flow(const struct ek_topology *topology, const double *x);

#endif
