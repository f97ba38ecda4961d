// SPDX-License-Identifier: MIT
// Shapes from which families compose their places in a drawing. The drawing scales all places, so only their ratios
// matter. A family without places of its own gets those of topo_places_by_distance.
#ifndef TOPOLOGIES_PLACES_PLACES_H
#define TOPOLOGIES_PLACES_PLACES_H

#include "base/common.h"

struct ek_place;
struct ek_topology;

// The places of a family: fills place[processors]. Returns false with `error` filled if there is no memory.
typedef bool topo_places(const struct ek_topology *topology, struct ek_place *place, struct ek_error *error);

// Places `count` processors around the origin, clockwise from the top; neighbours on the circle are 1 apart.
void topo_places_circle(struct ek_place *place, uint32_t count);

// Places `count` processors in a row, centred at x = 0, with a distance of `step`.
void topo_places_row(struct ek_place *place, uint32_t count, double step, double y);

// Turns places around the origin, clockwise by `angle` radians.
void topo_places_turn(struct ek_place *place, uint32_t count, double angle);

// Places copies of a drawing: processor j of copy i becomes place[i * inside + j]. `outer` has the places of the
// copies, which are drawn apart so far that the copies do not touch.
void topo_places_nest(const struct ek_place *outer, uint32_t outside, const struct ek_place *inner, uint32_t inside,
                      struct ek_place *place);

// Does the same, but turns a long row of long copies: they stand side by side. `outer` is changed.
void topo_places_nest_compact(struct ek_place *outer, uint32_t outside, const struct ek_place *inner, uint32_t inside,
                              struct ek_place *place);

// Returns the width and the height of a drawing.
struct ek_place topo_places_extent(const struct ek_place *place, uint32_t count);

// Places the processors such that their distances approximate the numbers of links between them.
topo_places topo_places_by_distance;

// Fills `error` and returns false: there is no memory for a drawing.
bool topo_places_no_memory(struct ek_error *error);

#endif
