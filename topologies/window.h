// SPDX-License-Identifier: MIT
// Windows. A process that carries a part of a machine can store the rows of its own processors only. The topology then
// has a *window*: the processors begin..end-1, whose rows are stored.
//
// Ports keep their numbers, and arrays by port have an entry for every port. The entries of other rows are never
// written, so the system gives them no memory. A link that leaves the window has a far end in a row that is not stored.
// `twin` then names a port of some such row: the first one for the first link that leaves, the second one for the
// second, and so on. So the places of messages to and from other processes lie together.
//
// The array `first` is stored as a whole. The links of a window have no colours unless the family knows their number.
#ifndef TOPOLOGIES_WINDOW_H
#define TOPOLOGIES_WINDOW_H

#include "topologies/topology.h"

struct topo_window {
    uint32_t begin, end;
    uint64_t leaving; // links from these processors to others
    uint64_t print;   // a fingerprint of all links, also of those of other rows
};

// Returns the processors whose rows are stored.
static inline uint32_t topo_stored_begin(const struct ek_topology *topology)
{
    return topology->window ? topology->window->begin : 0;
}

static inline uint32_t topo_stored_end(const struct ek_topology *topology)
{
    return topology->window ? topology->window->end : topology->processors;
}

// Returns whether the row of processor p is stored.
static inline bool topo_stores(const struct ek_topology *topology, uint32_t p)
{
    return p >= topo_stored_begin(topology) && p < topo_stored_end(topology);
}

#endif
