// SPDX-License-Identifier: MIT
// The data of a report: when all workers have ended, each rank sends what it has counted to all others, so that each
// can fill in the whole report. The values of single processors and ports pass by in windows (struct rank_pass), so no
// rank needs room for all of them.
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

// Brings the results together, except for those of the attendant. A violation in some ranks becomes one in all ranks,
// with the sentence of the first of these ranks.
void free_ranks_gather(struct free_transport *transport, struct free_control *control);

#endif
