// SPDX-License-Identifier: MIT
// Placement of processors on ranks: every processor has a rank, shares are even, the cut is as reported, and is
// never larger than that of blocks in order.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "threads/ranks/parts.h"
#include "threads/ranks/placement.h"
#include "topologies/build.h"
#include "tests/support/must.h"

// Counts the links between ranks, one by one.
static uint64_t cut_of(const struct rank_placement *placement, const struct ek_topology *topology)
{
    uint64_t cut = 0;
    for (uint32_t port = 0; port < topology->ports; port++) {
        uint32_t a = topology->neighbour[port], b = topology->neighbour[topology->twin[port]];
        cut += placement->rank[rank_placement_span(placement, a)] != placement->rank[rank_placement_span(placement, b)];
    }
    return cut / 2;
}

// A grid without arrays, whose links are computed, gets the same placement.
static void check_computed(const struct rank_placement *stored, const struct ek_topology *topology, unsigned count)
{
    struct ek_topology outline = *topology;
    struct ek_ranks ranks = {.count = count};
    struct rank_placement placement = {0};
    struct ek_error error;
    if (!topology->rows || stored->blocks == EK_BLOCKS_PARTS) {
        return;
    }
    outline.first = outline.neighbour = outline.twin = NULL;
    cr_assert(rank_placement_make(&placement, &outline, &ranks, false, &error));
    cr_expect(placement.in_order == stored->in_order, "%s on %u ranks: in order %llu", topology->spec, count,
              (unsigned long long)placement.in_order);
    cr_expect(placement.blocks != stored->blocks || placement.cut == stored->cut, "%s on %u ranks: cut %llu",
              topology->spec, count, (unsigned long long)placement.cut);
    rank_placement_destroy(&placement);
}

static void check(const struct rank_placement *placement, const struct ek_topology *topology, unsigned ranks)
{
    uint32_t carried[64] = {0};
    cr_assert_eq(placement->begin[0], 0);
    cr_assert_eq(placement->begin[placement->spans], topology->processors);
    for (uint32_t i = 0; i < placement->spans; i++) {
        cr_assert_lt(placement->begin[i], placement->begin[i + 1]);
        cr_assert_lt(placement->rank[i], ranks);
        cr_assert(i == 0 || placement->rank[i] != placement->rank[i - 1], "span %u could be longer", i);
        carried[placement->rank[i]] += placement->begin[i + 1] - placement->begin[i];
    }
    for (unsigned r = 0; r < ranks; r++) {
        cr_assert_gt(carried[r], 0);
        double share = (double)carried[r] * ranks / topology->processors;
        cr_assert(placement->blocks == EK_BLOCKS_IN_ORDER || share <= 1.05, "rank %u has %g of its share", r, share);
    }
    cr_assert_eq(placement->cut, cut_of(placement, topology));
    check_computed(placement, topology, ranks);
    cr_assert(placement->blocks == EK_BLOCKS_IN_ORDER ? placement->cut == placement->in_order
                                                      : placement->cut < placement->in_order);
}

Test(placement, boxes_where_they_cut_less)
{
    static const struct {
        const char *topology;
        unsigned ranks;
        enum ek_blocks blocks;
        uint64_t cut, in_order;
    } kinds[] = {
        {"chain:100", 4, EK_BLOCKS_IN_ORDER, 3, 3},
        {"ring:7", 7, EK_BLOCKS_IN_ORDER, 7, 7},
        {"mesh:64x64", 1, EK_BLOCKS_IN_ORDER, 0, 0},
        {"mesh:64x64", 4, EK_BLOCKS_BOXES, 128, 192},
        {"mesh:60x60", 6, EK_BLOCKS_BOXES, 180, 303},
        {"torus:64x64", 4, EK_BLOCKS_IN_ORDER, 256, 256},
        {"torus:64x64", 8, EK_BLOCKS_BOXES, 384, 512},
        {"torus:64x64", 64, EK_BLOCKS_BOXES, 1024, 4096},
        {"torus:12x12x12", 8, EK_BLOCKS_BOXES, 864, 1256},
        {"torus:64x4", 16, EK_BLOCKS_BOXES, 64, 272}, // in order, each rank has a quarter of a long side
        {"hypercube:8", 16, EK_BLOCKS_IN_ORDER, 512, 512},
        {"kary:4^3", 8, EK_BLOCKS_IN_ORDER, 96, 96},
        {"mesh:5x5", 4, EK_BLOCKS_IN_ORDER, 18, 18}, // boxes have up to 9 of 25 processors
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ek_topology *topology = must_build(kinds[i].topology);
        struct ek_ranks ranks = {.count = kinds[i].ranks};
        struct rank_placement placement = {0};
        struct ek_error error;
        cr_assert(rank_placement_make(&placement, topology, &ranks, false, &error));
        check(&placement, topology, ranks.count);
        cr_expect(placement.blocks == kinds[i].blocks && placement.cut == kinds[i].cut &&
                      placement.in_order == kinds[i].in_order,
                  "%s on %u: blocks %d, cut %llu, in order %llu", kinds[i].topology, ranks.count, placement.blocks,
                  (unsigned long long)placement.cut, (unsigned long long)placement.in_order);
        rank_placement_destroy(&placement);
        ek_topology_destroy(topology);
    }
}

