// SPDX-License-Identifier: MIT
// Pictures: a struct lab_figure drawn by gnuplot into a file, as its ending says: .svg, .pdf or .png.
#ifndef CLI_REPORT_FIGURE_H
#define CLI_REPORT_FIGURE_H

#include <stdio.h>

#include "lab/record/figure.h"

// Whether `file` can be drawn before anything is run: its ending is known, gnuplot is there, its directory can be
// written. `script` is where gnuplot's script is to be kept, or NULL; it can be kept of a picture only.
bool report_figure_ready(const char *file, const char *script, struct ek_error *error);

// Draws the figure, and keeps the script with all its data: `gnuplot SCRIPT` draws the same picture again. Each file
// has its name when it is whole; where that fails, what was there before is still there.
bool report_figure_draw(const struct lab_figure *figure, const char *file, const char *script, struct ek_error *error);

// What would be in a file of this name, of `*length` bytes, to be freed; NULL and `error` where it cannot be drawn.
char *report_figure_bytes(const struct lab_figure *figure, const char *file, size_t *length, struct ek_error *error);

// What series `index` looks like, for what tells apart what must be told apart: no two of the first REPORT_STYLES are
// alike in colour, nor in grey (by lightness, or by dash and point).
struct report_style {
    const char *colour; // "#0072b2"
    int dash, point;    // gnuplot's dashtype and pointtype
};
enum { REPORT_STYLES = 7 };
struct report_style report_figure_style(size_t index);

// Whether files of this name can be drawn, by its ending.
bool report_figure_drawn(const char *file);

// The script that draws the figure as a file of this name; with `kept` it says so itself, else the picture goes to
// standard output.
void report_figure_script(FILE *out, const struct lab_figure *figure, const char *file, bool kept);

#endif
