// SPDX-License-Identifier: MIT
// The drawing of a topology: circles, and the lines between them. Its shape comes from ek_topology_places; this part
// chooses the size, and leads a link around a processor that lies between its ends.
#ifndef CLI_FIGURES_DRAWING_H
#define CLI_FIGURES_DRAWING_H

#include <stdio.h>

#include "base/common.h"

struct ek_topology;

// A drawing of more links is a blur, and a large file.
enum { REPORT_DRAWN_LINKS_MAX = 40000 };

struct report_drawing {
    uint32_t processors, links, colours;
    uint32_t hosts;       // processors from this number on are switches
    double width, height; // in pixels
    double radius;        // of a processor
    bool grid;            // bent links run beside the rows of a grid; else they are arcs
    struct ek_place *at;  // [processors] the centres, from the upper left corner
    struct report_line {
        uint32_t from, to, colour;
        double bend; // its middle is so far from the straight line, to the left as seen from `from`; 0: straight
    } * line;        // [links] in the order of the topology's ports
};

// Makes the drawing. Returns false with `error` filled if the topology is too large, or memory is short. The caller
// destroys the drawing after either.
bool report_drawing_make(struct report_drawing *drawing, const struct ek_topology *topology, struct ek_error *error);
void report_drawing_destroy(struct report_drawing *drawing);

// Writes the line as a path of SVG, as in "M10 10L50 50".
void report_drawing_path(FILE *out, const struct report_drawing *drawing, const struct report_line *line);

// Returns the middle of the line.
struct ek_place report_drawing_middle(const struct report_drawing *drawing, const struct report_line *line);

// Returns a coordinate as it is written: a multiple of 0.01.
double report_drawing_round(double pixels);

#endif