Test(placement, in_order_when_asked)
{
    struct ek_topology *topology = must_build("mesh:64x64");
    struct ek_ranks ranks = {.count = 4};
    struct rank_placement placement = {0};
    struct ek_error error;
    cr_assert(rank_placement_make(&placement, topology, &ranks, true, &error));
    check(&placement, topology, 4);
    cr_assert(placement.blocks == EK_BLOCKS_IN_ORDER && placement.cut == 192 && placement.spans == 4);
    rank_placement_destroy(&placement);
    ek_topology_destroy(topology);
}

// A topology that is to be cut. Each vertex of the graph stands for `of` processors, the last for the rest.
struct asked {
    const struct ek_topology *topology;
    unsigned times, of;
    bool can;
};

// Counts the links from vertex v to w, one by one.
static int32_t links_between(const struct asked *asked, int32_t v, int32_t w)
{
    const struct ek_topology *topology = asked->topology;
    int32_t links = 0;
    uint32_t begin = (uint32_t)v * asked->of, end = begin + asked->of;
    end = end < topology->processors ? end : topology->processors;
    for (uint32_t port = topology->first[begin]; port < topology->first[end]; port++) {
        links += topology->neighbour[port] / asked->of == (uint32_t)w;
    }
    return links;
}

// Checks the graph, and gives every other vertex to the other rank.
static bool divide(void *context, const struct ek_rank_graph *graph, int32_t *part)
{
    struct asked *asked = context;
    int64_t processors = 0;
    asked->times++;
    for (int32_t v = 0; v < graph->vertices; v++) {
        processors += graph->processors[v];
        part[v] = v % 2;
        for (int32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            cr_assert_neq(graph->neighbour[i], v);
            cr_assert(i == graph->first[v] || graph->neighbour[i - 1] != graph->neighbour[i],
                      "a neighbour is listed twice");
            cr_assert_eq(graph->links[i], links_between(asked, v, graph->neighbour[i]));
        }
    }
    cr_assert_eq(processors, asked->topology->processors);
    return asked->can;
}

static bool permit(void *context, const struct ek_topology *outline, uint64_t making, size_t at, struct ek_error *error)
{
    (void)context, (void)outline, (void)making, (void)at, (void)error;
    return true;
}

// Two chains: one of the even stretches of `of` processors, one of the odd ones, with a link between their first
// processors.
static struct ek_topology *make_chains(uint32_t processors, uint32_t of)
{
    struct ek_link *link = calloc(processors, sizeof *link);
    uint32_t last[2] = {0, of};
    size_t links = 0;
    cr_assert(link);
    link[links++] = (struct ek_link){0, of};
    for (uint32_t p = 1; p < processors; p++) {
        unsigned chain = p / of % 2;
        if (p != of) {
            link[links++] = (struct ek_link){last[chain], p};
        }
        last[chain] = p;
    }
    struct ek_error error;
    struct ek_topology *topology =
        topo_create_of("chains", &(struct ek_graph){.processors = processors, .links = links, .link = link},
                       (struct topo_permit){.allows = permit}, &error);
    cr_assert(topology, "%s", error.sentence);
    free(link);
    return topology;
}

// Of 100,000 processors, two in a row form a vertex.
Test(placement, parts_as_the_ranks_cut_them)
{
    static const struct {
        uint32_t processors, of;
        bool can;
    } kinds[] = {{64, 1, true}, {65536, 1, true}, {100000, 2, true}, {64, 1, false}};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ek_topology *topology = make_chains(kinds[i].processors, kinds[i].of);
        struct asked asked = {.topology = topology, .of = kinds[i].of, .can = kinds[i].can};
        struct ek_ranks ranks = {.count = 2, .divide = divide, .context = &asked};
        struct rank_placement placement = {0};
        struct ek_error error;
        cr_assert(rank_placement_make(&placement, topology, &ranks, false, &error));
        check(&placement, topology, 2);
        cr_assert_eq(asked.times, 1);
        cr_assert_eq(placement.blocks, asked.can ? EK_BLOCKS_PARTS : EK_BLOCKS_IN_ORDER);
        cr_assert_eq(placement.cut, asked.can ? 1 : 2);
        cr_assert_eq(placement.spans, asked.can ? kinds[i].processors / kinds[i].of : 2);
        rank_placement_destroy(&placement);
        ek_topology_destroy(topology);
    }
}

// Makes the first half part 1.
static bool divide_backwards(void *context, const struct ek_rank_graph *graph, int32_t *part)
{
    (void)context;
    for (int32_t v = 0; v < graph->vertices; v++) {
        part[v] = v < graph->vertices / 2;
    }
    return true;
}

// If each rank has one span, the blocks count as blocks in order, however the parts are numbered.
Test(placement, parts_in_the_order_of_processors)
{
    struct ek_link link[] = {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 5}};
    struct ek_graph graph = {.processors = 6, .links = 7, .link = link};
    struct ek_ranks ranks = {.count = 2, .divide = divide_backwards};
    struct rank_parts parts;
    struct ek_error error;
    struct ek_topology *topology = topo_create_of("triangles", &graph, (struct topo_permit){.allows = permit}, &error);
    cr_assert(topology, "%s", error.sentence);
    cr_assert(rank_parts_make(&parts, topology, &ranks));
    for (uint32_t p = 0; p < 6; p++) {
        cr_expect_eq(parts.rank[p], p >= 3);
    }
    rank_parts_destroy(&parts);
    ek_topology_destroy(topology);
}
