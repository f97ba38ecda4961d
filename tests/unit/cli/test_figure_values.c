// SPDX-License-Identifier: MIT
// The values of figures: mean, band and theory of runs written by hand; and gnuplot's script.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figures/figure.h"
#include "cli/figures/gnuplot.h"
#include "lab/record/curve.h"
#include "threads/api/report.h"

enum { ROWS = 4 };

// Three runs of four, four and three rows. An operation is two steps.
static const double variances[3][ROWS] = {{8.0, 4.0, 2.0, 1.0}, {16.0, 8.0, 4.0, 2.0}, {12.0, 3.0, 3.0, NAN}};
static struct ek_trace_row rows[3][ROWS];
static struct ek_report runs[3];
static struct lab_record record;

static void begin(void)
{
    for (size_t r = 0; r < 3; r++) {
        size_t count = isnan(variances[r][ROWS - 1]) ? ROWS - 1 : ROWS;
        for (size_t i = 0; i < count; i++) {
            rows[r][i] = (struct ek_trace_row){.step = i, .time = 0.5 + (double)i, .variance = variances[r][i]};
        }
        runs[r] = (struct ek_report){.seed = 7 + r,
                                     .trace = rows[r],
                                     .trace_count = count,
                                     .converged = true,
                                     .steps = 2 * (r + 1),
                                     .operations = r + 1,
                                     .variance_initial = 2.0 * variances[r][0]};
    }
    record = (struct lab_record){.runs = runs, .count = 3};
    static char topology[] = "torus:8x8", method[] = "ade", value[] = "-";
    record.topology.spec = topology;
    record.method.spec = method;
    record.theory = (struct ek_theory){.has_exact = true, .gamma_exact = 0.5};
    for (size_t i = 0; ek_axis_at(i); i++) {
        record.axis[i].value = value;
    }
}

static void set_axis(const char *option, char *value, bool given)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (strcmp(ek_axis_at(i)->option, option) == 0) {
            record.axis[i].value = value;
            record.axis[i].given = given;
        }
    }
}

static struct lab_figure figure;

static void draw(void)
{
    struct ek_error error;
    cr_assert(lab_curve_figure(&figure, &record, &error));
}

static void expect_point(size_t series, size_t index, double x, double y, double low, double high)
{
    const struct lab_series *of = &figure.series[series];
    cr_expect_float_eq(of->x[index], x, 1e-12);
    cr_expect_float_eq(of->y[index], y, 1e-12, "%zu: %g", index, of->y[index]);
    cr_expect_float_eq(of->low ? of->low[index] : y, low, 1e-12, "%zu: %g", index, of->low ? of->low[index] : 0.0);
    cr_expect_float_eq(of->high ? of->high[index] : y, high, 1e-12, "%zu: %g", index, of->high ? of->high[index] : 0.0);
}

// With two degrees of freedom, 0.95 of Student's distribution lies within t, where t / sqrt(2 + t * t) = 0.95.
static double t_of_two(void)
{
    return sqrt(2.0 * 0.95 * 0.95 / (1.0 - 0.95 * 0.95));
}

Test(figure, mean_and_band, .init = begin)
{
    draw();
    cr_assert_eq(figure.count, 2);
    cr_assert_eq(figure.series[0].count, ROWS);
    const double t = t_of_two();
    expect_point(0, 0, 0.0, 12.0, 12.0 - t * 4.0 / sqrt(3.0), 12.0 + t * 4.0 / sqrt(3.0)); // of 8, 12 and 16
    expect_point(0, 1, 1.0, 5.0, 5.0 - t * sqrt(7.0 / 3.0), 5.0 + t * sqrt(7.0 / 3.0));    // of 3, 4 and 8
    expect_point(0, 2, 2.0, 3.0, 3.0 - t / sqrt(3.0), 3.0 + t / sqrt(3.0));                // of 2, 3 and 4
    expect_point(0, 3, 3.0, 2.0, 2.0 - t / sqrt(3.0), 2.0 + t / sqrt(3.0)); // the run that has ended counts with 3
    cr_expect_str_eq(figure.series[0].label, "mean of 3 runs");
    cr_expect_str_eq(figure.band, "interval of the mean, 95 % by Student's t");
    cr_expect_str_eq(figure.note,
                     "Seeds 7 to 9. Runs ended between step 2 and 3; a finished run counts with its last value.");
    cr_expect_str_eq(figure.x.label, "communication steps");
    lab_figure_destroy(&figure);
}

