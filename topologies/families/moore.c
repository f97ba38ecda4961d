// SPDX-License-Identifier: MIT
// moore:WxH, a mesh of W by H processors that are also linked along the diagonals: eight neighbours, the neighbourhood
// of Moore's cellular automata (1962) and of the MasPar MP-1 (Blank 1990), here without wrap. Processors are numbered
// as in mesh:WxH.
#include "topologies/families/cells.h"
#include "topologies/topology.h"

static const struct topo_cell_step steps[] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}};

enum { STEPS = sizeof steps / sizeof *steps };

static void list_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    topo_cells_list(draft, builder, steps, STEPS);
}

static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    (void)error;
    topo_cells_places(topology, place, 0.0, 1.0);
    return true;
}

bool topo_read_moore(struct topo_draft *draft, struct base_cursor *cursor)
{
    size_t at = cursor->at + 1;
    if (!topo_cells_read(draft, cursor, 0, "moore, as in moore:8x8") ||
        !topo_cells_settle(draft, cursor, at, steps, STEPS)) {
        return false;
    }
    uint32_t longest = draft->number[0] > draft->number[1] ? draft->number[0] : draft->number[1];
    draft->topology->diameter = (int64_t)longest - 1;
    draft->topology->places = places;
    draft->list_links = list_links;
    return true;
}
