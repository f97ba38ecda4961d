// SPDX-License-Identifier: MIT
// Compares a run over ranks, which are threads (rank_threads.h), with the same run of one process.
#ifndef TESTS_RANK_COMPARE_H
#define TESTS_RANK_COMPARE_H

#include "tests/support/rank_threads.h"

// How ranks are compared. `divide`, if set, cuts graphs (struct tests_room). The others are what the ranks of the last
// comparison reported of their placement.
struct tests_ranks_placed {
    bool (*divide)(void *context, const struct ek_rank_graph *graph, int32_t *part);
    enum ek_blocks blocks;
    uint64_t cut, cut_in_order;
};

extern struct tests_ranks_placed tests_placed;

// Returns the name of a value in which a rank's outcome differs from that of one process, or NULL.
const char *tests_rank_differs(const struct tests_outcome *rank, const struct tests_outcome *one);

// Notes whether each rank reports what one process reports, or refuses what only ranks refuse. Returns false if the
// experiment was refused.
bool tests_ranks_compare(const struct ek_experiment *experiment, unsigned ranks);

#endif
