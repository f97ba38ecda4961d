// SPDX-License-Identifier: MIT
// Spheres: union-find over processors with union by size and path halving (Tarjan & van Leeuwen 1984). A sphere's
// values are kept at its root.
#include "core/domains/spheres.h"
#include "base/debug.h"
#include "topologies/topology.h"

void core_spheres_plan(struct core_spheres *work, uint32_t processors, struct base_arena *memory)
{
    *work = (struct core_spheres){0};
    base_arena_plan(memory, &work->node, processors, sizeof *work->node);
    base_arena_plan(memory, &work->met, processors, sizeof *work->met);
}

// Returns the root of p's sphere. A processor that was not visited yet becomes a sphere of its own.
static uint32_t root_of(struct core_spheres *work, uint32_t p)
{
    struct core_sphere_node *node = work->node;
    if (node[p].sphere.processors == 0) {
        node[p] = (struct core_sphere_node){.sphere = {.begin = UINT64_MAX, .processors = 1}, .parent = p};
        work->met[work->count++] = p;
    }
    while (node[p].parent != p) {
        node[p].parent = node[node[p].parent].parent;
        p = node[p].parent;
    }
    return p;
}

// Adds operations to a sphere.
static void extend(struct core_sphere *sphere, uint64_t begin, uint64_t end, uint32_t operations)
{
    sphere->begin = begin < sphere->begin ? begin : sphere->begin;
    sphere->end = end > sphere->end ? end : sphere->end;
    sphere->operations += operations;
}

// Joins the spheres of processor p and of `root`. Returns the root of both.
static uint32_t join(struct core_spheres *work, uint32_t root, uint32_t p)
{
    uint32_t other = root_of(work, p);
    if (other == root) {
        return root;
    }
    if (work->node[root].sphere.processors < work->node[other].sphere.processors) {
        uint32_t smaller = root;
        root = other;
        other = smaller;
    }
    const struct core_sphere *joined = &work->node[other].sphere;
    work->node[other].parent = root;
    work->node[root].sphere.processors += joined->processors;
    extend(&work->node[root].sphere, joined->begin, joined->end, joined->operations);
    return root;
}

static void join_domain(struct core_spheres *work, const struct core_operation *operation,
                        const struct ek_topology *topology)
{
    assert(operation->invoker < topology->processors);
    uint32_t port = topology->first[operation->invoker];
    uint32_t end = topology->first[operation->invoker + 1];
    uint32_t root = root_of(work, operation->invoker);
    for (uint64_t left = operation->members; left != 0; left &= left - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(left);
        uint32_t last = bit < 63 ? port + bit + 1 : end;
        BASE_DEBUG_ASSERT(port + bit < last && last <= end);
        for (uint32_t member = port + bit; member < last; member++) {
            root = join(work, root, topology->neighbour[member]);
        }
    }
    extend(&work->node[root].sphere, operation->begin, operation->end, 1);
}

void core_spheres_at(struct core_spheres *work, const struct core_operation *const *operations, size_t count,
                     const struct ek_topology *topology, uint64_t t, core_take_sphere *take, void *context)
{
    assert(work->count == 0);
    for (size_t i = 0; i < count; i++) {
        if (operations[i]->begin <= t && t < operations[i]->end) {
            join_domain(work, operations[i], topology);
        }
    }
    for (uint32_t i = 0; i < work->count; i++) {
        struct core_sphere_node *node = &work->node[work->met[i]];
        if (node->parent == work->met[i]) {
            take(context, &node->sphere);
        }
        node->sphere.processors = 0;
    }
    work->count = 0;
}
