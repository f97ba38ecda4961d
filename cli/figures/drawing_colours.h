// SPDX-License-Identifier: MIT
// The colours of a drawing of a topology.
#ifndef CLI_FIGURES_DRAWING_COLOURS_H
#define CLI_FIGURES_DRAWING_COLOURS_H

#include <stdbool.h>
#include <stdint.h>

struct report_colour {
    char of[8]; // "#0072b2"
};

// Returns the colour of the links of colour `index` of `count`, for a light or a dark background. Up to 8 colours can
// be distinguished by the colour-blind; more have hues that differ much from one to the next.
struct report_colour report_drawing_colour(uint32_t index, uint32_t count, bool dark);

// Returns the shade of a processor, from pale (0) to dark (1). In grey it also goes from pale to dark.
struct report_colour report_drawing_shade(double part);

// Returns whether white letters are read better on this shade than black ones.
bool report_drawing_is_dark(double part);

#endif
