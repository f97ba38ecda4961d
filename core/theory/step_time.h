// SPDX-License-Identifier: MIT
// The time that a step of rounds takes on a machine with the costs of LogGP (core/links/costs.h).
//
// Model. A step has two phases, announce and migrate. A phase has three parts, and each lasts as long as its slowest
// processor or message:
//
//   1. Every processor takes T, and o for each message that it sends.
//   2. The messages cross their links. One of b bytes takes x + L, x = g + b*G. A link carries at most one message in
//      each direction, so none waits.
//   3. Every processor takes o for each message that it receives.
//
// So a phase takes T + s*o + x + L + r*o, s and r the most messages that a processor sends and receives, x of the
// largest message; and T if there are no messages. The barrier between phases costs nothing.
//
// Messages. With a rule, each link that takes part carries a message in both directions in both phases: loads, and then
// parcels. A parcel is also sent if it contains no load, because the other end waits for it. A program sends only the
// numbers and the load that it wants to send. If not all processors invoke, a link takes part if one of its ends
// invokes.
#ifndef CORE_THEORY_STEP_TIME_H
#define CORE_THEORY_STEP_TIME_H

#include "core/links/costs.h"

// No virtual time goes beyond this one, which is 146 years.
#define CORE_STEP_TIME_MAX (UINT64_C(1) << 62)

// A phase: the most messages of a processor, and the largest load of a message.
struct core_phase {
    uint32_t sends, receives;
    double load;
};

// Returns the duration of a phase in nanoseconds.
uint64_t core_phase_time(const struct core_costs *costs, struct core_phase phase);

// Returns the duration of a step of a rule whose load has no bytes, if a processor has at most `ports` links that take
// part.
uint64_t core_step_time(const struct core_costs *costs, uint32_t ports);

// Returns what it takes a processor to send or to receive messages: o for each.
uint64_t core_overhead_time(const struct core_costs *costs, uint32_t messages);

// Returns the sum of two times, at most CORE_STEP_TIME_MAX.
uint64_t core_time_sum(uint64_t a, uint64_t b);

#endif
