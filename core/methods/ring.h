// SPDX-License-Identifier: MIT
// Rings: the two neighbours of a processor, for methods that shift load around.
#ifndef EK_RING_H
#define EK_RING_H

#include "core/method.h"

// The ports of a processor to its successor and its predecessor along a dimension. Both are one and the same in a ring
// of two, and EK_ALONE in a ring of one, where a processor is its own neighbour.
struct ek_ring {
    unsigned up, down;
};

static const unsigned EK_ALONE = UINT32_MAX;

static inline struct ek_ring ek_ring_of(const struct ek_view *view, uint64_t dimension)
{
    struct ek_ring ring = {EK_ALONE, EK_ALONE};
    for (unsigned port = 0; port < view->degree; port++) {
        if (view->dimension[port] == dimension) {
            *(view->direction[port] > 0 ? &ring.up : &ring.down) = port;
        }
    }
    ring.up = ring.up == EK_ALONE ? ring.down : ring.up;
    ring.down = ring.down == EK_ALONE ? ring.up : ring.down;
    return ring;
}

// Whether the topology is one ring.
static inline bool ek_is_ring(const struct ek_topology *topology)
{
    return topology->dimensions == 1 && topology->wraps;
}

#endif
