// SPDX-License-Identifier: MIT
// Checks of a whole topology that share no code with the library.
#ifndef TESTS_DIAMETER_H
#define TESTS_DIAMETER_H

#include <criterion/criterion.h>
#include <stdlib.h>

#include "topologies/topology.h"

// Returns the largest distance from p, by a plain breadth-first search, or -1 if p does not reach every processor.
static inline int64_t farthest(const struct ek_topology *topology, uint32_t p)
{
    int64_t *distance = malloc(topology->processors * sizeof *distance);
    uint32_t *queue = malloc(topology->processors * sizeof *queue);
    for (uint32_t q = 0; q < topology->processors; q++) {
        distance[q] = -1;
    }
    uint32_t head = 0;
    uint32_t tail = 0;
    distance[p] = 0;
    queue[tail++] = p;
    while (head < tail) {
        p = queue[head++];
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            uint32_t q = topology->neighbour[port];
            if (distance[q] < 0) {
                distance[q] = distance[p] + 1;
                queue[tail++] = q;
            }
        }
    }
    int64_t last = tail == topology->processors ? distance[p] : -1;
    free(distance);
    free(queue);
    return last;
}

static inline int64_t diameter_of(const struct ek_topology *topology)
{
    int64_t diameter = 0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        int64_t distance = farthest(topology, p);
        cr_assert_geq(distance, 0, "%s is not connected", topology->spec);
        diameter = distance > diameter ? distance : diameter;
    }
    return diameter;
}

// Checks the invariants, the diameter, and that there are at most `extra` colours more than the largest degree.
static inline void check(struct ek_topology *topology, uint32_t extra)
{
    struct ek_error error = {0};
    cr_assert(ek_topology_valid(topology, &error), "%s: %s", topology->spec, error.sentence);
    cr_assert_eq(topology->diameter, diameter_of(topology), "%s", topology->spec);
    cr_assert_geq(topology->colours, topology->degree_max);
    cr_assert_leq(topology->colours, topology->degree_max + extra, "%s", topology->spec);
    ek_topology_destroy(topology);
}

#endif
