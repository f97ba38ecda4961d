// SPDX-License-Identifier: MIT
#include "cli/figures/drawing_colours.h"

#include <math.h>
#include <stdio.h>

enum { KNOWN = 8 };

// The colours of the page's charts (cli/page/parts/colours.js), after Okabe and Ito, and two more.
static const char *const known[2][KNOWN] = {
    {"#0060ad", "#c04a00", "#007a5a", "#a8437f", "#8a6a00", "#3a7ca5", "#5b3fa8", "#6b6b6b"},
    {"#6db6ff", "#ff9a5c", "#3fd0a4", "#f093c8", "#f0c43c", "#a6dcf5", "#b9a2ff", "#c0c0c0"}};

static struct report_colour colour_of(double red, double green, double blue)
{
    struct report_colour colour;
    snprintf(colour.of, sizeof colour.of, "#%02x%02x%02x", (unsigned)lround(255.0 * red) & 255,
             (unsigned)lround(255.0 * green) & 255, (unsigned)lround(255.0 * blue) & 255);
    return colour;
}

// Returns one channel of a colour by hue (0 to 1), saturation and lightness; `offset` is 0 for red, 8 for green and 4
// for blue (CSS Color Module 4, section 7.1).
static double channel(double hue, double saturation, double lightness, double offset)
{
    double place = fmod(offset + 12.0 * hue, 12.0);
    double amplitude = saturation * fmin(lightness, 1.0 - lightness);
    return lightness - amplitude * fmax(-1.0, fmin(fmin(place - 3.0, 9.0 - place), 1.0));
}

struct report_colour report_drawing_colour(uint32_t index, uint32_t count, bool dark)
{
    if (count <= KNOWN) {
        struct report_colour colour;
        snprintf(colour.of, sizeof colour.of, "%s", known[dark][index % KNOWN]);
        return colour;
    }
    static const double GOLDEN = 0.6180339887; // multiples of the golden ratio spread evenly
    double hue = fmod(0.57 + index * GOLDEN, 1.0);
    double saturation = dark ? 0.75 : 0.7;
    double lightness = dark ? 0.68 : 0.38;
    return colour_of(channel(hue, saturation, lightness, 0.0), channel(hue, saturation, lightness, 8.0),
                     channel(hue, saturation, lightness, 4.0));
}

// YlGnBu of ColorBrewer (Harrower & Brewer 2003).
static const double shades[][3] = {
    {1.0, 1.0, 0.85}, {0.78, 0.91, 0.71}, {0.25, 0.71, 0.77}, {0.13, 0.37, 0.66}, {0.03, 0.11, 0.35}};
enum { SHADES = sizeof shades / sizeof *shades };

struct report_colour report_drawing_shade(double part)
{
    double place = fmin(fmax(part, 0.0), 1.0) * (SHADES - 1);
    unsigned below = place < SHADES - 2 ? (unsigned)place : SHADES - 2;
    double share = place - below;
    double mixed[3];
    for (unsigned i = 0; i < 3; i++) {
        mixed[i] = shades[below][i] + share * (shades[below + 1][i] - shades[below][i]);
    }
    return colour_of(mixed[0], mixed[1], mixed[2]);
}

bool report_drawing_is_dark(double part)
{
    return part > 0.6;
}
