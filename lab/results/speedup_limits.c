// SPDX-License-Identifier: MIT
// Limits of speedups in a figure.
#include "lab/results/speedup_limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"

bool lab_speedup_limits_add(struct lab_speedup_limits *limits, double x, double ideal, double bound)
{
    for (size_t i = 0; i < limits->count; i++) {
        struct lab_speedup_limit *at = &limits->at[i];
        if (at->x == x) {
            at->ideal = fmax(at->ideal, ideal); // fmax ignores NaN
            at->bound = fmax(at->bound, bound);
            return true;
        }
    }
    struct lab_speedup_limit *grown = base_grow(limits->at, limits->count, sizeof *grown);
    if (grown) {
        limits->at = grown;
        limits->at[limits->count++] = (struct lab_speedup_limit){x, ideal, bound};
    }
    return grown;
}

static int compare(const void *a, const void *b)
{
    double x = ((const struct lab_speedup_limit *)a)->x, other = ((const struct lab_speedup_limit *)b)->x;
    return (x > other) - (x < other);
}

// Adds a line of one of the limits. `place` is the offset of the limit.
static bool add_line(const struct lab_speedup_limits *limits, size_t place, enum lab_series_kind kind,
                     const char *label, struct lab_figure *figure, struct ek_error *error)
{
    struct lab_series *series = lab_figure_add(figure, kind, limits->count, false, error);
    for (size_t i = 0; series && i < limits->count; i++) {
        series->x[i] = limits->at[i].x;
        series->y[i] = *(const double *)((const char *)&limits->at[i] + place);
    }
    if (series) {
        snprintf(series->label, sizeof series->label, "%s", label);
    }
    return series;
}

bool lab_speedup_limits_draw(struct lab_speedup_limits *limits, struct lab_figure *figure, struct ek_error *error)
{
    static const double VISIBLE = 0.99; // a bound above this part of the ideal looks like the ideal
    bool any = false, less = false, good = true;
    for (size_t i = 0; i < limits->count; i++) {
        any = any || isfinite(limits->at[i].ideal);
        less = less || limits->at[i].bound < VISIBLE * limits->at[i].ideal;
    }
    if (limits->count > 0) {
        qsort(limits->at, limits->count, sizeof *limits->at, compare);
    }
    if (any) {
        good = add_line(limits, offsetof(struct lab_speedup_limit, ideal), LAB_SERIES_IDEAL,
                        "ideal: the capacity of the machine", figure, error);
    }
    if (less) {
        good = good && add_line(limits, offsetof(struct lab_speedup_limit, bound), LAB_SERIES_LIMIT,
                                "bound: no schedule is faster", figure, error);
    }
    free(limits->at);
    *limits = (struct lab_speedup_limits){0};
    return good;
}
