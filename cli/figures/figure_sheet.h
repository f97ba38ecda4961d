// SPDX-License-Identifier: MIT
// The sheet that a picture is drawn on: its size, its fonts, and the texts around the drawing.
#ifndef CLI_FIGURES_FIGURE_SHEET_H
#define CLI_FIGURES_FIGURE_SHEET_H

#include <stdio.h>

#include "cli/figures/figure_axis.h"

struct report_sheet {
    const struct report_kind *kind; // the format, by the ending of the file
    const struct report_look *look;
    struct report_paint paint;
    bool sized;           // has a given size
    double width, height; // in units: 1/96 inch if sized, else 800 are the width
    double text, stroke;  // sizes of texts and lines, relative to those of a picture of 800 units
    const char *title, *note;
    size_t key_columns; // characters in a line of the legend
    size_t key_lines;   // of the legend
    size_t key_longest; // the bytes of its longest line
};

// Makes the sheet for a figure whose legend has these labels, each with `key_lines` lines in all.
struct report_sheet report_sheet_make(const struct lab_figure *figure, const struct report_look *look,
                                      const char *file);

// Adds the lines that a label takes in the legend.
void report_sheet_add_label(struct report_sheet *sheet, const char *label);

// Finds the height, if none was given.
void report_sheet_fit(struct report_sheet *sheet, const struct lab_figure *figure);

// Writes what comes before the axes. `corner` is where a legend inside the drawing goes, as in "top right". If `kept`,
// the script names the file.
void report_sheet_write(FILE *out, const struct report_sheet *sheet, const struct lab_figure *figure, const char *file,
                        const char *corner, bool kept);

// Return how many characters of the axis' font the drawing is wide and high, about. The height is 0 for a picture
// without a given size, which is high enough for every label.
double report_sheet_columns(const struct report_sheet *sheet);
size_t report_sheet_label_columns(const struct report_sheet *sheet);

// Return which part of the drawing's width and height a legend inside it takes, at most 0.65 of the height.
double report_sheet_key_width(const struct report_sheet *sheet);
double report_sheet_key_height(const struct report_sheet *sheet);

// Returns whether a title fits above the drawing of a picture of this size. A picture without a size has room for any.
bool report_sheet_has_room(const struct report_look *look);

#endif
