// SPDX-License-Identifier: MIT
// Parts of a general graph, one for each rank, with few links between them. The partitioner comes with the ranks
// (struct ek_ranks). It divides a smaller graph, whose vertices are *stretches* of successive processors. That bounds
// its time and memory, and the number of spans that a rank passes over.
#ifndef THREADS_RANKS_PARTS_H
#define THREADS_RANKS_PARTS_H

#include "base/common.h"

struct ek_ranks;
struct ek_topology;

struct rank_parts {
    uint32_t count;
    unsigned shift; // a stretch has 2^shift processors; the last one has the rest
    int32_t *rank;  // [count] the rank of each stretch
};

// Finds parts. `count` becomes 0 if the graph is so dense that no placement is much better than another, or if the
// partitioner fails. Returns false if there is no memory.
bool rank_parts_make(struct rank_parts *parts, const struct ek_topology *topology, const struct ek_ranks *ranks);
void rank_parts_destroy(struct rank_parts *parts);

#endif
