// SPDX-License-Identifier: MIT
// The lines that a figure of speedups has for comparison: the ideal speedup, which is the capacity of the machine, and
// the largest one that any schedule of the executed tasks can have, if that is less.
#ifndef LAB_RESULTS_SPEEDUP_LIMITS_H
#define LAB_RESULTS_SPEEDUP_LIMITS_H

#include "lab/record/figure.h"

// The columns to ask for behind the speedup, each with a comma before it. Runs have one of the two bounds, or none.
#define LAB_SPEEDUP_COLUMNS ",speedup/efficiency,speedup*ticks/bound_ticks,speedup*done_s/bound_s"

struct lab_speedup_limits {
    struct lab_speedup_limit {
        double x, ideal, bound; // NaN: unknown
    } * at;                     // [count]
    size_t count;
};

// Adds the limits of some runs. At each x the largest ones count. Returns false if memory is short.
bool lab_speedup_limits_add(struct lab_speedup_limits *limits, double x, double ideal, double bound);

// Adds the lines to a figure, and frees the limits.
bool lab_speedup_limits_draw(struct lab_speedup_limits *limits, struct lab_figure *figure, struct ek_error *error);

#endif
