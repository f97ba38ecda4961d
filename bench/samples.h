// SPDX-License-Identifier: MIT
// What the benchmarks share: samples of a rate, taken in turn with those that they are compared with.
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include "base/common.h"

enum { BENCH_SAMPLES = 7 };
static const double SAMPLE_S = 0.25; // how long each takes

struct bench_samples {
    double rate[BENCH_SAMPLES]; // a second
};

double bench_seconds(void); // on the monotonic clock
double bench_samples_median(const struct bench_samples *samples);

// A line: the median, the smallest and the largest.
void bench_samples_show(const char *what, const struct bench_samples *samples);

// Ends the program with the sentence.
_Noreturn void bench_give_up(const struct ek_error *error);

#endif
