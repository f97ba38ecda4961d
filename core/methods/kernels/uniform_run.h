// SPDX-License-Identifier: MIT
// Finds uniform runs (core/methods/kernels/wide.h).
#ifndef CORE_METHODS_KERNELS_UNIFORM_RUN_H
#define CORE_METHODS_KERNELS_UNIFORM_RUN_H

#include "core/methods/kernels/wide.h"
#include "topologies/product.h"

// A torus of three dimensions has 27 vicinities: in each dimension the two ends differ from the middle.
enum { CORE_VICINITIES_MAX = 32 };

// Returns the number of ports of a vicinity, with mirrors. It is even, so that few loops need to be compiled.
static inline uint32_t core_vicinity_ports(const struct ek_topology *topology)
{
    return (topology->degree_max + 1) / 2 * 2;
}

// Finds the uniform runs of a topology and their vicinities. Returns the number of runs, including one that begins
// behind the last processor. Writes no runs if `run` is NULL. Returns 0 if runs are impossible: there are too many
// vicinities or ports.
size_t core_uniform_runs(const struct ek_topology *topology, struct ek_uniform_run *run,
                         struct ek_vicinity vicinity[CORE_VICINITIES_MAX], unsigned *vicinities);

#endif
