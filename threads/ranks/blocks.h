// SPDX-License-Identifier: MIT
// Blocks: each worker, a thread or a rank, carries a block of successive processors.
#ifndef THREADS_RANKS_BLOCKS_H
#define THREADS_RANKS_BLOCKS_H

#include "base/common.h"

struct ek_topology;

// Returns the first processor of a worker's block. Worker `workers` begins at `processors`. Large blocks begin at
// multiples of 16 processors, so that no two workers write one cache line.
uint32_t rank_block_begin(uint32_t processors, unsigned workers, unsigned worker);

// Returns the largest degree in a worker's block; 0 while the topology is an outline, whose degrees are not known.
uint32_t rank_block_degree(const struct ek_topology *topology, unsigned workers, unsigned worker);

#endif
