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

// Returns a number that hardly any other link has, whichever end comes first (the finalizer of SplitMix64, by Steele,
// Lea & Flood 2014).
static inline uint64_t topo_link_print(uint32_t a, uint32_t b)
{
    struct topo_pair pair = topo_pair_of(a, b);
    uint64_t z = ((uint64_t)pair.low << 32 | pair.high) + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Sorts the pairs by low, then by high, then by line.
void topo_pairs_sort(struct topo_pair *pairs, size_t count);

// Joins the components of two processors. Returns whether they were different ones. `parent` has a path from each
// processor to the root of its component; at first each is its own root.
bool topo_join(uint32_t *parent, uint32_t a, uint32_t b);

// Returns whether the number of components is 1. If not, `error` lists their sizes.
bool topo_joined(uint32_t *parent, uint32_t components, uint32_t processors, struct ek_error *error);

// Returns the number of components that the links make of the processors. `parent` is room for [processors]; afterwards
// it has a path from each processor to the root of its component.
uint32_t topo_pairs_components(const struct topo_pair *pairs, size_t count, uint32_t processors, uint32_t *parent);

// Returns whether the links connect all processors. If not, `error` lists the sizes of the components.
bool topo_pairs_connected(const struct topo_pair *pairs, size_t count, uint32_t processors, struct ek_error *error);

#endif
