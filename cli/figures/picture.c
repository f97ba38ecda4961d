// SPDX-License-Identifier: MIT
#include "cli/figures/picture.h"

#include <math.h>
#include <stdlib.h>

#ifdef CLI_WITH_PNG
#include <png.h>
#endif

#include "base/error.h"
#include "cli/figures/heat.h"
#include "threads/api/report.h"

enum { ROWS_MAX = 40 };

void report_picture_draw(FILE *out, const struct cli_terminal *terminal, const struct ek_tasks_report *tasks)
{
    size_t width = tasks->picture_width;
    size_t height = tasks->picture_height;
    double *shade = malloc(width * height * sizeof *shade);
    if (!shade) {
        fputs("  there is no memory to show the picture\n", out);
        return;
    }
    for (size_t i = 0; i < width * height;
         i++) { // the picture begins with its bottom row, and the map with its top row
        shade[(height - 1 - i / width) * width + i % width] = log1p((double)tasks->picture[i]);
    }
    fprintf(out, "  the picture that the tasks computed, %zux%zu points\n", width, height);
    report_heat_grid(
        out, terminal, tasks->picture_width, tasks->picture_height,
        &(struct report_heat){
            .load = shade, .low = 0.0, .high = log1p((double)tasks->picture_most), .rows = ROWS_MAX, .what = "value"});
    free(shade);
}

#ifdef CLI_WITH_PNG

enum { SHADES = 256, CHANNELS = 3, UNCOMPUTED = 0 };

// Fills the colours: those of a heat map in the terminal, with steps between them. Colour 0 is grey.
static void fill_colours(png_byte colour[SHADES][CHANNELS])
{
    enum { STOPS = 10 };
    static const png_byte stop[STOPS][CHANNELS] = {{0, 0, 95},    {0, 0, 135},    {95, 0, 135}, {135, 0, 135},
                                                   {175, 0, 135}, {215, 0, 95},   {255, 0, 95}, {255, 135, 0},
                                                   {255, 215, 0}, {255, 255, 175}};
    for (int c = 0; c < CHANNELS; c++) {
        colour[UNCOMPUTED][c] = 128;
        for (int i = 1; i < SHADES; i++) {
            double place = (double)(i - 1) / (SHADES - 2) * (STOPS - 1);
            int below = place < STOPS - 2 ? (int)place : STOPS - 2;
            double part = place - below;
            colour[i][c] = (png_byte)lround((1.0 - part) * stop[below][c] + part * stop[below + 1][c]);
        }
    }
}

// Returns the shade of a value: 1 for the value 1, and the last for the largest value.
static png_byte shade_of(uint32_t value, uint32_t most)
{
    double part = value > 1 && most > 1 ? log((double)value) / log((double)most) : 0.0;
    int shade = 1 + (int)((SHADES - 2) * fmin(part, 1.0));
    return (png_byte)(value == 0 ? UNCOMPUTED : shade);
}

bool report_picture_writable(struct ek_error *error)
{
    (void)error;
    return true;
}

bool report_picture_write(FILE *file, const struct ek_tasks_report *tasks)
{
    png_byte colour[SHADES][CHANNELS];
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = tasks->picture_width,
                       .height = tasks->picture_height,
                       .format = PNG_FORMAT_RGB_COLORMAP,
                       .colormap_entries = SHADES};
    size_t points = (size_t)image.width * image.height;
    png_byte *shade = malloc(points);
    for (size_t i = 0; shade && i < points; i++) {
        shade[i] = shade_of(tasks->picture[i], tasks->picture_most);
    }
    fill_colours(colour);
    // A negative stride: the rows begin at the bottom.
    bool good = shade && png_image_write_to_stdio(&image, file, 0, shade, -(png_int_32)image.width, colour);
    free(shade);
    return good;
}

#else

bool report_picture_writable(struct ek_error *error)
{
    return base_refuse(error,
                       "this evenkeel was built without libpng, which writes picture.png: leave out --picture or "
                       "--out, or install libpng-dev and build it again");
}

bool report_picture_write(FILE *file, const struct ek_tasks_report *tasks)
{
    (void)file, (void)tasks;
    return false;
}

#endif
