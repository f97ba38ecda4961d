// SPDX-License-Identifier: MIT
// A cell is shaded on a terminal with colour, and elsewhere one of ten characters. If there are too many processors, a
// cell shows the mean of a square of them. The maps before and after a run have scales of their own, since a run
// removes most differences.
#include "cli/figures/heat.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/terminal/terminal.h"
#include "threads/api/report.h"

enum { CELL = 2, GAP = 4, INDENT = 2, ROWS_MAX = 40, SHADES = 10, WIDTH = 110 };

struct map {
    const struct cli_terminal *terminal;
    const double *load;
    uint32_t processors;
    uint32_t across, down;  // processors; the last row can be incomplete
    uint32_t square;        // processors along a side of a cell
    uint32_t width, height; // cells
    double low, high;       // the scale
    bool sparse;            // cells without load are blank
};

static uint32_t cells(uint32_t side, uint32_t square)
{
    return side / square + (side % square > 0);
}

// Chooses the size of cells so that the map fits into this room.
static void set_cells(struct map *map, uint32_t columns, uint32_t rows)
{
    uint32_t square = cells(map->across, columns);
    uint32_t needed = cells(map->down, rows);
    map->square = square > needed ? square : needed;
    map->width = cells(map->across, map->square);
    map->height = cells(map->down, map->square);
}

static size_t processor_at(const struct map *map, uint32_t x, uint32_t y)
{
    return (size_t)y * map->across + x;
}

static double mean_of_cell(const struct map *map, uint32_t column, uint32_t row)
{
    double sum = 0.0;
    uint32_t count = 0;
    for (uint32_t y = row * map->square; y < map->down && y < (row + 1) * map->square; y++) {
        for (uint32_t x = column * map->square; x < map->across && x < (column + 1) * map->square; x++) {
            if (processor_at(map, x, y) < map->processors) {
                sum += map->load[processor_at(map, x, y)];
                count++;
            }
        }
    }
    assert(count > 0);
    return sum / count;
}

static void set_scale(struct map *map)
{
    map->low = INFINITY;
    map->high = -INFINITY;
    for (uint32_t row = 0; row < map->height; row++) {
        for (uint32_t column = 0; column < map->width; column++) {
            double mean = mean_of_cell(map, column, row);
            map->low = fmin(map->low, mean);
            map->high = fmax(map->high, mean);
        }
    }
}

// Returns "98 to 102".
static struct cli_text scale_text(const struct map *map)
{
    struct cli_text text;
    snprintf(text.of, sizeof text.of, "%.30s to %.30s", cli_text_amount(map->low).of, cli_text_amount(map->high).of);
    return text;
}

// Prints a cell. No shade is blank, so the smallest load does not look like no load.
static void print_shade(FILE *out, const struct map *map, int shade)
{
    // From the 256 colours of a terminal: dark blue, violet, red, light yellow.
    static const int colours[SHADES] = {17, 18, 54, 90, 126, 161, 197, 208, 220, 229};
    static const char ramp[] = ".:-=+*x#%@";
    assert(shade >= 0 && shade < SHADES);
    if (map->terminal->colour) {
        fprintf(out, "\033[48;5;%dm%*s", colours[shade], CELL, "");
    } else {
        fprintf(out, "%c%c", ramp[shade], ramp[shade]);
    }
}

// Prints a row of cells. If all loads are equal to six digits, as the scale is printed, they have the middle shade.
static void print_row(FILE *out, const struct map *map, uint32_t row)
{
    double range = map->high - map->low;
    bool equal = !(range > 1e-6 * fmax(fabs(map->low), fabs(map->high)));
    for (uint32_t column = 0; column < map->width; column++) {
        if (processor_at(map, column * map->square, row * map->square) >= map->processors) {
            break; // the end of an incomplete last row
        }
        double mean = mean_of_cell(map, column, row);
        double part = equal ? 0.5 : (mean - map->low) / range;
        if (map->sparse && mean == 0.0) {
            fprintf(out, "%s%*s", cli_terminal_style(map->terminal, CLI_PLAIN), CELL, "");
        } else {
            print_shade(out, map, isfinite(part) ? (int)fmin(part * SHADES, SHADES - 1) : 0);
        }
    }
    fputs(cli_terminal_style(map->terminal, CLI_PLAIN), out);
}

