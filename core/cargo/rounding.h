// SPDX-License-Identifier: MIT
// Rounding: how the amounts of a linear rule become whole tokens (axis `rounding`).
#ifndef CORE_CARGO_ROUNDING_H
#define CORE_CARGO_ROUNDING_H

#include "base/common.h"

enum core_rounding {
    CORE_ROUNDING_DOWN,    // the method's own rule for tokens, `flow_tokens`
    CORE_ROUNDING_NEAREST, // to the nearest whole number, halves down
    CORE_ROUNDING_RANDOM,  // up with the probability of the fraction
    CORE_ROUNDING_CARRY    // to the nearest whole number; the next amount over the link includes the error
};

// The names of the values, in the order of enum core_rounding.
extern const struct ek_choice core_rounding_names[];

// An amount before and after rounding. A negative amount goes the other way.
struct core_due {
    double amount; // with the error carried, and freed of the rounding errors of doubles
    double whole;
};

// Rounds the flow over a link, to which `error` is added: the error carried, or 0. The size of the sum is rounded. A
// draw depends on the seed of the run, the port and `number` alone. The machine never asks for CORE_ROUNDING_DOWN,
// which here too takes an amount for whole that is whole up to the rounding errors of doubles.
struct core_due core_rounding_due(enum core_rounding rounding, double flow, double error, uint64_t seed, uint64_t port,
                                  uint64_t number);

// Returns the most that rounding can make of a flow that is not negative if no error is carried.
double core_rounding_most(enum core_rounding rounding, double flow);

#endif
