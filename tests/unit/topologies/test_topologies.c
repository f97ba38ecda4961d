// SPDX-License-Identifier: MIT
// Topologies: the invariants of thousands of them, small ones by hand, searches against closed forms, and specs that
// are refused.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/diameter.h"
#include "topologies/family.h"

static const struct ek_reader NO_FILES = {0};

static struct ek_topology *make_seeded(const char *spec, uint64_t seed)
{
    struct ek_error error = {0};
    struct ek_topology *topology = ek_topology_create(spec, seed, NO_FILES, &error);
    cr_assert(topology, "%s: %s", spec, error.sentence);
    cr_assert_str_eq(topology->spec, spec);
    return topology;
}

static struct ek_topology *make(const char *spec)
{
    return make_seeded(spec, 1);
}

static uint32_t port_between(const struct ek_topology *topology, uint32_t p, uint32_t q)
{
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        if (topology->neighbour[port] == q) {
            return port;
        }
    }
    cr_assert_fail("%s has no link from %u to %u", topology->spec, p, q);
    return UINT32_MAX;
}

static uint32_t colour_between(const struct ek_topology *topology, uint32_t p, uint32_t q)
{
    return topology->colour[port_between(topology, p, q)];
}

static uint32_t degree_of(const struct ek_topology *topology, uint32_t p)
{
    return topology->first[p + 1] - topology->first[p];
}

// Returns the links as one number, to compare graphs.
static uint64_t fingerprint(const struct ek_topology *topology)
{
    uint64_t hash = topology->processors;
    for (uint32_t port = 0; port < topology->ports; port++) {
        hash = (hash ^ topology->neighbour[port]) * 0x100000001b3u;
    }
    return hash;
}

Test(invariants, lines_and_small_families)
{
    char spec[64];
    for (unsigned k = 1; k <= 24; k++) {
        static const char *const forms[] = {"chain:%u", "ring:%u", "complete:%u", "star:%u"};
        for (size_t i = 0; i < 4; i++) {
            snprintf(spec, sizeof spec, forms[i], k);
            check(make(spec), 1);
        }
    }
    for (unsigned d = 1; d <= 9; d++) {
        snprintf(spec, sizeof spec, "hypercube:%u", d);
        check(make(spec), 0);
    }
    for (unsigned k = 1; k <= 5; k++) {
        for (unsigned d = 1; d <= 4; d++) {
            snprintf(spec, sizeof spec, "kary:%u^%u", k, d);
            check(make(spec), d);
        }
    }
}

Test(invariants, meshes_and_tori)
{
    char spec[64];
    for (unsigned sides = 0; sides < 6 * 6 * 6; sides++) {
        for (int torus = 0; torus < 2; torus++) {
            const char *name = torus ? "torus" : "mesh";
            snprintf(spec, sizeof spec, "%s:%ux%ux%u", name, sides % 6 + 1, sides / 6 % 6 + 1, sides / 36 + 1);
            check(make(spec), 3);
        }
    }
    check(make("torus:2x3x2x5"), 2);
    check(make("mesh:1x6"), 0);
    check(make("torus:1x9"), 1);
    check(make("mesh:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x4"), 0);
}

Test(invariants, otis_of_anything)
{
    static const char *const specs[] = {
        "otis(chain:1)",     "otis(chain:2)",      "otis(mesh:2x4)",      "otis(mesh:4x4)",      "otis(torus:3x4)",
        "otis(ring:7)",      "otis(hypercube:4)",  "otis(complete:8)",    "otis(star:6)",        "otis(kary:3^2)",
        "otis(random:12:3)", "otis(otis(ring:3))", "otis(otis(chain:2))", "otis(otis(chain:1))", "otis(complete:2)",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_topology *topology = make(specs[i]);
        cr_assert_eq(topology->processors, topology->group->processors * topology->group->processors);
        check(topology, 3);
    }
}

// Every size up to 14 with every degree that it allows, for some seeds.
Test(invariants, small_random_graphs)
{
    char spec[64];
    for (unsigned n = 1; n <= 14; n++) {
        for (unsigned degree = 0; degree < n; degree++) {
            if (n * degree % 2 == 1 || (degree < 2 && n > degree + 1)) {
                continue;
            }
            snprintf(spec, sizeof spec, "random:%u:%u", n, degree);
            for (uint64_t seed = 0; seed < 12; seed++) {
                struct ek_topology *topology = make_seeded(spec, seed);
                cr_assert_eq(topology->degree_min, degree);
                cr_assert_eq(topology->degree_max, degree);
                check(topology, 1);
            }
        }
    }
}

