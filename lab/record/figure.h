// SPDX-License-Identifier: MIT
// What a picture shows, as one plain value: whoever has results makes one, cli/report/figure.h draws it.
#ifndef LAB_RECORD_FIGURE_H
#define LAB_RECORD_FIGURE_H

#include "threads/api/run.h"

enum lab_series_kind {
    LAB_SERIES_LINE,   // measured: a line through its points
    LAB_SERIES_THEORY, // computed beforehand, in the colour of the line before it
    LAB_SERIES_POINTS  // measured: points that no line joins
};

struct lab_series {
    char label[200]; // for the legend
    enum lab_series_kind kind;
    size_t count;
    double *x, *y;      // [count]; where y is not finite there is a gap
    double *low, *high; // [count]: how far y may be off, or NULL
};

struct lab_scale {
    char label[96];   // with its unit: "latency in seconds"
    bool logarithmic; // where any value is positive
};

struct lab_figure {
    char title[1600]; // what was run; wrapped, never cut, when it is drawn
    char note[600];   // what else must be known to read it, or ""
    char band[160];   // what the series' low and high are, for the legend; "" where none has them
    struct lab_scale x, y;

    // Where these are, x counts them from 0: they stand in lines one below the other, and y runs to the right. An empty
    // name leaves a line free.
    char **name; // [names]
    size_t names;

    struct lab_series *series; // [count]
    size_t count;
};

// Adds a series of `count` points, all NaN, with low and high where it has a band; it stays where it is until the next
// is added. NULL without memory.
struct lab_series *lab_figure_add(struct lab_figure *figure, enum lab_series_kind kind, size_t count, bool band,
                                  struct ek_error *error);

// Adds a name below those that are there. False without memory.
bool lab_figure_add_name(struct lab_figure *figure, const char *name, struct ek_error *error);

// Begins the note with the seeds of the runs that are shown. Returns its length.
size_t lab_figure_note_seeds(struct lab_figure *figure, uint64_t first, uint64_t last);

void lab_figure_destroy(struct lab_figure *figure);

#endif
