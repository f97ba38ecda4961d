// SPDX-License-Identifier: MIT
// Families of the literature: invariants of many sizes, their formulas at sizes that are too large for searches, small
// ones by hand, and specs that are refused. tests/property/families.py compares them with networkx.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/diameter.h"
#include "tests/support/must.h"
#include "topologies/product.h"

static void check_sizes(const char *format, unsigned from, unsigned to, uint32_t extra)
{
    for (unsigned k = from; k <= to; k++) {
        char spec[64];
        snprintf(spec, sizeof spec, format, k);
        check(must_build(spec), extra);
    }
}

// moore:2x2 is complete:4, whose two diagonals could share a colour.
static void check_grids(const char *format, unsigned most)
{
    for (unsigned i = 0; i < most * most; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, format, i % most + 1, i / most + 1);
        check(must_build(spec), strcmp(spec, "moore:2x2") == 0);
    }
}

// Trees, butterflies, cubes and Cayley graphs have as many colours as links meet at a processor.
Test(families, best_colours_and_diameters)
{
    check_sizes("tree:2:%u", 0, 8, 0);
    check_sizes("tree:%u:1", 2, 12, 0);
    check_sizes("tree:%u:3", 2, 7, 0);
    check_sizes("ccc:%u", 1, 8, 0);
    check_sizes("butterfly:%u", 1, 8, 0);
    check_sizes("foldedcube:%u", 1, 10, 0);
    check_sizes("cayley:star:%u", 1, 6, 0);
    check_sizes("cayley:pancake:%u", 1, 6, 0);
    check_sizes("circulant:%u:1", 2, 2, 0);
    check_sizes("hsn(%u,ring:4)", 2, 5, 0);
    check_sizes("hsn(%u,complete:2)", 2, 9, 0);
    check_grids("hex:%ux%u", 8);
    check_grids("moore:%ux%u", 8);
}

Test(families, other_colours_and_diameters)
{
    check_sizes("debruijn:2:%u", 1, 9, 1);
    check_sizes("debruijn:%u:2", 2, 16, 1);
    check_sizes("debruijn:%u:1", 2, 12, 1);
    check_sizes("debruijn:3:%u", 1, 5, 1);
    check_sizes("shuffle:%u", 1, 10, 1);
    check_sizes("circulant:%u:1,2", 4, 30, 1);
    check_sizes("circulant:%u:2,3", 6, 30, 1);
    check_sizes("circulant:%u:1,3,4", 8, 30, 1);
    check_sizes("hsn(3,chain:%u)", 1, 6, 1);
    check_sizes("hsn(4,star:%u)", 1, 5, 0);
    check_sizes("product(ring:%u,complete:5)", 1, 9, 2);
}

Test(families, products)
{
    static const char *const specs[] = {"product(chain:1,chain:1)",
                                        "product(ring:5,chain:3)",
                                        "product(complete:4,complete:4,complete:4)",
                                        "product(star:5,tree:2:2)",
                                        "product(torus:3x4,hypercube:2)",
                                        "product(product(ring:3,star:3),otis(chain:2))",
                                        "product(circulant:8:1,2,ring:4)",
                                        "product(hsn(2,circulant:6:1,2),chain:2)",
                                        "product(random:8:3,random:8:3)",
                                        "otis(product(star:3,chain:3))",
                                        "hsn(3,product(chain:2,chain:2))"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        check(must_build(specs[i]), 4);
    }
}

// Expects two specs to be the same topology in all but their spec.
static void expect_same(const char *spec, const char *other)
{
    struct ek_topology *a = must_build(spec);
    struct ek_topology *b = must_build(other);
    cr_assert_eq(a->ports, b->ports, "%s", spec);
    cr_assert_eq(a->colours, b->colours, "%s", spec);
    cr_expect_eq(a->diameter, b->diameter, "%s", spec);
    cr_assert_eq(memcmp(a->first, b->first, (a->processors + 1) * sizeof *a->first), 0, "%s", spec);
    cr_expect_eq(memcmp(a->neighbour, b->neighbour, a->ports * sizeof *a->neighbour), 0, "%s", spec);
    cr_expect_eq(memcmp(a->colour, b->colour, a->ports * sizeof *a->colour), 0, "%s: other colours", spec);
    cr_expect_eq(memcmp(a->dimension, b->dimension, a->ports), 0, "%s: other dimensions", spec);
    cr_expect_eq(memcmp(a->direction, b->direction, a->ports), 0, "%s: other directions", spec);
    cr_expect_eq(memcmp(a->ends, b->ends, a->ports * sizeof *a->ends), 0, "%s: other ends", spec);
    ek_topology_destroy(a);
    ek_topology_destroy(b);
}

