// SPDX-License-Identifier: MIT
// Invocation: which processors start an operation.
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
    uint64_t every; // so many-th operation
    bool *at;       // by processor: it invokes
    bool spread;    // global: the spread; else the variance
    double limit;   // global
};

// Parses always, below:L, outside:L:H, probability:P, gradient:D, above:H, every:N, at:P,Q,…, global:variance:V or
// global:spread:D. Release with core_invoke_destroy.
bool core_invoke_parse(struct core_invoke *invoke, const char *spec, uint32_t processors, struct ek_error *error);
void core_invoke_destroy(struct core_invoke *invoke);

// Whether the processors' loads decide who invokes, and nothing else: then they may come to where nobody does. With
// probability 0 nobody does whatever they are.
bool core_invoke_by_load(const struct core_invoke *invoke);

// Whether a processor that does not invoke may do so later though nothing has changed: by lot, or when its time comes.
bool core_invoke_recurs(const struct core_invoke *invoke);

// Whether a condition on the whole lets everybody invoke.
bool core_invoke_whole(const struct core_invoke *invoke, const struct core_measure *measure);

// Whether `processor` with this load invokes operation `operation` (from 0) of the run with this seed. All bounds are
// strict. Never for a gradient and a condition on the whole: whoever knows the other loads looks at them.
bool core_invoke_test(const struct core_invoke *invoke, uint64_t seed, uint32_t processor, uint64_t operation,
                      double load);

// An invocation as `list` shows it, or NULL past the last.
const struct ek_choice *core_invoke_choice(size_t index);

#endif
