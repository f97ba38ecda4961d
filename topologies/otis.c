// SPDX-License-Identifier: MIT
// otis(G), the swapped network of G (Zhao, Xiao & Parhami): processor (g, p) is g*n + p; in each group g the links of
// G, and swap links (g, p)-(p, g). Colours: those of G, then one for the swap links. Diameter 2 diam(G) + 1: in the
// worst case both halves of (g, p) have to travel through G, and swap once between.
#include "topologies/family.h"

static void tell_links(const struct ek_draft *draft, struct ek_builder *builder)
{
    const struct ek_topology *group = draft->topology->group;
    uint32_t n = group->processors;
    for (uint32_t g = 0; g < n; g++) {
        for (uint32_t p = 0; p < n; p++) {
            for (uint32_t port = group->first[p]; port < group->first[p + 1]; port++) {
                if (group->neighbour[port] > p) {
                    ek_builder_link(builder, g * n + p, g * n + group->neighbour[port], 0, 1, group->colour[port]);
                }
            }
            if (p > g) {
                ek_builder_link(builder, g * n + p, p * n + g, 0, 1, group->colours);
            }
        }
    }
}

// The sizes are checked before G is built: G can be too large for this.
static bool settle(struct ek_draft *draft, struct ek_scan *scan, size_t at, const struct ek_topology *group)
{
    uint64_t n = group->processors;
    if (!ek_draft_size(draft, scan, at, n * n, n * group->links + n * (n - 1) / 2)) {
        return false;
    }
    draft->tell_links = tell_links;
    return true;
}

bool ek_read_otis(struct ek_draft *draft, struct ek_scan *scan)
{
    struct ek_topology *topology = draft->topology;
    if (draft->request->nesting == EK_NESTING_MAX) {
        return ek_scan_fail(scan, scan->at, "otis can be nested %d deep: leave some out", EK_NESTING_MAX);
    }
    if (!ek_scan_expect(scan, '(', "otis, as in otis(mesh:2x4)")) {
        return false;
    }
    size_t at = scan->at;
    struct ek_request inside = *draft->request;
    inside.nesting++;
    struct ek_draft group = {.request = &inside};
    bool good = ek_draft_read(&group, scan) && ek_scan_expect(scan, ')', "the group, as in otis(mesh:2x4)") &&
                settle(draft, scan, at, group.topology) && ek_draft_build(&group, scan->error);
    if (good) {
        topology->group = group.topology;
        group.topology = NULL;
        bool swaps = topology->processors > 1;
        int64_t diameter = topology->group->diameter;
        topology->colours = topology->group->colours + swaps;
        topology->diameter = swaps && diameter >= 0 ? 2 * diameter + 1 : diameter;
    }
    ek_draft_free(&group);
    return good;
}
