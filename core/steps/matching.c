// SPDX-License-Identifier: MIT
// Draws a random maximal matching: visits the links in a random order and takes each link whose two processors are
// still free.
#include "core/steps/matching.h"

#include "base/random.h"
#include "topologies/topology.h"

static const uint32_t FREE = UINT32_MAX;

void core_matching_plan(struct core_matching *matching, const struct ek_topology *topology, struct base_arena *memory)
{
    *matching = (struct core_matching){0};
    base_arena_plan(memory, &matching->order, topology->links, sizeof *matching->order);
    base_arena_plan(memory, &matching->port_of, topology->links, sizeof *matching->port_of);
    base_arena_plan(memory, &matching->partner, topology->processors, sizeof *matching->partner);
    base_arena_plan(memory, &matching->ends, topology->processors, sizeof *matching->ends);
    base_arena_plan(memory, &matching->last, topology->processors, sizeof *matching->last);
}

void core_matching_begin(struct core_matching *matching, const struct ek_topology *topology)
{
    uint32_t link = 0;
    for (uint32_t port = 0; port < topology->ports; port++) {
        if (topology->twin[port] > port) {
            matching->port_of[link++] = topology->twin[port];
        }
    }
}

// Keeps the ends of the last draw, and begins with none.
static void begin_ends(struct core_matching *matching)
{
    struct ek_end *drawn = matching->last;
    matching->last = matching->ends;
    matching->ends = drawn;
    matching->count = 0;
}

void core_matching_draw_link(struct core_matching *matching, const struct ek_topology *topology, uint64_t seed,
                             uint64_t step)
{
    struct base_random random = base_random_start(seed, step, BASE_STREAM_MATCHING);
    begin_ends(matching);
    if (topology->links > 0) { // port_of has the port at the higher end
        uint32_t high = matching->port_of[base_random_below(&random, topology->links)];
        uint32_t low = topology->twin[high];
        matching->ends[matching->count++] = (struct ek_end){topology->neighbour[high], low};
        matching->ends[matching->count++] = (struct ek_end){topology->neighbour[low], high};
    }
}

void core_matching_draw(struct core_matching *matching, const struct ek_topology *topology, uint64_t seed,
                        uint64_t step)
{
    struct base_random random = base_random_start(seed, step, BASE_STREAM_MATCHING);
    for (uint32_t link = 0; link < topology->links; link++) {
        matching->order[link] = link;
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        matching->partner[p] = FREE;
    }
    for (uint32_t left = topology->links; left > 0; left--) { // Fisher-Yates, taking each link as it comes
        uint32_t pick = (uint32_t)base_random_below(&random, left);
        uint32_t port = matching->port_of[matching->order[pick]];
        matching->order[pick] = matching->order[left - 1];
        uint32_t twin = topology->twin[port];
        uint32_t a = topology->neighbour[twin];
        uint32_t b = topology->neighbour[port];
        if (matching->partner[a] == FREE && matching->partner[b] == FREE) {
            matching->partner[a] = port;
            matching->partner[b] = twin;
        }
    }
    begin_ends(matching);
    for (uint32_t p = 0; p < topology->processors; p++) {
        if (matching->partner[p] != FREE) {
            matching->ends[matching->count++] = (struct ek_end){p, matching->partner[p]};
        }
    }
}
