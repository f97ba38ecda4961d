// SPDX-License-Identifier: MIT
// Exact sums. The result does not depend on the order of the values, so ranks can sum their own processors and merge
// the sums.
#ifndef CORE_EXACT_SUM_H
#define CORE_EXACT_SUM_H

#include "base/common.h"

enum { CORE_EXACT_DIGITS = 69 };

// A sum as a whole number of units of 2^-1074, the least double. It has digits of 32 bits, which may be larger or
// negative until they are carried. The two last digits have room for the carries of 2^63 values (Neal, Fast exact
// summation using small and large superaccumulators, 2015).
struct core_exact {
    int64_t digit[CORE_EXACT_DIGITS];
    uint64_t added;  // values since the digits were carried
    double infinite; // the sum of the values that are not finite, else 0
};

void core_exact_add(struct core_exact *sum, const double *value, size_t count);

// Adds (value - mean)^2, rounded to a double, of each value.
void core_exact_add_squares(struct core_exact *sum, const double *value, size_t count, double mean);

void core_exact_merge(struct core_exact *to, const struct core_exact *from);

// Returns the sum, rounded once.
double core_exact_total(const struct core_exact *sum);

#endif
