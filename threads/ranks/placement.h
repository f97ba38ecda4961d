// SPDX-License-Identifier: MIT
// Which rank carries which processors. Blocks in the order of processors are always possible; boxes of a product, and
// parts of a general graph that the ranks know to cut, are taken where fewer links lead from rank to rank. Nothing that
// a run computes depends on it.
#ifndef THREADS_RANKS_PLACEMENT_H
#define THREADS_RANKS_PLACEMENT_H

#include "threads/api/run.h"

struct rank_placement {
    enum ek_blocks blocks;
    uint32_t spans;    // stretches of successive processors, each as long as it can be
    uint32_t *begin;   // [spans + 1] ascending: a span's first processor
    unsigned *rank;    // [spans] that carries it; where there are as many spans as ranks, span r is rank r's
    uint64_t cut;      // links between ranks
    uint64_t in_order; // as many as there would be between blocks in the order of processors
};

// Places a topology's processors; `in_order` takes blocks in order, whatever they cut. False and `error` where there is
// no memory.
bool rank_placement_make(struct rank_placement *placement, const struct ek_topology *topology,
                         const struct ek_ranks *ranks, bool in_order, struct ek_error *error);
void rank_placement_destroy(struct rank_placement *placement);

// The span that processor p is in.
uint32_t rank_placement_span(const struct rank_placement *placement, uint32_t p);

#endif
