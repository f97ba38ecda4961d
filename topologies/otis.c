// SPDX-License-Identifier: MIT
// otis(G), the swapped network of G (Zhao, Xiao & Parhami): processor (g, p) is g*n + p; in each group g the links of
// G, and swap links (g, p)-(p, g). Colours: those of G, then one for the swap links. Diameter 2 diam(G) + 1: in the
// worst case both halves of (g, p) have to travel through G, and swap once between.
#include "topologies/family.h"

static void tell_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    const struct ek_topology *group = draft->topology->group;
    uint32_t n = group->processors;
    for (uint32_t g = 0; g < n; g++) {
        for (uint32_t p = 0; p < n; p++) {
            for (uint32_t port = group->first[p]; port < group->first[p + 1]; port++) {
                if (group->neighbour[port] > p) {
                    topo_builder_link(builder, g * n + p, g * n + group->neighbour[port], 0, 1, group->colour[port]);
                }
            }
            if (p > g) {
                topo_builder_link(builder, g * n + p, p * n + g, 0, 1, group->colours);
            }
        }
    }
}

// The sizes are checked before G is built: G can be too large for this.
static bool settle(struct topo_draft *draft, struct topo_scan *scan, size_t at, const struct ek_topology *group)
{
    uint64_t n = group->processors;
    if (!topo_draft_size(draft, scan, at, n * n, n * group->links + n * (n - 1) / 2)) {
        return false;
    }
    draft->tell_links = tell_links;
    return true;
}

bool topo_read_otis(struct topo_draft *draft, struct topo_scan *scan)
{
    struct ek_topology *topology = draft->topology;
    if (draft->request->nesting == TOPO_NESTING_MAX) {
        return topo_scan_fail(scan, scan->at, "otis can be nested %d deep: leave some out", TOPO_NESTING_MAX);
    }
    if (!topo_scan_expect(scan, '(', "otis, as in otis(mesh:2x4)")) {
        return false;
    }
    size_t at = scan->at;
    struct topo_request inside = *draft->request;
    inside.nesting++;
    struct topo_draft group = {.request = &inside};
    bool good = topo_draft_read(&group, scan) && topo_scan_expect(scan, ')', "the group, as in otis(mesh:2x4)") &&
                settle(draft, scan, at, group.topology) && topo_draft_build(&group, scan->error);
    if (good) {
        topology->group = group.topology;
        topology->drawn = group.topology->drawn;
        group.topology = NULL;
        bool swaps = topology->processors > 1;
        int64_t diameter = topology->group->diameter;
        topology->colours = topology->group->colours + swaps;
        topology->diameter = swaps && diameter >= 0 ? 2 * diameter + 1 : diameter;
    }
    topo_draft_destroy(&group);
    return good;
}
