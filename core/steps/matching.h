// SPDX-License-Identifier: MIT
// A random maximal matching: what `matching` balances over in a step. Global knowledge, so the machine draws it.
#ifndef CORE_STEPS_MATCHING_H
#define CORE_STEPS_MATCHING_H

#include "base/arena.h"
#include "topologies/topology.h"

struct core_matching {
    uint32_t *order;     // [links] a working copy of the links
    uint32_t *port_of;   // by link: one of its ports
    uint32_t *partner;   // by processor: its matched port, or UINT32_MAX
    struct ek_end *ends; // [processors] the matched ends in the order of processors
    struct ek_end *last; // [processors] those of the draw before: its parcels are still under way
    size_t count;
};

// Plans its memory; and when that is taken.
void core_matching_plan(struct core_matching *matching, const struct ek_topology *topology, struct base_arena *memory);
void core_matching_begin(struct core_matching *matching, const struct ek_topology *topology);

// Draws the matching of step `step` of the run with this seed: links in a random order, each taken if both its
// processors are still free. O(links).
void core_matching_draw(struct core_matching *matching, const struct ek_topology *topology, uint64_t seed,
                        uint64_t step);

#endif
