// SPDX-License-Identifier: MIT
// Heat maps of the load before and after a run, side by side on one scale: shaded cells on a terminal with colour, a
// ramp of ten characters elsewhere. Where a side has too many processors, a cell is the mean of a square of them.
#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "cli/pictures.h"

enum { CELL = 2, GAP = 4, INDENT = 2, ROWS_MAX = 40, SHADES = 10 };

struct map {
    const struct ek_topology *topology;
    const struct ek_terminal *terminal;
    uint32_t square; // processors across a cell
    uint32_t width, height;
    double low, high; // the scale
};

static uint32_t cells(uint32_t side, uint32_t square)
{
    return side / square + (side % square > 0);
}

static double mean_of_cell(const struct map *map, const double *load, uint32_t column, uint32_t row)
{
    uint32_t across = map->topology->side[0];
    uint32_t down = map->topology->side[1];
    double sum = 0.0;
    uint32_t count = 0;
    for (uint32_t y = row * map->square; y < down && y < (row + 1) * map->square; y++) {
        for (uint32_t x = column * map->square; x < across && x < (column + 1) * map->square; x++) {
            sum += load[(size_t)y * across + x];
            count++;
        }
    }
    assert(count > 0);
    return sum / count;
}

static void set_scale(struct map *map, const double *load)
{
    for (uint32_t row = 0; row < map->height; row++) {
        for (uint32_t column = 0; column < map->width; column++) {
            double mean = mean_of_cell(map, load, column, row);
            map->low = fmin(map->low, mean);
            map->high = fmax(map->high, mean);
        }
    }
}

static void print_shade(FILE *out, const struct map *map, int shade)
{
    // Of the 256 colours of a terminal: from dark blue over violet and red to light yellow.
    static const int colours[SHADES] = {17, 18, 54, 90, 126, 161, 197, 208, 220, 229};
    static const char ramp[] = " .:-=+*#%@";
    assert(shade >= 0 && shade < SHADES);
    if (map->terminal->colour) {
        fprintf(out, "\033[48;5;%dm%*s", colours[shade], CELL, "");
    } else {
        fprintf(out, "%c%c", ramp[shade], ramp[shade]);
    }
}

static void print_row(FILE *out, const struct map *map, const double *load, uint32_t row)
{
    for (uint32_t column = 0; column < map->width; column++) {
        double part = (mean_of_cell(map, load, column, row) - map->low) / (map->high - map->low);
        int shade = isfinite(part) ? (int)fmin(part * SHADES, SHADES - 1) : 0;
        print_shade(out, map, shade);
    }
    fputs(ek_terminal_style(map->terminal, "0").of, out);
}

static void print_legend(FILE *out, const struct map *map)
{
    fprintf(out, "%*s%s ", INDENT, "", ek_text_real(map->low).of);
    for (int shade = 0; shade < SHADES; shade++) {
        print_shade(out, map, shade);
    }
    fprintf(out, "%s %s load", ek_terminal_style(map->terminal, "0").of, ek_text_real(map->high).of);
    if (map->square > 1) {
        fprintf(out, ", a cell is the mean of %" PRIu32 "x%" PRIu32 " processors", map->square, map->square);
    }
    fputc('\n', out);
}

void ek_heat_draw(FILE *out, const struct ek_terminal *terminal, const struct ek_topology *topology,
                  const struct ek_report *report)
{
    assert(topology->dimensions == 2 && report->initial && report->final);
    uint32_t room = (uint32_t)(terminal->columns - INDENT - GAP) / (2 * CELL);
    uint32_t square = cells(topology->side[0], room);
    uint32_t needed = cells(topology->side[1], ROWS_MAX);
    struct map map = {.topology = topology, .terminal = terminal, .square = square > needed ? square : needed};
    map.width = cells(topology->side[0], map.square);
    map.height = cells(topology->side[1], map.square);
    map.low = INFINITY;
    map.high = -INFINITY;
    set_scale(&map, report->initial);
    set_scale(&map, report->final);
    int column = (int)map.width * CELL + GAP;
    fprintf(out, "%*s%-*s%s\n", INDENT, "", column < 10 ? 10 : column, "before", "after");
    for (uint32_t row = 0; row < map.height; row++) {
        fprintf(out, "%*s", INDENT, "");
        print_row(out, &map, report->initial, row);
        fprintf(out, "%*s", column < 10 ? GAP + 10 - column : GAP, "");
        print_row(out, &map, report->final, row);
        fputc('\n', out);
    }
    print_legend(out, &map);
}
