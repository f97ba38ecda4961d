// SPDX-License-Identifier: MIT
// Holm 1979, "A Simple Sequentially Rejective Multiple Test Procedure", as adjusted p-values. Of m tests the i-th
// smallest p is multiplied by m + 1 - i. If the result is less than the one before it, it takes that value; 1 is the
// largest.
#include "lab/statistics/holm.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double first = **(double *const *)a, second = **(double *const *)b;
    return (first > second) - (first < second);
}

bool lab_holm(double *p, size_t count)
{
    double **order = malloc((count + 1) * sizeof *order);
    size_t tests = 0;
    for (size_t i = 0; order && i < count; i++) {
        if (!isnan(p[i])) {
            order[tests++] = &p[i];
        }
    }
    if (order) {
        qsort(order, tests, sizeof *order, by_value);
    }
    double least = 0.0;
    for (size_t i = 0; i < tests; i++) {
        least = fmin(1.0, fmax(least, (double)(tests - i) * *order[i]));
        *order[i] = least;
    }
    free(order);
    return order;
}