Test(invariants, random_graphs)
{
    static const unsigned shapes[][2] = {{100, 2}, {100, 3}, {101, 4}, {200, 5},
                                         {64, 31}, {64, 32}, {64, 33}, {65, 62}};
    char spec[64];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        snprintf(spec, sizeof spec, "random:%u:%u", shapes[i][0], shapes[i][1]);
        uint64_t last = 0;
        for (uint64_t seed = 0; seed < 10; seed++) {
            struct ek_topology *topology = make_seeded(spec, seed);
            struct ek_topology *again = make_seeded(spec, seed);
            cr_assert_eq(topology->degree_min, shapes[i][1]);
            cr_assert_eq(fingerprint(topology), fingerprint(again));
            cr_assert_neq(fingerprint(topology), last, "two seeds draw one graph");
            last = fingerprint(topology);
            ek_topology_destroy(again);
            check(topology, 1);
        }
    }
}

// Of the cubic graphs of 8 processors 35 in 19390 fall into two complete graphs of 4, and are drawn again.
Test(random_graphs, are_connected)
{
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct ek_topology *topology = make_seeded("random:8:3", seed);
        uint32_t reached = 1; // a bit for each processor
        for (uint32_t walk = 0; walk < 8; walk++) {
            for (uint32_t p = 0; p < 8; p++) {
                for (uint32_t port = topology->first[p]; reached & 1U << p && port < topology->first[p + 1]; port++) {
                    reached |= 1U << topology->neighbour[port];
                }
            }
        }
        cr_assert_eq(reached, 255, "seed %d", (int)seed);
        ek_topology_destroy(topology);
    }
}

// Six processors have 70 labelled cubic graphs: 60 prisms and 10 K3,3.
Test(random_graphs, reach_every_graph)
{
    enum { DRAWS = 3000, GRAPHS = 70 };
    uint64_t seen[GRAPHS];
    unsigned graphs = 0;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        struct ek_topology *topology = make_seeded("random:6:3", seed);
        unsigned i = 0;
        while (i < graphs && seen[i] != fingerprint(topology)) {
            i++;
        }
        cr_assert_lt(i, GRAPHS);
        graphs += i == graphs;
        seen[i] = fingerprint(topology);
        ek_topology_destroy(topology);
    }
    cr_assert_eq(graphs, GRAPHS);
}

// Five processors have 12 rings. Each is drawn equally often, within 5 standard deviations of the binomial.
Test(random_graphs, draw_every_ring_as_often)
{
    enum { DRAWS = 2400, RINGS = 12 };
    uint64_t seen[RINGS] = {0};
    unsigned times[RINGS] = {0};
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        struct ek_topology *topology = make_seeded("random:5:2", seed);
        unsigned i = 0;
        while (i < RINGS && times[i] > 0 && seen[i] != fingerprint(topology)) {
            i++;
        }
        cr_assert_lt(i, RINGS);
        seen[i] = fingerprint(topology);
        times[i]++;
        ek_topology_destroy(topology);
    }
    double mean = (double)DRAWS / RINGS;
    for (unsigned i = 0; i < RINGS; i++) {
        cr_expect(fabs(times[i] - mean) <= 5.0 * sqrt(mean * (1.0 - 1.0 / RINGS)), "%u times, not %g", times[i], mean);
    }
}

