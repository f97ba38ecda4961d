// SPDX-License-Identifier: MIT
// star:N, processor 0 linked to each of the others. All links meet there, so each has a colour of its own.
#include "topologies/family.h"

static void tell_links(const struct ek_draft *draft, struct ek_builder *builder)
{
    for (uint32_t leaf = 1; leaf < draft->topology->star; leaf++) {
        ek_builder_link(builder, 0, leaf, 0, 1, leaf - 1);
    }
}

bool ek_read_star(struct ek_draft *draft, struct ek_scan *scan)
{
    uint64_t n;
    if (!ek_scan_expect(scan, ':', "star, as in star:8")) {
        return false;
    }
    size_t at = scan->at;
    if (!ek_scan_whole(scan, "the number of processors", 1, EK_PROCESSORS_MAX, &n) ||
        !ek_draft_size(draft, scan, at, n, n - 1)) {
        return false;
    }
    struct ek_topology *topology = draft->topology;
    topology->star = topology->processors;
    topology->colours = topology->links;
    topology->diameter = n > 2 ? 2 : n == 2;
    draft->tell_links = tell_links;
    return true;
}
