// SPDX-License-Identifier: MIT
// The graph of processors whose objects communicate: examples by hand, and what holds of every graph.
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "core/objects/partners.h"
#include "topologies/topology.h"

struct bytes {
    uint32_t a, b; // processors
    double bytes;
};

// Makes a set of two objects on each processor, which communicate in turn.
static struct core_object_set set_of(uint32_t processors, const struct bytes *bytes, size_t count)
{
    struct core_object_set set = {0};
    struct ek_error error = {0};
    struct base_cursor spec = base_cursor_start("objects", "test", &error);
    for (uint32_t i = 0; i < 2 * processors; i++) {
        cr_assert(core_object_add(&set, (struct core_object){.weight = 1 + i % 3, .place = i / 2}));
    }
    for (size_t k = 0; k < count; k++) {
        uint32_t first = (uint32_t)k % 2;
        struct core_object_pair pair = {2 * bytes[k].a + first, 2 * bytes[k].b + 1 - first, bytes[k].bytes};
        cr_assert(core_object_pair_add(&set, pair));
    }
    cr_assert(core_object_set_finish(&set, &spec, 0), "%s", error.sentence);
    return set;
}

static int by_ends(const void *a, const void *b)
{
    const struct ek_link *left = a, *right = b;
    return left->from != right->from ? (left->from > right->from) - (left->from < right->from)
                                     : (left->to > right->to) - (left->to < right->to);
}

// Compares the links, in order, as in "0-1 2-3".
static void expect_links(uint32_t processors, uint32_t most, const struct bytes *bytes, size_t count,
                         const char *expected)
{
    struct core_object_set set = set_of(processors, bytes, count);
    char text[400] = "";
    size_t links;
    struct ek_link *link = core_partners_find(&set, processors, most, &links);
    cr_assert(link);
    for (size_t i = 0; i < links; i++) {
        bool turned = link[i].from > link[i].to;
        link[i] = turned ? (struct ek_link){link[i].to, link[i].from} : link[i];
    }
    qsort(link, links, sizeof *link, by_ends);
    for (size_t i = 0; i < links; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u-%u", i > 0 ? " " : "", link[i].from,
                 link[i].to);
    }
    cr_expect_str_eq(text, expected, "at most %u partners: %s, not %s", most, text, expected);
    free(link);
    core_object_set_destroy(&set);
}

// The tree takes 0-1 and 0-2. With two partners at most, 0 then has no place for 3, which joins by 2-3; the ends of
// this chain have a place each, and ask processors that have none. With three, 0-3 belongs to the tree. Then 1 asks 2
// for their single byte, and 2 and 3 ask each other.
Test(partners, four_processors)
{
    static const struct bytes bytes[] = {{0, 1, 5.0}, {0, 2, 4.0}, {0, 3, 3.0}, {1, 2, 1.0}, {2, 3, 2.0}};
    expect_links(4, 2, bytes, 5, "0-1 0-2 2-3");
    expect_links(4, 3, bytes, 5, "0-1 0-2 0-3 1-2 2-3");
}

// The tree is the chain of links with 100 bytes. In the first round 0 and 2 ask each other, 1 asks 3, 3 asks 0, and 4
// asks 1. Processor 1 has one place, which it holds for 4; so it does not take 3, although 3 agrees and they exchange
// more bytes. Neither does 3 take 0, since it holds its place for 1. In the second round 0 asks 3.
Test(partners, a_place_is_held_for_a_processor_that_asks)
{
    static const struct bytes bytes[] = {{0, 1, 100.0}, {1, 2, 100.0}, {2, 3, 100.0}, {3, 4, 100.0},
                                         {0, 2, 30.0},  {0, 3, 20.0},  {1, 3, 10.0},  {1, 4, 5.0}};
    expect_links(5, 3, bytes, 8, "0-1 0-2 0-3 1-2 1-4 2-3 3-4");
}

// Bytes of several pairs of objects add up, in both directions: 0 and 2 exchange 3 + 4 bytes, more than 0 and 1.
Test(partners, bytes_add_up)
{
    static const struct bytes bytes[] = {{0, 2, 3.0}, {0, 1, 6.0}, {2, 0, 4.0}, {1, 2, 5.0}};
    expect_links(3, 2, bytes, 4, "0-1 0-2 1-2");
    expect_links(4, 2, (const struct bytes[]){{0, 2, 3.0}, {0, 1, 6.0}, {2, 0, 4.0}, {0, 3, 5.0}}, 4, "0-1 0-2 2-3");
}

