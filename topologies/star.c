// SPDX-License-Identifier: MIT
// star:N, processor 0 linked to each of the others. All links meet there, so each has a colour of its own.
#include "topologies/family.h"

static void tell_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    for (uint32_t leaf = 1; leaf < draft->topology->star; leaf++) {
        topo_builder_link(builder, 0, leaf, 0, 1, leaf - 1);
    }
}

bool topo_read_star(struct topo_draft *draft, struct topo_scan *scan)
{
    uint64_t n;
    if (!topo_scan_expect(scan, ':', "star, as in star:8")) {
        return false;
    }
    size_t at = scan->at;
    if (!topo_scan_whole(scan, "the number of processors", 1, TOPO_PROCESSORS_MAX, &n) ||
        !topo_draft_size(draft, scan, at, n, n - 1)) {
        return false;
    }
    struct ek_topology *topology = draft->topology;
    topology->star = topology->processors;
    topology->colours = topology->links;
    topology->diameter = n > 2 ? 2 : n == 2;
    draft->tell_links = tell_links;
    return true;
}
