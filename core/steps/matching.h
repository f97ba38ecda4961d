// SPDX-License-Identifier: MIT
// A random maximal matching, over which the method `matching` balances in a step, or a single random link. The machine
// draws it: it is global knowledge.
#ifndef CORE_STEPS_MATCHING_H
#define CORE_STEPS_MATCHING_H

#include "base/arena.h"

struct ek_topology;

struct core_matching {
    uint32_t *order;     // [links] a working copy of the links
    uint32_t *port_of;   // by link: one of its ports
    uint32_t *partner;   // by processor: its matched port, or UINT32_MAX
    struct ek_end *ends; // [processors] the matched ends in the order of processors
    struct ek_end *last; // [processors] the ends of the last draw, whose parcels are still under way
    size_t count;
};

// core_matching_plan plans the memory. Call core_matching_begin after its allocation.
void core_matching_plan(struct core_matching *matching, const struct ek_topology *topology, struct base_arena *memory);
void core_matching_begin(struct core_matching *matching, const struct ek_topology *topology);

// Draws the matching of step `step` of the run with this seed: visits the links in a random order, and takes a link if
// both its processors are still free. Takes O(links) time.
void core_matching_draw(struct core_matching *matching, const struct ek_topology *topology, uint64_t seed,
                        uint64_t step);

// Draws a single link instead, each with the same probability.
void core_matching_draw_link(struct core_matching *matching, const struct ek_topology *topology, uint64_t seed,
                             uint64_t step);

#endif
