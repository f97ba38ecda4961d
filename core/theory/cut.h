// SPDX-License-Identifier: MIT
// The cut condition (Muthukrishnan & Rajaraman; Anshelevich, Kempe & Kleinberg): the load that a step adds to a set of
// processors, beyond the set's share of all added load, must fit through the links that leave the set.
#ifndef CORE_THEORY_CUT_H
#define CORE_THEORY_CUT_H

struct ek_topology;

enum { CORE_CUT_PROCESSORS_MAX = 20 };

// Returns the largest |d(S)| / e(S) over all sets S of processors, e(S) the number of links with one end in S. `d` has
// a number for each processor; its sum is 0. There are 2 .. CORE_CUT_PROCESSORS_MAX processors.
double core_cut_ratio(const struct ek_topology *topology, const double *d);

#endif
