// SPDX-License-Identifier: MIT
// The loop over a block of processors for tokens whose amounts the machine rounds (core/cargo/rounding.h).
#ifndef CORE_METHODS_KERNELS_ROUNDED_H
#define CORE_METHODS_KERNELS_ROUNDED_H

#include "core/cargo/rounding.h"
#include "core/methods/kernels/block.h"

struct core_rounded {
    enum core_rounding rounding;
    ek_flow *flow;        // the rule's real amounts
    uint64_t number;      // of the step; draws depend on it
    const uint32_t *twin; // by port: the port at the other end
    double *mirror;       // errors carried by link: room for the announcements of one processor; NULL: each direction
                          // of a link carries its own error
};

// Sends over each port that takes part what the rule computes, rounded, and at most what the processor still holds. The
// ports have their turns in order. An error that is carried lies in the port's memory.
void core_rounded_block(struct ek_block *block, const struct core_rounded *rounded);

#endif
