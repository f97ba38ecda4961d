// SPDX-License-Identifier: MIT
// Distances between processors: the links of a shortest path.
#ifndef TOPOLOGIES_DISTANCE_H
#define TOPOLOGIES_DISTANCE_H

#include "base/common.h"

// Products and complete graphs have closed forms. Other topologies have a table, for up to TOPO_TABLE_MAX processors.
enum { TOPO_TABLE_MAX = 4096 };

struct topo_distances {
    const struct ek_topology *topology;
    uint16_t *table; // [processors * processors]; NULL: distances have a closed form
};

// Returns the bytes of the table of a topology, 0 if it needs none or is too large for one.
uint64_t topo_distances_bytes(const struct ek_topology *topology);

// Finds the distances of a topology. Returns false with `error` filled (axis "topology") if it is too large for a table
// or there is no memory.
bool topo_distances_find(struct topo_distances *distances, const struct ek_topology *topology, struct ek_error *error);
void topo_distances_destroy(struct topo_distances *distances);

uint32_t topo_distance(const struct topo_distances *distances, uint32_t from, uint32_t to);

#endif
