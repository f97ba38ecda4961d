// SPDX-License-Identifier: MIT
// The scan around a ring. In addition to the sums, all loads go to the root. The root finds the *offset*, which is
// subtracted from every flow, and sends it back.
#ifndef CORE_METHODS_LINES_WALK_RING_H
#define CORE_METHODS_LINES_WALK_RING_H

#include "core/methods/lines/walk.h"

// The state of a processor of a ring: the loads that it relays next (by the step's parity, and down or up), and at the
// root all loads.
enum { METHOD_WALK_RING_RELAY = METHOD_WALK_DOUBLES, METHOD_WALK_RING_LOADS = METHOD_WALK_RING_RELAY + 4 };

// Returns the number of doubles of this state in addition to METHOD_WALK_DOUBLES; 0 if no dimension is a ring.
uint64_t method_walk_ring_doubles(const struct ek_topology *topology);

// Returns the offset, x_m of Fig. 8, with m = ceil(k/2). If more than half of the k flows are positive, the offset is
// the m-th largest flow. If more than half are negative, it is the m-th smallest flow. Otherwise it is 0. Replaces the
// loads in `load` by the flows, sorted.
double method_walk_ring_offset(double *load, uint32_t side);

// Like method_walk_announces, method_walk_announce and method_walk_receive, for a ring with its root at position 0 or
// k/2.
bool method_walk_ring_announces(const struct method_place *place, uint64_t number);
void method_walk_ring_announce(const struct ek_turn *turn, const struct method_place *place, double *values);
void method_walk_ring_receive(struct ek_turn *turn, const struct method_place *place);

#endif
