// SPDX-License-Identifier: MIT
// Distances between processors.
#include "topologies/distance.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "topologies/product.h"

// Grids and complete graphs have closed forms, and products of these.
static bool has_closed_form(const struct ek_topology *topology)
{
    if (topo_is_grid(topology) || topology->degree_min == topology->processors - 1) {
        return true;
    }
    bool all = topology->factor != NULL;
    for (uint32_t d = 0; all && d < topology->dimensions; d++) {
        all = has_closed_form(topology->factor[d]);
    }
    return all;
}

// Fills a row of the table by a breadth-first search. `queue` has room for all processors.
static void search_from(const struct ek_topology *topology, uint32_t from, uint16_t *row, uint32_t *queue)
{
    uint32_t count = 0;
    memset(row, 0xFF, topology->processors * sizeof *row);
    row[from] = 0;
    queue[count++] = from;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t port = topology->first[queue[i]]; port < topology->first[queue[i] + 1]; port++) {
            uint32_t next = topology->neighbour[port];
            if (row[next] == UINT16_MAX) {
                row[next] = (uint16_t)(row[queue[i]] + 1);
                queue[count++] = next;
            }
        }
    }
}

bool topo_distances_find(struct topo_distances *distances, const struct ek_topology *topology, struct ek_error *error)
{
    *distances = (struct topo_distances){.topology = topology};
    size_t processors = topology->processors;
    if (has_closed_form(topology)) {
        return true;
    }
    if (processors > TOPO_TABLE_MAX) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "the distances between %u processors of this topology need too much memory: use at most %d "
                         "processors, or a mesh, torus, hypercube or complete graph",
                         topology->processors, TOPO_TABLE_MAX);
    }
    distances->table = malloc(processors * processors * sizeof *distances->table);
    uint32_t *queue = malloc(processors * sizeof *queue);
    bool good = distances->table && queue;
    for (uint32_t p = 0; good && p < processors; p++) {
        search_from(topology, p, distances->table + p * processors, queue);
    }
    free(queue);
    if (!good) {
        topo_distances_destroy(distances);
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "no memory for the distances between %u processors: use a smaller topology",
                         topology->processors);
    }
    return true;
}

void topo_distances_destroy(struct topo_distances *distances)
{
    free(distances->table);
    distances->table = NULL;
}

static uint32_t closed_distance(const struct ek_topology *topology, uint32_t from, uint32_t to)
{
    if (topology->dimensions == 0) {
        return from != to;
    }
    uint32_t distance = 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        uint32_t side = topology->side[d], a = from % side, b = to % side;
        uint32_t apart = a > b ? a - b : b - a;
        distance += topology->factor                          ? closed_distance(topology->factor[d], a, b)
                    : topology->wraps && side - apart < apart ? side - apart
                                                              : apart;
        from /= side;
        to /= side;
    }
    return distance;
}

uint32_t topo_distance(const struct topo_distances *distances, uint32_t from, uint32_t to)
{
    const struct ek_topology *topology = distances->topology;
    return distances->table ? distances->table[from * (size_t)topology->processors + to]
                            : closed_distance(topology, from, to);
}
