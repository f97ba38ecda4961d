// SPDX-License-Identifier: MIT
// Links between ranks.
#include "threads/ranks/crossings.h"

#include <stdlib.h>

// Puts them into `crossing`, where there is room already. Returns how many there are.
static size_t find(const struct ek_machine *machine, const struct ek_topology *topology,
                   struct machine_crossing *crossing)
{
    const struct machine_placement *placement = &machine->placement;
    unsigned own = machine->ranks->rank;
    size_t count = 0;
    for (uint32_t i = 0; i < placement->spans; i++) {
        uint32_t begin = placement->begin[i], end = placement->begin[i + 1];
        for (uint32_t port = topology->first[begin]; placement->rank[i] == own && port < topology->first[end]; port++) {
            uint32_t neighbour = topology->neighbour[port];
            bool near = neighbour >= begin && neighbour < end;
            unsigned rank = placement->rank[near ? i : machine_placement_span(placement, neighbour)];
            if (rank == own) {
                continue;
            }
            if (crossing) {
                uint32_t twin = topology->twin[port];
                crossing[count] = (struct machine_crossing){rank, port < twin ? port : twin, port};
            }
            count++;
        }
    }
    return count;
}

void machine_crossings_plan(struct machine_crossings *crossings, const struct ek_machine *machine,
                            const struct ek_topology *topology, struct base_arena *memory)
{
    crossings->count = find(machine, topology, NULL);
    base_arena_plan(memory, &crossings->at, crossings->count, sizeof *crossings->at);
    base_arena_plan(memory, &crossings->peer, machine->ranks->count, sizeof *crossings->peer);
}

static int by_rank_and_link(const void *a, const void *b)
{
    const struct machine_crossing *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->link > y->link) - (x->link < y->link);
}

void machine_crossings_find(struct machine_crossings *crossings, const struct ek_machine *machine,
                            const struct ek_topology *topology)
{
    find(machine, topology, crossings->at);
    if (crossings->count > 0) {
        qsort(crossings->at, crossings->count, sizeof *crossings->at, by_rank_and_link);
    }
    for (size_t i = 0; i < crossings->count; i++) {
        if (i == 0 || crossings->at[i].rank != crossings->at[i - 1].rank) {
            crossings->peer[crossings->peers++] = (struct ek_rank_peer){.rank = crossings->at[i].rank};
        }
        struct ek_rank_peer *peer = &crossings->peer[crossings->peers - 1];
        peer->sends++;
        peer->brings++;
    }
}
