// SPDX-License-Identifier: MIT
// The cut condition (Muthukrishnan & Rajaraman; Anshelevich, Kempe & Kleinberg): what is added to a set of processors
// in a step, beyond its share of all that is added, must fit through the links that leave it.
#ifndef CORE_THEORY_CUT_H
#define CORE_THEORY_CUT_H

#include "topologies/topology.h"

enum { CORE_CUT_PROCESSORS_MAX = 20 };

// The largest |d(S)| / e(S) over the sets S of processors, e(S) the links with one end in S; at most
// CORE_CUT_PROCESSORS_MAX processors, at least 2. `d` sums to 0.
double core_cut_ratio(const struct ek_topology *topology, const double *d);

#endif
