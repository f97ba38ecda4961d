// SPDX-License-Identifier: MIT
// Holm's correction: many comparisons at once find a difference by chance more often than a single one does.
#ifndef LAB_STATISTICS_HOLM_H
#define LAB_STATISTICS_HOLM_H

#include <stdbool.h>
#include <stddef.h>

// Replaces the p-values of all comparisons of one command by Holm's adjusted p-values. If the comparisons whose
// adjusted value is at most 0.05 are called significant, the probability of even one false finding is at most 5 %. A
// NaN is a comparison without a test: it stays and does not count. Returns false if memory is short.
bool lab_holm(double *p, size_t count);

#endif
