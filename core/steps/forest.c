// SPDX-License-Identifier: MIT
// Grows spanning trees, breadth first.
#include "core/steps/forest.h"

#include <assert.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "topologies/topology.h"

// Adds the neighbours of `p` that no tree has reached yet to the queue. Returns the queue's new end.
static uint32_t spread(struct core_forest *forest, const struct ek_topology *topology, uint32_t p,
                       const struct core_ground *ground, uint32_t *queue, uint32_t end)
{
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        uint32_t child = topology->neighbour[port];
        if (topology->colour[port] < ground->colour_end && forest->depth[child] == UINT32_MAX) {
            forest->depth[child] = forest->depth[p] + 1;
            forest->parent[child] = topology->twin[port] - topology->first[child];
            queue[end++] = child;
        }
    }
    return end;
}

bool core_forest_create(struct core_forest *forest, const struct ek_topology *topology,
                        const struct core_ground *ground, struct ek_error *error)
{
    size_t n = topology->processors;
    uint32_t *queue = malloc(n * sizeof *queue);
    *forest = (struct core_forest){.depth = malloc(n * sizeof *forest->depth),
                                   .below = calloc(n, sizeof *forest->below),
                                   .parent = malloc(n * sizeof *forest->parent)};
    if (!queue || !forest->depth || !forest->below || !forest->parent) {
        free(queue);
        core_forest_destroy(forest);
        return base_fail(error, EK_BAD_INPUT, "", "no memory for the trees over %zu processors", n);
    }
    uint32_t end = 0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        bool root = p % ground->stride == 0 && p / ground->stride < ground->roots;
        forest->depth[p] = root ? 0 : UINT32_MAX;
        forest->parent[p] = UINT32_MAX;
        if (root) {
            queue[end++] = p;
        }
    }
    for (uint32_t begin = 0; begin < end; begin++) {
        end = spread(forest, topology, queue[begin], ground, queue, end);
        forest->height = forest->depth[queue[begin]];
    }
    assert(end == topology->processors);
    while (end-- > 0) { // backwards, so that children come before their parents
        uint32_t p = queue[end];
        if (forest->depth[p] > 0) {
            uint32_t parent = topology->neighbour[topology->first[p] + forest->parent[p]];
            forest->below[parent] =
                forest->below[parent] > forest->below[p] ? forest->below[parent] : forest->below[p] + 1;
        }
    }
    free(queue);
    return true;
}

void core_forest_destroy(struct core_forest *forest)
{
    free(forest->depth);
    free(forest->below);
    free(forest->parent);
    *forest = (struct core_forest){0};
}
