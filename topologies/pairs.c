// SPDX-License-Identifier: MIT
// Sorts and checks pairs of processors. Components are found by union-find with path halving (Tarjan & van Leeuwen
// 1984).
#include "topologies/pairs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cursor.h"

enum { NAMED = 5 }; // components that an error lists

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_pairs(const void *left, const void *right)
{
    const struct topo_pair *a = left;
    const struct topo_pair *b = right;
    int order = compare(a->low, b->low);
    order = order ? order : compare(a->high, b->high);
    return order ? order : compare(a->line, b->line);
}

void topo_pairs_sort(struct topo_pair *pairs, size_t count)
{
    if (count > 1) {
        qsort(pairs, count, sizeof *pairs, compare_pairs);
    }
}

static uint32_t root_of(uint32_t *parent, uint32_t p)
{
    while (parent[p] != p) {
        parent[p] = parent[parent[p]];
        p = parent[p];
    }
    return p;
}

// Moves the NAMED largest sizes to the front, in descending order.
static void sort_front(uint32_t *sizes, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < NAMED; i++) {
        uint32_t largest = i;
        for (uint32_t j = i + 1; j < count; j++) {
            largest = sizes[j] > sizes[largest] ? j : largest;
        }
        uint32_t size = sizes[largest];
        sizes[largest] = sizes[i];
        sizes[i] = size;
    }
}

static bool fail_components(uint32_t *sizes, uint32_t count, struct ek_error *error)
{
    char text[128];
    int length = 0;
    sort_front(sizes, count);
    for (uint32_t i = 0; i < count && i < NAMED; i++) {
        const char *before = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%u", before, sizes[i]);
    }
    if (count > NAMED) {
        snprintf(text + length, sizeof text - (size_t)length, " and %u more", count - NAMED);
    }
    return base_fail(error, EK_BAD_INPUT, "topology",
                     "the graph falls into %u parts of %s processors: link them, or run each part alone", count, text);
}

// Puts the sizes of the components at the front of `sizes` and returns their number.
static uint32_t component_sizes(uint32_t *parent, uint32_t *sizes, uint32_t processors)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < processors; p++) {
        sizes[p] = 0;
    }
    for (uint32_t p = 0; p < processors; p++) {
        sizes[root_of(parent, p)]++;
    }
    for (uint32_t p = 0; p < processors; p++) {
        if (sizes[p] > 0) {
            sizes[count++] = sizes[p];
        }
    }
    return count;
}

bool topo_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
    return a != b;
}

uint32_t topo_pairs_components(const struct topo_pair *pairs, size_t count, uint32_t processors, uint32_t *parent)
{
    uint32_t components = processors;
    for (uint32_t p = 0; p < processors; p++) {
        parent[p] = p;
    }
    for (size_t i = 0; i < count; i++) {
        components -= topo_join(parent, pairs[i].low, pairs[i].high);
    }
    return components;
}

static bool fail_memory(uint32_t processors, struct ek_error *error)
{
    return base_fail(error, EK_BAD_INPUT, "topology", "no memory for %u processors: use a smaller topology",
                     processors);
}

bool topo_joined(uint32_t *parent, uint32_t components, uint32_t processors, struct ek_error *error)
{
    assert(processors > 0);
    if (components == 1) {
        return true;
    }
    uint32_t *sizes = malloc(processors * sizeof *sizes);
    if (!sizes) {
        return fail_memory(processors, error);
    }
    fail_components(sizes, component_sizes(parent, sizes, processors), error);
    free(sizes);
    return false;
}

bool topo_pairs_connected(const struct topo_pair *pairs, size_t count, uint32_t processors, struct ek_error *error)
{
    uint32_t *parent = malloc(processors * sizeof *parent);
    bool good = parent ? topo_joined(parent, topo_pairs_components(pairs, count, processors, parent), processors, error)
                       : fail_memory(processors, error);
    free(parent);
    return good;
}
