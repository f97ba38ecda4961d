// SPDX-License-Identifier: MIT
// The axes of a picture: their ranges, and their marks in gnuplot's script.
#ifndef CLI_FIGURES_FIGURE_AXIS_H
#define CLI_FIGURES_FIGURE_AXIS_H

#include <stdio.h>

#include "cli/figures/look.h"
#include "lab/record/figure.h"

// The range of an axis.
struct report_range {
    double low, high;
    bool logarithmic;
    double single; // the x that all points have, which gets the only mark of the axis; else NaN
    bool cut;      // a line has values that a logarithmic axis cannot show
};

// Returns the range of all measured values, or of theory if nothing was measured.
struct report_range report_range_of(const struct lab_figure *figure, bool along_x, bool logarithmic);

// Widens the range by the bands. A band that reaches down to 0 is followed for a decade on a logarithmic axis.
void report_range_widen_by_bands(struct report_range *range, const struct lab_figure *figure);

// Adds room around the data. A single value keeps clear of the edges, and is in the middle of the x axis.
void report_range_add_margin(struct report_range *range, bool along_x);

// Returns the place of a value on an axis: 0 and 1 are its ends. A value that a logarithmic axis cannot show lies on
// its lower end.
double report_range_place(const struct report_range *range, double value);

// Returns whether any of a series is visible. The axes include all measured values. A series of theory, which is a line
// without points, can lie outside the axes.
bool report_series_is_seen(const struct lab_series *series, const struct report_range *x, const struct report_range *y);

// The marks of the horizontal axis. Without any, gnuplot chooses them.
struct report_marks {
    double at[REPORT_TICKS_MAX]; // [count]
    size_t count;
    bool more;      // there are more values than marks: none is marked
    double columns; // the width of the axis in characters
};

// Finds the marks: those of --x-ticks, or the values at which a swept figure has points. Widens the range by them.
void report_marks_find(struct report_marks *marks, const struct lab_figure *figure, const struct report_look *look,
                       struct report_range *along);

// How the label of an axis is written.
struct report_label {
    const char *ink; // its colour
    size_t columns;  // the most characters of a line; 0: any number
};

// Writes the label, the range and the marks of axis 'x' or 'y'. `marks` can be NULL.
void report_axis_write(FILE *out, char axis, const struct lab_scale *scale, const struct report_range *range,
                       const struct report_marks *marks, const struct report_label *label);

// Returns whether the figure has bars, which stand on its names.
bool report_has_columns(const struct lab_figure *figure);

// Returns whether the names are listed beside the drawing.
bool report_lists_names(const struct lab_figure *figure);

// Writes the names of a figure at its vertical axis, or below bars.
void report_axis_write_names(FILE *out, const struct lab_figure *figure);

// Returns the length of the first line of a text in bytes: as many characters as fit, up to the end of a word if one
// ends in the line's second half.
size_t report_line_length(const char *text, size_t columns);

#endif
