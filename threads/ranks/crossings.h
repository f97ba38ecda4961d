// SPDX-License-Identifier: MIT
// Crossings: the links that lead from a rank's processors to those of other ranks.
#ifndef THREADS_RANKS_CROSSINGS_H
#define THREADS_RANKS_CROSSINGS_H

#include "base/arena.h"
#include "threads/ranks/placement.h"

struct rank_crossing {
    unsigned rank; // the rank at the other end
    uint32_t port; // the port at this end
    uint32_t own, neighbour;
};

struct rank_crossings {
    const struct ek_ranks *link;
    const struct rank_placement *placement;
    const struct ek_topology *topology; // the links belong to it
    struct rank_crossing *at; // [count] sorted by rank, then by the lower and the upper end, as at the other rank
    size_t count;
    struct ek_rank_peer *peer; // [peers] the neighbouring ranks, with the numbers of links
    size_t peers;
};

// Plans the memory, after the processors have been placed. `topology` has the links; it may be a method's overlay.
void rank_crossings_plan(struct rank_crossings *crossings, const struct ek_ranks *link,
                         const struct rank_placement *placement, const struct ek_topology *topology,
                         struct base_arena *memory);

// Finds the links, after the memory has been allocated.
void rank_crossings_find(struct rank_crossings *crossings);

#endif
