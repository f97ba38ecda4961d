// SPDX-License-Identifier: MIT
// The data of a report: when all workers have ended, each rank sends what it has to all others, so that each can fill
// in the whole report.
#ifndef THREADS_FREE_OVER_RANKS_GATHER_H
#define THREADS_FREE_OVER_RANKS_GATHER_H

#include "threads/free/over_ranks/rank_logs.h"

// The counts of a rank.
struct free_final {
    struct free_counts counts;
    struct host_counters counters;
    struct free_log_lengths logs;
    uint64_t messages, operations, turns;
    bool violated;
};

// Brings all data of the report together, except for what the attendant has. A violation in some ranks becomes one in
// all ranks, with the sentence of the first of these ranks.
void free_ranks_gather(struct free_rank_link *link);

// Exchanges the counts of messages left under way, when each rank has counted those that it has.
void free_ranks_gather_left(struct free_rank_link *link);

#endif
