// SPDX-License-Identifier: MIT
// Curves and heat maps that are drawn with characters, and the scripts of gnuplot's pictures, of values with gaps, ties
// and zeros.
#include <math.h>

#include "cli/figures/chart.h"
#include "cli/figures/figure.h"
#include "cli/figures/heat.h"
#include "tests/support/golden.h"

static const struct cli_terminal terminals[] = {
    {.columns = 60},
    {.is_terminal = true, .escapes = true, .utf8 = true, .columns = 40},
    {.is_terminal = true, .escapes = true, .colour = true, .utf8 = true, .columns = 90}};
enum { TERMINALS = sizeof terminals / sizeof *terminals, ROWS = 9 };

static void draw_chart(const char *what, const double variance[ROWS], size_t count, bool timed, double factor)
{
    struct ek_trace_row rows[ROWS];
    struct ek_report report = {.trace = rows, .trace_count = count, .timed = timed, .operations = 3, .steps = 16};
    for (size_t i = 0; i < count; i++) {
        rows[i] = (struct ek_trace_row){.step = 1000 * i, .time = 0.001 * (double)i, .variance = variance[i]};
    }
    for (size_t t = 0; t < TERMINALS; t++) {
        printf("\n== %s, terminal %zu\n", what, t);
        struct report_chart_size size = {REPORT_CHART_COLUMNS, t == 1 ? REPORT_CHART_ROWS : 5};
        report_chart_draw(stdout, &terminals[t], &report, size, factor);
    }
}

Test(pictures, curves)
{
    struct golden golden = golden_begin();
    const double falling[ROWS] = {2e6, 1e5, 1e5, 3e4, 100.0, 90.0, 5.0, 0.2, 0.003};
    const double constant[ROWS] = {50.0, 50.0, 50.0, 50.0};
    const double power[ROWS] = {100.0, 100.0};
    const double gaps[ROWS] = {10.0, NAN, 3.0, 0.0, 7.0, 2.0, 900.0};
    const double none[ROWS] = {0.0, 0.0, 0.0};
    draw_chart("falls", falling, ROWS, false, pow(1e-9, 1.0 / 8000.0));
    draw_chart("falls in free timing", falling, ROWS, true, NAN);
    draw_chart("is constant", constant, 4, false, 0.999);
    draw_chart("is a power of ten", power, 2, false, NAN);
    draw_chart("has gaps and rises", gaps, 7, false, NAN);
    draw_chart("is zero", none, 3, false, NAN);
    draw_chart("has one row", falling, 1, false, NAN);
    golden_end(&golden, "tests/data/reports/curves.txt");
}

static void draw_maps(const char *what, uint32_t across, uint32_t down, double scale, double rest)
{
    enum { MOST = 48 * 21 };
    static double initial[MOST], final[MOST];
    const struct lab_topology topology = {
        .processors = across * down, .dimensions = 2, .side = {across, down}, .links = 1};
    for (uint32_t p = 0; p < across * down; p++) {
        initial[p] = scale * ((p * 7) % 23);
        final[p] = rest + 0.01 * scale * (p % 5);
    }
    const struct ek_report report = {.initial = initial, .final = final};
    for (size_t t = 0; t < TERMINALS; t++) {
        printf("\n== %s, terminal %zu\n", what, t);
        report_heat_draw(stdout, &terminals[t], &topology, &report);
    }
}

static void draw_moment(const char *what, struct lab_topology topology, const double *load)
{
    const struct report_heat heat = {.load = load, .low = 0.0, .high = 10.0, .rows = 4};
    for (size_t t = 0; t < 2; t++) {
        printf("\n== %s, terminal %zu\n", what, t);
        report_heat_now(stdout, &terminals[t], &topology, &heat);
    }
}

static void draw_sparse(const double *load)
{
    const struct lab_topology topology = {.processors = 16, .dimensions = 2, .side = {4, 4}};
    const struct report_heat heat = {.what = "tasks", .load = load, .high = 12.0, .rows = 4, .sparse = true};
    for (size_t t = 0; t < 2; t++) {
        printf("\n== blank cells, terminal %zu\n", t);
        report_heat_now(stdout, &terminals[t], &topology, &heat);
    }
}

Test(pictures, heat_maps)
{
    struct golden golden = golden_begin();
    draw_maps("a map", 6, 4, 1.0, 11.0);
    draw_maps("equal loads", 5, 3, 0.0, 7.0);
    draw_maps("a map of many", 48, 21, 100.0, 1.0);
    const double loads[] = {0.0, 1.0, 2.5, 10.0, 12.0, NAN, 0.5, 5.0, 9.99, 4.0, 3.0, 2.0, 1.0, 0.0, 10.0, 5.0};
    draw_moment("eight on a line", (struct lab_topology){.processors = 8, .dimensions = 1, .side = {8}}, loads);
    draw_moment("without dimensions", (struct lab_topology){.processors = 16}, loads);
    draw_moment("three dimensions", (struct lab_topology){.processors = 12, .dimensions = 3, .side = {2, 3, 2}}, loads);
    draw_moment("more rows than fit", (struct lab_topology){.processors = 16, .dimensions = 2, .side = {2, 8}}, loads);
    draw_sparse(loads);
    golden_end(&golden, "tests/data/reports/heat.txt");
}