// Runs that missed their criterion are counted in the note. The mean ends where the first of them was cut.
Test(figure, runs_that_were_cut, .init = begin)
{
    set_axis("stop", (char[]){"variance:1"}, true);
    runs[2].converged = false;
    runs[2].ended = EK_ENDED_STEPS;
    draw();
    cr_expect_eq(figure.series[0].count, ROWS - 1);
    cr_expect_str_eq(
        figure.note,
        "Seeds 7 to 9. 1 of 3 runs did not reach variance:1. Runs ended between step 2 and 3; the mean ends "
        "where the loads of a run that ended were still to change.");
    lab_figure_destroy(&figure);
    record.count = 1;
    runs[0].converged = false;
    draw();
    cr_expect_str_eq(figure.note, "Seed 7. 1 of 1 run did not reach variance:1.");
    lab_figure_destroy(&figure);
    set_axis("stop", (char[]){"never"}, true);
    draw();
    cr_expect_str_eq(figure.note, "Seed 7.");
    lab_figure_destroy(&figure);
}

// Theory's factor is 1/2 for an operation of two steps, so the variance halves with each step.
Test(figure, theory_counts_steps, .init = begin)
{
    draw();
    cr_assert_eq(figure.series[1].kind, LAB_SERIES_THEORY);
    for (size_t i = 0; i < ROWS; i++) {
        expect_point(1, i, (double)i, 12.0 * pow(0.5, (double)i), 12.0 * pow(0.5, (double)i),
                     12.0 * pow(0.5, (double)i));
    }
    cr_expect_str_eq(figure.series[1].label, "theory: times 0.25 (gamma squared) an operation of 2 steps");
    lab_figure_destroy(&figure);
    record.theory.gamma_exact = 1.0 - 1e-9;
    draw();
    cr_expect_str_eq(figure.series[1].label, "theory: times 0.999999998 (gamma squared) an operation of 2 steps");
    lab_figure_destroy(&figure);
    set_axis("units", (char[]){"tokens"}, true);
    record.theory.gamma_exact = 0.5;
    draw();
    cr_expect_str_eq(figure.series[1].label,
                     "theory of real loads: times 0.25 (gamma squared) an operation of 2 steps");
    lab_figure_destroy(&figure);
    record.theory.has_exact = false;
    draw();
    cr_expect_eq(figure.count, 1);
    lab_figure_destroy(&figure);
}

// The curve of a run in free timing begins with the loads at the start, before the first snapshot. Between two
// snapshots it is straight on a logarithmic axis.
Test(figure, free_timing, .init = begin)
{
    for (size_t r = 0; r < 3; r++) {
        runs[r].timed = true;
    }
    draw();
    const struct lab_series *mean = &figure.series[0];
    cr_assert_eq(figure.count, 1, "theory counts operations of all processors at once");
    expect_point(0, 0, 0.0, 24.0, 24.0 - t_of_two() * 8.0 / sqrt(3.0), 24.0 + t_of_two() * 8.0 / sqrt(3.0));
    cr_expect_float_eq(mean->x[mean->count - 1], 3.5, 1e-12);
    size_t i = 0;
    while (mean->x[i] < 0.25) {
        i++;
    }
    double part = mean->x[i] / 0.5;
    cr_expect_float_eq(mean->y[i], 24.0 * pow(0.5, part), 1e-9);
    cr_expect_str_eq(figure.x.label, "time in seconds");
    lab_figure_destroy(&figure);

    record.count = 1;
    draw();
    cr_assert_eq(figure.series[0].count, ROWS + 1);
    expect_point(0, 0, 0.0, 16.0, 16.0, 16.0);
    expect_point(0, 1, 0.5, 8.0, 8.0, 8.0);
    expect_point(0, 4, 3.5, 1.0, 1.0, 1.0);
    cr_expect_str_eq(figure.series[0].label, "measured, 1 run");
    cr_expect_str_eq(figure.band, "");
    lab_figure_destroy(&figure);
}

