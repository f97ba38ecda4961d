// SPDX-License-Identifier: MIT
// Spanning trees over the links, along which sums are gathered towards the roots and answers are spread from them.
#ifndef CORE_STEPS_FOREST_H
#define CORE_STEPS_FOREST_H

#include "core/method.h"

struct core_forest {
    uint32_t height;  // links between a root and the processor that is farthest from its own
    uint32_t *depth;  // by processor
    uint32_t *below;  // by processor: links to the farthest of its own subtree
    uint32_t *parent; // by processor: its own port (from 0) towards the root; UINT32_MAX at a root
};

// Grows trees, breadth first, over the links of the colours below `colour_end` from the processors 0, stride, 2*stride,
// ..., which reach all others.
bool core_forest_create(struct core_forest *forest, const struct ek_topology *topology, uint32_t stride,
                        uint32_t colour_end, struct ek_error *error);
void core_forest_destroy(struct core_forest *forest);

#endif
