// SPDX-License-Identifier: MIT
// Samples of a rate.
#include "bench/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static struct bench_samples sorted(const struct bench_samples *samples)
{
    struct bench_samples copy = *samples;
    qsort(copy.rate, BENCH_SAMPLES, sizeof *copy.rate, ascending);
    return copy;
}

double bench_samples_median(const struct bench_samples *samples)
{
    return sorted(samples).rate[BENCH_SAMPLES / 2];
}

void bench_samples_show(const char *what, const struct bench_samples *samples)
{
    struct bench_samples in_order = sorted(samples);
    printf("      %-34s %10.3g /s   (%.3g .. %.3g)\n", what, in_order.rate[BENCH_SAMPLES / 2], in_order.rate[0],
           in_order.rate[BENCH_SAMPLES - 1]);
}

_Noreturn void bench_give_up(const struct ek_error *error)
{
    fprintf(stderr, "%s\n", error->sentence);
    exit(1);
}
