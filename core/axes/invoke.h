// SPDX-License-Identifier: MIT
// Invocation: which processors begin an operation.
#ifndef CORE_AXES_INVOKE_H
#define CORE_AXES_INVOKE_H

#include "core/axes/load.h"
#include "core/measure.h"

enum core_invoke_kind {
    CORE_INVOKE_ALWAYS,
    CORE_INVOKE_BELOW,
    CORE_INVOKE_OUTSIDE,
    CORE_INVOKE_PROBABILITY,
    CORE_INVOKE_GRADIENT,
    CORE_INVOKE_ABOVE,
    CORE_INVOKE_EVERY,
    CORE_INVOKE_AT,
    CORE_INVOKE_GLOBAL
};

struct core_invoke {
    enum core_invoke_kind kind;
    double low, high; // below, above, outside
    double probability;
    double gradient;
    uint64_t every; // every: the period
    bool *at;       // at: [processors] whether the processor invokes
    bool spread;    // global: the limit is on the spread; else on the variance
    double limit;   // global
};

// Parses always, below:L, outside:L:H, probability:P, gradient:D, above:H, every:N, at:P,Q,…, global:variance:V or
// global:spread:D. Returns false with `error` filled if the spec is wrong. Release with core_invoke_destroy.
bool core_invoke_parse(struct core_invoke *invoke, const char *spec, uint32_t processors, struct ek_error *error);
void core_invoke_destroy(struct core_invoke *invoke);

// Returns whether the loads alone decide which processors invoke. Then the run can reach a state in which no processor
// invokes. Returns true for probability:0 too, with which no processor ever invokes.
bool core_invoke_by_load(const struct core_invoke *invoke);

// Returns whether a processor that does not invoke now may invoke later although no load has changed. The cause is a
// random draw or a later period.
bool core_invoke_recurs(const struct core_invoke *invoke);

// Returns whether a condition on all loads lets every processor invoke.
bool core_invoke_global(const struct core_invoke *invoke, const struct core_measure *measure);

// Returns whether `processor` with this load invokes operation `operation` (from 0) of the run with this seed. All
// bounds are strict. Returns false for gradient and global, which need the loads of others: the caller tests these.
bool core_invoke_test(const struct core_invoke *invoke, uint64_t seed, uint32_t processor, uint64_t operation,
                      double load);

// Returns an invocation as a list shows it, or NULL past the last.
const struct ek_choice *core_invoke_choice(size_t index);

#endif
