// SPDX-License-Identifier: MIT
#include "cli/figures/figure_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/characters.h"
#include "cli/figures/gnuplot.h"

static void widen(struct report_range *range, double value, bool logarithmic)
{
    if (isfinite(value) && (value > 0.0 || !logarithmic)) {
        range->low = fmin(range->low, value);
        range->high = fmax(range->high, value);
    }
}

struct report_range report_range_of(const struct lab_figure *figure, bool along_x, bool logarithmic)
{
    struct report_range range = {.low = INFINITY, .high = -INFINITY, .logarithmic = logarithmic};
    for (int theory = 0; theory < 2 && range.low > range.high; theory++) {
        for (size_t s = 0; s < figure->count; s++) {
            const struct lab_series *series = &figure->series[s];
            bool wanted = (series->kind == LAB_SERIES_THEORY) == theory;
            for (size_t i = 0; wanted && i < series->count; i++) {
                widen(&range, along_x ? series->x[i] : series->y[i], logarithmic);
                range.cut = range.cut || (logarithmic && !along_x && series->y[i] <= 0.0);
            }
        }
    }
    if (range.low > range.high && logarithmic) {
        return report_range_of(figure, along_x, false);
    }
    range.single = along_x && range.low == range.high ? range.low : NAN;
    return range;
}

void report_range_widen_by_bands(struct report_range *range, const struct lab_figure *figure)
{
    double floor = range->logarithmic ? range->low / 10.0 : -INFINITY;
    for (size_t s = 0; s < figure->count; s++) {
        const struct lab_series *series = &figure->series[s];
        for (size_t i = 0; series->low && i < series->count; i++) {
            widen(range, isfinite(series->low[i]) ? fmax(series->low[i], floor) : NAN, range->logarithmic);
            widen(range, series->high[i], range->logarithmic);
        }
    }
}

void report_range_add_margin(struct report_range *range, bool along_x)
{
    if (range->low > range->high) {
        *range = (struct report_range){.low = 0.0, .high = 1.0};
    } else if (range->logarithmic) {
        double factor = along_x ? 1.1 : 1.5;
        range->low /= factor;
        range->high *= factor;
    } else if (range->low >= range->high) {
        double width = range->low == 0.0 ? 1.0 : fabs(range->low);
        range->high += width;
        range->low -= along_x ? width : 0.1 * width;
    } else {
        double width = range->high - range->low;
        bool from_zero = range->low >= 0.0 && (range->low < width || !along_x);
        range->low = from_zero ? 0.0 : range->low - 0.03 * width;
        range->high += along_x ? 0.0 : 0.05 * width;
    }
}

double report_range_place(const struct report_range *range, double value)
{
    if (range->logarithmic) {
        return log((value > 0.0 ? value : range->low) / range->low) / log(range->high / range->low);
    }
    return (value - range->low) / (range->high - range->low);
}

// Restricts the part [*from, *to] of a line from `begin` to `end` to where the line lies between 0 and 1. Returns false
// if nothing remains.
static bool clip(double begin, double end, double *from, double *to)
{
    if (begin == end) {
        return begin >= 0.0 && begin <= 1.0;
    }
    double in = -begin / (end - begin), out = (1.0 - begin) / (end - begin);
    *from = fmax(*from, fmin(in, out));
    *to = fmin(*to, fmax(in, out));
    return *from <= *to;
}

bool report_series_is_seen(const struct lab_series *series, const struct report_range *x, const struct report_range *y)
{
    bool line = series->kind == LAB_SERIES_THEORY;
    for (size_t i = line; i < series->count; i++) {
        size_t before = i - line;
        double from = 0.0, to = 1.0;
        if (isfinite(series->y[i]) && isfinite(series->y[before]) &&
            clip(report_range_place(x, series->x[before]), report_range_place(x, series->x[i]), &from, &to) &&
            clip(report_range_place(y, series->y[before]), report_range_place(y, series->y[i]), &from, &to)) {
            return true;
        }
    }
    return false;
}

// Marks an axis of less than two decades, which has too few powers of ten, at 1, 2 and 5 times each power.
static void write_few_decades(FILE *out, char axis, const struct report_range *range)
{
    static const double marks[] = {1.0, 2.0, 5.0};
    const char *comma = "";
    fprintf(out, "set format %c '%s'\nset %ctics (", axis, range->low >= 1.0 ? "%.0s%c" : "%.6g", axis);
    for (double decade = pow(10.0, floor(log10(range->low))); decade <= range->high; decade *= 10.0) {
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            if (decade * marks[i] >= range->low && decade * marks[i] <= range->high) {
                fprintf(out, "%s%.6g", comma, decade * marks[i]);
                comma = ", ";
            }
        }
    }
    fputs(")\n", out);
}

static bool ends_word(char byte)
{
    return byte == ' ' || byte == ',' || byte == ';' || byte == '/';
}

size_t report_line_length(const char *text, size_t columns)
{
    size_t width = 0;
    size_t length = 0;
    size_t word = 0;
    for (; text[length]; length++) {
        width += !base_continues(text[length]);
        if (width > columns && text[length] == ' ') {
            return length + 1;
        }
        if (width > columns) {
            return word > columns / 2 ? word : length;
        }
        if (ends_word(text[length]) && text[length + 1] != ' ') {
            word = length + 1;
        }
    }
    return length;
}

