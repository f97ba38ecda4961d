// SPDX-License-Identifier: MIT
// Pictures: gnuplot draws a struct lab_figure into a file. The file's ending chooses the format: .svg, .pdf or .png.
#ifndef CLI_REPORT_FIGURE_H
#define CLI_REPORT_FIGURE_H

#include <stdio.h>

#include "lab/record/figure.h"

// Checks before a run that the picture `file` can be drawn later: its ending is known, gnuplot is installed, and its
// directory can be written. `script` is the file that keeps gnuplot's script, or NULL. A script without a picture is an
// error.
bool report_figure_ready(const char *file, const char *script, struct ek_error *error);

// Draws the figure, and keeps the script with all data: `gnuplot SCRIPT` draws the same picture again. Each file gets
// its name only when it is complete (lab/files/atomic_file.h).
bool report_figure_draw(const struct lab_figure *figure, const char *file, const char *script, struct ek_error *error);

// Returns the bytes of the picture that a file of this name would hold, to be freed, or NULL with `error` filled.
char *report_figure_bytes(const struct lab_figure *figure, const char *file, size_t *length, struct ek_error *error);

// Returns the style of series `index`. The first REPORT_STYLES styles differ from each other in colour, and also in
// grey: by lightness, or by dash and point.
struct report_style {
    const char *colour; // "#0072b2"
    int dash, point;    // gnuplot's dashtype and pointtype
};
enum { REPORT_STYLES = 7 };
struct report_style report_figure_style(size_t index);

// Returns whether the ending of a file's name is known.
bool report_figure_drawn(const char *file);

// Writes the script that draws the figure in the format of this file. If `kept`, the script names the file; otherwise
// the picture goes to gnuplot's standard output.
void report_figure_script(FILE *out, const struct lab_figure *figure, const char *file, bool kept);

#endif