Test(colours, of_rings_and_chains)
{
    struct ek_topology *ring = make("ring:3");
    cr_assert_eq(ring->colours, 3);
    cr_assert_eq(colour_between(ring, 0, 1), 0);
    cr_assert_eq(colour_between(ring, 1, 2), 1);
    cr_assert_eq(colour_between(ring, 2, 0), 2);
    ek_topology_destroy(ring);
    ring = make("ring:4");
    cr_assert_eq(ring->colours, 2);
    cr_assert_eq(colour_between(ring, 0, 1), 0);
    cr_assert_eq(colour_between(ring, 1, 2), 1);
    cr_assert_eq(colour_between(ring, 2, 3), 0);
    cr_assert_eq(colour_between(ring, 3, 0), 1);
    cr_assert_eq(ring->direction[port_between(ring, 3, 0)], 1);
    cr_assert_eq(ring->direction[port_between(ring, 0, 3)], -1);
    cr_assert_eq(ring->direction[port_between(ring, 0, 1)], 1);
    ek_topology_destroy(ring);
    ring = make("ring:5");
    cr_assert_eq(ring->colours, 3);
    static const uint32_t expected[] = {0, 1, 0, 1, 2};
    for (uint32_t p = 0; p < 5; p++) {
        cr_assert_eq(colour_between(ring, p, (p + 1) % 5), expected[p]);
    }
    static const struct ek_end ends[] = {{0, 0}, {1, 2}, {2, 5}, {3, 7}, {1, 3},
                                         {2, 4}, {3, 6}, {4, 9}, {0, 1}, {4, 8}};
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t colour = i < 4 ? 0 : i < 8 ? 1 : 2;
        cr_assert_eq(ring->ends[i].processor, ends[i].processor);
        cr_assert_eq(ring->colour[ring->ends[i].port], colour);
    }
    ek_topology_destroy(ring);
    struct ek_topology *chain = make("chain:3");
    cr_assert_eq(chain->colours, 2);
    cr_assert_eq(colour_between(chain, 0, 1), 0);
    cr_assert_eq(colour_between(chain, 1, 2), 1);
    ek_topology_destroy(chain);
    ring = make("ring:2");
    cr_assert_eq(ring->links, 1);
    cr_assert_eq(ring->colours, 1);
    ek_topology_destroy(ring);
}

Test(colours, of_a_torus)
{
    struct ek_topology *torus = make("torus:3x4x5"); // colours 0-2, 3-4 and 5-7
    cr_assert_eq(torus->processors, 60);
    cr_assert_eq(torus->links, 180);
    cr_assert_eq(torus->colours, 8);
    cr_assert_eq(torus->dimensions, 3);
    cr_assert(torus->wraps);
    cr_assert_eq(torus->diameter, 1 + 2 + 2);
    uint32_t p = 1 + 3 * (2 + 4 * 3);
    static const struct {
        int32_t away;
        unsigned dimension;
        int direction;
        uint32_t colour;
    } expected[] = {{1, 0, 1, 1}, {-1, 0, -1, 0}, {3, 1, 1, 3}, {-3, 1, -1, 4}, {12, 2, 1, 6}, {-12, 2, -1, 5}};
    for (size_t i = 0; i < 6; i++) {
        uint32_t port = port_between(torus, p, (uint32_t)((int32_t)p + expected[i].away));
        cr_assert_eq(torus->dimension[port], expected[i].dimension);
        cr_assert_eq(torus->direction[port], expected[i].direction);
        cr_assert_eq(torus->colour[port], expected[i].colour, "%zu", i);
        cr_assert_eq(ek_topology_port(torus, p, expected[i].dimension, expected[i].direction), port);
    }
    cr_assert_eq(colour_between(torus, 0, 2), 2);
    cr_assert_eq(colour_between(torus, 0, 9), 4);
    cr_assert_eq(colour_between(torus, 0, 48), 7);
    ek_topology_destroy(torus);
}

Test(colours, of_a_hypercube)
{
    struct ek_topology *cube = make("hypercube:5");
    cr_assert_eq(cube->colours, 5);
    cr_assert_eq(cube->links, 80);
    for (uint32_t p = 0; p < 32; p++) {
        for (unsigned bit = 0; bit < 5; bit++) {
            uint32_t port = port_between(cube, p, p ^ 1u << bit);
            cr_assert_eq(cube->dimension[port], bit);
            cr_assert_eq(cube->colour[port], bit);
            cr_assert_eq(cube->direction[port], p >> bit & 1 ? -1 : 1);
            cr_assert_eq(ek_topology_port(cube, p, bit, 1), port);
            cr_assert_eq(ek_topology_port(cube, p, bit, -1), port);
        }
    }
    ek_topology_destroy(cube);
}

Test(colours, of_a_tournament_and_a_star)
{
    struct ek_topology *complete = make("complete:8");
    cr_assert_eq(complete->colours, 7);
    cr_assert_eq(complete->links, 28);
    for (uint32_t colour = 0; colour < 7; colour++) { // every processor has a partner in each round
        cr_assert_eq(complete->colour_first[colour + 1] - complete->colour_first[colour], 8);
    }
    ek_topology_destroy(complete);
    complete = make("complete:7");
    cr_assert_eq(complete->colours, 7);
    for (uint32_t colour = 0; colour < 7; colour++) { // every processor but one
        cr_assert_eq(complete->colour_first[colour + 1] - complete->colour_first[colour], 6);
    }
    ek_topology_destroy(complete);
    struct ek_topology *star = make("star:6");
    cr_assert_eq(star->colours, 5);
    for (uint32_t leaf = 1; leaf < 6; leaf++) {
        cr_assert_eq(colour_between(star, 0, leaf), leaf - 1);
    }
    ek_topology_destroy(star);
}

