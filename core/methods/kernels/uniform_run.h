// SPDX-License-Identifier: MIT
// Stretches: consecutive processors whose neighbours lie alike (core/methods/kernels/wide.h), so that a loop over them
// needs no list of neighbours.
#ifndef CORE_METHODS_KERNELS_UNIFORM_RUN_H
#define CORE_METHODS_KERNELS_UNIFORM_RUN_H

#include "core/methods/kernels/wide.h"

// A torus of three dimensions has 27: both ends of a dimension differ from what lies between.
enum { CORE_VICINITIES_MAX = 32 };

// The plane of parcels in which a processor puts what it sends from a port: by direction, so that it is the same all
// along a dimension; or where a topology has no dimensions by the port's number. Below core_planes.
static inline uint32_t core_plane(const struct ek_topology *topology, uint32_t processor, uint32_t port)
{
    return topology->dimensions > 0 ? 2u * topology->dimension[port] + (topology->direction[port] < 0)
                                    : port - topology->first[processor];
}

// An even number, so that loops need to know few.
static inline uint32_t core_planes(const struct ek_topology *topology)
{
    return topology->dimensions > 0 ? 2 * topology->dimensions : (topology->degree_max + 1) / 2 * 2;
}

// Finds the stretches of a topology and their vicinities, for planes that lie `apart`: how many there are, with one
// that begins behind the last processor. Nothing is written where `stretch` is NULL. 0 where there are none or they
// do not pay: vicinities are too many or too large, or most lanes lie differently.
size_t core_uniform_runs(const struct ek_topology *topology, size_t apart, struct ek_uniform_run *run,
                         struct ek_vicinity vicinity[CORE_VICINITIES_MAX], unsigned *vicinities);

#endif
