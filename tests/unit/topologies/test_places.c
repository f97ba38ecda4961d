// SPDX-License-Identifier: MIT
// Places of processors in drawings: those of the families by their formulas, those of general graphs by distances.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/must.h"
#include "tests/support/specs.h"
#include "topologies/places/places.h"

static const double PI = 3.14159265358979323846;

static struct ek_place *places_of(const char *spec)
{
    struct ek_topology *topology = must_build(spec);
    struct ek_place *place = calloc(topology->processors, sizeof *place);
    struct ek_error error = {0};
    cr_assert(place && ek_topology_places(topology, place, &error), "%s: %s", spec, error.sentence);
    ek_topology_destroy(topology);
    return place;
}

static double apart(const struct ek_place *place, uint32_t a, uint32_t b)
{
    return hypot(place[a].x - place[b].x, place[a].y - place[b].y);
}

static void expect_at(const char *spec, uint32_t p, double x, double y)
{
    struct ek_place *place = places_of(spec);
    cr_expect(fabs(place[p].x - x) < 1e-12 && fabs(place[p].y - y) < 1e-12, "%s, %u: %g, %g", spec, p, place[p].x,
              place[p].y);
    free(place);
}

Test(places, of_families)
{
    expect_at("chain:5", 3, 3.0, 0.0);
    expect_at("chain:64", 17, 14.0, 1.0); // in lines of 16, back and forth
    expect_at("mesh:4x3", 6, 2.0, 1.0);
    expect_at("mesh:1x6x1", 4, 4.0, 0.0); // a chain
    expect_at("torus:5x4", 19, 4.0, 3.0);
    expect_at("hypercube:2", 3, 1.0, 1.0);
    expect_at("hypercube:3", 7, 1.0 + 0.46, 1.0 - 0.36); // bit 2: half a cell to the back
    expect_at("mesh:2x2x4", 12, 0.92 * 0.75, -0.72 * 0.75);
    for (uint32_t p = 0; p < 12; p++) {
        double radius = 0.5 / sin(PI / 12.0);
        expect_at("ring:12", p, radius * sin(PI * p / 6.0), -radius * cos(PI * p / 6.0));
        expect_at("complete:12", p, radius * sin(PI * p / 6.0), -radius * cos(PI * p / 6.0));
        expect_at("smallworld:12:4:0.5", p, radius * sin(PI * p / 6.0), -radius * cos(PI * p / 6.0));
        expect_at("star:13", p + 1, radius * sin(PI * p / 6.0), -radius * cos(PI * p / 6.0));
    }
    expect_at("star:13", 0, 0.0, 0.0);
    expect_at("circulant:4:1,2", 3, -0.5 / sin(PI / 4.0), 0.0);
    expect_at("foldedcube:3", 7, 1.0 + 0.46, 1.0 - 0.36); // as hypercube:3
    expect_at("moore:4x3", 6, 2.0, 1.0);
    expect_at("margulis:4", 6, 2.0, 1.0);
    expect_at("butterfly:3", 10, 2.0 - 3.5, 0.6 * 8.0 / 3.0); // level 1, row 2 of 8
    expect_at("tree:2:2", 0, 0.0, 0.0);
    expect_at("tree:2:2", 1, 1.0, 0.0);                                  // between its children
    expect_at("tree:2:2", 3, 2.0 * sin(PI / 4.0), -2.0 * cos(PI / 4.0)); // the first of four leaves
}

// In a hexagonal mesh and in rings exactly the neighbours are 1 apart. The leaves of a tree are about 1 apart on a
// circle.
Test(places, show_links)
{
    static const char *const specs[] = {"hex:5x4", "cayley:star:3", "cayley:pancake:3", "circulant:9:1"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_topology *topology = must_build(specs[i]);
        struct ek_place *place = places_of(specs[i]);
        for (uint32_t p = 0; p < topology->processors; p++) {
            uint32_t port = topology->first[p];
            for (uint32_t q = 0; q < topology->processors; q++) {
                bool linked = port < topology->first[p + 1] && topology->neighbour[port] == q;
                port += linked;
                cr_expect(p == q || linked == (apart(place, p, q) < 1.0 + 1e-9), "%s: %u %u", specs[i], p, q);
            }
        }
        free(place);
        ek_topology_destroy(topology);
    }
    struct ek_place *tree = places_of("tree:3:4");
    for (uint32_t p = 40; p < 121; p++) { // the leaves
        cr_expect_float_eq(hypot(tree[p].x, tree[p].y), 81.0 / (2.0 * PI), 1e-9);
        cr_expect_gt(apart(tree, p, p < 120 ? p + 1 : 40), 0.99);
    }
    free(tree);
}

