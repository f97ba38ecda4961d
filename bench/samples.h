// SPDX-License-Identifier: MIT
// What the benchmarks share: samples of a rate, taken in turn with those that they are compared with.
#ifndef EK_SAMPLES_H
#define EK_SAMPLES_H

#include "threads/run.h"

enum { EK_SAMPLES = 7 };
static const double SAMPLE_S = 0.25; // how long each takes

struct ek_samples {
    double rate[EK_SAMPLES]; // a second
};

double ek_seconds(void); // on the monotonic clock
double ek_samples_median(const struct ek_samples *samples);

// A line: the median, the smallest and the largest.
void ek_samples_show(const char *what, const struct ek_samples *samples);

// Ends the program with the sentence.
_Noreturn void ek_bench_give_up(const struct ek_error *error);

#endif
