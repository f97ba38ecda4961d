// SPDX-License-Identifier: MIT
// The scan around a ring: beside the sums, the loads themselves go to the root, which finds from them what is to be
// taken off every flow, and that goes back.
#ifndef CORE_METHODS_LINES_WALK_RING_H
#define CORE_METHODS_LINES_WALK_RING_H

#include "core/methods/lines/walk.h"

// What a processor keeps for a ring: the loads that it passes on next (by the step's parity, and down or up), and at
// the root all loads.
enum { METHOD_WALK_RING_RELAY = METHOD_WALK_WORDS, METHOD_WALK_RING_LOADS = METHOD_WALK_RING_RELAY + 4 };

// How many numbers that are, beside METHOD_WALK_WORDS; 0 where no dimension is a ring.
uint64_t method_walk_ring_words(const struct ek_topology *topology);

// x_m of Fig. 8. With m = ceil(k/2): where more than half of the k flows are positive it is the m-th largest, where
// more than half are negative the m-th smallest; that is one of the two middle ones. The loads become the flows, the
// last that of the wrap link.
double method_walk_ring_amount_off(double *load, uint32_t side);

// As the functions of the same names in walk.h, from position 0 or from k/2.
bool method_walk_ring_speaks(const struct method_place *place, uint64_t number);
void method_walk_ring_announce(const struct ek_turn *turn, const struct method_place *place, double *values);
void method_walk_ring_hear(struct ek_turn *turn, const struct method_place *place);

#endif
