// SPDX-License-Identifier: MIT
// Finds uniform runs (core/methods/kernels/wide.h).
#ifndef CORE_METHODS_KERNELS_UNIFORM_RUN_H
#define CORE_METHODS_KERNELS_UNIFORM_RUN_H

#include "core/methods/kernels/wide.h"
#include "topologies/product.h"

// A torus of three dimensions has 27 vicinities: in each dimension the two ends differ from the middle.
enum { CORE_VICINITIES_MAX = 32 };

// Returns the plane of parcels for a processor's port, below core_planes. In a grid planes are numbered by dimension
// and direction, so the number is the same all along a dimension. Otherwise the plane is the port's number.
static inline uint32_t core_plane_of(uint32_t dimension, int direction)
{
    return 2u * dimension + (direction < 0);
}

static inline uint32_t core_plane(const struct ek_topology *topology, uint32_t processor, uint32_t port)
{
    return topo_is_grid(topology) ? core_plane_of(topology->dimension[port], topology->direction[port])
                                  : port - topology->first[processor];
}

// Returns the number of planes, which is even, so that few loops need to be compiled.
static inline uint32_t core_planes(const struct ek_topology *topology)
{
    return topo_is_grid(topology) ? 2 * topology->dimensions : (topology->degree_max + 1) / 2 * 2;
}

// Finds the uniform runs of a topology and their vicinities. The planes begin `apart` doubles from one another. Returns
// the number of runs, including one that begins behind the last processor. Writes no runs if `run` is NULL. Returns 0
// if runs are impossible or would be slower: there are too many vicinities or planes, or too many groups have odd
// lanes.
size_t core_uniform_runs(const struct ek_topology *topology, size_t apart, struct ek_uniform_run *run,
                         struct ek_vicinity vicinity[CORE_VICINITIES_MAX], unsigned *vicinities);

#endif
