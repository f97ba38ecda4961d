// SPDX-License-Identifier: MIT
// The placement of processors on ranks. Blocks in the order of processors are always possible. Boxes of a product, or
// parts of a general graph, are used if fewer links then lead from rank to rank. Results do not depend on the
// placement.
//
// A *span* is a maximal sequence of successive processors on one rank.
#ifndef THREADS_RANKS_PLACEMENT_H
#define THREADS_RANKS_PLACEMENT_H

#include "base/arena.h"
#include "threads/api/ranks.h"

struct ek_topology;

struct rank_placement {
    enum ek_blocks blocks;
    uint32_t spans;    // number of spans
    uint32_t *begin;   // [spans + 1] the first processor of each span, ascending
    unsigned *rank;    // [spans] the rank of each span; if there are as many spans as ranks, span r is rank r's
    uint64_t cut;      // links between ranks
    uint64_t in_order; // links between blocks in the order of processors, for comparison
};

// Places the processors of a topology; with `in_order` always in blocks in order. Returns false, with an error, if
// there is no memory.
bool rank_placement_make(struct rank_placement *placement, const struct ek_topology *topology,
                         const struct ek_ranks *ranks, bool in_order, struct ek_error *error);
void rank_placement_destroy(struct rank_placement *placement);

// Returns how many processors a rank has; 0 while they are not placed.
uint32_t rank_placement_processors(const struct rank_placement *placement, unsigned rank);

// Returns the range from this rank's first processor to its last one. Processors of other ranks lie between if the rank
// has several spans.
struct base_range rank_placement_range(const struct rank_placement *placement, const struct ek_ranks *ranks);

// Returns the span of processor p.
uint32_t rank_placement_span(const struct rank_placement *placement, uint32_t p);

#endif