// Copies of G in places that are those of G.
Test(places, of_nested_families)
{
    struct ek_place *group = places_of("mesh:2x3");
    struct ek_place *otis = places_of("otis(mesh:2x3)");
    double across = (otis[6].x - otis[0].x) / (group[1].x - group[0].x);
    cr_expect_gt(across, 2.0); // groups are two wide
    for (uint32_t g = 0; g < 6; g++) {
        for (uint32_t p = 0; p < 6; p++) {
            cr_expect_float_eq(otis[6 * g + p].x, across * group[g].x + group[p].x, 1e-12);
            cr_expect_float_eq(otis[6 * g + p].y, across * group[g].y + group[p].y, 1e-12);
        }
    }
    free(group);
    free(otis);
    struct ek_place *flat = places_of("otis(chain:4)"); // a row of rows would be long: the rows are below one another
    struct ek_place *corner = places_of("hypercube:3");
    struct ek_place *cycles = places_of("ccc:3");
    for (uint32_t p = 0; p < 16; p++) {
        cr_expect_float_eq(flat[p].x - flat[0].x, p % 4, 1e-12);
        cr_expect_float_eq(flat[p].y - flat[0].y, p / 4 * (flat[4].y - flat[0].y), 1e-12);
    }
    double scale = (cycles[3].x - cycles[0].x) / (corner[1].x - corner[0].x); // a ring of 3 at each corner
    for (uint32_t p = 0; p < 24; p++) {
        cr_expect_float_eq(cycles[p].x - cycles[p % 3].x, scale * (corner[p / 3].x - corner[0].x), 1e-9);
        cr_expect_float_eq(cycles[p].y - cycles[p % 3].y, scale * (corner[p / 3].y - corner[0].y), 1e-9);
        cr_expect_float_eq(apart(cycles, p, p / 3 * 3 + (p + 1) % 3), 1.0, 1e-9);
    }
    free(flat);
    free(corner);
    free(cycles);
    struct ek_place *product = places_of("product(ring:6,complete:4)"); // number x0 + 6*x1: four rings
    struct ek_place *star = places_of("cayley:star:4");                 // four rings of six, one for each last digit
    static const uint32_t last[] = {3, 2, 3, 1, 2, 1}; // of the orders 0123, 0132, 0213, 0231, 0312, 0321
    for (uint32_t p = 0; p < 6; p++) {
        cr_expect_float_eq(apart(product, p + 6, 6 + (p + 1) % 6), 1.0, 1e-9, "%u", p);
        for (uint32_t q = 0; q < p; q++) { // orders of the same last digit are in one ring, of a diameter of 2
            cr_expect_eq(apart(star, p, q) < 2.0 + 1e-9, last[p] == last[q], "%u %u", p, q);
        }
    }
    free(product);
    free(star);
    struct ek_place *fly = places_of("dragonfly:3:1"); // four groups of three, each around its place on a circle
    double turn = atan2(fly[3].y + fly[4].y + fly[5].y, fly[3].x + fly[4].x + fly[5].x);
    cr_expect_float_eq(turn, 0.0, 1e-12);
    cr_expect_float_eq(apart(fly, 3, 4), 1.0, 1e-12);
    cr_expect_float_eq(apart(fly, 9, 11), 1.0, 1e-12);
    free(fly);
    struct ek_place *tree =
        places_of("fattree:4"); // hosts below edge switches, below aggregation switches, below cores
    for (uint32_t p = 1; p < 36; p++) {
        bool same = p < 16 || (p > 16 && p < 24) || (p > 24 && p < 32) || p > 32;
        cr_expect(same ? tree[p].y == tree[p - 1].y && tree[p].x > tree[p - 1].x : tree[p].y < tree[p - 1].y, "%u", p);
    }
    free(tree);
}

