// SPDX-License-Identifier: MIT
// Capacities. In balance the loads are in proportion to the capacities. The specs homo, semi and cs are those of Zhao,
// Xiao & Parhami 2009, section 6.
#ifndef CORE_AXES_CAPACITY_H
#define CORE_AXES_CAPACITY_H

#include "core/axes/load.h"

// Parses a capacity spec. `*capacity` becomes an array [processors] of numbers, which the caller frees, or NULL if all
// are 1 (homo). The spec gives the capacities of the first `hosts` processors; the others are switches, of capacity 0.
// A file can also give 0: such a processor is a switch, too. `*drawn` is set if the capacities were drawn; they then
// depend on `seed` and the processor only. Returns false with `error` filled if the spec or its file is wrong.
bool core_capacity_parse(const char *spec, uint32_t hosts, uint32_t processors, uint64_t seed, struct ek_reader reader,
                         double **capacity, bool *drawn, struct ek_error *error);

// Returns whether some processor has capacity 0. Such a processor is a switch: in balance it holds no load.
bool core_capacity_switches(const double *capacity, uint32_t processors);

// Writes the balanced loads to `share` [processors]: c_i * total / C, where C is the sum of the capacities. NULL
// capacities are all 1.
void core_capacity_shares(const double *capacity, uint32_t processors, double total, double *share);

// Returns a capacity as a list shows it, or NULL past the last.
const struct ek_choice *core_capacity_choice(size_t index);

#endif
