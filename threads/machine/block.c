// SPDX-License-Identifier: MIT
#include "threads/machine/block.h"

#include "threads/api/ranks.h"
#include "topologies/rows.h"

struct machine_block machine_block_of(const struct machine_plan *plan)
{
    const struct ek_topology *topology = plan->topology;
    const struct rank_placement *placement = &plan->placement;
    if (!plan->ranks || placement->spans == 0) {
        unsigned parts = plan->ranks ? plan->ranks->count : 1;
        uint64_t own = topology->processors / parts, ports = topology->ports / parts;
        return (struct machine_block){{0, own}, {0, ports}, own, ports, 1};
    }
    struct machine_block block = {.processors = rank_placement_range(placement, plan->ranks)};
    block.ports.begin = topo_first(topology, (uint32_t)block.processors.begin);
    block.ports.end = topo_first(topology, (uint32_t)block.processors.end);
    for (uint32_t i = 0; i < placement->spans; i++) {
        if (placement->rank[i] == plan->ranks->rank) {
            block.own += placement->begin[i + 1] - placement->begin[i];
            block.own_ports +=
                topo_first(topology, placement->begin[i + 1]) - topo_first(topology, placement->begin[i]);
            block.spans++;
        }
    }
    return block;
}

static void plan_range(struct base_arena *memory, void *place, struct base_range range, uint64_t own, uint32_t spans,
                       size_t size)
{
    enum { PAGE = 4096 };
    uint64_t touched = own + (spans - 1) * (uint64_t)(PAGE / size + 1); // a further span may begin within a page
    base_arena_plan_range(memory, place, range, size);
    base_arena_touch(memory, range.end - range.begin, touched);
}

void machine_block_plan(const struct machine_block *block, struct base_arena *memory, void *place, uint64_t each,
                        size_t size)
{
    struct base_range range = {block->processors.begin * each, block->processors.end * each};
    plan_range(memory, place, range, block->own * each, block->spans, size);
}

void machine_block_plan_ports(const struct machine_block *block, struct base_arena *memory, void *place, uint64_t each,
                              size_t size)
{
    struct base_range range = {block->ports.begin * each, block->ports.end * each};
    plan_range(memory, place, range, block->own_ports * each, block->spans, size);
}
