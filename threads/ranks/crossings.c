// SPDX-License-Identifier: MIT
// Links between ranks.
#include "threads/ranks/crossings.h"

#include <stdlib.h>

// Writes the crossings to `crossing` unless it is NULL. Returns their number.
static size_t find(const struct rank_crossings *crossings, struct rank_crossing *crossing)
{
    const struct rank_placement *placement = crossings->placement;
    const struct ek_topology *topology = crossings->topology;
    unsigned own = crossings->link->rank;
    size_t count = 0;
    for (uint32_t i = 0; i < placement->spans; i++) {
        uint32_t begin = placement->begin[i], end = placement->begin[i + 1];
        for (uint32_t port = topology->first[begin]; placement->rank[i] == own && port < topology->first[end]; port++) {
            uint32_t neighbour = topology->neighbour[port];
            bool near = neighbour >= begin && neighbour < end;
            unsigned rank = placement->rank[near ? i : rank_placement_span(placement, neighbour)];
            if (rank == own) {
                continue;
            }
            if (crossing) {
                uint32_t twin = topology->twin[port];
                crossing[count] = (struct rank_crossing){rank, port < twin ? port : twin, port};
            }
            count++;
        }
    }
    return count;
}

void rank_crossings_plan(struct rank_crossings *crossings, const struct ek_ranks *link,
                         const struct rank_placement *placement, const struct ek_topology *topology,
                         struct base_arena *memory)
{
    *crossings = (struct rank_crossings){.link = link, .placement = placement, .topology = topology};
    crossings->count = find(crossings, NULL);
    base_arena_plan(memory, &crossings->at, crossings->count, sizeof *crossings->at);
    base_arena_plan(memory, &crossings->peer, link->count, sizeof *crossings->peer);
}

static int by_rank_and_link(const void *a, const void *b)
{
    const struct rank_crossing *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->link > y->link) - (x->link < y->link);
}

void rank_crossings_find(struct rank_crossings *crossings)
{
    find(crossings, crossings->at);
    if (crossings->count > 0) {
        qsort(crossings->at, crossings->count, sizeof *crossings->at, by_rank_and_link);
    }
    for (size_t i = 0; i < crossings->count; i++) {
        if (i == 0 || crossings->at[i].rank != crossings->at[i - 1].rank) {
            crossings->peer[crossings->peers++] = (struct ek_rank_peer){.rank = crossings->at[i].rank};
        }
        struct ek_rank_peer *peer = &crossings->peer[crossings->peers - 1];
        peer->sends++;
        peer->brings++;
    }
}
