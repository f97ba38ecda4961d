// SPDX-License-Identifier: MIT
// A random maximal matching by greedy choice in a random order of the links.
#include "core/matching.h"

#include <stdlib.h>

#include "topologies/random.h"
#include "topologies/scan.h"

static const uint32_t FREE = UINT32_MAX;

bool ek_matching_create(struct ek_matching *matching, const struct ek_topology *topology, struct ek_error *error)
{
    size_t links = topology->links > 0 ? topology->links : 1;
    matching->order = malloc(links * sizeof *matching->order);
    matching->port_of = malloc(links * sizeof *matching->port_of);
    matching->partner = malloc(topology->processors * sizeof *matching->partner);
    matching->ends = malloc(topology->processors * sizeof *matching->ends);
    matching->last = malloc(topology->processors * sizeof *matching->last);
    matching->count = 0;
    if (!matching->order || !matching->port_of || !matching->partner || !matching->ends || !matching->last) {
        ek_matching_release(matching);
        return ek_fail(error, EK_BAD_INPUT, "method", -1, "no memory to match %u links: use a smaller topology",
                       topology->links);
    }
    for (uint32_t port = 0; port < topology->ports; port++) {
        matching->port_of[topology->link[port]] = port;
    }
    return true;
}

void ek_matching_release(struct ek_matching *matching)
{
    free(matching->order);
    free(matching->port_of);
    free(matching->partner);
    free(matching->ends);
    free(matching->last);
    *matching = (struct ek_matching){0};
}

void ek_matching_draw(struct ek_matching *matching, const struct ek_topology *topology, uint64_t seed, uint64_t step)
{
    struct ek_random random = ek_random_start(seed, step, EK_STREAM_MATCHING);
    for (uint32_t link = 0; link < topology->links; link++) {
        matching->order[link] = link;
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        matching->partner[p] = FREE;
    }
    for (uint32_t left = topology->links; left > 0; left--) { // Fisher and Yates, taking each link as it comes up
        uint32_t pick = (uint32_t)ek_random_below(&random, left);
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