Test(colours, of_otis)
{
    struct ek_topology *otis = make("otis(mesh:2x4)");
    cr_assert_eq(otis->processors, 64);
    cr_assert_eq(otis->links, 8 * 10 + 28);
    cr_assert_eq(otis->group->colours, 3);
    cr_assert_str_eq(otis->group->spec, "mesh:2x4");
    cr_assert_eq(otis->colours, 4);
    cr_assert_eq(otis->dimensions, 0);
    cr_assert_eq(otis->diameter, 9);
    for (uint32_t g = 0; g < 8; g++) {
        for (uint32_t p = 0; p < 8; p++) {
            uint32_t swapped = p * 8 + g;
            cr_assert_eq(degree_of(otis, g * 8 + p), degree_of(otis->group, p) + (g != p));
            cr_assert(g == p || colour_between(otis, g * 8 + p, swapped) == 3);
        }
        cr_assert_eq(colour_between(otis, g * 8, g * 8 + 1), 0);
        cr_assert_eq(colour_between(otis, g * 8, g * 8 + 2), 1);
        cr_assert_eq(colour_between(otis, g * 8 + 2, g * 8 + 4), 2);
    }
    ek_topology_destroy(otis);
}

Test(ports, that_are_not_there)
{
    struct ek_topology *mesh = make("mesh:3x1x2");
    cr_assert_eq(ek_topology_port(mesh, 0, 0, -1), UINT32_MAX);
    cr_assert_eq(mesh->neighbour[ek_topology_port(mesh, 0, 0, 1)], 1);
    cr_assert_eq(ek_topology_port(mesh, 2, 0, 1), UINT32_MAX);
    cr_assert_eq(ek_topology_port(mesh, 0, 1, 1), UINT32_MAX);
    cr_assert_eq(mesh->neighbour[ek_topology_port(mesh, 0, 2, -1)], 3);
    cr_assert_eq(mesh->dimension[port_between(mesh, 0, 3)], 2);
    cr_assert_eq(ek_topology_port(mesh, 0, 3, 1), UINT32_MAX);
    ek_topology_destroy(mesh);
    struct ek_topology *star = make("star:3");
    cr_assert_eq(ek_topology_port(star, 0, 0, 1), UINT32_MAX);
    ek_topology_destroy(star);
}

Test(size, two_million_processors)
{
    struct ek_error error;
    struct ek_topology *torus = make("torus:1448x1448");
    cr_assert_leq(ek_topology_bytes(torus), (size_t)150 * torus->links);
    cr_assert(ek_topology_valid(torus, &error), "%s", error.sentence);
    ek_topology_destroy(torus);
    struct ek_topology *cube = make("hypercube:18");
    cr_assert_leq(ek_topology_bytes(cube), (size_t)150 * cube->links);
    cr_assert(ek_topology_valid(cube, &error), "%s", error.sentence);
    ek_topology_destroy(cube);
}

Test(size, is_bounded_by_the_memory)
{
    struct ek_error error = {0};
    cr_assert_null(ek_topology_create_within("torus:100x100", 1, NO_FILES, 800000, &error));
    cr_assert_eq(error.status, EK_BAD_INPUT);
    cr_assert_eq(error.at, 10);
    cr_assert(strstr(error.sentence, "MiB"), "%s", error.sentence);
    struct ek_topology *torus = ek_topology_create_within("torus:100x100", 1, NO_FILES, 2000000, &error);
    cr_assert(torus);
    ek_topology_destroy(torus);
}

