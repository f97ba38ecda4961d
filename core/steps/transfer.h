// SPDX-License-Identifier: MIT
// The transfer of load along flows that are known before it begins. A processor sends when all load that is to come to
// it has come, so it never sends more than it holds if its load and its flows make a load that is not negative. The
// flows must have no cycle, or processors wait for each other.
#ifndef CORE_STEPS_TRANSFER_H
#define CORE_STEPS_TRANSFER_H

#include "base/common.h"

struct ek_turn;

#define CORE_TRANSFER_NONE_AHEAD UINT32_MAX

struct core_transfer {
    const struct ek_topology *topology;
    unsigned port_doubles; // the numbers that a port remembers; number `flow` is the load that is still to leave, or
    unsigned flow;         // with a minus sign to come
    uint32_t ahead;        // the dimension whose load goes ahead: it waits only for the load of this dimension
};

// Receives and sends. Sets turn->waits while load is to leave, and turn->awake if it can leave in the next step.
void core_transfer_act(const struct core_transfer *transfer, struct ek_turn *turn, double *amounts);

#endif
