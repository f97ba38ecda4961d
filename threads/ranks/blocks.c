// SPDX-License-Identifier: MIT
// Blocks of processors.
#include "threads/ranks/blocks.h"
#include "topologies/topology.h"

uint32_t rank_block_begin(uint32_t processors, unsigned workers, unsigned worker)
{
    enum { LINE = 16 };
    uint32_t begin = (uint32_t)((uint64_t)processors * worker / workers);
    bool large = processors / workers >= 4 * LINE;
    return large && worker < workers ? begin / LINE * LINE : begin;
}

uint32_t rank_block_degree(const struct ek_topology *topology, unsigned workers, unsigned worker)
{
    uint32_t end = rank_block_begin(topology->processors, workers, worker + 1);
    uint32_t most = 0;
    for (uint32_t p = rank_block_begin(topology->processors, workers, worker); topology->first && p < end; p++) {
        uint32_t degree = topology->first[p + 1] - topology->first[p];
        most = degree > most ? degree : most;
    }
    return most;
}
