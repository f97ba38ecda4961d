// SPDX-License-Identifier: MIT
// Costs that vary. In virtual time each cost c is drawn between c/F and c*F: it becomes c * F^u, where u is uniform
// between -1 and 1. So a run is one that a machine can make whose costs are known up to the factor F.
//
// F^u has CORE_WITHIN_STEPS values. They are computed by multiplication and square roots alone, which are the same to
// the last bit on every computer.
#ifndef CORE_LINKS_WITHIN_H
#define CORE_LINKS_WITHIN_H

#include "base/cursor.h"
#include "base/random_stream.h"

enum { CORE_WITHIN_BITS = 8, CORE_WITHIN_STEPS = 1 << CORE_WITHIN_BITS };

struct core_within {
    double factor;                   // F; 1: no cost varies
    uint64_t number;                 // of the machine: another number gives other costs
    double value[CORE_WITHIN_STEPS]; // of F^u, in ascending order
};

// Reads F or F:NUMBER. Returns false with `error` filled if the spec is wrong.
bool core_within_parse(struct core_within *within, const char *spec, struct ek_error *error);

// Returns the forms of a spec as a list shows them, or NULL past the last.
const struct ek_choice *core_within_choice(size_t index);

static inline bool core_within_varies(const struct core_within *within)
{
    return within->factor > 1.0;
}

// Returns the least that a cost can become, in whole nanoseconds.
uint64_t core_within_least(const struct core_within *within, uint64_t cost);

// Costs drawn at one moment, one after the other: at most 64 / CORE_WITHIN_BITS.
struct core_within_draws {
    const struct core_within *within;
    uint64_t bits;
};

// Begins the draws for turn `moment` of processor `owner`, or for message `moment` over port `owner`.
struct core_within_draws core_within_begin(const struct core_within *within, uint64_t seed, enum base_stream stream,
                                           uint32_t owner, uint64_t moment);

// Draws a cost, of at most 2^62 ns.
uint64_t core_within_draw(struct core_within_draws *draws, uint64_t cost);

#endif
