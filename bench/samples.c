// SPDX-License-Identifier: MIT
// Samples of a rate.
#include "bench/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double ek_seconds(void)
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

static struct ek_samples sorted(const struct ek_samples *samples)
{
    struct ek_samples copy = *samples;
    qsort(copy.rate, EK_SAMPLES, sizeof *copy.rate, ascending);
    return copy;
}

double ek_samples_median(const struct ek_samples *samples)
{
    return sorted(samples).rate[EK_SAMPLES / 2];
}

void ek_samples_show(const char *what, const struct ek_samples *samples)
{
    struct ek_samples in_order = sorted(samples);
    printf("      %-34s %10.3g /s   (%.3g .. %.3g)\n", what, in_order.rate[EK_SAMPLES / 2], in_order.rate[0],
           in_order.rate[EK_SAMPLES - 1]);
}

_Noreturn void ek_bench_give_up(const struct ek_error *error)
{
    fprintf(stderr, "%s\n", error->sentence);
    exit(1);
}
