// SPDX-License-Identifier: MIT
// Distances: by closed forms and by a table, against levels of a search that knows neither.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "topologies/distance.h"
#include "topologies/topology.h"

static struct ek_topology *must_create(const char *spec)
{
    struct ek_error error;
    struct ek_topology *topology = ek_topology_create(spec, 1, (struct ek_reader){0}, &error);
    cr_assert(topology, "%s: %s", spec, error.sentence);
    return topology;
}

// Lets every processor know the nearest `to` in as many passes over all links as the largest distance.
static void relax(const struct ek_topology *topology, uint32_t to, uint32_t *distance)
{
    memset(distance, 0xFF, topology->processors * sizeof *distance);
    distance[to] = 0;
    for (uint32_t pass = 1; pass < topology->processors; pass++) {
        for (uint32_t port = 0; port < topology->ports; port++) {
            uint32_t far = topology->neighbour[port], near = topology->neighbour[topology->twin[port]];
            distance[far] = distance[near] == pass - 1 && distance[far] > pass ? pass : distance[far];
        }
    }
}

Test(distance, of_all_pairs)
{
    static const char *const specs[] = {"chain:7",
                                        "ring:8",
                                        "ring:9",
                                        "mesh:3x4x2",
                                        "torus:5x4",
                                        "torus:2x3",
                                        "torus:4x1",
                                        "hypercube:4",
                                        "kary:3^3",
                                        "complete:6",
                                        "complete:2",
                                        "star:7",
                                        "mesh:1x5",
                                        "otis(mesh:2x2)",
                                        "random:20:3",
                                        "chain:2",
                                        "otis(star:3)",
                                        "product(ring:5,complete:3,chain:4)",
                                        "product(star:4,ring:3)",
                                        "hsn(3,chain:3)",
                                        "product(product(ring:4,chain:2),complete:3)",
                                        "ccc:3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_topology *topology = must_create(specs[i]);
        struct topo_distances distances;
        struct ek_error error;
        uint32_t *expected = malloc(topology->processors * sizeof *expected);
        cr_assert(topo_distances_find(&distances, topology, &error), "%s", error.sentence);
        int64_t most = 0;
        for (uint32_t to = 0; to < topology->processors; to++) {
            relax(topology, to, expected);
            for (uint32_t from = 0; from < topology->processors; from++) {
                uint32_t distance = topo_distance(&distances, from, to);
                cr_expect_eq(distance, expected[from], "%s: from %u to %u %u links, not %u", specs[i], from, to,
                             distance, expected[from]);
                most = distance > most ? distance : most;
            }
        }
        cr_expect_eq(most, topology->diameter, "%s", specs[i]);
        topo_distances_destroy(&distances);
        ek_topology_destroy(topology);
        free(expected);
    }
}

Test(distance, table_has_known_bytes)
{
    static const struct {
        const char *topology;
        uint64_t bytes;
    } cases[] = {{"torus:8x8", 0}, {"complete:9", 0}, {"random:100:4", 20000}, {"star:7", 98}, {"random:5000:4", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_topology *topology = must_create(cases[i].topology);
        cr_expect_eq(topo_distances_bytes(topology), cases[i].bytes, "%s", cases[i].topology);
        ek_topology_destroy(topology);
    }
}

Test(distance, table_is_limited)
{
    struct ek_topology *topology = must_create("random:5000:4");
    struct topo_distances distances;
    struct ek_error error;
    cr_assert_not(topo_distances_find(&distances, topology, &error));
    cr_expect_eq(error.status, EK_BAD_INPUT);
    cr_expect_str_eq(error.axis, "topology");
    cr_expect(strstr(error.sentence, "use at most 4096 processors"), "%s", error.sentence);
    ek_topology_destroy(topology);
}
