// SPDX-License-Identifier: MIT
// How a picture looks: its size, colours, title, legend and marks, read from the options.
#ifndef CLI_FIGURES_LOOK_H
#define CLI_FIGURES_LOOK_H

#include "cli/line/shared_options.h"

enum { REPORT_TICKS_MAX = 64, REPORT_TITLE_MAX = 500 };

enum report_ticks {
    REPORT_TICKS_OWN, // at the points if x was swept, else where gnuplot puts them
    REPORT_TICKS_SWEPT,
    REPORT_TICKS_LISTED
};

struct report_look {
    double width_in, height_in; // in inches; 0: as large as the contents need
    bool in_pixels;             // the size was given in pixels
    const char *title;          // NULL: the figure's own
    enum cli_picture_legend legend;
    enum cli_picture_style style;
    enum report_ticks ticks;
    double tick[REPORT_TICKS_MAX]; // [ticks_count]
    size_t ticks_count;
};

// Reads the options. `swept` says whether x is a column of a store rather than a step or a time. Returns false with
// `error` filled.
bool report_look_read(const struct cli_picture *picture, bool swept, struct report_look *look, struct ek_error *error);

// Returns the name of an option that says how a picture looks and that differs from its default, or NULL.
const char *report_look_given(const struct cli_picture *picture);

// The colours and strokes of a style.
struct report_paint {
    const char *background, *ink, *grid, *faint; // "#ffffff"; `faint` is that of lines for all series
    double text, stroke;                         // factors of the sizes of text, and of lines and marks
    double band;                                 // the opacity of bands
};
struct report_paint report_paint_of(enum cli_picture_style style);

// Returns the style of series `index`. All styles have a dash of their own, so lines that lie on each other are told
// apart: each later line is thinner and has gaps through which the earlier one is seen. The first REPORT_STYLES colours
// differ for the colour-blind.
struct report_style {
    const char *colour; // "#0072b2"
    const char *dash;   // gnuplot's dashtype
    int point;          // gnuplot's pointtype
    double size, width; // of marks and lines
};
enum { REPORT_STYLES = 7 };
struct report_style report_figure_style(size_t index, enum cli_picture_style style);

// The dash of computed lines. No series has it.
#define REPORT_DASH_THEORY "(1.5,4)"

#endif
