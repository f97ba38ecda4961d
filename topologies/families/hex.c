// SPDX-License-Identifier: MIT
// hex:RxC, the hexagonal mesh (Chen, Shin & Kandlur 1990) as a parallelogram of R rows of C processors: six neighbours,
// to the left and right, above and below, and from a processor to the one below its left neighbour. The processor in
// row r and column c has the number c + C*r.
#include "topologies/families/cells.h"
#include "topologies/topology.h"

static const struct topo_cell_step steps[] = {{1, 0}, {-1, 1}, {0, 1}};

enum { STEPS = sizeof steps / sizeof *steps };

static void list_links(const struct topo_draft *draft, struct topo_builder *builder)
{
    topo_cells_list(draft, builder, steps, STEPS);
}

// Draws six neighbours around each processor, all 1 away.
static bool places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    (void)error;
    topo_cells_places(topology, place, 0.5, 0.86602540378443865);
    return true;
}

// A step down and to the left undoes a step to the right, so the corners (0,0) and (R-1,C-1) are farthest apart.
bool topo_read_hex(struct topo_draft *draft, struct base_cursor *cursor)
{
    size_t at = cursor->at + 1;
    if (!topo_cells_read(draft, cursor, 1, "hex, as in hex:4x6") ||
        !topo_cells_settle(draft, cursor, at, steps, STEPS)) {
        return false;
    }
    draft->topology->diameter = (int64_t)draft->number[0] + draft->number[1] - 2;
    draft->topology->places = places;
    draft->list_links = list_links;
    return true;
}
