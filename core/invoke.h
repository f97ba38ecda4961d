// SPDX-License-Identifier: MIT
// Invocation: which processors start an operation.
#ifndef CORE_INVOKE_H
#define CORE_INVOKE_H

#include "core/load.h"

enum core_invoke_kind {
    CORE_INVOKE_ALWAYS,
    CORE_INVOKE_BELOW,
    CORE_INVOKE_OUTSIDE,
    CORE_INVOKE_PROBABILITY,
    CORE_INVOKE_GRADIENT
};

struct core_invoke {
    enum core_invoke_kind kind;
    double low, high; // below, outside
    double probability;
    double gradient;
};

// Parses always, below:L, outside:L:H, probability:P or gradient:D.
bool core_invoke_parse(struct core_invoke *invoke, const char *spec, struct ek_error *error);

// Whether `processor` with this load invokes operation `operation` (from 0) of the run with this seed. Both bounds are
// strict. Never for a gradient: that is between loads, and whoever knows the neighbours' looks at it.
bool core_invoke_test(const struct core_invoke *invoke, uint64_t seed, uint32_t processor, uint64_t operation,
                      double load);

// An invocation as `list` shows it, or NULL past the last.
const struct ek_choice *core_invoke_choice(size_t index);

#endif
