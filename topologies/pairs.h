// SPDX-License-Identifier: MIT
// Links as pairs of processors, for graphs that are read or drawn: sorted, and checked to be connected.
#ifndef TOPOLOGIES_PAIRS_H
#define TOPOLOGIES_PAIRS_H

#include "base/common.h"

struct topo_pair {
    uint32_t low;
    uint32_t high;
    uint32_t line; // line of the file that it was read from, or 0
    bool reversed; // written as (high, low)
};

static inline struct topo_pair topo_pair_of(uint32_t a, uint32_t b)
{
    return (struct topo_pair){.low = a < b ? a : b, .high = a < b ? b : a};
}

// Sorts the pairs by low, then by high, then by line.
void topo_pairs_sort(struct topo_pair *pairs, size_t count);

// Returns the number of components that the links make of the processors. `parent` is room for [processors]; afterwards
// it has a path from each processor to the root of its component.
uint32_t topo_pairs_components(const struct topo_pair *pairs, size_t count, uint32_t processors, uint32_t *parent);

// Returns whether the links connect all processors. If not, `error` lists the sizes of the components.
bool topo_pairs_connected(const struct topo_pair *pairs, size_t count, uint32_t processors, struct ek_error *error);

#endif
