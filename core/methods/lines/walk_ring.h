// SPDX-License-Identifier: MIT
// The scan around a ring. In addition to the sums, all loads go to the root. The root finds the *offset* that is
// subtracted from every flow, and sends it back.
#ifndef CORE_METHODS_LINES_WALK_RING_H
#define CORE_METHODS_LINES_WALK_RING_H

#include "core/methods/lines/walk.h"

// The state of a processor for a ring: the loads that it relays next (by the step's parity, and down or up), and at the
// root all loads.
enum { METHOD_WALK_RING_RELAY = METHOD_WALK_WORDS, METHOD_WALK_RING_LOADS = METHOD_WALK_RING_RELAY + 4 };

// Returns how many doubles that takes in addition to METHOD_WALK_DOUBLES; 0 if no dimension is a ring.
uint64_t method_walk_ring_words(const struct ek_topology *topology);

// Finds the offset, x_m of Fig. 8, with m = ceil(k/2). If more than half of the k flows are positive it is the m-th
// largest one; if more than half are negative the m-th smallest one; else 0. It is one of the two middle flows. The
// loads in `load` are replaced by the flows, the last of which is that of the wrap link.
double method_walk_ring_amount_off(double *load, uint32_t side);

// The same as the functions of these names in walk.h, for a scan from position 0 or from k/2.
bool method_walk_ring_speaks(const struct method_place *place, uint64_t number);
void method_walk_ring_announce(const struct ek_turn *turn, const struct method_place *place, double *values);
void method_walk_ring_hear(struct ek_turn *turn, const struct method_place *place);

#endif
