// SPDX-License-Identifier: MIT
// Spheres of balancing domains. The domain of an operation is its invoker with the neighbours that take part in it. The
// operations that are open at one instant are the vertices of a graph, joined where their domains share a processor;
// its components are the spheres. Over all time everything would be one sphere, so they are looked for at instants.
#ifndef CORE_DOMAINS_SPHERES_H
#define CORE_DOMAINS_SPHERES_H

#include "base/arena.h"
#include "topologies/topology.h"

// An operation of free timing as it is logged. Times are in ns; it is open at t where begin <= t < end.
struct core_operation {
    uint64_t begin, end;
    uint64_t members;  // bit k: the neighbour at the invoker's port k took part; bit 63: those at port 63 and beyond
    double asked, got; // load asked of neighbours, and how much of it came
    uint32_t invoker;
};

struct core_sphere {
    uint64_t begin, end; // from the earliest begin of its operations to their latest end
    uint32_t operations;
    uint32_t processors; // in at least one of its domains
};

// A processor as a node of the union-find forest: it and its sphere lie in one cache line.
struct core_sphere_node {
    struct core_sphere sphere; // a root's is right; 0 processors: not met yet
    uint32_t parent;           // a root is its own
};

// Room to work in. Between two calls no processor is in a sphere.
struct core_spheres {
    struct core_sphere_node *node; // by processor
    uint32_t *met;                 // [count] the processors that were met
    uint32_t count;
};

// Plans the room; only that of processors in spheres is ever touched.
void core_spheres_plan(struct core_spheres *work, uint32_t processors, struct base_arena *memory);

typedef void core_take_sphere(void *context, const struct core_sphere *sphere);

// Hands each sphere at instant t to `take`; operations that are not open then are skipped. Takes time in proportion to
// `count` and the members of the open ones.
void core_spheres_at(struct core_spheres *work, const struct core_operation *const *operations, size_t count,
                     const struct ek_topology *topology, uint64_t t, core_take_sphere *take, void *context);

#endif
