// SPDX-License-Identifier: MIT
// The colours of figures are distinct for people with colour blindness, and on grey paper.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figures/figure.h"
#include "cli/figures/gnuplot.h"

struct rgb {
    double of[3]; // linear, 0 to 1
};

static struct rgb colour_of(const char *colour)
{
    unsigned value = (unsigned)strtoul(colour + 1, NULL, 16);
    struct rgb rgb;
    for (int i = 0; i < 3; i++) {
        double part = (double)(value >> (16 - 8 * i) & 0xFF) / 255.0;
        rgb.of[i] = part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4); // IEC 61966-2-1
    }
    return rgb;
}

static double lightness(const struct rgb *rgb)
{
    double y = 0.2126 * rgb->of[0] + 0.7152 * rgb->of[1] + 0.0722 * rgb->of[2];
    return y > 0.008856 ? 116.0 * cbrt(y) - 16.0 : 903.3 * y; // CIE 1976
}

// The colour as a person without one kind of cone sees it: Machado, Oliveira & Fernandes 2009, severity 1.
static struct rgb seen(const struct rgb *rgb, const double matrix[3][3])
{
    struct rgb result;
    for (int i = 0; i < 3; i++) {
        result.of[i] = 0.0;
        for (int j = 0; j < 3; j++) {
            result.of[i] += matrix[i][j] * rgb->of[j];
        }
    }
    return result;
}

static double distance(const struct rgb *a, const struct rgb *b)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double apart = cbrt(fmax(a->of[i], 0.0)) - cbrt(fmax(b->of[i], 0.0)); // steps that look about even
        sum += apart * apart;
    }
    return sqrt(sum);
}

// The contrast ratio of WCAG 2.1.
static double contrast(const struct rgb *a, const struct rgb *b)
{
    const double first = 0.2126 * a->of[0] + 0.7152 * a->of[1] + 0.0722 * a->of[2] + 0.05;
    const double second = 0.2126 * b->of[0] + 0.7152 * b->of[1] + 0.0722 * b->of[2] + 0.05;
    return fmax(first, second) / fmin(first, second);
}

static void expect_apart(size_t a, size_t b, enum cli_picture_style style)
{
    static const double kinds[3][3][3] = {
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
        {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
    const struct report_style one = report_figure_style(a, style), other = report_figure_style(b, style);
    const struct rgb first = colour_of(one.colour), second = colour_of(other.colour);
    cr_expect_neq(one.point, other.point);
    cr_expect_str_neq(one.dash, other.dash);
    cr_expect_neq(one.size, other.size);
    for (int k = 0; k < 3; k++) {
        struct rgb x = seen(&first, kinds[k]);
        struct rgb y = seen(&second, kinds[k]);
        cr_expect_gt(distance(&x, &y), 0.14, "%s and %s, eye %d: %g", one.colour, other.colour, k, distance(&x, &y));
    }
}

Test(figure_colours, colours_stay_apart)
{
    for (int s = CLI_STYLE_PAPER; s <= CLI_STYLE_DARK; s++) {
        const enum cli_picture_style style = (enum cli_picture_style)s;
        const struct report_style again = report_figure_style(REPORT_STYLES, style);
        const struct rgb ground = colour_of(report_paint_of(style).background);
        const struct rgb ink = colour_of(report_paint_of(style).ink);
        cr_expect_str_eq(again.colour, report_figure_style(0, style).colour);
        cr_expect_str_neq(again.dash, report_figure_style(0, style).dash);
        cr_expect_gt(contrast(&ink, &ground), 7.0);
        for (size_t a = 0; a < REPORT_STYLES; a++) {
            const struct rgb first = colour_of(report_figure_style(a, style).colour);
            cr_expect_gt(contrast(&first, &ground), 2.0, "%s is visible", report_figure_style(a, style).colour);
            cr_expect(fabs(lightness(&first) - lightness(&ground)) > 25.0);
            for (size_t b = 0; b < a; b++) {
                expect_apart(a, b, style);
            }
        }
    }
}

// All of 49 series differ in dash or colour, and none has the dash of theory.
Test(figure_colours, many_series_differ)
{
    for (size_t a = 0; a < REPORT_STYLES * REPORT_STYLES; a++) {
        const struct report_style one = report_figure_style(a, CLI_STYLE_PAPER);
        cr_expect_str_neq(one.dash, REPORT_DASH_THEORY);
        for (size_t b = 0; b < a; b++) {
            const struct report_style other = report_figure_style(b, CLI_STYLE_PAPER);
            cr_expect(strcmp(one.dash, other.dash) != 0 || strcmp(one.colour, other.colour) != 0, "%zu and %zu", a, b);
        }
    }
}
