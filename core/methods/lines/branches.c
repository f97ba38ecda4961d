// SPDX-License-Identifier: MIT
#include "core/methods/lines/branches.h"
#include "topologies/topology.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX;

// The tree by coordinates.
struct search {
    const struct ek_topology *factor;
    uint32_t *order; // the coordinates in the order in which they are found
    uint32_t *depth;
    uint32_t *parent;
    uint32_t *size; // of the subtree
    uint32_t *height;
    uint32_t *before; // the sizes of the subtrees of lower siblings
    uint32_t *passed; // the sizes of the children's subtrees so far
};

enum { SEARCH_ARRAYS = 7, BRANCH_ARRAYS = 5 };

static bool take_search(struct search *search, const struct ek_topology *factor)
{
    size_t n = factor->processors;
    search->factor = factor;
    uint32_t **array[SEARCH_ARRAYS] = {&search->order,  &search->depth,  &search->parent, &search->size,
                                       &search->height, &search->before, &search->passed};
    search->order = calloc(SEARCH_ARRAYS * n, sizeof *search->order);
    for (size_t i = 1; i < SEARCH_ARRAYS; i++) {
        *array[i] = search->order + i * n;
    }
    return search->order != NULL;
}

static void find_depths(struct search *search)
{
    const struct ek_topology *factor = search->factor;
    memset(search->depth, 0xFF, factor->processors * sizeof *search->depth);
    search->depth[0] = 0;
    uint32_t found = 1;
    for (uint32_t i = 0; i < found; i++) {
        uint32_t x = search->order[i];
        for (uint32_t port = factor->first[x]; port < factor->first[x + 1]; port++) {
            uint32_t y = factor->neighbour[port];
            if (search->depth[y] == NONE) {
                search->depth[y] = search->depth[x] + 1;
                search->order[found++] = y;
            }
        }
    }
}

static void find_parents(struct search *search)
{
    const struct ek_topology *factor = search->factor;
    for (uint32_t x = 0; x < factor->processors; x++) {
        search->size[x] = 1;
        search->parent[x] = NONE;
        for (uint32_t port = factor->first[x]; port < factor->first[x + 1]; port++) { // neighbours ascend
            uint32_t y = factor->neighbour[port];
            search->parent[x] = search->depth[y] < search->depth[x] ? y : search->parent[x];
        }
    }
}

static void find_subtrees(struct search *search)
{
    uint32_t n = search->factor->processors;
    for (uint32_t i = n - 1; i > 0; i--) { // children come after their parents
        uint32_t x = search->order[i];
        uint32_t parent = search->parent[x];
        search->size[parent] += search->size[x];
        if (search->height[parent] <= search->height[x]) {
            search->height[parent] = search->height[x] + 1;
        }
    }
    for (uint32_t x = 1; x < n; x++) {
        uint32_t *passed = &search->passed[search->parent[x]];
        search->before[x] = *passed;
        *passed += search->size[x];
    }
}

static void number(const struct search *search, struct method_branches *branches)
{
    for (uint32_t i = 0; i < search->factor->processors; i++) {
        uint32_t x = search->order[i];
        uint32_t above = i == 0 ? NONE : branches->position[search->parent[x]];
        uint32_t position = i == 0 ? 0 : above + 1 + search->before[x];
        branches->position[x] = position;
        branches->parent[position] = above;
        branches->end[position] = position + search->size[x];
        branches->height[position] = search->height[x];
        branches->depth[position] = search->depth[x];
    }
}

struct method_branches *method_branches_create(const struct ek_topology *factor)
{
    size_t n = factor->processors;
    struct search search = {0};
    struct method_branches *branches = malloc(sizeof *branches + BRANCH_ARRAYS * n * sizeof(uint32_t));
    if (branches && take_search(&search, factor)) {
        uint32_t *array = (uint32_t *)(branches + 1);
        *branches = (struct method_branches){array, array + n, array + 2 * n, array + 3 * n, array + 4 * n};
        find_depths(&search);
        find_parents(&search);
        find_subtrees(&search);
        number(&search, branches);
    } else {
        free(branches);
        branches = NULL;
    }
    free(search.order);
    return branches;
}

void method_branches_destroy(struct method_branches *branches)
{
    free(branches);
}
