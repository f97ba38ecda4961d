// SPDX-License-Identifier: MIT
// Pictures: gnuplot draws a struct lab_figure into a file. The file's ending chooses the format: .svg, .pdf or .png.
#ifndef CLI_REPORT_FIGURE_H
#define CLI_REPORT_FIGURE_H

#include <stdio.h>

#include "cli/figures/look.h"
#include "lab/record/figure.h"

// The meaning of the x of a picture.
struct report_across {
    bool swept;       // a column of a store, rather than a step or a time
    bool logarithmic; // its axis has no place for 0
};

// Checks before a run that the picture can be drawn later: the ending of its file is known, its options can be read,
// gnuplot is installed, and its directory can be written. A script or a look without a picture is an error.
bool report_figure_ready(const struct cli_picture *picture, struct report_across across, struct ek_error *error);

// Draws the figure, and keeps the script with all data: `gnuplot SCRIPT` draws the same picture again. Each file gets
// its name only when it is complete (lab/files/atomic_file.h).
bool report_figure_draw(const struct lab_figure *figure, const struct cli_picture *picture, struct ek_error *error);

// Returns the bytes of the picture that a file of this name would hold, to be freed, or NULL with `error` filled.
char *report_figure_bytes(const struct lab_figure *figure, const struct report_look *look, const char *file,
                          size_t *length, struct ek_error *error);

// Returns whether the ending of a file's name is known.
bool report_figure_drawn(const char *file);

// Writes the script that draws the figure in the format of this file. If `kept`, the script names the file; otherwise
// the picture goes to gnuplot's standard output.
void report_figure_script(FILE *out, const struct lab_figure *figure, const struct report_look *look, const char *file,
                          bool kept);

#endif
