// SPDX-License-Identifier: MIT
// A reduction: sums go up trees, and the totals come down. In its first `height` steps a processor announces its sum as
// soon as its children have announced theirs. In as many further steps the roots' totals go down. No load moves. A
// processor that has nothing to announce or to receive sleeps.
#ifndef CORE_STEPS_REDUCTION_H
#define CORE_STEPS_REDUCTION_H

#include "core/steps/forest.h"

struct ek_turn;

struct core_reduction {
    const struct core_forest *forest;
    uint64_t step;         // 0 .. 2 * height - 1; with one port a step has several colours
    double own;            // what the processor adds to the sum; it stays the same while the reduction goes on
    unsigned port_doubles; // the numbers that a port remembers; number `below` is the sum of the subtree at the port
    unsigned below;
};

// Announces, if it is time, the sum to the parent or `total` to the children. A root ignores `total`.
void core_reduction_announce(const struct core_reduction *reduction, const struct ek_turn *turn, double total,
                             double *values);

// Receives sums and the total, and writes the total when it is known here. Sets turn->awake.
void core_reduction_act(const struct core_reduction *reduction, struct ek_turn *turn, double *total);

#endif