static struct lab_series *add(struct lab_figure *figure, enum lab_series_kind kind, const char *label, bool band)
{
    struct ek_error error;
    struct lab_series *series = lab_figure_add(figure, kind, 4, band, &error);
    cr_assert(series);
    snprintf(series->label, sizeof series->label, "%s", label);
    for (size_t i = 0; i < series->count; i++) {
        series->x[i] = (double)(i + 1);
        series->y[i] = 10.0 * (double)(i + figure->count);
        if (band) {
            series->low[i] = series->y[i] - 15.0;
            series->high[i] = series->y[i] + 2.5;
        }
    }
    return series;
}

static void write_script_as(const char *what, struct lab_figure *figure, const struct report_look *look)
{
    static const char *const files[] = {"a.svg", "it's.pdf", "c.png"};
    for (size_t f = 0; f < 3; f++) {
        printf("\n== %s, %s\n", what, files[f]);
        report_figure_script(stdout, figure, look, files[f], f == 1);
    }
}

static void write_script(const char *what, struct lab_figure *figure)
{
    write_script_as(what, figure, &(struct report_look){0});
}

Test(pictures, scripts)
{
    struct golden golden = golden_begin();
    struct ek_error error;
    struct lab_figure figure = {.title =
                                    "ade on a \"ring\" with 'quotes' and a title that is long enough to be wrapped, "
                                    "since it names each of the axes that the two experiments have in common",
                                .note = "5 runs, seeds 1 to 5.",
                                .band = "10 % to 90 % of the runs",
                                .x = {.label = "steps"},
                                .y = {.label = "variance", .logarithmic = true}};
    lab_figure_note_seeds(&figure, 3, 9);
    printf("%s\n", figure.note);
    lab_figure_note_seeds(&figure, 3, 3);
    printf("%s\n", figure.note);
    add(&figure, LAB_SERIES_LINE, "measured, it's ade", true)->y[2] = NAN;
    add(&figure, LAB_SERIES_THEORY, "theory", false);
    add(&figure, LAB_SERIES_LINE, "another", true);
    add(&figure, LAB_SERIES_POINTS, "points", false)->y[0] = 0.0;
    write_script("lines", &figure);
    write_script_as("a column of a paper", &figure,
                    &(struct report_look){.title = "", .width_in = 3.3, .height_in = 2.4, .legend = CLI_LEGEND_INSIDE});
    write_script_as("a dark slide", &figure,
                    &(struct report_look){.title = "A title",
                                          .width_in = 10.0,
                                          .height_in = 5.625,
                                          .in_pixels = true,
                                          .legend = CLI_LEGEND_RIGHT,
                                          .style = CLI_STYLE_DARK,
                                          .ticks = REPORT_TICKS_LISTED,
                                          .tick = {2.0, 1.0, 9.0},
                                          .ticks_count = 3});
    write_script_as("no legend", &figure, &(struct report_look){.legend = CLI_LEGEND_NONE});
    figure.x.logarithmic = true;
    figure.y.logarithmic = false;
    figure.note[0] = '\0';
    write_script("a logarithmic x", &figure);
    lab_figure_destroy(&figure);
    figure = (struct lab_figure){.title = "t", .x = {.label = "x"}, .y = {.label = "y", .logarithmic = true}};
    for (int i = 0; i < 4; i++) {
        cr_assert(lab_figure_add_name(&figure, i == 2 ? "" : "a name", &error));
    }
    add(&figure, LAB_SERIES_POINTS, "points", true);
    write_script("names", &figure);
    lab_figure_destroy(&figure);
    figure = (struct lab_figure){.title = "t", .x = {.label = "x"}, .y = {.label = "y", .logarithmic = true}};
    struct lab_series *series = add(&figure, LAB_SERIES_LINE, "nothing positive", false);
    for (size_t i = 0; i < series->count; i++) {
        series->x[i] = 1.0;
        series->y[i] = 0.0;
    }
    write_script("a constant", &figure);
    series = figure.series;
    for (size_t i = 0; i < series->count; i++) {
        series->y[i] = NAN;
    }
    write_script("no values", &figure);
    for (int i = 0; i < 8; i++) {
        add(&figure, LAB_SERIES_LINE, "one of many", false);
    }
    write_script("nine lines", &figure);
    lab_figure_destroy(&figure);
    golden_end(&golden, "tests/data/reports/scripts.txt");
}