Test(figure, nothing_to_balance, .init = begin)
{
    for (size_t r = 0; r < 3; r++) {
        runs[r].trace_count = 1;
        rows[r][0].variance = 0.0;
    }
    draw();
    cr_expect_eq(figure.count, 1, "theory predicts nothing for a variance of 0");
    cr_expect_str_eq(figure.note, "Seeds 7 to 9. The variance is 0 throughout: all loads are equal.");
    lab_figure_destroy(&figure);
}

Test(figure, title, .init = begin)
{
    char title[1600];
    char list[700] = "list:";
    while (strlen(list) < 600) {
        strcat(list, "\xC3\xA9");
    }
    set_axis("ports", (char[]){"one"}, true);
    set_axis("units", (char[]){"tokens"}, true);
    set_axis("load", (char[]){"peak:64"}, true);
    set_axis("timing", (char[]){"turns"}, true);
    lab_curve_title(&record, title, sizeof title);
    cr_expect_str_eq(title, "ade on torus:8x8, tokens peak:64, one port, timing turns");
    set_axis("ports", (char[]){"all"}, true);
    set_axis("units", (char[]){"real"}, true);
    set_axis("work", (char[]){"normal:1:2:3"}, true);
    set_axis("load", list, true);
    lab_curve_title(&record, title, sizeof title);
    cr_expect_not_null(strstr(title, "\xC3\xA9..., all ports, timing turns, work normal:1:2:3"));
    cr_expect_eq(strlen(title), strlen("ade on torus:8x8, real loads ") + 159 +
                                    strlen("..., all ports, timing turns, work normal:1:2:3"));
}

static struct report_look look; // of the scripts; all zero at the start of a test

static char *script_of(const struct lab_figure *of, bool kept)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    report_figure_script(out, of, &look, "a b's.svg", kept);
    fclose(out);
    return text;
}

// Returns the height of a picture.
static double height_of(const struct lab_figure *of)
{
    char *script = script_of(of, true);
    const char *size = strstr(script, "svg size 800,");
    double height = size ? strtod(size + strlen("svg size 800,"), NULL) : NAN;
    free(script);
    return height;
}

static void expect_in_script(const char *wanted)
{
    char *script = script_of(&figure, true);
    cr_expect(strstr(script, wanted), "no %s in:\n%s", wanted, script);
    free(script);
}

Test(figure, script, .init = begin)
{
    draw();
    expect_in_script("set output 'a b''s.svg'\n");
    expect_in_script("$series0 << END\n# x y low high\n 0 12 2.06344915"); // 12 - 4.30265 * 4 / sqrt(3)
    expect_in_script("$series1 << END\n# x y\n 0 12\n 1 6\n 2 3\n 3 1.5\nEND\n");
    expect_in_script("set logscale y\nset format y '10^{%L}'\n");
    expect_in_script("set xrange [0:3]\n");
    expect_in_script("$series0 using 1:(shown($3)):(shown($4)) with filledcurves");
    expect_in_script("title 'mean of 3 runs' noenhanced");
    char *script = script_of(&figure, false);
    cr_expect_null(strstr(script, "set output"));
    free(script);
    double height = height_of(&figure);
    figure.band[0] = '\0';
    cr_expect(height_of(&figure) < height, "the legend has a line for the band");
    lab_figure_destroy(&figure);
}

