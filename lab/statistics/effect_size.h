// SPDX-License-Identifier: MIT
// How large a difference is, beside how certain it is. The measure is the probability of superiority, which suits
// counts of steps and messages: it needs no distribution, and one extreme run cannot change it much.
#ifndef LAB_STATISTICS_EFFECT_SIZE_H
#define LAB_STATISTICS_EFFECT_SIZE_H

#include "lab/statistics/statistics.h"

// Returns the probability that the first value of a pair is the smaller one; a tie counts half (Grissom & Kim 2012,
// "Effect Sizes for Research", chapter 5). 0.5 is no effect, 1 means that every first value is smaller. NaN without
// pairs.
double lab_superiority(const double *first, const double *second, size_t count);

// Returns the same probability for any value of `first` and any value of `second`: Vargha & Delaney's A (2000). Both
// sets must be sorted.
double lab_superiority_unpaired(struct lab_sample first, struct lab_sample second);

#endif
