// SPDX-License-Identifier: MIT
// random:N:DEGREE, a simple, connected, regular graph. For large N it is drawn nearly uniformly among all such graphs,
// by the pairing model (Bollobás 1980); loops and double links are repaired by switching ends with other links (McKay &
// Wormald 1990). A dense graph is drawn as the complement of a sparse one. The only connected graph of degree 2 is a
// ring.
#include "base/random.h"

#include <assert.h>
#include <stdlib.h>

#include "topologies/families/link_set.h"
#include "topologies/family.h"
#include "topologies/topology.h"

enum { ATTEMPTS = 1000, SWITCHES = 1000 }; // attempts before a draw fails, switches before an attempt fails

struct drawing {
    struct base_random random;
    uint32_t *point;            // [2 * links] each processor `degree` times, shuffled; a link joins points 2i and 2i+1
    struct topo_link_set known; // the good links, and some that were switched away and are not used again
    struct topo_pair *pairs;    // the good links
    uint32_t good;
    uint32_t links;
};

// Replaces the bad link a-b and a good link x-y by a-x and b-y.
static bool repair(struct drawing *drawing, struct topo_pair bad)
{
    for (unsigned i = 0; i < SWITCHES && drawing->good > 0; i++) {
        struct topo_pair *other = &drawing->pairs[base_random_below(&drawing->random, drawing->good)];
        bool turned = base_random_below(&drawing->random, 2) == 1;
        struct topo_pair first = topo_pair_of(bad.low, turned ? other->high : other->low);
        struct topo_pair second = topo_pair_of(bad.high, turned ? other->low : other->high);
        if (topo_link_set_lacks(&drawing->known, first) && topo_link_set_lacks(&drawing->known, second)) {
            assert(first.low != second.low || first.high != second.high);
            topo_link_set_add(&drawing->known, first);
            topo_link_set_add(&drawing->known, second);
            *other = first;
            drawing->pairs[drawing->good++] = second;
            return true;
        }
    }
    return false;
}

static void shuffle(struct base_random *random, uint32_t *array, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)base_random_below(random, i);
        uint32_t kept = array[i - 1];
        array[i - 1] = array[j];
        array[j] = kept;
    }
}

// Draws a simple graph, connected or not. Returns false if one of its bad links cannot be repaired.
static bool draw_simple(struct drawing *drawing, uint32_t degree)
{
    for (uint32_t i = 0; i < 2 * drawing->links; i++) {
        drawing->point[i] = i / degree;
    }
    shuffle(&drawing->random, drawing->point, 2 * drawing->links);
    topo_link_set_clear(&drawing->known);
    uint32_t bad = drawing->links; // the bad links are collected at the end of `pairs`, the good ones at its front
    drawing->good = 0;
    for (uint32_t i = 0; i < drawing->links; i++) {
        struct topo_pair pair = topo_pair_of(drawing->point[2 * i], drawing->point[2 * i + 1]);
        if (topo_link_set_lacks(&drawing->known, pair)) {
            topo_link_set_add(&drawing->known, pair);
            drawing->pairs[drawing->good++] = pair;
        } else {
            drawing->pairs[--bad] = pair;
        }
    }
    assert(drawing->good == bad);
    while (drawing->good < drawing->links) {
        if (!repair(drawing, drawing->pairs[drawing->good])) {
            return false;
        }
    }
    return true;
}

static void draw_ring(struct drawing *drawing)
{
    uint32_t n = drawing->links;
    for (uint32_t i = 0; i < n; i++) {
        drawing->point[i] = i;
    }
    shuffle(&drawing->random, drawing->point, n);
    for (uint32_t i = 0; i < n; i++) {
        drawing->pairs[i] = topo_pair_of(drawing->point[i], drawing->point[(i + 1) % n]);
    }
}

// Draws until the graph is connected. If the complement was drawn, the graph is so dense that it is always connected.
static bool draw(struct drawing *drawing, uint32_t processors, uint32_t degree, bool complement)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        bool drawn = true;
        if (degree == 2 && !complement) {
            draw_ring(drawing);
        } else {
            drawn = draw_simple(drawing, degree);
        }
        if (drawn && // the points are not needed any more, and there are at least as many as processors
            (complement || topo_pairs_components(drawing->pairs, drawing->links, processors, drawing->point) == 1)) {
            topo_pairs_sort(drawing->pairs, drawing->links);
            return true;
        }
    }
    return false;
}