// Explains the scales in words too, since the eye expects a shade to mean the same in both maps.
static void print_legend(FILE *out, const struct map *before, const struct map *after)
{
    fprintf(out, "%*smin ", INDENT, "");
    for (int shade = 0; shade < SHADES; shade++) {
        print_shade(out, before, shade);
    }
    fprintf(out, "%s max\n", cli_terminal_style(before->terminal, CLI_PLAIN));
    struct cli_line line = {0};
    double share = (after->high - after->low) / (before->high - before->low);
    cli_line_add(&line, "Each map has its own scale");
    if (isfinite(share)) {
        cli_line_add(&line, ": the range after the run is %.3g %% of the range before", 100.0 * share);
    }
    cli_line_add(&line, ".");
    if (before->square > 1) {
        cli_line_add(&line, " A cell is the mean of %" PRIu32 "x%" PRIu32 " processors.", before->square,
                     before->square);
    }
    cli_text_wrap(out, line.of, INDENT, WIDTH);
}

// Prints the headings, the scales and the rows of both maps.
static void print_maps(FILE *out, const struct map *before, const struct map *after)
{
    struct cli_text scale = scale_text(before);
    int width = (int)before->width * CELL;
    int head = (int)strlen(scale.of);
    int column = (width > head ? width : head) + GAP;
    fprintf(out, "%*s%-*s%s\n", INDENT, "", column, "before", "after");
    fprintf(out, "%*s%-*s%s\n", INDENT, "", column, scale.of, scale_text(after).of);
    for (uint32_t row = 0; row < before->height; row++) {
        fprintf(out, "%*s", INDENT, "");
        print_row(out, before, row);
        fprintf(out, "%*s", column - width, "");
        print_row(out, after, row);
        fputc('\n', out);
    }
}

void report_heat_draw(FILE *out, const struct cli_terminal *terminal, const struct lab_topology *topology,
                      const struct ek_report *report)
{
    assert(topology->dimensions == 2 && report->initial && report->final);
    struct map before = {.terminal = terminal,
                         .load = report->initial,
                         .processors = topology->processors,
                         .across = topology->side[0],
                         .down = topology->side[1]};
    set_cells(&before, (uint32_t)(terminal->columns - INDENT - GAP) / (2 * CELL), ROWS_MAX);
    struct map after = before;
    after.load = report->final;
    set_scale(&before);
    set_scale(&after);
    print_maps(out, &before, &after);
    print_legend(out, &before, &after);
}

// Returns how many processors a row shows. Rows hold the first half of the dimensions. Without dimensions the
// processors are shown in the order of their numbers.
static uint32_t processors_across(const struct lab_topology *topology, uint32_t room)
{
    uint32_t across = 1;
    for (uint32_t d = 0; d < (topology->dimensions + 1) / 2; d++) {
        across *= topology->side[d];
    }
    bool flat = topology->dimensions < 2;
    return !flat ? across : topology->processors < room ? topology->processors : room;
}

// Draws a map whose processors and scale are set.
static void print_now(FILE *out, struct map *map, uint32_t room, const struct report_heat *heat)
{
    set_cells(map, room, heat->rows);
    for (uint32_t row = 0; row < map->height; row++) {
        fprintf(out, "%*s", INDENT, "");
        print_row(out, map, row);
        fputc('\n', out);
    }
    fprintf(out, "%*s%s%s%s", INDENT, "", map->sparse ? "blank = idle, " : "",
            map->terminal->colour ? "dark = low " : ". = low, @ = high", map->terminal->colour ? heat->what : "");
    if (map->square > 1) {
        fprintf(out, ", %" PRIu32 "x%" PRIu32 " per cell", map->square, map->square);
    }
    fputc('\n', out);
}

static uint32_t room_of(const struct cli_terminal *terminal)
{
    return (uint32_t)(terminal->columns - INDENT) / CELL;
}

void report_heat_now(FILE *out, const struct cli_terminal *terminal, const struct lab_topology *topology,
                     const struct report_heat *heat)
{
    uint32_t room = room_of(terminal);
    struct map map = {.terminal = terminal,
                      .load = heat->load,
                      .processors = topology->processors,
                      .across = processors_across(topology, room),
                      .low = heat->low,
                      .high = heat->high,
                      .sparse = heat->sparse};
    map.down = cells(map.processors, map.across);
    print_now(out, &map, room, heat);
}

void report_heat_grid(FILE *out, const struct cli_terminal *terminal, uint32_t across, uint32_t down,
                      const struct report_heat *heat)
{
    struct map map = {.terminal = terminal,
                      .load = heat->load,
                      .processors = across * down,
                      .across = across,
                      .down = down,
                      .low = heat->low,
                      .high = heat->high};
    print_now(out, &map, room_of(terminal), heat);
}