// Changes each array at one place. ek_topology_valid must find each change.
Test(validity, finds_what_is_broken)
{
    struct ek_error error = {0};
    struct ek_topology *torus = make("torus:4x5");
    struct {
        uint32_t *place;
        uint32_t value;
    } breaks[] = {
        {&torus->first[3], torus->first[3] + 1},
        {&torus->neighbour[7], torus->neighbour[7] + 1},
        {&torus->neighbour[7], UINT32_MAX},
        {&torus->twin[7], torus->twin[8]},
        {&torus->twin[7], UINT32_MAX},
        {&torus->colour[7], torus->colour[7] ^ 1},
        {&torus->colour[7], UINT32_MAX},
        {&torus->ends[7].processor, torus->ends[8].processor},
        {&torus->ends[7].port, torus->ends[8].port},
        {&torus->colour_first[1], torus->colour_first[1] + 1},
        {&torus->colour_first[0], 1},
        {&torus->side[0], 5},
        {&torus->degree_max, 5},
        {&torus->degree_min, 3},
        {&torus->links, torus->links + 1},
        {&torus->colours, torus->colours - 1},
    };
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        uint32_t kept = *breaks[i].place;
        *breaks[i].place = breaks[i].value;
        cr_assert_not(ek_topology_valid(torus, &error), "change %zu is not found", i);
        cr_assert_eq(error.status, EK_VIOLATION);
        *breaks[i].place = kept;
    }
    torus->wraps = false;
    cr_assert_not(ek_topology_valid(torus, &error));
    torus->wraps = true;
    torus->direction[7] = (int8_t)-torus->direction[7];
    cr_assert_not(ek_topology_valid(torus, &error));
    torus->direction[torus->twin[7]] = (int8_t)-torus->direction[torus->twin[7]];
    cr_assert_not(ek_topology_valid(torus, &error));
    torus->direction[7] = (int8_t)-torus->direction[7];
    torus->direction[torus->twin[7]] = (int8_t)-torus->direction[torus->twin[7]];
    cr_assert(ek_topology_valid(torus, &error), "%s", error.sentence);
    ek_topology_destroy(torus);
}

// With its two colours swapped at all ports a ring is coloured as well as before, but the lists of ends are those of
// the other colour.
Test(topologies, ends_of_another_colour_are_found)
{
    struct ek_error error = {0};
    struct ek_topology *ring = make("ring:6");
    for (uint32_t port = 0; port < ring->ports; port++) {
        ring->colour[port] ^= 1;
    }
    cr_expect_not(ek_topology_valid(ring, &error));
    cr_expect(strstr(error.sentence, "an end is not a port of its processor and colour"), "%s", error.sentence);
    ek_topology_destroy(ring);
}

// The families whose links are found one by one: their invariants, and numbers known from their papers.
Test(invariants, networks)
{
    static const struct {
        const char *spec;
        uint32_t processors, hosts, links, degree_min, degree_max;
        int64_t diameter;
    } cases[] = {
        {"dragonfly:1:1", 2, 2, 1, 1, 1, 1},
        {"dragonfly:2:1", 6, 6, 6, 2, 2, 3},
        {"dragonfly:4:2", 36, 36, 90, 5, 5, 3},
        {"dragonfly:1:6", 7, 7, 21, 6, 6, 1},
        {"dragonfly:6:3", 114, 114, 456, 8, 8, 3},
        {"slimfly:3", 18, 18, 45, 5, 5, 2},
        {"slimfly:4", 32, 32, 96, 6, 6, 2},
        {"slimfly:5", 50, 50, 175, 7, 7, 2},
        {"slimfly:7", 98, 98, 539, 11, 11, 2},
        {"slimfly:8", 128, 128, 768, 12, 12, 2},
        {"slimfly:9", 162, 162, 1053, 13, 13, 2},
        {"slimfly:27", 1458, 1458, 29889, 41, 41, 2},
        {"fattree:2", 7, 2, 6, 1, 2, 6},
        {"fattree:4", 36, 16, 48, 1, 4, 6},
        {"fattree:8", 208, 128, 384, 1, 8, 6},
        {"margulis:2", 4, 4, 4, 2, 2, 2},
        {"margulis:4", 16, 16, 40, 4, 6, 3},
        {"margulis:8", 64, 64, 208, 4, 8, 4},
        {"smallworld:20:4:0", 20, 20, 40, 4, 4, 5},
        {"smallworld:5:4:1", 5, 5, 10, 4, 4, 1},
        {"geometric:9:1.5", 9, 9, 36, 8, 8, 1},
        {"geometric:1:0.1", 1, 1, 0, 0, 0, 0},
        {"powerlaw:5:4", 5, 5, 4, 1, 4, 2},
        {"powerlaw:2:1", 2, 2, 1, 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_topology *topology = make(cases[i].spec);
        cr_expect_eq(topology->processors, cases[i].processors, "%s", cases[i].spec);
        cr_expect_eq(topology->hosts, cases[i].hosts, "%s", cases[i].spec);
        cr_expect_eq(topology->links, cases[i].links, "%s: %u links", cases[i].spec, topology->links);
        cr_expect_eq(topology->degree_min, cases[i].degree_min, "%s: %u", cases[i].spec, topology->degree_min);
        cr_expect_eq(topology->degree_max, cases[i].degree_max, "%s: %u", cases[i].spec, topology->degree_max);
        cr_expect_eq(topology->diameter, cases[i].diameter, "%s: %d", cases[i].spec, (int)topology->diameter);
        check(topology, 1);
    }
}

// Each seed draws a graph of its own, always the same, which is connected.
Test(invariants, drawn_networks)
{
    static const char *const specs[] = {"smallworld:40:4:0.2", "smallworld:30:2:0.3", "geometric:60:0.3",
                                        "powerlaw:60:3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        uint64_t last = 0;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            struct ek_topology *topology = make_seeded(specs[i], seed);
            struct ek_topology *again = make_seeded(specs[i], seed);
            cr_assert(topology->drawn && topology->diameter > 0);
            cr_assert_eq(fingerprint(topology), fingerprint(again));
            cr_assert_neq(fingerprint(topology), last, "%s: two seeds draw one graph", specs[i]);
            last = fingerprint(topology);
            ek_topology_destroy(again);
            check(topology, 1);
        }
    }
}

