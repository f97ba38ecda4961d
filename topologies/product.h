// SPDX-License-Identifier: MIT
// What the dimensions of a product are.
#ifndef TOPOLOGIES_PRODUCT_H
#define TOPOLOGIES_PRODUCT_H

#include "topologies/topology.h"

enum topo_line {
    TOPO_PATH,    // position x is linked to x + 1
    TOPO_RING,    // a path of 3 and more whose last position is also linked to the first
    TOPO_BRANCHED // a factor of any other family
};

// Returns whether the topology is a product of paths and rings as `wraps` says: chain, ring, mesh, torus, hypercube or
// kary. These have closed forms that other products do not have.
static inline bool topo_is_grid(const struct ek_topology *topology)
{
    return topology->dimensions > 0 && !topology->factor;
}

// Returns what a dimension is. A factor is a path or ring if its family says so, or if it has at most two processors.
static inline enum topo_line topo_line_of(const struct ek_topology *topology, uint32_t dimension)
{
    const struct ek_topology *line = topology->factor ? topology->factor[dimension] : topology;
    uint32_t side = topology->side[dimension];
    if (side <= 2) {
        return TOPO_PATH;
    }
    if (topology->factor && line->dimensions != 1) {
        return TOPO_BRANCHED;
    }
    return line->wraps ? TOPO_RING : TOPO_PATH;
}

#endif