static bool take_memory(struct drawing *drawing)
{
    drawing->point = malloc((2 * (size_t)drawing->links + 1) * sizeof *drawing->point);
    drawing->pairs = malloc(((size_t)drawing->links + 1) * sizeof *drawing->pairs);
    return topo_link_set_make(&drawing->known, drawing->links) && drawing->point && drawing->pairs;
}

// Returns the links that are not in `pairs`, which is sorted.
static struct topo_pair *complement_of(const struct topo_pair *pairs, uint32_t count, uint32_t processors,
                                       uint32_t links)
{
    struct topo_pair *others = malloc(((size_t)links + 1) * sizeof *others);
    uint32_t next = 0;
    uint32_t found = 0;
    for (uint32_t low = 0; others && low < processors; low++) {
        for (uint32_t high = low + 1; high < processors; high++) {
            if (next < count && pairs[next].low == low && pairs[next].high == high) {
                next++;
            } else {
                others[found++] = topo_pair_of(low, high);
            }
        }
    }
    assert(!others || (next == count && found == links));
    return others;
}

// Draws the graph. If its complement is sparser, draws the complement and converts it.
static struct topo_pair *draw_pairs(uint64_t seed, uint32_t processors, uint32_t degree, uint32_t links)
{
    bool complement = degree > (processors - 1) / 2;
    uint32_t drawn_degree = complement ? processors - 1 - degree : degree;
    struct drawing drawing = {.random = base_random_start(seed, 0, BASE_STREAM_LINKS),
                              .links = (uint32_t)((uint64_t)processors * drawn_degree / 2)};
    struct topo_pair *pairs = NULL;
    if (take_memory(&drawing) && draw(&drawing, processors, drawn_degree, complement)) {
        pairs = complement ? complement_of(drawing.pairs, drawing.links, processors, links) : drawing.pairs;
    }
    if (pairs != drawing.pairs) {
        free(drawing.pairs);
    }
    free(drawing.point);
    topo_link_set_destroy(&drawing.known);
    return pairs;
}

bool topo_read_random(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t n;
    uint64_t degree;
    if (!base_cursor_expect(cursor, ':', "random, as in random:100:4")) {
        return false;
    }
    size_t at = cursor->at;
    if (!base_cursor_whole(cursor, "the number of processors", 1, TOPO_PROCESSORS_MAX, &n) ||
        !base_cursor_expect(cursor, ':', "the number of processors, as in random:100:4")) {
        return false;
    }
    size_t degree_at = cursor->at;
    if (!base_cursor_whole(cursor, "the degree", 0, n - 1, &degree)) {
        return false;
    }
    if (n * degree % 2 == 1) {
        return base_cursor_fail(
            cursor, degree_at, "%llu processors cannot all have %llu links, as %llu times %llu is odd: make one even",
            (unsigned long long)n, (unsigned long long)degree, (unsigned long long)n, (unsigned long long)degree);
    }
    if (degree < 2 && n > degree + 1) {
        return base_cursor_fail(
            cursor, degree_at,
            "with a degree of %llu no more than %llu processors can be connected: make it at least 2",
            (unsigned long long)degree, (unsigned long long)degree + 1);
    }
    // Drawing itself takes about as much: at most 88 bytes a link, and 16 more if the complement is drawn.
    draft->extra_bytes = n * degree / 2 * sizeof(struct topo_pair);
    draft->searches = TOPO_SEARCH_COLOURS | TOPO_SEARCH_DIAMETER;
    if (!topo_draft_size(draft, cursor, at, n, n * degree / 2)) {
        return false;
    }
    struct ek_topology *topology = draft->topology;
    topology->drawn = true;
    topo_draft_pairs(draft, draw_pairs(draft->request->seed, topology->processors, (uint32_t)degree, topology->links));
    return draft->pairs ||
           base_cursor_fail(cursor, at,
                            "no graph could be drawn: take another seed, or fewer links if memory is short");
}
