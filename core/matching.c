// SPDX-License-Identifier: MIT
// Draws a random maximal matching: by greedy choice, in a random order of the links.
#include "core/matching.h"

#include <stdlib.h>

#include "topologies/random.h"
#include "topologies/scan.h"

static const uint32_t FREE = UINT32_MAX;

bool core_matching_create(struct core_matching *matching, const struct ek_topology *topology, struct ek_error *error)
{
    size_t links = topology->links > 0 ? topology->links : 1;
    matching->order = malloc(links * sizeof *matching->order);
    matching->port_of = malloc(links * sizeof *matching->port_of);
    matching->partner = malloc(topology->processors * sizeof *matching->partner);
    matching->ends = malloc(topology->processors * sizeof *matching->ends);
    matching->last = malloc(topology->processors * sizeof *matching->last);
    matching->count = 0;
    if (!matching->order || !matching->port_of || !matching->partner || !matching->ends || !matching->last) {
        core_matching_destroy(matching);
        return topo_fail(error, EK_BAD_INPUT, "method", -1, "no memory to match %u links: use a smaller topology",
                         topology->links);
    }
    for (uint32_t port = 0; port < topology->ports; port++) {
        matching->port_of[topology->link[port]] = port;
    }
    return true;
}

void core_matching_destroy(struct core_matching *matching)
{
    free(matching->order);
    free(matching->port_of);
    free(matching->partner);
    free(matching->ends);
    free(matching->last);
    *matching = (struct core_matching){0};
}

void core_matching_draw(struct core_matching *matching, const struct ek_topology *topology, uint64_t seed,
                        uint64_t step)
{
    struct topo_random random = topo_random_start(seed, step, TOPO_STREAM_MATCHING);
    for (uint32_t link = 0; link < topology->links; link++) {
        matching->order[link] = link;
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        matching->partner[p] = FREE;
    }
    for (uint32_t left = topology->links; left > 0; left--) { // Fisher and Yates, taking each link as it comes up
        uint32_t pick = (uint32_t)topo_random_below(&random, left);
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
    struct ek_end *drawn = matching->last;
    matching->last = matching->ends;
    matching->ends = drawn;
    matching->count = 0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        if (matching->partner[p] != FREE) {
            matching->ends[matching->count++] = (struct ek_end){p, matching->partner[p]};
        }
    }
}
