// SPDX-License-Identifier: MIT
// Parts of a general graph, one for each rank, with few links between them. The ranks know how to find them
// (struct ek_ranks); what is cut is a smaller graph, whose vertices are stretches of successive processors: so the
// search takes bounded time and memory, and no rank has more stretches than it can go through quickly.
#ifndef THREADS_RANKS_PARTS_H
#define THREADS_RANKS_PARTS_H

#include "threads/api/run.h"

struct rank_parts {
    uint32_t count; // stretches
    unsigned shift; // of 2^shift processors each, the last of what is left
    int32_t *rank;  // [count], in the order in which they begin
};

// Finds parts. None (count 0) where the graph is too dense for one placement to be much better than another, or none
// were found. False where there is no memory.
bool rank_parts_make(struct rank_parts *parts, const struct ek_topology *topology, const struct ek_ranks *ranks);
void rank_parts_destroy(struct rank_parts *parts);

#endif
