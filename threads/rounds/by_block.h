// SPDX-License-Identifier: MIT
// Ranks that hold their blocks. A rank of several then has the loads of its own processors and their neighbours only,
// and perhaps the rows of its own processors only (topologies/window.h). Ranks measure their own parts and merge the
// results.
#ifndef THREADS_ROUNDS_BY_BLOCK_H
#define THREADS_ROUNDS_BY_BLOCK_H

#include "threads/rounds/rounds_state.h"

// Returns whether this rank holds its block. The choice of links must be known (computed_links.c).
bool rounds_holds_block(const struct rounds_run *rounds);

// Returns whether this rank could hold its block without the rows of other processors. The topology is an outline.
bool rounds_needs_own_rows(const struct rounds_run *rounds);

// Return how many elements of an array by processor, or by port, this process touches; all if it does not hold a block.
uint64_t rounds_touched(const struct rounds_run *rounds);
uint64_t rounds_touched_ports(const struct rounds_run *rounds);

#endif
