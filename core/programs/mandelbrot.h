// SPDX-License-Identifier: MIT
// A picture of the Mandelbrot set, cut into tiles. A task computes a tile; its cost is the iterations of its points.
// The value of a point in the problem's picture is its iterations.
#ifndef CORE_PROGRAMS_MANDELBROT_H
#define CORE_PROGRAMS_MANDELBROT_H

#include "core/program.h"
#include "core/programs/program.h"

enum { CORE_MANDELBROT_ITERATIONS = 1000 }; // the most of a point

struct core_mandelbrot {
    struct ek_problem problem;
    uint32_t width, height, tile; // in points; the tiles are square, but for those at the right and at the top
};

// How often z := z^2 + c can be repeated before |z| exceeds 2, for the c of a point. Row 0 is at the bottom.
uint32_t core_mandelbrot_iterations(const struct core_mandelbrot *picture, uint32_t x, uint32_t y);

#endif
