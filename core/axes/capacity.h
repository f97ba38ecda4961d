// SPDX-License-Identifier: MIT
// Capacities: in balance every processor holds its capacity's share of the load. homo, semi and cs are those of Zhao,
// Xiao & Parhami 2009, section 6.
#ifndef CORE_AXES_CAPACITY_H
#define CORE_AXES_CAPACITY_H

#include "core/axes/load.h"

// Parses a capacity spec. `*capacity` becomes an array of positive numbers by processor, to be freed, or NULL for homo:
// all 1. `*drawn` says whether they were drawn; then they depend on `seed` and the processor only.
bool core_capacity_parse(const char *spec, uint32_t processors, uint64_t seed, struct ek_reader reader,
                         double **capacity, bool *drawn, struct ek_error *error);

// The loads that balance, by processor: c_i * total / C. Capacities may be NULL: all 1.
void core_capacity_shares(const double *capacity, uint32_t processors, double total, double *share);

// A capacity as `list` shows it, or NULL past the last.
const struct ek_choice *core_capacity_choice(size_t index);

#endif
