// SPDX-License-Identifier: MIT
// Counts how many of several runs are independent samples. Repetitions of a run that draws nothing from its seed all
// end alike: they are one sample. Runs of several experiments with the same seed begin with the same draws: they are
// one sample, too.
#ifndef LAB_STATISTICS_SAMPLES_H
#define LAB_STATISTICS_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

// The fewest samples for an interval or a test: the spread of fewer samples is hardly known.
enum { LAB_SAMPLES_MIN = 5 };

struct lab_drawn {
    uint64_t experiment; // equal for runs that differ in their seed alone
    uint64_t seed;
    uint64_t outcome; // lab_outcome of the run's numbers
};

// Returns a hash of a run's numbers, for lab_samples: those at its beginning and end, and the value to be averaged.
// Runs with the same draws agree in all these numbers.
uint64_t lab_outcome(const double *values, size_t count);

// Counts the independent samples. Runs of one experiment with the same outcome are one sample. In small systems two
// different draws may end alike by chance; the count is then too small, never too large. Sorts `runs`.
size_t lab_samples(struct lab_drawn *runs, size_t count);

#endif
