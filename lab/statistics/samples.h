// SPDX-License-Identifier: MIT
// How many independent samples some runs are. Repetitions of a run that draws nothing from its seed all end alike: they
// are one sample. Runs of several experiments with one seed begin with the same draws: they are one sample, too.
#ifndef LAB_STATISTICS_SAMPLES_H
#define LAB_STATISTICS_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

// Fewer samples have no interval and no significance: their spread is hardly known.
enum { LAB_SAMPLES_MIN = 5 };

struct lab_drawn {
    uint64_t experiment; // equal for runs that differ in their seed alone
    uint64_t seed;
    uint64_t outcome; // lab_outcome of the run's numbers
};

// Returns a hash of the numbers that a run began and ended with, and of the number in question, for lab_samples. Runs
// with the same draws must agree in all of them.
uint64_t lab_outcome(const double *values, size_t count);

// Counts the independent samples. Of an experiment, runs with the same outcome are one sample. In small systems two
// draws may end alike by chance; the count is then too small, never too large. Sorts `runs`.
size_t lab_samples(struct lab_drawn *runs, size_t count);

#endif