// Theory that lies above all measured values, is one point, or has only gaps is not drawn, so the legend does not
// name it. Theory whose line crosses the drawing is named, even if both its ends lie outside.
Test(figure, only_theory_that_is_seen_is_named)
{
    static const struct {
        double x[2], y[2];
        size_t count;
        bool seen;
    } cases[] = {{{0.0, 10.0}, {1.0, 2.0}, 2, true},    {{0.0, 10.0}, {30.0, 20.0}, 2, false},
                 {{0.0, 10.0}, {-30.0, 30.0}, 2, true}, {{0.0, 10.0}, {-30.0, -1.0}, 2, false},
                 {{11.0, 12.0}, {1.0, 1.0}, 2, false},  {{5.0, 0.0}, {1.0, 0.0}, 1, false},
                 {{0.0, 10.0}, {1.0, NAN}, 2, false},   {{9.0, 12.0}, {7.0, 11.0}, 2, false},
                 {{9.0, 12.0}, {3.0, 5.0}, 2, true},    {{0.0, 10.0}, {1e-9, 1e-9}, 2, true}};
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        const double *x = cases[i / 2].x, *y = cases[i / 2].y;
        bool logarithmic = i % 2; // values that are not above 0 lie on the lower edge, which is visible
        bool beyond = logarithmic && y[0] == 1e-9; // values above 0 may lie below the drawing
        bool on_edge = x[0] == 0.0 && cases[i / 2].count == 2 && y[0] < 0.0;
        struct ek_error error;
        figure = (struct lab_figure){.y.logarithmic = logarithmic};
        struct lab_series *measured = lab_figure_add(&figure, LAB_SERIES_LINE, 2, false, &error);
        memcpy(measured->x, (double[]){0.0, 10.0}, sizeof(double[2]));
        memcpy(measured->y, (double[]){1.0, 4.0}, sizeof(double[2]));
        struct lab_series *theory = lab_figure_add(&figure, LAB_SERIES_THEORY, cases[i / 2].count, false, &error);
        memcpy(theory->x, x, theory->count * sizeof *x);
        memcpy(theory->y, y, theory->count * sizeof *y);
        strcpy(figure.series[0].label, "measured");
        strcpy(theory->label, "theory");
        bool seen = !beyond && (cases[i / 2].seen || (logarithmic && on_edge));
        char *script = script_of(&figure, true);
        cr_expect_eq(strstr(script, " title 'theory' ") != NULL, seen, "case %zu:\n%s", i, script);
        cr_expect_eq(strstr(script, "linecolor rgb '#0072b2' notitle\n") != NULL, !seen, "case %zu", i);
        cr_expect(strstr(script, seen ? "size 800,438 " : "size 800,419 "), "case %zu: a line of the legend", i);
        cr_expect(strstr(script, " title 'measured' "));
        free(script);
        lab_figure_destroy(&figure);
    }
}

// Adds a line of three points at x = 8, 16 and 32, with a band of one on either side.
static struct lab_series *add_line(const double y[3])
{
    struct ek_error error;
    struct lab_series *line = lab_figure_add(&figure, LAB_SERIES_LINE, 3, true, &error);
    for (size_t i = 0; i < 3; i++) {
        line->x[i] = ldexp(8.0, (int)i);
        line->y[i] = y[i];
        line->low[i] = y[i] - 1.0;
        line->high[i] = y[i] + 1.0;
    }
    return line;
}