// The links are those of points at most 0.5 apart, so the places must show that.
Test(places, of_points)
{
    struct ek_topology *topology = must_build("geometric:40:0.4");
    struct ek_place place[40];
    struct ek_error error;
    cr_assert(ek_topology_places(topology, place, &error));
    for (uint32_t p = 0; p < 40; p++) {
        uint32_t port = topology->first[p];
        for (uint32_t q = 0; q < 40; q++) {
            bool linked = port < topology->first[p + 1] && topology->neighbour[port] == q;
            port += linked;
            cr_expect(p == q || linked == (apart(place, p, q) <= 0.4), "%u %u", p, q);
        }
    }
    ek_topology_destroy(topology);
}

// A general graph: distances in the drawing grow with the numbers of links. The graph is a chain, written as a file.
Test(places, by_distance)
{
    enum { LENGTH = 12 };
    char text[LENGTH * 12] = "";
    for (int i = 0; i + 1 < LENGTH; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d %d\n", i, i + 1);
    }
    struct tests_memory memory;
    struct ek_error error;
    struct ek_topology *topology = ek_topology_create("file:chain", 1, text_reader(&memory, text), &error);
    struct ek_place place[LENGTH], again[LENGTH];
    cr_assert(topology && ek_topology_places(topology, place, &error));
    cr_assert(ek_topology_places(topology, again, &error) && memcmp(place, again, sizeof place) == 0);
    for (uint32_t p = 0; p < LENGTH; p++) {
        for (uint32_t q = 0; q < p; q++) {
            cr_expect(fabs(apart(place, p, q) - (p - q)) < 0.05 * (p - q), "%u %u: %g", p, q, apart(place, p, q));
        }
    }
    ek_topology_destroy(topology);
}

Test(places, are_all_different)
{
    static const char *const specs[] = {"chain:1",
                                        "chain:33",
                                        "ring:2",
                                        "ring:100",
                                        "mesh:5x4x3x2",
                                        "torus:3x3x3x3x3",
                                        "hypercube:9",
                                        "kary:4^4",
                                        "star:2",
                                        "complete:2",
                                        "complete:30",
                                        "otis(ring:7)",
                                        "otis(otis(ring:3))",
                                        "random:200:3",
                                        "slimfly:5",
                                        "dragonfly:4:2",
                                        "fattree:6",
                                        "margulis:7",
                                        "geometric:50:0.3",
                                        "powerlaw:80:1",
                                        "otis(geometric:6:1)",
                                        "otis(complete:1)",
                                        "smallworld:50:4:0.1",
                                        "ccc:1",
                                        "ccc:2",
                                        "ccc:6",
                                        "butterfly:1",
                                        "butterfly:6",
                                        "circulant:2:1",
                                        "circulant:50:3,7",
                                        "foldedcube:1",
                                        "foldedcube:8",
                                        "cayley:star:1",
                                        "cayley:star:2",
                                        "cayley:star:6",
                                        "cayley:pancake:6",
                                        "tree:5:0",
                                        "tree:9:1",
                                        "tree:2:9",
                                        "hex:1x1",
                                        "hex:9x20",
                                        "moore:20x9",
                                        "product(star:5,ring:6,chain:4)",
                                        "product(chain:1,complete:2)",
                                        "product(random:10:3,mesh:3x2)",
                                        "otis(chain:12)"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_topology *topology = must_build(specs[i]);
        struct ek_place *place = places_of(specs[i]);
        for (uint32_t p = 0; p < topology->processors; p++) {
            cr_assert(isfinite(place[p].x) && isfinite(place[p].y));
            for (uint32_t q = 0; q < p; q++) {
                cr_assert_gt(apart(place, p, q), 1e-3, "%s: %u and %u", specs[i], p, q);
            }
        }
        free(place);
        ek_topology_destroy(topology);
    }
}

Test(places, of_too_many)
{
    struct ek_topology *ring = must_build("ring:2049");
    struct ek_place place[1];
    struct ek_error error = {0};
    cr_assert_not(ek_topology_places(ring, place, &error));
    cr_expect_eq(error.status, EK_BAD_INPUT);
    cr_expect(strstr(error.sentence, "at most 2048 processors, and ring:2049 has 2049"), "%s", error.sentence);
    ek_topology_destroy(ring);
}