// Processors that communicate with no other join too: each is linked to the first one in the tree with a free place.
Test(partners, silent_processors_join)
{
    static const struct bytes bytes[] = {{0, 3, 7.0}, {2, 2, 9.0}, {2, 4, 0.0}};
    expect_links(5, 2, bytes, 3, "0-1 0-3 1-4 2-3");
    expect_links(1, 2, NULL, 0, "");
}

// Of equal links that of the processor that joined first is taken, to the lower processor outside.
Test(partners, equal_bytes)
{
    static const struct bytes bytes[] = {{2, 3, 1.0}, {1, 2, 1.0}, {0, 2, 1.0}, {0, 1, 1.0}, {1, 3, 1.0}};
    expect_links(4, 2, bytes, 5, "0-1 0-2 1-3 2-3");
}

// The tree is a chain. Processor 0 has two free places, so in the first round it asks 7 alone, and not yet 4. Meanwhile
// 4 holds its place for 2, which asks it, and so cannot take 0, which agrees.
Test(partners, half_of_the_free_places)
{
    static const struct bytes bytes[] = {{0, 1, 1e3}, {1, 2, 1e3}, {2, 3, 1e3},  {3, 4, 1e3},  {4, 5, 1e3},
                                         {5, 6, 1e3}, {6, 7, 1e3}, {0, 7, 70.0}, {0, 4, 40.0}, {2, 4, 5.0}};
    expect_links(8, 3, bytes, 10, "0-1 0-7 1-2 2-3 2-4 3-4 4-5 5-6 6-7");
}

static uint32_t root_of(uint32_t *parent, uint32_t p)
{
    while (parent[p] != p) {
        p = parent[p] = parent[parent[p]];
    }
    return p;
}

// Every graph is connected, has each link once and no processor with more partners than allowed. On these graphs the
// rounds suffice, so no two processors that communicate both have a place left.
static void expect_laws(const struct core_object_set *set, uint32_t processors, uint32_t most, uint64_t seed)
{
    enum { ROOM = 64 };
    uint32_t degree[ROOM] = {0}, parent[ROOM];
    bool linked[ROOM][ROOM] = {{false}};
    size_t links, trees = processors;
    struct ek_link *link = core_partners_find(set, processors, most, &links);
    cr_assert(link && processors <= ROOM);
    for (uint32_t p = 0; p < processors; p++) {
        parent[p] = p;
    }
    for (size_t i = 0; i < links; i++) {
        uint32_t a = link[i].from, b = link[i].to, from = root_of(parent, a), to = root_of(parent, b);
        cr_expect(a != b && !linked[a][b], "seed %u: %u-%u", (unsigned)seed, a, b);
        linked[a][b] = linked[b][a] = true;
        trees -= from != to;
        parent[from] = to;
        degree[a]++;
        degree[b]++;
    }
    cr_expect_eq(trees, 1, "seed %u: the graph has %zu parts", (unsigned)seed, trees);
    for (uint32_t p = 0; p < processors; p++) {
        cr_expect_leq(degree[p], most, "seed %u: %u has %u partners", (unsigned)seed, p, degree[p]);
    }
    for (size_t k = 0; k < set->pairs; k++) {
        uint32_t a = set->object[set->pair[k].a].place, b = set->object[set->pair[k].b].place;
        bool both_free = degree[a] < most && degree[b] < most;
        cr_expect(a == b || linked[a][b] || !both_free, "seed %u: %u and %u have places left", (unsigned)seed, a, b);
    }
    free(link);
}

Test(partners, laws)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct base_random random = base_random_start(seed, 0, BASE_STREAM_LOAD);
        uint32_t processors = 2 + (uint32_t)base_random_below(&random, 30);
        uint32_t most = 2 + (uint32_t)base_random_below(&random, 5);
        size_t count = base_random_below(&random, 4 * processors);
        struct bytes bytes[128];
        for (size_t k = 0; k < count; k++) {
            bytes[k] = (struct bytes){(uint32_t)base_random_below(&random, processors),
                                      (uint32_t)base_random_below(&random, processors),
                                      1.0 + (double)base_random_below(&random, 9)};
        }
        struct core_object_set set = set_of(processors, bytes, count);
        expect_laws(&set, processors, most, seed);
        core_object_set_destroy(&set);
    }
}
