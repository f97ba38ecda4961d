// SPDX-License-Identifier: MIT
// The two neighbours of a processor along a ring, for methods that shift load around rings.
#ifndef CORE_METHODS_LINES_RING_H
#define CORE_METHODS_LINES_RING_H

#include "core/method.h"
#include "topologies/topology.h"

// The ports of a processor to its successor and its predecessor along a dimension. In a ring of two both are the same
// port. In a ring of one both are METHOD_ALONE: the processor is its own neighbour.
struct method_ring {
    unsigned up, down;
};

static const unsigned METHOD_ALONE = UINT32_MAX;

static inline struct method_ring method_ring_of(const struct ek_view *view, uint64_t dimension)
{
    struct method_ring ring = {METHOD_ALONE, METHOD_ALONE};
    for (unsigned port = 0; port < view->degree; port++) {
        if (view->dimension[port] == dimension) {
            *(view->direction[port] > 0 ? &ring.up : &ring.down) = port;
        }
    }
    ring.up = ring.up == METHOD_ALONE ? ring.down : ring.up;
    ring.down = ring.down == METHOD_ALONE ? ring.up : ring.down;
    return ring;
}

// Returns whether the topology is a single ring.
static inline bool method_is_ring(const struct ek_topology *topology)
{
    return topology->dimensions == 1 && topology->wraps;
}

#endif
