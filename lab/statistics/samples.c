// SPDX-License-Identifier: MIT
#include "lab/statistics/samples.h"

#include <stdlib.h>
#include <string.h>

uint64_t lab_outcome(const double *values, size_t count)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325); // FNV-1a, a word at a time
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001B3);
        hash ^= hash >> 32; // the product alone never moves high bits down
    }
    return hash;
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_outcome(const void *a, const void *b)
{
    const struct lab_drawn *first = a, *second = b;
    const int experiment = compare(first->experiment, second->experiment);
    const int outcome = compare(first->outcome, second->outcome);
    return experiment != 0 ? experiment : outcome != 0 ? outcome : compare(first->seed, second->seed);
}

static int by_seed(const void *a, const void *b)
{
    return compare(((const struct lab_drawn *)a)->seed, ((const struct lab_drawn *)b)->seed);
}

size_t lab_samples(struct lab_drawn *runs, size_t count)
{
    if (count == 0) {
        return 0;
    }
    qsort(runs, count, sizeof *runs, by_outcome);
    for (size_t i = 1; i < count; i++) {
        if (runs[i].experiment == runs[i - 1].experiment && runs[i].outcome == runs[i - 1].outcome) {
            runs[i].seed = runs[i - 1].seed; // the smallest seed stands for all that draw the same
        }
    }
    qsort(runs, count, sizeof *runs, by_seed);
    size_t samples = 1;
    for (size_t i = 1; i < count; i++) {
        samples += runs[i].seed != runs[i - 1].seed;
    }
    return samples;
}
