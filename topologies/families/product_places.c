// SPDX-License-Identifier: MIT
// Places of products of paths and rings in a drawing. Sides of 1 do not count.
//  * A ring is a circle, a chain a line; a long chain goes back and forth, line by line.
//  * Two dimensions are a grid, 0 to the right and 1 down. A third one leads to the back, within a cell of the grid.
//  * Of more dimensions the first two make a block. The next two arrange such blocks in the same way, and so on; the
//  last
//    three make one arrangement. Each arrangement is tilted against the one inside it, so that the links between blocks
//    hardly run through processors.
#include <math.h>
#include <stdlib.h>

#include "topologies/families/product_places.h"
#include "topologies/family.h"
#include "topologies/topology.h"

enum { LINE = 16, BLOCK = 2, BLOCK_LAST = 3 };

struct sides {
    uint32_t count;
    uint32_t side[TOPO_DIMENSIONS_MAX]; // each at least 2
};

// Places a chain in lines of LINE to 2 * LINE - 1 processors, every second one from right to left.
static void place_chain(struct ek_place *place, uint32_t count)
{
    uint32_t length = count < 2 * LINE ? count : LINE;
    while (length * length < count) {
        length++;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line = i / length;
        uint32_t x = line % 2 == 0 ? i % length : length - 1 - i % length;
        place[i] = (struct ek_place){x, line};
    }
}

// Places a block of one to three dimensions. Returns the number of its processors.
static uint32_t place_block(struct ek_place *place, const uint32_t *side, uint32_t dimensions)
{
    uint32_t wide = side[0];
    uint32_t high = dimensions > 1 ? side[1] : 1;
    uint32_t deep = dimensions > 2 ? side[2] : 1;
    for (uint32_t i = 0; i < wide * high * deep; i++) {
        double back = (double)(i / (wide * high)) / deep; // in cells
        place[i] = (struct ek_place){i % wide + 0.92 * back, i / wide % high - 0.72 * back};
    }
    return wide * high * deep;
}

// Returns the angle against a grid, in radians. A link that crosses a row of k processors passes it with a slope of
// about 1/k.
static double tilt_of(const uint32_t *side)
{
    return 0.9 / (1.0 + (side[0] > side[1] ? side[0] : side[1]));
}

// Places blocks of the first dimensions, arranged by the others.
static bool place_blocks(struct ek_place *place, const struct sides *sides, uint32_t from, struct ek_error *error)
{
    uint32_t dimensions = sides->count - from;
    if (dimensions <= BLOCK_LAST) {
        place_block(place, &sides->side[from], dimensions);
        return true;
    }
    uint32_t outside = 1;
    for (uint32_t d = from + BLOCK; d < sides->count; d++) {
        outside *= sides->side[d];
    }
    struct ek_place *outer = malloc(outside * sizeof *outer);
    struct ek_place *inner = malloc((size_t)sides->side[from] * sides->side[from + 1] * sizeof *inner);
    bool good = (outer && inner) || topo_places_no_memory(error);
    good = good && place_blocks(outer, sides, from + BLOCK, error);
    if (good) {
        uint32_t inside = place_block(inner, &sides->side[from], BLOCK);
        topo_places_turn(outer, outside, tilt_of(&sides->side[from]));
        topo_places_nest(outer, outside, inner, inside, place);
    }
    free(outer);
    free(inner);
    return good;
}

bool topo_hypercube_places(uint32_t dimensions, struct ek_place *place, struct ek_error *error)
{
    struct sides sides = {.count = dimensions};
    for (uint32_t d = 0; d < dimensions; d++) {
        sides.side[d] = 2;
    }
    return place_blocks(place, &sides, 0, error);
}

bool topo_product_places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error)
{
    struct sides sides = {0};
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        if (topology->side[d] > 1) {
            sides.side[sides.count++] = topology->side[d];
        }
    }
    if (sides.count > 1) {
        return place_blocks(place, &sides, 0, error);
    }
    if (topology->wraps && topology->processors > 2) {
        topo_places_circle(place, topology->processors);
    } else {
        place_chain(place, topology->processors);
    }
    return true;
}
