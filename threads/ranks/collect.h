// SPDX-License-Identifier: MIT
// Arrays of which each rank has the part of its own processors, and wants the others'. Where ranks have several spans
// of processors (threads/ranks/placement.h) their parts are brought window after window: so that little room is needed
// beside the array itself.
#ifndef THREADS_RANKS_COLLECT_H
#define THREADS_RANKS_COLLECT_H

#include "base/arena.h"
#include "threads/ranks/placement.h"

struct rank_collector {
    const struct ek_ranks *link;
    const struct rank_placement *placement;
    size_t *from;   // where each rank's part of an array begins
    size_t *next;   // room for one such place a rank
    double *staged; // room for a window of an array, in the order of ranks; NULL where rank r has span r alone
};

// Plans the memory, when the processors are placed.
void rank_collector_plan(struct rank_collector *collector, const struct ek_ranks *link,
                         const struct rank_placement *placement, struct base_arena *memory);

// Gets all of an array with so many words for each processor, or with `first`, which has each processor's first port,
// for each port. False when a rank does not answer.
bool rank_collect(const struct rank_collector *collector, double *array, size_t words, const uint32_t *first);

#endif
