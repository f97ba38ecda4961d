// SPDX-License-Identifier: MIT
// Functions that all families share: the size of a draft, the links of a graph that was read or drawn, and its release.
#include <assert.h>
#include <stdlib.h>

#include "topologies/family.h"

bool topo_draft_size(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint64_t processors,
                     uint64_t links)
{
    assert(processors > 0);
    if (processors > TOPO_PROCESSORS_MAX) {
        return base_cursor_fail(cursor, at, "this makes %llu processors: at most %d are possible",
                                (unsigned long long)processors, TOPO_PROCESSORS_MAX);
    }
    if (links > UINT32_MAX / 2) {
        return base_cursor_fail(cursor, at, "this makes %llu links: at most %u are possible", (unsigned long long)links,
                                UINT32_MAX / 2);
    }
    struct ek_topology *topology = draft->topology;
    topology->processors = (uint32_t)processors;
    topology->hosts = topology->processors; // a family with switches says so later
    topology->links = (uint32_t)links;
    topology->ports = (uint32_t)(2 * links);
    const struct topo_permit *permit = &draft->request->permit;
    uint64_t bytes_most = ek_topology_bytes(topology) + draft->extra_bytes;
    return permit->allows(permit->context, topology, bytes_most, at, cursor->error);
}

void topo_list_pairs(const struct topo_draft *draft, struct topo_builder *builder)
{
    for (uint32_t i = 0; i < draft->topology->links; i++) {
        topo_builder_link(builder, draft->pairs[i].low, draft->pairs[i].high, 0, 1, 0);
    }
}

void topo_draft_pairs(struct topo_draft *draft, struct topo_pair *pairs)
{
    draft->pairs = pairs;
    draft->list_links = topo_list_pairs;
}

bool topo_draft_pairs_begin(struct topo_draft *draft, struct base_cursor *cursor, size_t at, uint64_t processors,
                            uint64_t links)
{
    draft->extra_bytes += links * sizeof *draft->pairs + topo_colouring_bytes(processors, links);
    if (!topo_draft_size(draft, cursor, at, processors, links)) {
        return false;
    }
    topo_draft_pairs(draft, malloc(((size_t)links + 1) * sizeof *draft->pairs));
    draft->pairs_count = 0;
    return draft->pairs || base_cursor_fail(cursor, at, "there is no memory left for a topology");
}

void topo_draft_pairs_add(struct topo_draft *draft, uint32_t a, uint32_t b)
{
    assert(a != b && draft->pairs_count < draft->topology->links);
    draft->pairs[draft->pairs_count++] = topo_pair_of(a, b);
}

void topo_draft_pairs_end(struct topo_draft *draft)
{
    assert(draft->pairs_count == draft->topology->links);
    topo_pairs_sort(draft->pairs, draft->pairs_count);
}

void topo_draft_destroy(struct topo_draft *draft)
{
    ek_topology_destroy(draft->topology);
    free(draft->pairs);
}
