// SPDX-License-Identifier: MIT
// Collecting arrays. Each rank has the part of its own processors, and needs the others'. If ranks have several spans
// of processors (threads/ranks/placement.h), their parts are exchanged window by window, so that little memory is
// needed beside the array itself.
#ifndef THREADS_RANKS_COLLECT_H
#define THREADS_RANKS_COLLECT_H

#include "base/arena.h"
#include "threads/ranks/placement.h"

struct rank_collector {
    const struct ek_ranks *link;
    const struct rank_placement *placement;
    size_t *from; // where each rank's part of an array, or of a window, begins
    size_t *next; // room for a position in each rank's part
    // Room for a window, sorted by rank. NULL if rank r has exactly span r, and no windows are collected.
    double *staged;
    double *window; // room for the window that a pass has reached; NULL if no windows are collected
};

// Plans the memory, after the processors have been placed. `windows`: single windows will be collected.
void rank_collector_plan(struct rank_collector *collector, const struct ek_ranks *link,
                         const struct rank_placement *placement, bool windows, struct base_arena *memory);

// Collects an array with `words` doubles for each processor; or, if `ports` is not NULL, for each port of this
// topology. Returns false if a rank does not answer.
bool rank_collect(const struct rank_collector *collector, double *array, size_t words, const struct ek_topology *ports);

// The most doubles of a window.
enum { RANK_WINDOW = 1 << 16 };

// Collects the elements from .. from+count-1 of an array by processor into `window`, the own ones too.
bool rank_collect_window(const struct rank_collector *collector, const double *array, size_t from, size_t count,
                         double *window);

// A pass through the processors (or, if `ports` is not NULL, the ports of this topology) of all ranks in their order.
struct rank_pass {
    void *context;
    const struct ek_topology *ports;
    size_t words;                                          // doubles of each processor or port, 1 .. RANK_PASS_WORDS
    void (*put)(void *context, uint32_t i, double *words); // in the rank that has i: writes its doubles
    void (*take)(void *context, uint32_t i, const double *words); // in every rank: reads them
};

enum { RANK_PASS_WORDS = 64 };

// Checks that a pass has room for a struct.
#define RANK_PASSES(type)                                                                                              \
    _Static_assert(sizeof(type) % sizeof(double) == 0 && sizeof(type) / sizeof(double) <= RANK_PASS_WORDS,             \
                   "whole words, at most as many as a pass has room for")

// Passes through all ranks, window by window, so no rank needs room for what the others have. Returns false if a rank
// does not answer.
bool rank_collect_pass(const struct rank_collector *collector, const struct rank_pass *pass);

// Passes through `count` processors or ports, which are all in this process.
void rank_pass_alone(const struct rank_pass *pass, uint32_t count);

#endif
