// SPDX-License-Identifier: MIT
// The contents of a picture as one plain value. cli/figures/figure.h draws it.
#ifndef LAB_RECORD_FIGURE_H
#define LAB_RECORD_FIGURE_H

#include "lab/statistics/statistics.h"
#include "base/common.h"

enum lab_series_kind {
    LAB_SERIES_LINE,   // measured: a line through its points
    LAB_SERIES_THEORY, // computed, not measured: drawn in the colour of the line before it
    LAB_SERIES_POINTS, // measured: points without a line
    LAB_SERIES_BOUNDS, // measured lower bounds: open points in the colour of the line before them
    LAB_SERIES_IDEAL,  // computed, for all lines: a thin grey line
    LAB_SERIES_LIMIT,  // computed, for all lines: a dashed grey line
    LAB_SERIES_BARS // measured: a bar for each name, beside those of the other series. A figure has only bars or none
};

struct lab_series {
    char label[200]; // for the legend
    enum lab_series_kind kind;
    size_t count;
    double *x, *y;      // [count]; a y that is not finite leaves a gap
    double *low, *high; // [count]: the bounds of y, or NULL
};

struct lab_scale {
    char label[96];   // with its unit: "latency in seconds"
    bool logarithmic; // if any value is positive
};

struct lab_figure {
    char title[1600]; // what was run; long titles are wrapped, never cut
    char note[600];   // what a reader must also know, or ""
    char band[160];   // for the legend: what low and high are; "" if no series has them
    struct lab_scale x, y;
    bool swept; // x is a value that was chosen, and has marks at the points

    // If there are names, x is an index into them: they are listed from top to bottom, and y grows to the right. An
    // empty name leaves a line free. In a figure of bars they stand from left to right, and y grows upwards.
    char **name; // [names]
    size_t names;

    struct lab_series *series; // [count]
    size_t count;
};

// Adds a series of `count` points, all NaN; with `band` it has low and high. The pointer is valid until the next series
// is added. Returns NULL if memory is short.
struct lab_series *lab_figure_add(struct lab_figure *figure, enum lab_series_kind kind, size_t count, bool band,
                                  struct ek_error *error);

// Says for the legend that low and high are intervals of the mean.
void lab_figure_name_band(struct lab_figure *figure, const struct lab_confidence *confidence);

// Adds a name below the others. Returns false if memory is short.
bool lab_figure_add_name(struct lab_figure *figure, const char *name, struct ek_error *error);

// Begins the note with the seeds of the shown runs. Returns its length.
size_t lab_figure_note_seeds(struct lab_figure *figure, uint64_t first, uint64_t last);

// Expresses the x of all series, or else their y, which are in seconds, in a unit that fits the largest: "latency"
// becomes "latency in us".
void lab_figure_fit_seconds(struct lab_figure *figure, bool x);

void lab_figure_destroy(struct lab_figure *figure);

#endif
