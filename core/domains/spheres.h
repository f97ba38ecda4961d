// SPDX-License-Identifier: MIT
// Spheres of balancing domains at an instant. The domain of an operation consists of its invoker and the neighbours
// that take part. The operations that are open at the instant are the vertices of a graph, with an edge if two domains
// share a processor. The connected components are the spheres. (Over all time all operations would be one sphere.)
#ifndef CORE_DOMAINS_SPHERES_H
#define CORE_DOMAINS_SPHERES_H

#include "base/arena.h"

struct ek_topology;

// An operation of free timing in the operation log. Times are in ns; it is open at t if begin <= t < end.
struct core_operation {
    uint64_t begin, end;
    uint64_t members;  // bit k: the neighbour at the invoker's port k took part; bit 63: those at port 63 and above
    double asked, got; // load requested from neighbours, and the part of it that came
    uint32_t invoker;
};

struct core_sphere {
    uint64_t begin, end; // from the first begin to the last end of its operations
    uint32_t operations;
    uint32_t processors; // processors in at least one of its domains
};

// A processor as a node of the union-find forest. The node and its sphere share a cache line.
struct core_sphere_node {
    struct core_sphere sphere; // valid at a root; 0 processors: not visited yet
    uint32_t parent;           // a root is its own parent
};

// Work space. Between two calls no processor is in a sphere.
struct core_spheres {
    struct core_sphere_node *node; // by processor
    uint32_t *met;                 // [count] the processors visited
    uint32_t count;
};

// Plans the memory. Only the nodes of processors in spheres are ever touched.
void core_spheres_plan(struct core_spheres *work, uint32_t processors, struct base_arena *memory);

typedef void core_take_sphere(void *context, const struct core_sphere *sphere);

// Hands each sphere at instant t to `take`. Operations that are not open then are skipped. Takes time in proportion to
// `count` and to the members of the open operations.
void core_spheres_at(struct core_spheres *work, const struct core_operation *const *operations, size_t count,
                     const struct ek_topology *topology, uint64_t t, core_take_sphere *take, void *context);

#endif
