// SPDX-License-Identifier: MIT
// The time of an operation on a machine with the costs of LogGP (core/links/costs.h), in closed form.
//
// Rounds. An operation is a number of steps (step_time.h). With all ports diffusion takes one step over all links, and
// dimension exchange one step of one link for each colour. With one port both take one step for each colour.
//
// Virtual time. One invoker with d neighbours asks them for their loads and gives load to each
// (threads/free/operation.c). Nobody else invokes. The time is that from the begin of the invoker's turn to the end of
// the turn that receives the last load. With f = x + L and y = max(o, x) for one port, o for all ports:
//
//   one neighbour after the other    (2d+2) T + (4d+2) o + (2d+1) f + (d-1) y
//   all at once                      the answers arrive in steps of o from 2T + 3o + 2f on. In each turn the invoker
//                                    takes T, and o for each answer that has arrived. In the last turn it sends the
//                                    load. This takes d*o + f + T + o more.
#ifndef CORE_THEORY_OPERATION_TIME_H
#define CORE_THEORY_OPERATION_TIME_H

#include "core/theory/facts.h"
#include "core/theory/step_time.h"

// An operation of one invoker.
struct core_lone_operation {
    const struct core_costs *costs;
    uint64_t latency; // L
    uint32_t neighbours;
    bool together; // it asks all neighbours at once
    bool one_port;
};

// Returns the duration of the operation in nanoseconds, at most CORE_STEP_TIME_MAX.
uint64_t core_lone_operation_time(const struct core_lone_operation *operation);

// Adds "operation_s_theory" if the run has costs (outlook->costs).
void core_facts_add_time(const struct ek_method *method, const struct ek_outlook *outlook, struct ek_facts *facts);

#endif
