// SPDX-License-Identifier: MIT
// Invocation: which processors start an operation.
#ifndef EK_INVOKE_H
#define EK_INVOKE_H

#include "core/load.h"

enum ek_invoke_kind { EK_INVOKE_ALWAYS, EK_INVOKE_BELOW, EK_INVOKE_OUTSIDE, EK_INVOKE_PROBABILITY, EK_INVOKE_GRADIENT };

struct ek_invoke {
    enum ek_invoke_kind kind;
    double low, high; // below, outside
    double probability;
    double gradient;
};

// Parses always, below:L, outside:L:H, probability:P or gradient:D.
bool ek_invoke_parse(struct ek_invoke *invoke, const char *spec, struct ek_error *error);

// Whether `processor` with this load invokes operation `operation` (from 0) of the run with this seed. Both bounds are
// strict. Never for a gradient: that is between loads, and whoever knows the neighbours' looks at it.
bool ek_invoke_test(const struct ek_invoke *invoke, uint64_t seed, uint32_t processor, uint64_t operation, double load);

// An invocation as `list` shows it, or NULL past the last.
const struct ek_choice *ek_invoke_choice(size_t index);

#endif
