// SPDX-License-Identifier: MIT
// The links that lead from a rank's processors to those of other ranks.
#ifndef THREADS_RANKS_CROSSINGS_H
#define THREADS_RANKS_CROSSINGS_H

#include "base/arena.h"
#include "threads/ranks/placement.h"

struct rank_crossing {
    unsigned rank; // at the other end
    uint32_t link; // both ends' name for it: the lower of its ports
    uint32_t port; // at this end
};

struct rank_crossings {
    const struct ek_ranks *link;
    const struct rank_placement *placement;
    const struct ek_topology *topology; // whose links these are
    struct rank_crossing *at;           // [count] by rank, then link: in the order in which the other rank has them
    size_t count;
    struct ek_rank_peer *peer; // [peers] the ranks that there are links to, with how many
    size_t peers;
};

// Plans the memory, when the processors are placed. `topology` has the links: a method may have some of its own.
void rank_crossings_plan(struct rank_crossings *crossings, const struct ek_ranks *link,
                         const struct rank_placement *placement, const struct ek_topology *topology,
                         struct base_arena *memory);

// Finds the links, when the memory is taken.
void rank_crossings_find(struct rank_crossings *crossings);

#endif
