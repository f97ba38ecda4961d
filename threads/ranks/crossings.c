// SPDX-License-Identifier: MIT
// Links between ranks.
#include "threads/ranks/crossings.h"

#include <stdlib.h>

#include "topologies/rows.h"

// Returns the rank of a processor, which is probably in span i.
static unsigned rank_of(const struct rank_placement *placement, uint32_t i, uint32_t p)
{
    bool near = p >= placement->begin[i] && p < placement->begin[i + 1];
    return placement->rank[near ? i : rank_placement_span(placement, p)];
}

// Returns the crossing to a rank at port number k of processor p.
static struct rank_crossing crossing_at(const struct ek_topology *topology, uint32_t p, uint32_t k, unsigned rank)
{
    struct topo_port to = topo_port_at(topology, p, k);
    return (struct rank_crossing){
        .rank = rank, .port = topo_first(topology, p) + k, .own = p, .neighbour = to.neighbour};
}

// Writes the crossings to `crossing` unless it is NULL. Returns their number.
static size_t find(const struct rank_crossings *crossings, struct rank_crossing *crossing)
{
    const struct rank_placement *placement = crossings->placement;
    const struct ek_topology *topology = crossings->topology;
    unsigned own = crossings->link->rank;
    struct topo_neighbours neighbours = {0};
    size_t count = 0;
    for (uint32_t i = 0; i < placement->spans; i++) {
        for (uint32_t p = placement->begin[i]; placement->rank[i] == own && p < placement->begin[i + 1]; p++) {
            topo_find_neighbours(topology, p, &neighbours);
            for (uint32_t k = 0; k < neighbours.degree; k++) {
                unsigned rank = rank_of(placement, i, neighbours.of[k]);
                if (rank != own && crossing) {
                    crossing[count] = crossing_at(topology, p, k, rank);
                }
                count += rank != own;
            }
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

// Returns the ends of a link as a number that is the same at both.
static uint64_t link_of(const struct rank_crossing *crossing)
{
    bool low = crossing->own < crossing->neighbour;
    return (uint64_t)(low ? crossing->own : crossing->neighbour) << 32 | (low ? crossing->neighbour : crossing->own);
}

static int by_rank_and_link(const void *a, const void *b)
{
    const struct rank_crossing *x = a, *y = b;
    uint64_t of_x = link_of(x), of_y = link_of(y);
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (of_x > of_y) - (of_x < of_y);
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
