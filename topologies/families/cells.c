// SPDX-License-Identifier: MIT
#include "topologies/families/cells.h"
#include "topologies/topology.h"

#include <stdlib.h>

// Returns how many steps of a kind lie one behind another in the longest line.
static uint32_t steps_in_line(const struct topo_draft *draft, const struct topo_cell_step *step)
{
    uint32_t across = step->across != 0 ? draft->number[0] - 1 : UINT32_MAX;
    uint32_t down = step->down != 0 ? draft->number[1] - 1 : UINT32_MAX;
    return across < down ? across : down;
}

static uint32_t colours_of(const struct topo_draft *draft, const struct topo_cell_step *step)
{
    uint32_t steps = steps_in_line(draft, step);
    return steps < 2 ? steps : 2;
}

void topo_cells_list(const struct topo_draft *draft, struct topo_builder *builder, const struct topo_cell_step *steps,
                     unsigned count)
{
    int64_t across = draft->number[0];
    int64_t down = draft->number[1];
    for (int64_t p = 0; p < across * down; p++) {
        int64_t x = p % across;
        int64_t y = p / across;
        uint32_t colour = 0;
        for (unsigned i = 0; i < count; i++) {
            int64_t to = x + steps[i].across;
            uint32_t colours = colours_of(draft, &steps[i]);
            if (to >= 0 && to < across && y + steps[i].down < down) {
                uint32_t odd = colours > 1 && (steps[i].down > 0 ? y : x) % 2 == 1;
                topo_builder_link(builder, (uint32_t)p, (uint32_t)(p + steps[i].across + steps[i].down * across), 0, 1,
                                  colour + odd);
            }
            colour += colours;
        }
    }
}

void topo_cells_places(const struct ek_topology *topology, struct ek_place *place, double slant, double down)
{
    uint32_t across = topology->number[0];
    for (uint32_t p = 0; p < topology->processors; p++) {
        double y = p / across; // whole
        place[p] = (struct ek_place){p % across + slant * y, down * y};
    }
}

bool topo_cells_settle(struct topo_draft *draft, struct base_cursor *cursor, size_t at,
                       const struct topo_cell_step *steps, unsigned count)
{
    uint64_t links = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t across = draft->number[0] - (unsigned)abs(steps[i].across);
        links += across * (draft->number[1] - (unsigned)steps[i].down);
        draft->topology->colours += colours_of(draft, &steps[i]);
    }
    draft->topology->number[0] = draft->number[0];
    draft->topology->number[1] = draft->number[1];
    return topo_draft_size(draft, cursor, at, (uint64_t)draft->number[0] * draft->number[1], links);
}

bool topo_cells_read(struct topo_draft *draft, struct base_cursor *cursor, unsigned first, const char *as)
{
    uint64_t side[2];
    if (!base_cursor_expect(cursor, ':', as) ||
        !base_cursor_whole(cursor, "a side", 1, TOPO_PROCESSORS_MAX, &side[0]) ||
        !base_cursor_expect(cursor, 'x', as) ||
        !base_cursor_whole(cursor, "a side", 1, TOPO_PROCESSORS_MAX, &side[1])) {
        return false;
    }
    draft->number[first] = (uint32_t)side[0];
    draft->number[1 - first] = (uint32_t)side[1];
    return true;
}