// Seconds are drawn in the unit of the largest value: all points of an axis, with the band of y.
Test(figure, seconds_have_a_unit_that_fits)
{
    static const struct {
        double most, factor;
        const char *unit;
    } cases[] = {{2.0, 1.0, "seconds"}, {1.0, 1.0, "seconds"}, {0.999, 1e3, "ms"},  {1e-3, 1e3, "ms"},
                 {9e-4, 1e6, "us"},     {1e-6, 1e6, "us"},     {9.9e-7, 1e9, "ns"}, {0.0, 1e9, "ns"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double most = cases[i].most, factor = cases[i].factor;
        struct ek_error error;
        for (int x = 0; x < 2; x++) {
            figure = (struct lab_figure){.x.label = "a", .y.label = "b"};
            struct lab_series *line = lab_figure_add(&figure, LAB_SERIES_LINE, 2, true, &error);
            memcpy(line->x, (double[]){0.25 * most, x ? most : 7.0}, sizeof(double[2]));
            memcpy(line->y, (double[]){0.5 * most, x ? 7.0 : most}, sizeof(double[2]));
            memcpy(line->low, (double[]){0.375 * most, 5.0}, sizeof(double[2]));
            memcpy(line->high, (double[]){0.625 * most, 8.0}, sizeof(double[2]));
            struct lab_series *theory = lab_figure_add(&figure, LAB_SERIES_THEORY, 1, false, &error);
            theory->x[0] = 0.75 * most;
            theory->y[0] = 0.125 * most;
            lab_figure_fit_seconds(&figure, x);
            const double by_x = x ? factor : 1.0, by_y = x ? 1.0 : factor;
            expect_point(0, 0, 0.25 * most * by_x, 0.5 * most * by_y, 0.375 * most * by_y, 0.625 * most * by_y);
            expect_point(0, 1, x ? most * factor : 7.0, x ? 7.0 : most * factor, 5.0 * by_y, 8.0 * by_y);
            expect_point(1, 0, 0.75 * most * by_x, 0.125 * most * by_y, 0.125 * most * by_y, 0.125 * most * by_y);
            char wanted[2][40] = {"a", "b"};
            snprintf(wanted[x ? 0 : 1], sizeof *wanted, "%s in %s", x ? "a" : "b", cases[i].unit);
            cr_expect_str_eq(figure.x.label, wanted[0]);
            cr_expect_str_eq(figure.y.label, wanted[1]);
            lab_figure_destroy(&figure);
        }
    }
}

// Theory and bounds have the colour of the line before them, and take no colour from the next line.
Test(figure, bounds_have_the_colour_of_their_line)
{
    struct ek_error error;
    figure = (struct lab_figure){.band = "what"};
    for (size_t i = 0; i < 2; i++) {
        strcpy(add_line((double[]){8.0, 4.0, NAN})->label, i == 0 ? "first" : "second");
        struct lab_series *bounds = lab_figure_add(&figure, LAB_SERIES_BOUNDS, 1, false, &error);
        bounds->x[0] = 32.0;
        bounds->y[0] = 9.0;
        strcpy(bounds->label, i == 0 ? "first, cut" : "second, cut");
    }
    char *script = script_of(&figure, true), wanted[200];
    for (size_t i = 0; i < 2; i++) {
        struct report_style style = report_figure_style(i, CLI_STYLE_PAPER);
        snprintf(
            wanted, sizeof wanted,
            "$series%zu using 1:(shown($2)) with points pointtype 8 pointsize %.3g linewidth 1.5 linecolor rgb '%s' "
            "title '%s, cut'",
            2 * i + 1, style.size + 0.4, style.colour, i == 0 ? "first" : "second");
        cr_expect(strstr(script, wanted), "no %s in:\n%s", wanted, script);
        snprintf(wanted, sizeof wanted, "pointtype %d pointsize %.3g linecolor rgb '%s' title '%s'", style.point,
                 style.size, style.colour, i == 0 ? "first" : "second");
        cr_expect(strstr(script, wanted), "no %s in:\n%s", wanted, script);
        cr_expect_neq(style.point, 8);
    }
    cr_expect(strstr(script, "set xrange [0:32]"), "bounds widen the axes:\n%s", script);
    free(script);
    lab_figure_destroy(&figure);
}

// A band needs two points next to each other. Points alone have bars.
Test(figure, a_point_alone_has_a_bar)
{
    static const struct {
        double y[2][3];
        const char *title, *kind[2], *sample;
    } cases[] = {
        {{{8, 4, 2}, {8, 4, NAN}}, "band: what", {"filledcurves", "filledcurves"}, "filledcurves"},
        {{{8, 4, 2}, {8, NAN, 2}}, "band or bar: what", {"filledcurves", "yerrorbars"}, "filledcurves"},
        {{{8, NAN, 2}, {NAN, NAN, 2}}, "bar: what", {"yerrorbars", "yerrorbars"}, "lines"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        figure = (struct lab_figure){.band = "what"};
        add_line(cases[i].y[0]);
        add_line(cases[i].y[1]);
        char wanted[120];
        for (size_t s = 0; s < 2; s++) {
            const bool bars = strcmp(cases[i].kind[s], "yerrorbars") == 0;
            snprintf(wanted, sizeof wanted, "$series%zu using 1:%s(shown($3)):(shown($4)) with %s ", s,
                     bars ? "(shown($2)):" : "", cases[i].kind[s]);
            expect_in_script(wanted);
        }
        snprintf(wanted, sizeof wanted, "NaN with %s linecolor rgb '#808080' title '%s' ", cases[i].sample,
                 cases[i].title);
        expect_in_script(wanted);
        lab_figure_destroy(&figure);
    }
}

// A single x is in the middle and has the only mark. A gap has no band that could widen the axes.
Test(figure, a_single_place_has_the_only_mark)
{
    for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
        figure = (struct lab_figure){.x.logarithmic = logarithmic, .y.logarithmic = logarithmic};
        struct lab_series *line = add_line((double[]){8.0, 4.0, NAN});
        line->x[0] = line->x[1] = line->x[2] = 32.0;
        expect_in_script("set xtics ('32' 32)\n");
        expect_in_script(logarithmic ? "set xrange [29.09090909090909:35.2" : "set xrange [0:64]\n");
        expect_in_script(logarithmic ? "set yrange [2:13.5]\n" : "set yrange [0:");
        char *script = script_of(&figure, true);
        cr_expect_null(strstr(script, "set format x"), "%s", script);
        free(script);
        lab_figure_destroy(&figure);
    }
}

// A measured series without values stays in the legend, so that the reader sees that it is empty.
Test(figure, a_line_without_values_is_named, .init = begin)
{
    draw();
    for (size_t i = 0; i < figure.series[0].count; i++) {
        figure.series[0].y[i] = NAN;
    }
    expect_in_script(" title 'mean of 3 runs: no value to draw' ");
    lab_figure_destroy(&figure);
}

// A title contains no gnuplot command, and none of its lines is wider than the picture.
Test(figure, titles_are_wrapped, .init = begin)
{
    draw();
    memset(figure.title, '\0', sizeof figure.title);
    for (size_t i = 0; i < 150; i++) {
        figure.title[i] = "abcdefghi,"[i % 10];
    }
    strcat(figure.title, "`ls`' @x");
    expect_in_script("set label 'abcdefghi,abcdefghi,abcdefghi,abcdefghi,abcdefghi,abcdefghi,abcdefghi,' at graph 0");
    expect_in_script("set label 'abcdefghi,`ls`'' @x' at graph 0");
    memset(figure.title, 'x', 100);
    expect_in_script("set label 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' at");
    figure.title[1] = ' '; // a line is not left almost empty because of a long word
    expect_in_script("set label 'x xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' at");
    lab_figure_destroy(&figure);
}

// Named places stand below one another, and the value axis runs to the right. A value that is not positive lies at
// the edge.
Test(figure, named_places)
{
    struct ek_error error;
    figure = (struct lab_figure){.y = {"messages a second", true}};
    struct lab_series *points = lab_figure_add(&figure, LAB_SERIES_POINTS, 2, true, &error);
    for (size_t i = 0; i < 2; i++) {
        points->x[i] = (double)i;
        points->y[i] = i == 0 ? 1000.0 : 0.0;
        points->low[i] = 10.0;
        points->high[i] = 2000.0;
    }
    cr_assert(lab_figure_add_name(&figure, "it's", &error) && lab_figure_add_name(&figure, "two", &error));
    expect_in_script("set yrange [1.5:-0.5]\nset ytics noenhanced ('it''s' 0, 'two' 1)\n");
    expect_in_script("using (shown($2)):1:(shown($3)):(shown($4)) with xerrorbars");
    expect_in_script("set xlabel 'messages a second' noenhanced textcolor rgb '#000000' offset 0,0.4\n");
    expect_in_script("shown(y) = y < 66.666666666666671 ? 66.666666666666671 : y\n");
    lab_figure_destroy(&figure);
}

// Bars stand on their names, beside those of the other series, and the value axis begins at 0. A name that a series
// lacks has no bar.
Test(figure, bars_stand_on_names)
{
    struct ek_error error;
    figure = (struct lab_figure){.y = {"cost", false}, .band = "what"};
    for (size_t s = 0; s < 2; s++) {
        struct lab_series *bars = lab_figure_add(&figure, LAB_SERIES_BARS, 2, true, &error);
        strcpy(bars->label, s == 0 ? "DDE" : "GDE");
        for (size_t i = s; i < 2; i++) {
            bars->x[i] = (double)i;
            bars->y[i] = 5.0;
            bars->low[i] = 4.0;
            bars->high[i] = 10.0;
        }
    }
    cr_assert(lab_figure_add_name(&figure, "mesh:8x8", &error) && lab_figure_add_name(&figure, "it's", &error));
    expect_in_script("set xrange [-0.5:1.5]\nset xtics noenhanced ('mesh:8x8' 0, 'it''s' 1)\n");
    expect_in_script("set yrange [0:");
    expect_in_script("unset grid\nset grid ytics\n");
    expect_in_script("$series0 << END\n# x y low high\n 0 5 4 10\n 1 5 4 10\nEND\n");
    expect_in_script("$series1 << END\n# x y low high\n NaN NaN NaN NaN\n 1 5 4 10\nEND\n");
    const char *const shift[] = {"-0.20000000000000001", "0.20000000000000001"};
    for (size_t s = 0; s < 2; s++) {
        char wanted[300];
        snprintf(
            wanted, sizeof wanted,
            "$series%zu using ($1+%s):(shown($2)):(0.40000000000000002) with boxes fillstyle solid 1 linecolor rgb "
            "'%s' title '%s' noenhanced",
            s, shift[s], report_figure_style(s, CLI_STYLE_PAPER).colour, s == 0 ? "DDE" : "GDE");
        expect_in_script(wanted);
        snprintf(wanted, sizeof wanted, "$series%zu using ($1+%s):(shown($3)):(0):(shown($4)-shown($3)) with vectors",
                 s, shift[s]);
        expect_in_script(wanted);
    }
    expect_in_script("title 'whisker: what' noenhanced");
    lab_figure_destroy(&figure);
}

// Two equal lines of 24 points have their marks at different points.
Test(figure, equal_lines_have_marks_at_different_points)
{
    struct ek_error error;
    figure = (struct lab_figure){0};
    for (size_t s = 0; s < 2; s++) {
        struct lab_series *line = lab_figure_add(&figure, LAB_SERIES_LINE, 36, false, &error);
        for (size_t i = 0; i < line->count; i++) {
            line->x[i] = line->y[i] = (double)i;
        }
    }
    expect_in_script("$series0 using 1:(shown($2)) every 4::0 with points"); // 36 / 12 + 1 points apart
    expect_in_script("$series1 using 1:(shown($2)) every 4::2 with points");
    expect_in_script("$series0 using 1:(shown($2)) with lines dashtype 1 linewidth 2.8 ");
    expect_in_script("$series1 using 1:(shown($2)) with lines dashtype (14,5) linewidth 2.6 ");
    lab_figure_destroy(&figure);
}

// The marks of a swept figure are at its points; a number that would run into the one before it is left out.
Test(figure, swept_values_are_marked)
{
    figure = (struct lab_figure){.swept = true};
    add_line((double[]){1.0, 2.0, 3.0});
    expect_in_script("set xtics ('8' 8, '16' 16, '32' 32)\n");
    figure.series[0].x[1] = 8.25;
    expect_in_script("set xtics ('8' 8, '' 8.25, '32' 32)\n");
    figure.series[0].y[1] = NAN;
    expect_in_script("set xtics ('8' 8, '32' 32)\n");
    look = (struct report_look){.ticks = REPORT_TICKS_LISTED, .tick = {64.0, 16.0}, .ticks_count = 2};
    expect_in_script("set xtics ('16' 16, '64' 64)\n");
    expect_in_script("set xrange [0:64]\n");
    figure.x.logarithmic = true;
    look = (struct report_look){0};
    expect_in_script("set logscale x\nset format x '%.10g'\nset xtics ('8' 8, '32' 32)\n");
    lab_figure_destroy(&figure);
}

// A picture of a given size has no title of its own, and no note.
Test(figure, a_size_is_kept, .init = begin)
{
    static const struct {
        double width, height;
        const char *file, *wanted;
        bool in_pixels;
    } cases[] = {
        {84.0 / 25.4, 60.0 / 25.4, "a.svg", "svg size 317,227 font 'sans-serif,10' fontscale 1.067", false},
        {84.0 / 25.4, 60.0 / 25.4, "a.pdf", "pdfcairo size 3.30709in,2.3622in font 'sans,10' fontscale 0.6 ", false},
        {84.0 / 25.4, 60.0 / 25.4, "a.png", "pngcairo size 992,709 font 'sans,10' fontscale 2.5 ", false}, // 300 dpi
        {1200.0 / 96.0, 700.0 / 96.0, "a.png", "pngcairo size 1200,700 font 'sans,10' fontscale 0.8 ", true}};
    draw();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        look = (struct report_look){
            .title = "", .width_in = cases[i].width, .height_in = cases[i].height, .in_pixels = cases[i].in_pixels};
        char *script = NULL;
        size_t length;
        FILE *out = open_memstream(&script, &length);
        report_figure_script(out, &figure, &look, cases[i].file, true);
        fclose(out);
        cr_expect(strstr(script, cases[i].wanted), "no %s in\n%s", cases[i].wanted, script);
        cr_expect_null(strstr(script, "set label"));
        cr_expect(strstr(script, "# title: ade on torus:8x8"), "%s", script);
        cr_expect(strstr(script, "# note: Seeds 7 to 9."), "%s", script);
        cr_expect(strstr(script, i < 3 ? "set ylabel 'variance' "
                                       : "set ylabel 'variance (sum of squared distances from the mean load)'"),
                  "the explanation needs room:\n%s", script);
        cr_expect(strstr(script, " title 'theory' "), "without the formula:\n%s", script);
        free(script);
    }
    lab_figure_destroy(&figure);
}

