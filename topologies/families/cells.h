// SPDX-License-Identifier: MIT
// Grids of cells that are linked along several directions: hex and moore. Cell (x, y) of `across` by `down` has the
// number x + across*y.
#ifndef TOPOLOGIES_FAMILIES_CELLS_H
#define TOPOLOGIES_FAMILIES_CELLS_H

#include "topologies/family.h"

struct ek_place;

// A link from (x, y) to (x + across, y + down), with down = 0 or 1; across is 1 if down is 0.
struct topo_cell_step {
    int across;
    int down;
};

// Sets the draft for a grid of draft->number[0] by number[1] cells, and these steps in ascending order of the numbers
// that they lead to. A step has up to two colours, which alternate along it. An error points at offset `at`.
bool topo_cells_settle(struct topo_draft *draft, struct base_cursor *cursor, size_t at,
                       const struct topo_cell_step *steps, unsigned count);

// Places the cells in a drawing: each row is `slant` to the right of the row above, and `down` below it.
void topo_cells_places(const struct ek_topology *topology, struct ek_place *place, double slant, double down);

// Lists the links.
void topo_cells_list(const struct topo_draft *draft, struct topo_builder *builder, const struct topo_cell_step *steps,
                     unsigned count);

// Reads "AxB", the sides, into number[first] and number[1 - first]. `as` is an example.
bool topo_cells_read(struct topo_draft *draft, struct base_cursor *cursor, unsigned first, const char *as);

#endif
