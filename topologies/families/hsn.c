// SPDX-License-Identifier: MIT
// hsn(L,G), the hierarchical swapped network of L levels over the nucleus G (Yeh & Parhami 1996; Parhami 2005). With n
// processors in G, a processor is a word of L digits in base n, x_L ... x_1, and its number is that word's. The links
// of G change x_1; a swap link of level i = 2 .. L leads to the word with x_1 and x_i exchanged. So hsn(2,G) is
// otis(G). Colours: those of G, then one for each level. Diameter: L diam(G) + L - 1. On a longest path each of the L
// digits crosses G while it is x_1, and each of the other L - 1 is brought there by a swap.
#include "topologies/families/otis.h"
#include "topologies/topology.h"

static uint32_t find_row(const struct topo_draft *draft, uint32_t p, struct topo_neighbour *row)
{
    const struct ek_topology *nucleus = draft->nucleus;
    uint32_t n = nucleus->processors;
    uint32_t count = 0;
    uint32_t x = p % n;
    for (uint32_t port = nucleus->first[x]; port < nucleus->first[x + 1]; port++) {
        row[count++] = (struct topo_neighbour){p - x + nucleus->neighbour[port], nucleus->colour[port]};
    }
    uint32_t stride = n;
    for (uint32_t level = 2; level <= draft->number[0]; level++) {
        uint32_t y = p / stride % n;
        row[count++] = (struct topo_neighbour){p - x - y * stride + y + x * stride, nucleus->colours + level - 2};
        stride *= n;
    }
    return count;
}

// Sets the sizes before G is built, since the network can be too large when G is not.
static bool settle(struct topo_draft *draft, struct base_cursor *cursor, size_t at, const struct ek_topology *nucleus)
{
    uint64_t levels = draft->number[0];
    uint64_t n = nucleus->processors;
    uint64_t processors = topo_power(n, levels, TOPO_PROCESSORS_MAX);
    if (processors > TOPO_PROCESSORS_MAX) {
        return base_cursor_fail(cursor, at, "this makes more than %d processors: use fewer levels or a smaller graph",
                                TOPO_PROCESSORS_MAX);
    }
    uint64_t links = processors / n * nucleus->links + (levels - 1) * (processors / n) * (n - 1) / 2;
    draft->extra_bytes = ek_topology_bytes(nucleus);
    return topo_draft_size(draft, cursor, at, processors, links);
}

// Takes over the nucleus, which is built. It is kept as the group if there are two levels.
static bool take_nucleus(struct topo_draft *draft, struct base_cursor *cursor, size_t at, struct ek_topology *nucleus)
{
    struct ek_topology *topology = draft->topology;
    uint32_t levels = draft->number[0];
    bool swaps = nucleus->processors > 1;
    topology->drawn = nucleus->drawn;
    topology->note = nucleus->note;
    topology->colours = nucleus->colours + (swaps ? levels - 1 : 0);
    topology->diameter = swaps && nucleus->diameter >= 0 ? levels * nucleus->diameter + levels - 1 : nucleus->diameter;
    draft->nucleus = nucleus;
    return topo_draft_rows(draft, cursor, at, nucleus->degree_max + levels, find_row);
}

static bool read_levels(struct topo_draft *draft, struct base_cursor *cursor)
{
    uint64_t levels;
    if (!base_cursor_whole(cursor, "the number of levels", 2, 26, &levels)) {
        return false;
    }
    draft->number[0] = (uint32_t)levels;
    return base_cursor_expect(cursor, ',', "the number of levels, as in hsn(3,ring:4)");
}

bool topo_read_hsn(struct topo_draft *draft, struct base_cursor *cursor)
{
    struct topo_request inside;
    if (!topo_request_inside(draft, cursor, "hsn", "hsn, as in hsn(3,ring:4)", &inside) ||
        !read_levels(draft, cursor)) {
        return false;
    }
    if (draft->number[0] == 2) {
        return topo_read_swapped(draft, cursor, &inside);
    }
    size_t at = cursor->at;
    struct topo_draft nucleus = {.request = &inside};
    bool good = inside.read(&nucleus, cursor) && base_cursor_expect(cursor, ')', "the nucleus, as in hsn(3,ring:4)") &&
                settle(draft, cursor, at, nucleus.topology) && topo_draft_build(&nucleus, cursor->error);
    if (good) {
        good = take_nucleus(draft, cursor, at, nucleus.topology);
        nucleus.topology = NULL;
    }
    topo_draft_destroy(&nucleus);
    return good;
}
