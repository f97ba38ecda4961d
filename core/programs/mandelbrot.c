// SPDX-License-Identifier: MIT
// A picture of the Mandelbrot set: independent tasks of very different costs, in the order of the tiles' rows from the
// bottom. The picture shows 2.5 units of the real axis from -2.1 on, and as much of the imaginary axis as its height
// allows, around 0.15.
#include "core/programs/mandelbrot.h"

#include <stdlib.h>
#include <string.h>

#include "core/programs/programs.h"

enum { SIDE_MOST = 16384 }; // of a picture, in points

static const double LEFT = -2.1, BOTTOM = -1.1, WIDTH = 2.5; // of a square picture

uint32_t core_mandelbrot_iterations(const struct core_mandelbrot *picture, uint32_t x, uint32_t y)
{
    double width = (double)picture->width;
    double bottom = BOTTOM + WIDTH * (1.0 - (double)picture->height / width) / 2.0;
    double c_re = LEFT + WIDTH * ((double)x + 0.5) / width;
    double c_im = bottom + WIDTH * ((double)y + 0.5) / width;
    double re = 0.0;
    double im = 0.0;
    uint32_t count = 0;
    while (count < CORE_MANDELBROT_ITERATIONS && re * re + im * im <= 4.0) {
        double next = re * re - im * im + c_re;
        im = 2.0 * re * im + c_im;
        re = next;
        count++;
    }
    return count;
}

static uint32_t tiles_across(uint32_t points, uint32_t tile)
{
    return (points + tile - 1) / tile;
}

static struct ek_problem *mandelbrot_prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    struct base_cursor cursor = core_program_cursor(setting, error);
    uint64_t width;
    uint64_t height;
    uint64_t tile;
    if (!base_cursor_whole(&cursor, "the width", 1, SIDE_MOST, &width) ||
        !base_cursor_expect(&cursor, 'x', "the width") ||
        !base_cursor_whole(&cursor, "the height", 1, SIDE_MOST, &height) ||
        !base_cursor_expect(&cursor, ':', "the height") ||
        !base_cursor_whole(&cursor, "the side of a tile", 1, SIDE_MOST, &tile) || !base_cursor_end(&cursor)) {
        return NULL;
    }
    struct core_mandelbrot *picture = malloc(sizeof *picture);
    if (!picture) {
        base_cursor_fail(&cursor, setting->at, "there is no memory for the problem");
        return NULL;
    }
    *picture = (struct core_mandelbrot){.width = (uint32_t)width, .height = (uint32_t)height, .tile = (uint32_t)tile};
    picture->problem.task_bytes = sizeof(uint32_t);
    picture->problem.picture_width = picture->width;
    picture->problem.picture_height = picture->height;
    picture->problem.picture_most = CORE_MANDELBROT_ITERATIONS;
    picture->problem.first_tasks =
        (uint64_t)tiles_across(picture->width, picture->tile) * tiles_across(picture->height, picture->tile);
    return &picture->problem;
}

static void mandelbrot_begin(const struct ek_problem *problem, uint64_t index, void *task)
{
    const uint32_t tile = (uint32_t)index;
    (void)problem;
    memcpy(task, &tile, sizeof tile);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void mandelbrot_execute(const struct ek_problem *problem, const void *task, struct ek_execution *execution)
{
    const struct core_mandelbrot *picture = (const struct core_mandelbrot *)problem;
    uint32_t tile;
    memcpy(&tile, task, sizeof tile);
    uint32_t columns = tiles_across(picture->width, picture->tile);
    uint32_t left = tile % columns * picture->tile;
    uint32_t bottom = tile / columns * picture->tile;
    uint32_t right = smaller(left + picture->tile, picture->width);
    uint32_t top = smaller(bottom + picture->tile, picture->height);
    uint64_t iterations = 0;
    for (uint32_t y = bottom; y < top; y++) {
        for (uint32_t x = left; x < right; x++) {
            uint32_t count = core_mandelbrot_iterations(picture, x, y);
            iterations += count;
            if (execution->picture) {
                execution->picture[(size_t)y * picture->width + x] = count;
            }
        }
    }
    execution->cost = iterations;
    execution->result = (int64_t)iterations;
}

const struct ek_program core_program_mandelbrot = {
    .name = "mandelbrot",
    .choice = {"mandelbrot:WxH:TILE",
               "the iterations of a picture of the Mandelbrot set, W times H points; a task is a "
               "tile of TILE times TILE points, and costs its iterations: a grain of 1000 or more keeps runs short"},
    .source = "",
    .result = EK_RESULT_SUM,
    .prepare = mandelbrot_prepare,
    .begin = mandelbrot_begin,
    .execute = mandelbrot_execute,
};