// A legend inside the drawing hides no line: the vertical axis makes room for it if all corners have lines.
Test(figure, a_legend_inside_hides_nothing)
{
    struct ek_error error;
    figure = (struct lab_figure){0};
    look = (struct report_look){.legend = CLI_LEGEND_INSIDE};
    struct lab_series *line = lab_figure_add(&figure, LAB_SERIES_LINE, 2, false, &error);
    strcpy(line->label, "a");
    line->x[1] = 10.0;
    line->x[0] = line->y[0] = 0.0;
    line->y[1] = 10.0; // from the lower left to the upper right corner
    expect_in_script("set key inside left top opaque fillcolor rgb '#ffffff'");
    expect_in_script("set yrange [0:10.5]\n");
    line->y[0] = 10.0;
    line->y[1] = 0.0;
    expect_in_script("set key inside right top ");
    look.legend = CLI_LEGEND_NONE;
    expect_in_script("unset key\n");
    lab_figure_destroy(&figure);
    add_line((double[]){5.0, 5.0, 5.0});
    for (size_t i = 0; i < 6; i++) {
        strcpy(add_line((double[]){10.0, 0.0, 10.0})->label, "a label with several words, which make the legend wide");
    }
    look.legend = CLI_LEGEND_INSIDE;
    char *script = script_of(&figure, true);
    const char *range = strstr(script, "set yrange [");
    const double high = strtod(strchr(range, ':') + 1, NULL);
    cr_expect_gt(high, 14.0, "%g", high);
    free(script);
    lab_figure_destroy(&figure);
}
