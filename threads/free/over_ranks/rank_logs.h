// SPDX-License-Identifier: MIT
// The logs of operations and parts of all ranks. A rank logs what its own processors do. When the run has ended, each
// rank completes its logs, and measures them like a single process.
//
// In free timing all rings have the same length. In virtual time the lists grow, and the ranks first exchange their
// lengths.
#ifndef THREADS_FREE_OVER_RANKS_RANK_LOGS_H
#define THREADS_FREE_OVER_RANKS_RANK_LOGS_H

#include "threads/free/over_ranks/rank_link.h"

enum {
    FREE_LOG_ADDED,      // operations, also those added after the log was closed
    FREE_LOG_OPERATIONS, // operations that the log holds
    FREE_LOG_PARTS,
    FREE_LOG_NOTES,
    FREE_LOG_LENGTHS
};

// The lengths of a rank's lists that grow; 0 for lists that the run does not keep.
struct free_log_lengths {
    uint64_t of[FREE_LOG_LENGTHS];
};

// Returns and sets the lengths of rank r's lists.
struct free_log_lengths free_log_lengths_of(const struct free_run *run, unsigned r);
void free_log_lengths_set(struct free_run *run, unsigned r, const struct free_log_lengths *lengths);

// Completes the logs. If a rank has no memory for this, the run ends with an error.
void free_ranks_gather_logs(struct free_rank_link *link);

#endif
