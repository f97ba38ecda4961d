// SPDX-License-Identifier: MIT
// A drawing of a topology as SVG, with a title and a legend.
#ifndef CLI_FIGURES_DRAWING_SVG_H
#define CLI_FIGURES_DRAWING_SVG_H

#include "cli/figures/drawing.h"

struct report_drawing_texts {
    const char *title;   // the topology's spec
    const char *facts;   // "16 processors, 32 links, 4 colours, diameter 4"
    const double *load;  // [processors] shades the processors, or NULL
    const char *of_load; // what the loads are, if there are loads
};

// Writes the drawing. Errors of writing stay with the stream.
void report_drawing_svg(FILE *out, const struct report_drawing *drawing, const struct report_drawing_texts *texts);

#endif
