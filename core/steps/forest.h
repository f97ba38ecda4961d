// SPDX-License-Identifier: MIT
// Spanning trees over the links: sums are gathered along them towards the roots, and answers are spread from the roots.
#ifndef CORE_STEPS_FOREST_H
#define CORE_STEPS_FOREST_H

#include "base/common.h"

struct ek_topology;

struct core_forest {
    uint32_t height;  // most links between a root and a processor of its tree
    uint32_t *depth;  // by processor: links to its root
    uint32_t *below;  // by processor: links to the farthest processor of its subtree
    uint32_t *parent; // by processor: its own port (from 0) towards the root; UINT32_MAX at a root
};

// The place where trees grow: `roots` roots, which are the processors 0, stride, 2*stride, ..., and the links whose
// colour is below `colour_end`.
struct core_ground {
    uint32_t roots, stride;
    uint32_t colour_end;
};

// Grows the trees. Together they must reach all processors. Returns false with `error` filled if there is no memory.
bool core_forest_create(struct core_forest *forest, const struct ek_topology *topology,
                        const struct core_ground *ground, struct ek_error *error);
void core_forest_destroy(struct core_forest *forest);

#endif