// Writes a label. If it is too long for its axis, the explanation in parentheses is left out, or it takes more lines.
static void write_label(FILE *out, char axis, const char *text, const struct report_label *label)
{
    char lines[2 * sizeof((struct lab_scale *)0)->label] = "";
    size_t used = 0;
    const char *end = strstr(text, " (");
    char brief[sizeof((struct lab_scale *)0)->label];
    if (end && label->columns > 0 && strlen(text) > label->columns) {
        snprintf(brief, sizeof brief, "%.*s", (int)(end - text), text);
        text = brief;
    }
    do {
        const size_t length = label->columns > 0 ? report_line_length(text, label->columns) : strlen(text);
        used += (size_t)snprintf(lines + used, sizeof lines - used, "%s%.*s", used > 0 ? "\n" : "", (int)length, text);
        text += length;
    } while (*text);
    fprintf(out, "set %clabel ", axis);
    report_gnuplot_quote(out, lines);
    fprintf(out, " noenhanced textcolor rgb '%s'%s\n", label->ink, axis == 'x' ? " offset 0,0.4" : "");
}

static void write_usual_ticks(FILE *out, char axis, const struct report_range *range)
{
    if (isfinite(range->single)) {
        fprintf(out, "set xtics ('%.10g' %.17g)\n", range->single, range->single);
    } else if (range->logarithmic && range->high < 100.0 * range->low) {
        write_few_decades(out, axis, range);
    } else if (range->logarithmic) {
        fprintf(out, "set format %c '10^{%%L}'\n", axis);
    } else if (fmax(fabs(range->low), fabs(range->high)) >= 1e5) {
        fprintf(out, "set format %c '%%.1s%%c'\n", axis);
    }
}

// Writes a mark at each value. A number that would run into the one before it is left out.
static void write_ticks(FILE *out, const struct report_marks *marks, const struct report_range *range)
{
    double free_from = -INFINITY;
    fputs("set format x '%.10g'\nset xtics (", out);
    for (size_t i = 0; i < marks->count; i++) {
        char text[40];
        const int length = snprintf(text, sizeof text, "%.10g", marks->at[i]);
        const double middle = report_range_place(range, marks->at[i]) * marks->columns;
        const bool fits = middle - 0.5 * length >= free_from;
        fprintf(out, "%s'%s' %.17g", i > 0 ? ", " : "", fits ? text : "", marks->at[i]);
        free_from = fits ? middle + 0.5 * length + 0.5 : free_from;
    }
    fputs(")\n", out);
}

void report_axis_write(FILE *out, char axis, const struct lab_scale *scale, const struct report_range *range,
                       const struct report_marks *marks, const struct report_label *label)
{
    write_label(out, axis, scale->label, label);
    fprintf(out, "set %crange [%.17g:%.17g]\n", axis, range->low, range->high);
    if (range->logarithmic) {
        fprintf(out, "set logscale %c\n", axis);
    }
    if (marks && marks->count > 0) {
        write_ticks(out, marks, range);
    } else {
        write_usual_ticks(out, axis, range);
    }
}

bool report_has_columns(const struct lab_figure *figure)
{
    return figure->count > 0 && figure->series[0].kind == LAB_SERIES_BARS;
}

bool report_lists_names(const struct lab_figure *figure)
{
    return figure->names > 0 && !report_has_columns(figure);
}

void report_axis_write_names(FILE *out, const struct lab_figure *figure)
{
    bool listed = report_lists_names(figure);
    fprintf(out,
            listed ? "set yrange [%zu.5:-0.5]\nset ytics noenhanced ("
                   : "set xrange [-0.5:%zu.5]\nset xtics noenhanced (",
            figure->names - 1);
    const char *comma = "";
    for (size_t i = 0; i < figure->names; i++) {
        if (figure->name[i][0]) {
            fputs(comma, out);
            report_gnuplot_quote(out, figure->name[i]);
            fprintf(out, " %zu", i);
            comma = ", ";
        }
    }
    fprintf(out, ")\nunset grid\nset grid %ctics\n", listed ? 'x' : 'y');
}

static int by_size(const void *first, const void *second)
{
    const double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

static void add_mark(struct report_marks *marks, double value)
{
    bool known = false;
    for (size_t i = 0; i < marks->count; i++) {
        known = known || marks->at[i] == value;
    }
    marks->more = marks->more || (!known && marks->count == REPORT_TICKS_MAX);
    if (!known && marks->count < REPORT_TICKS_MAX) {
        marks->at[marks->count++] = value;
    }
}

void report_marks_find(struct report_marks *marks, const struct lab_figure *figure, const struct report_look *look,
                       struct report_range *along)
{
    const bool listed = look->ticks == REPORT_TICKS_LISTED;
    for (size_t i = 0; listed && i < look->ticks_count; i++) {
        add_mark(marks, look->tick[i]);
    }
    for (size_t s = 0; !listed && figure->swept && s < figure->count; s++) {
        for (size_t i = 0; i < figure->series[s].count; i++) {
            const double x = figure->series[s].x[i];
            if (isfinite(x) && isfinite(figure->series[s].y[i]) && (x > 0.0 || !along->logarithmic)) {
                add_mark(marks, x);
            }
        }
    }
    marks->count = marks->more ? 0 : marks->count;
    qsort(marks->at, marks->count, sizeof *marks->at, by_size);
    for (size_t i = 0; i < marks->count; i++) {
        widen(along, marks->at[i], along->logarithmic);
    }
    along->single = marks->count > 1 ? NAN : along->single;
}