Test(families, some_are_others)
{
    expect_same("product(ring:5,ring:4)", "torus:5x4");
    expect_same("product(chain:3,chain:1,chain:4)", "mesh:3x1x4");
    expect_same("product(chain:2,chain:2,ring:2)", "hypercube:3");
    expect_same("hsn(2,mesh:2x4)", "otis(mesh:2x4)");
    expect_same("circulant:9:1", "circulant:9:1");
    expect_same("tree:5:1", "star:6");
    expect_same("hex:1x7", "chain:7");
    expect_same("moore:7x1", "chain:7");
    expect_same("circulant:2:1", "chain:2");
    expect_same("foldedcube:1", "hypercube:1");
}

// The formulas, where no search would end in time: processors, links, the two degrees, colours (0: searched for) and
// the diameter.
Test(families, formulas_of_large_ones)
{
    static const struct {
        const char *spec;
        uint32_t processors, links, least, most, colours;
        int64_t diameter;
    } rows[] = {
        {"tree:2:17", 262143, 262142, 1, 3, 3, 34},
        {"tree:9:5", 66430, 66429, 1, 10, 10, 10},
        {"ccc:14", 229376, 344064, 3, 3, 3, 33},
        {"ccc:13", 106496, 159744, 3, 3, 3, 30},
        {"butterfly:13", 114688, 212992, 2, 4, 4, 26},
        {"debruijn:2:17", 131072, 262141, 2, 4, 0, 17},
        {"debruijn:10:5", 100000, 999945, 18, 20, 0, 5},
        {"shuffle:17", 131072, 196606, 1, 3, 0, 33},
        {"shuffle:16", 65536, 98301, 1, 3, 0, 31},
        {"circulant:100000:1,10,100,1000,10000", 100000, 500000, 10, 10, 10, 23},
        {"foldedcube:16", 65536, 557056, 17, 17, 17, 8},
        {"cayley:star:8", 40320, 141120, 7, 7, 7, 10},
        {"cayley:pancake:8", 40320, 141120, 7, 7, 7, 9},
        {"hex:300x400", 120000, 358601, 2, 6, 6, 698},
        {"moore:400x300", 120000, 477902, 3, 8, 8, 399},
        {"hsn(4,hypercube:4)", 65536, 223232, 4, 7, 7, 19},
        {"product(complete:50,complete:6,star:30)", 9000, 251700, 55, 83, 83, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ek_topology *topology = must_build(rows[i].spec);
        struct ek_error error;
        cr_assert(ek_topology_valid(topology, &error), "%s: %s", rows[i].spec, error.sentence);
        cr_expect_eq(topology->processors, rows[i].processors, "%s: %u processors", rows[i].spec, topology->processors);
        cr_expect_eq(topology->links, rows[i].links, "%s: %u links", rows[i].spec, topology->links);
        cr_expect_eq(topology->degree_min, rows[i].least, "%s: %u", rows[i].spec, topology->degree_min);
        cr_expect_eq(topology->degree_max, rows[i].most, "%s: %u", rows[i].spec, topology->degree_max);
        cr_expect(rows[i].colours ? topology->colours == rows[i].colours : topology->colours <= rows[i].most + 1,
                  "%s: %u colours", rows[i].spec, topology->colours);
        cr_expect_eq(topology->diameter, rows[i].diameter, "%s: %d", rows[i].spec, (int)topology->diameter);
        ek_topology_destroy(topology);
    }
}

static void expect_neighbours(const char *spec, uint32_t p, unsigned count, const uint32_t *expected)
{
    struct ek_topology *topology = must_build(spec);
    cr_assert_eq(topology->first[p + 1] - topology->first[p], count, "%s", spec);
    cr_expect_eq(memcmp(topology->neighbour + topology->first[p], expected, count * sizeof *expected), 0, "%s", spec);
    ek_topology_destroy(topology);
}

#define NEIGHBOURS(spec, p, ...)                                                                                       \
    expect_neighbours(spec, p, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

// docs/graphs.md has these.
Test(families, numbers_by_hand)
{
    NEIGHBOURS("product(complete:4,ring:3)", 6, 2, 4, 5, 7, 10);
    NEIGHBOURS("hsn(3,ring:3)", 5, 3, 4, 7, 21);
    NEIGHBOURS("tree:3:2", 1, 0, 4, 5, 6);
    NEIGHBOURS("ccc:3", 7, 1, 6, 8);
    NEIGHBOURS("butterfly:3", 13, 4, 5, 21, 23);
    NEIGHBOURS("debruijn:2:3", 3, 1, 5, 6, 7);
    NEIGHBOURS("shuffle:3", 3, 2, 5, 6);
    NEIGHBOURS("circulant:12:1,5", 3, 2, 4, 8, 10);
    NEIGHBOURS("foldedcube:3", 1, 0, 3, 5, 6);
    NEIGHBOURS("cayley:star:3", 1, 3, 4);
    NEIGHBOURS("cayley:pancake:3", 1, 3, 4);
    NEIGHBOURS("cayley:star:4", 1, 7, 15, 20); // 0132: 1032, 2130, 3102
    NEIGHBOURS("hex:3x4", 5, 1, 2, 4, 6, 8, 9);
    NEIGHBOURS("moore:4x3", 5, 0, 1, 2, 4, 6, 8, 9, 10);
}

Test(families, lines_of_products)
{
    static const struct {
        const char *spec;
        enum topo_line line[2];
    } rows[] = {{"product(ring:5,chain:4)", {TOPO_RING, TOPO_PATH}},
                {"product(torus:3,kary:4^1)", {TOPO_RING, TOPO_RING}},
                {"product(complete:2,ring:2)", {TOPO_PATH, TOPO_PATH}},
                {"product(complete:3,mesh:2x2)", {TOPO_BRANCHED, TOPO_BRANCHED}},
                {"torus:3x2", {TOPO_RING, TOPO_PATH}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ek_topology *topology = must_build(rows[i].spec);
        cr_expect_eq(topo_line_of(topology, 0), rows[i].line[0], "%s", rows[i].spec);
        cr_expect_eq(topo_line_of(topology, 1), rows[i].line[1], "%s", rows[i].spec);
        cr_expect_eq(topo_is_grid(topology), rows[i].spec[0] == 't', "%s", rows[i].spec);
        ek_topology_destroy(topology);
    }
}

// Changes a product's factors. ek_topology_valid must find each change.
Test(families, broken_products_are_found)
{
    struct ek_error error;
    struct ek_topology *product = must_build("product(star:4,ring:3)");
    struct ek_topology *ring = product->factor[1];
    product->factor[1] = product->factor[0];
    cr_expect_not(ek_topology_valid(product, &error));
    product->factor[1] = ring;
    ring->direction[0] = (int8_t)-ring->direction[0];
    ring->direction[ring->twin[0]] = (int8_t)-ring->direction[ring->twin[0]];
    cr_expect_not(ek_topology_valid(product, &error));
    ring->direction[0] = (int8_t)-ring->direction[0];
    ring->direction[ring->twin[0]] = (int8_t)-ring->direction[ring->twin[0]];
    cr_expect(ek_topology_valid(product, &error), "%s", error.sentence);
    cr_expect_gt(ek_topology_bytes(product), ek_topology_bytes(ring) + ek_topology_bytes(product->factor[0]));
    ek_topology_destroy(product);
}

Test(families, bad_specs_point_at_what_is_wrong)
{
    static const struct {
        const char *spec;
        int at;
        const char *part;
    } cases[] = {
        {"product", 7, "write '(' after product"},
        {"product()", 8, "begins with its family"},
        {"product(ring:4)", 14, "write ',' after the first factor"},
        {"product(ring:4,)", 15, "begins with its family"},
        {"product(ring:4,rnig:4)", 15, "did you mean ring?"},
        {"product(ring:4,ring:4", 21, "write ')' after the last factor"},
        {"product(ring:4,ring:4))", 22, "cannot follow"},
        {"product(chain:8192,chain:8193)", 19, "more than 67108864 processors"},
        {"product(complete:10000,chain:1000)", 8, "links"},
        {"product(product(product(product(product(product(product(product(product(chain:1,chain:1))", 71, "8 deep"},
        {"product(file:a.txt,ring:4)", 13, "no files"},
        {"hsn(ring:4)", 4, "the number of levels"},
        {"hsn(1,ring:4)", 4, "from 2 to 26"},
        {"hsn(3 ring:4)", 5, "write ','"},
        {"hsn(3,ring:4", 12, "write ')' after the nucleus"},
        {"hsn(2,ring:4", 12, "write ')'"},
        {"hsn(5,ring:100)", 6, "more than 67108864 processors"},
        {"hsn(2,ring:10000)", 6, "100000000 processors"},
        {"tree:1:4", 5, "the number of children"},
        {"tree:2", 6, "write ':'"},
        {"tree:2:26", 7, "the depth"},
        {"tree:3:20", 7, "processors"},
        {"ccc:0", 4, "from 1 to 21"},
        {"ccc:22", 4, "from 1 to 21"},
        {"butterfly:22", 10, "from 1 to 21"},
        {"butterfly:0", 10, "from 1 to 21"},
        {"debruijn:1:4", 9, "the base"},
        {"debruijn:2", 10, "write ':'"},
        {"debruijn:2:27", 11, "the number of digits"},
        {"debruijn:10:8", 12, "more than 67108864 processors"},
        {"debruijn:4000:2", 14, "links"},
        {"shuffle:27", 8, "from 1 to 26"},
        {"circulant:12", 12, "write ':'"},
        {"circulant:12:", 13, "a jump"},
        {"circulant:12:7", 13, "from 1 to 6"},
        {"circulant:12:1,0", 15, "a jump"},
        {"circulant:12:1,5,1", 17, "twice"},
        {"circulant:12:1,", 15, "a jump"},
        {"circulant:12:2,4", 13, "falls into 2 parts"},
        {"circulant:1:1", 10, "from 2 to"},
        {"foldedcube:27", 11, "from 1 to 26"},
        {"cayley:5", 7, "star"},
        {"cayley:stra:5", 7, "did you mean star?"},
        {"cayley:star", 11, "write ':'"},
        {"cayley:pancake:12", 15, "from 1 to 11"},
        {"hex:4", 5, "write 'x' after hex"},
        {"hex:0x4", 4, "a side"},
        {"hex:10000x10000", 4, "100000000 processors"},
        {"moore:4x4x4", 9, "cannot follow"},
        {"moore:4x", 8, "a side"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error = {0};
        cr_assert_null(ek_topology_create(cases[i].spec, 1, (struct ek_reader){0}, &error), "%s", cases[i].spec);
        cr_expect_eq(error.status, EK_BAD_INPUT);
        cr_expect_str_eq(error.axis, "topology");
        cr_expect_eq(error.at, cases[i].at, "%s: at %d: %s", cases[i].spec, error.at, error.sentence);
        cr_expect(strstr(error.sentence, cases[i].part), "%s: %s", cases[i].spec, error.sentence);
    }
}

// The size is checked before anything is allocated.
Test(families, are_bounded_by_the_memory)
{
    static const char *const specs[] = {"tree:2:20",
                                        "ccc:18",
                                        "butterfly:18",
                                        "debruijn:2:24",
                                        "shuffle:24",
                                        "circulant:10000000:1,2",
                                        "foldedcube:22",
                                        "cayley:star:10",
                                        "cayley:pancake:10",
                                        "hex:3000x3000",
                                        "moore:3000x3000",
                                        "hsn(5,ring:30)",
                                        "product(ring:3000,ring:3000)"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_error error = {0};
        cr_expect_null(ek_topology_create_within(specs[i], 1, (struct ek_reader){0}, 1 << 20, &error), "%s", specs[i]);
        cr_expect(strstr(error.sentence, "MiB"), "%s: %s", specs[i], error.sentence);
    }
}