Test(families, are_listed)
{
    size_t count = 0;
    for (; topo_family_choice(count); count++) {
        cr_assert(*topo_family_choice(count)->form && *topo_family_choice(count)->summary);
    }
    cr_assert_eq(count, 30);
}

Test(families, say_whether_they_are_drawn)
{
    static const struct {
        const char *spec;
        bool drawn;
    } cases[] = {{"torus:4x4", false},          {"complete:4", false},
                 {"otis(ring:5)", false},       {"random:10:3", true},
                 {"otis(random:6:3)", true},    {"otis(otis(random:4:3))", true},
                 {"otis(otis(star:3))", false}, {"product(ring:4,random:6:3)", true},
                 {"hsn(3,random:4:3)", true},   {"product(ring:4,star:3)", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_topology *topology = make(cases[i].spec);
        cr_expect_eq(topology->drawn, cases[i].drawn, "%s", cases[i].spec);
        ek_topology_destroy(topology);
    }
}

Test(bad_specs, point_at_what_is_wrong)
{
    static const struct {
        const char *spec;
        int at;
        const char *part;
    } cases[] = {
        {"", 0, "begins with its family"},
        {":8", 0, "begins with its family"},
        {"torsu:8x8", 0, "did you mean torus?"},
        {"nothing:8", 0, "choose one of chain, ring"},
        {"torus", 5, "write ':' after torus"},
        {"torus 8", 5, "write ':' after torus"},
        {"torus:", 6, "a side must be a whole number"},
        {"torus:0x4", 6, "from 1 to 1073741824"},
        {"torus:4x0", 8, "from 1 to 1073741824"},
        {"torus:4x", 8, "a side"},
        {"torus:4xx4", 8, "a side"},
        {"torus:-4x4", 6, "a side"},
        {"torus:4x4 ", 9, "cannot follow"},
        {"torus:4x4.5", 9, "cannot follow"},
        {"torus:99999999999999999999", 6, "a side"},
        {"torus:32768x32769", 12, "more than 1073741824 processors"},
        {"torus:4294967296x4294967296", 6, "a side"},
        {"mesh:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", 69, "at most 32"},
        {"chain:0", 6, "the number of processors"},
        {"chain:8x8", 7, "cannot follow"},
        {"ring:", 5, "the number of processors"},
        {"hypercube:0", 10, "the number of dimensions"},
        {"hypercube:27", 10, "from 1 to 26"},
        {"kary:4", 6, "write '^'"},
        {"kary:4^0", 7, "from 1 to 32"},
        {"kary:4^16", 7, "more than 1073741824 processors"},
        {"kary:1^33", 7, "from 1 to 32"},
        {"complete:0", 9, "the number of processors"},
        {"complete:65537", 9, "2147516416 links"},
        {"star:67108865", 5, "the number of processors"},
        {"otis", 4, "write '(' after otis"},
        {"otis(", 5, "begins with its family"},
        {"otis()", 5, "begins with its family"},
        {"otis(mesh:2x4", 13, "write ')' after the group"},
        {"otis(mesh:2x0)", 12, "a side"},
        {"otis(mesh:2x4))", 14, "cannot follow"},
        {"otis(mseh:2x4)", 5, "did you mean mesh?"},
        {"otis(chain:8193)", 5, "67125249 processors"},
        {"otis(hypercube:26)", 5, "processors"},
        {"otis(otis(otis(otis(otis(otis(otis(otis(otis(chain:1)))))))))", 44, "8 deep"},
        {"random:8", 8, "write ':'"},
        {"random:8:", 9, "the degree"},
        {"random:8:8", 9, "from 0 to 7"},
        {"random:9:3", 9, "is odd"},
        {"random:8:1", 9, "no more than 2 processors"},
        {"random:8:0", 9, "no more than 1 processors"},
        {"random:0:0", 7, "the number of processors"},
        {"random:67108864:1000", 7, "links"},
        {"smallworld:2:2:0.1", 11, "from 3 to"},
        {"smallworld:20", 13, "write ':'"},
        {"smallworld:20:3:0.1", 14, "use an even number"},
        {"smallworld:20:20:0.1", 14, "from 2 to 19"},
        {"smallworld:20:4", 15, "write ':'"},
        {"smallworld:20:4:1.5", 16, "from 0 to 1"},
        {"smallworld:20:4:-0.1", 16, "from 0 to 1"},
        {"geometric:50", 12, "write ':'"},
        {"geometric:50:0", 13, "from 1e-06 to 1.5"},
        {"geometric:0:0.5", 10, "from 1 to"},
        {"geometric:50:0.01", 10, "none is connected: use another seed, or a radius well above 0.16"},
        {"powerlaw:50", 11, "write ':'"},
        {"powerlaw:50:50", 12, "from 1 to 49"},
        {"powerlaw:1:1", 9, "from 2 to"},
        {"dragonfly:4", 11, "write ':'"},
        {"dragonfly:0:2", 10, "from 1 to 4096"},
        {"dragonfly:4:0", 12, "from 1 to 4096"},
        {"dragonfly:4096:4096", 10, "68719480832 processors"},
        {"slimfly:2", 8, "from 3 to 5791"},
        {"slimfly:6", 8, "no field of 6 elements"},
        {"slimfly:12", 8, "no field of 12 elements"},
        {"slimfly:5791", 8, "links"},
        {"fattree:3", 8, "use an even number"},
        {"fattree:1", 8, "from 2 to 400"},
        {"otis(fattree:4)", 5, "cannot be part of another topology"},
        {"margulis:1", 9, "from 2 to 4096"},
        {"margulis", 8, "write ':' after margulis"},
        {"file", 4, "write ':' after file"},
        {"file:graph.txt", 5, "no files can be read here"},
        {"\xff\xfe", 0, "begins with its family"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error = {0};
        cr_assert_null(ek_topology_create(cases[i].spec, 1, NO_FILES, &error), "%s", cases[i].spec);
        cr_assert_eq(error.status, EK_BAD_INPUT);
        cr_assert_str_eq(error.axis, "topology");
        cr_assert_eq(error.at, cases[i].at, "%s: at %d: %s", cases[i].spec, error.at, error.sentence);
        cr_assert(strstr(error.sentence, cases[i].part), "%s: %s", cases[i].spec, error.sentence);
    }
}

// A chain of three whose two links have the same colour. Nothing else is wrong.
Test(validity, two_links_of_one_colour_meet)
{
    struct ek_error error = {0};
    struct ek_topology *chain = ek_topology_create("chain:3", 1, (struct ek_reader){0}, &error);
    cr_assert(chain && chain->ports == 4 && chain->colours == 2);
    cr_assert(ek_topology_valid(chain, &error));
    chain->colours = 1;
    chain->colour_first[1] = 4;
    uint32_t place = 0;
    for (uint32_t p = 0; p < 3; p++) {
        for (uint32_t port = chain->first[p]; port < chain->first[p + 1]; port++) {
            chain->colour[port] = 0;
            chain->ends[place++] = (struct ek_end){.processor = p, .port = port};
        }
    }
    cr_expect_not(ek_topology_valid(chain, &error));
    cr_expect(strstr(error.sentence, "two links of one colour meet"), "%s", error.sentence);
    ek_topology_destroy(chain);
}
