// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cli/figures/figure.h"
#include "cli/figures/figure_axis.h"
#include "cli/figures/figure_sheet.h"
#include "cli/figures/gnuplot.h"

// An open triangle that points upwards, to the larger values that a lower bound allows. No style has it.
enum { BOUND_POINT = 8 };

static void write_number(FILE *out, double value)
{
    fprintf(out, isfinite(value) ? " %.17g" : " NaN", value);
}

static void write_data(FILE *out, const struct lab_series *series, size_t index)
{
    fprintf(out, "$series%zu << END\n#", index);
    fputs(series->low ? " x y low high\n" : " x y\n", out);
    for (size_t i = 0; i < series->count; i++) {
        write_number(out, series->x[i]);
        write_number(out, series->y[i]);
        if (series->low) {
            write_number(out, series->low[i]);
            write_number(out, series->high[i]);
        }
        fputc('\n', out);
    }
    fputs("END\n", out);
}

// A script in the making.
struct script {
    FILE *out;
    const struct lab_figure *figure;
    struct report_sheet sheet;
    struct report_range x, y;
    struct report_marks marks;
    size_t measured; // series that have a style of their own
};

static bool is_measured(const struct lab_series *series)
{
    return series->kind == LAB_SERIES_LINE || series->kind == LAB_SERIES_POINTS || series->kind == LAB_SERIES_BARS;
}

// Returns the number of a series among the measured series. Theory and bounds have that of the line before them.
static size_t number_of(const struct lab_figure *figure, size_t index)
{
    size_t measured = 0;
    for (size_t i = 0; i <= index; i++) {
        measured += is_measured(&figure->series[i]);
    }
    return measured > 0 ? measured - 1 : 0;
}

static struct report_style style_of(const struct script *script, size_t index)
{
    struct report_style style = report_figure_style(number_of(script->figure, index), script->sheet.look->style);
    const double scale = script->sheet.sized ? 0.75 : 1.0;
    style.size *= scale * script->sheet.stroke;
    return style;
}

// Returns whether a line has two points next to each other. Otherwise its band has no width, and bars take its place.
static bool is_connected(const struct lab_series *series)
{
    for (size_t i = 1; i < series->count; i++) {
        if (isfinite(series->y[i - 1]) && isfinite(series->y[i])) {
            return true;
        }
    }
    return false;
}

static bool has_bars(const struct lab_series *series)
{
    return series->low && series->kind == LAB_SERIES_LINE && !is_connected(series);
}

static bool has_band(const struct lab_series *series)
{
    return series->low && series->kind == LAB_SERIES_LINE && is_connected(series);
}

static void write_bands(const struct script *script)
{
    for (size_t s = 0; s < script->figure->count; s++) {
        const struct lab_series *series = &script->figure->series[s];
        const char *colour = style_of(script, s).colour;
        if (has_band(series)) {
            fprintf(script->out,
                    "  $series%zu using 1:(shown($3)):(shown($4)) with filledcurves linecolor rgb '%s' notitle, \\\n",
                    s, colour);
        } else if (has_bars(series)) {
            fprintf(
                script->out,
                "  $series%zu using 1:(shown($2)):(shown($3)):(shown($4)) with yerrorbars pointtype 0 linewidth 1.5 "
                "linecolor rgb '%s' notitle, \\\n",
                s, colour);
        }
    }
}

// Writes a label as the title of the last element, and for each further line of the label an element without a sign.
static void write_label(const struct script *script, const char *label)
{
    const size_t columns = script->sheet.key_columns;
    if (columns == 0) {
        fputs(" notitle", script->out);
        return;
    }
    for (const char *at = label; *at;) {
        char line[sizeof script->figure->series->label + 32];
        const size_t length = report_line_length(at, columns);
        const size_t blank = length > 0 && at[length - 1] == ' ' && at[length];
        snprintf(line, sizeof line, "%.*s", (int)(length - blank), at);
        if (at != label) {
            fprintf(script->out, ", \\\n  NaN with points pointtype 0 linecolor rgb '%s'",
                    script->sheet.paint.background);
        }
        fputs(" title ", script->out);
        report_gnuplot_quote(script->out, line);
        fputs(" noenhanced", script->out);
        at += length;
    }
}

// Makes the legend's text for bands and bars, or "" if there is none.
static void make_band_label(const struct lab_figure *figure, char *label, size_t size)
{
    bool band = false, bars = false;
    for (size_t s = 0; s < figure->count; s++) {
        band = band || has_band(&figure->series[s]);
        bars = bars || has_bars(&figure->series[s]);
    }
    label[0] = '\0';
    if (figure->band[0] && figure->count > 0) {
        const char *sign = report_has_columns(figure) ? "whisker"
                           : band && bars             ? "band or bar"
                           : band                     ? "band"
                                                      : "bar";
        snprintf(label, size, "%s: %s", sign, figure->band);
    }
}

static void write_band_title(const struct script *script)
{
    char label[sizeof script->figure->band + 16];
    make_band_label(script->figure, label, sizeof label);
    if (*label && script->sheet.key_columns > 0) {
        fprintf(script->out, ", \\\n  NaN with %s linecolor rgb '#808080'",
                strncmp(label, "band", 4) == 0 ? "filledcurves" : "lines");
        write_label(script, label);
    }
}

// Makes the legend's text of a series. If a measured series is not visible, the legend says so. If a line of theory is
// not visible, the legend leaves it out. In a picture of a given size it does without the formula.
static void make_label(const struct script *script, size_t index, char *label, size_t size)
{
    const struct lab_series *series = &script->figure->series[index];
    const bool seen = report_series_is_seen(series, &script->x, &script->y);
    const bool theory = series->kind == LAB_SERIES_THEORY, left_out = theory && !seen;
    const size_t length = theory && script->sheet.sized ? strcspn(series->label, ":") : sizeof series->label;
    snprintf(label, size, "%.*s%s", left_out ? 0 : (int)length, series->label,
             seen || left_out ? "" : ": no value to draw");
}

// Writes a measured line: the line, its marks, and its sign in the legend. A line has about a dozen marks, however many
// points it has. The marks of different lines are at different points, so lines that lie on each other are told apart.
static void write_line(const struct script *script, size_t index)
{
    const struct lab_series *series = &script->figure->series[index];
    const struct report_style style = style_of(script, index);
    const size_t apart = series->count / 12 + 1;
    const size_t first = number_of(script->figure, index) * apart / script->measured;
    char mark[120], line[80];
    snprintf(line, sizeof line, "dashtype %s linewidth %g", style.dash, style.width);
    snprintf(mark, sizeof mark, "pointtype %d pointsize %.3g linecolor rgb '%s'", style.point, style.size,
             style.colour);
    fprintf(script->out, "  $series%zu using 1:(shown($2)) with lines %s linecolor rgb '%s' notitle, \\\n", index, line,
            style.colour);
    fprintf(script->out, "  $series%zu using 1:(shown($2)) every %zu::%zu with points linewidth 1.5 %s", index, apart,
            first, mark);
    if (script->sheet.key_columns > 0) {
        fprintf(script->out, " notitle, \\\n  NaN with linespoints %s %s", line, mark);
    }
}

// Writes the points of a series that is not a measured line.
static void write_points(const struct script *script, size_t index)
{
    const struct lab_series *series = &script->figure->series[index];
    const struct report_style style = style_of(script, index);
    const bool named = script->figure->names > 0;
    const bool bars = series->low && series->kind == LAB_SERIES_POINTS;
    fprintf(script->out, "  $series%zu using %s with ", index,
            named                               ? bars ? "(shown($2)):1:(shown($3)):(shown($4))" : "(shown($2)):1"
            : bars                              ? "1:(shown($2)):(shown($3)):(shown($4))"
            : series->kind == LAB_SERIES_THEORY ? "1:(line($2))"
                                                : "1:(shown($2))");
    if (series->kind == LAB_SERIES_IDEAL || series->kind == LAB_SERIES_LIMIT) {
        fprintf(script->out, "lines dashtype %d linewidth 1.5 linecolor rgb '%s'",
                series->kind == LAB_SERIES_IDEAL ? 1 : 2, script->sheet.paint.faint);
    } else if (series->kind == LAB_SERIES_THEORY) {
        fprintf(script->out, "lines dashtype " REPORT_DASH_THEORY " linewidth 2 linecolor rgb '%s'", style.colour);
    } else if (series->kind == LAB_SERIES_BOUNDS) {
        fprintf(script->out, "points pointtype %d pointsize %.3g linewidth 1.5 linecolor rgb '%s'", BOUND_POINT,
                style.size + 0.4, style.colour);
    } else {
        fprintf(script->out, "%s pointtype %d pointsize %.3g linewidth 1.5 linecolor rgb '%s'",
                !bars   ? "points"
                : named ? "xerrorbars"
                        : "yerrorbars",
                style.point, style.size, style.colour);
    }
}

// Returns where the middle of a series' bars stands beside that of their names. The bars of all series share the room
// of a name; `width` is that of one.
static double shift_of(const struct script *script, size_t index, double *width)
{
    static const double ROOM = 0.8;
    *width = ROOM / (double)script->figure->count;
    return *width * ((double)index - 0.5 * ((double)script->figure->count - 1.0));
}

static void write_columns(const struct script *script, size_t index)
{
    double width;
    double shift = shift_of(script, index, &width);
    fprintf(script->out,
            "  $series%zu using ($1+%.17g):(shown($2)):(%.17g) with boxes fillstyle solid 1 linecolor rgb '%s'", index,
            shift, width, style_of(script, index).colour);
}

static void write_whiskers(const struct script *script, size_t index)
{
    double width;
    double shift = shift_of(script, index, &width);
    if (script->figure->series[index].low) {
        fprintf(script->out,
                ", \\\n  $series%zu using ($1+%.17g):(shown($3)):(0):(shown($4)-shown($3)) with vectors heads size "
                "graph 0.006,90 linewidth 1.5 linecolor rgb '#808080' notitle",
                index, shift);
    }
}

// Writes a series without its sign in the legend.
static void write_series(const struct script *script, size_t index)
{
    if (report_has_columns(script->figure)) {
        write_columns(script, index);
    } else if (script->figure->series[index].kind == LAB_SERIES_LINE && script->figure->names == 0) {
        write_line(script, index);
    } else {
        write_points(script, index);
    }
}

static void write_plot(const struct script *script)
{
    fputs("plot \\\n", script->out);
    write_bands(script);
    for (size_t s = 0; s < script->figure->count; s++) {
        char label[sizeof script->figure->series->label + 24];
        fputs(s > 0 ? ", \\\n" : "", script->out);
        write_series(script, s);
        make_label(script, s, label, sizeof label);
        if (*label) {
            write_label(script, label);
        } else {
            fputs(" notitle", script->out);
        }
        if (report_has_columns(script->figure)) {
            write_whiskers(script, s);
        }
    }
    write_band_title(script);
    fputc('\n', script->out);
}

// Finds how many lines the legend has, and how large the sheet is.
static void make_sheet(struct script *script, const struct report_look *look, const char *file)
{
    char label[sizeof script->figure->series->label + 24];
    script->sheet = report_sheet_make(script->figure, look, file);
    for (size_t s = 0; s < script->figure->count; s++) {
        make_label(script, s, label, sizeof label);
        report_sheet_add_label(&script->sheet, label);
        script->measured += is_measured(&script->figure->series[s]);
    }
    make_band_label(script->figure, label, sizeof label);
    report_sheet_add_label(&script->sheet, label);
    report_sheet_fit(&script->sheet, script->figure);
}

static struct script begin(FILE *out, const struct lab_figure *figure, const struct report_look *look)
{
    const bool named = figure->names > 0;
    struct script script = {.out = out,
                            .figure = figure,
                            .x = report_range_of(figure, true, figure->x.logarithmic && !named),
                            .y = report_range_of(figure, false, figure->y.logarithmic)};
    report_range_widen_by_bands(&script.y, figure);
    report_marks_find(&script.marks, figure, look, named ? &script.y : &script.x);
    report_range_add_margin(&script.x, true);
    report_range_add_margin(&script.y, false);
    return script;
}

enum { CORNERS = 4 }; // right and left, first above and then below

// A point in the drawing: 0 and 1 are its edges.
struct spot {
    double across, up;
};

static struct spot spot_of(const struct script *script, double x, double y)
{
    const size_t names = script->figure->names;
    if (report_has_columns(script->figure)) {
        return (struct spot){(x + 0.5) / (double)names, report_range_place(&script->y, y)};
    }
    return names > 0 ? (struct spot){report_range_place(&script->y, y), 1.0 - (x + 0.5) / (double)names}
                     : (struct spot){report_range_place(&script->x, x), report_range_place(&script->y, y)};
}

// Returns whether a spot is in a corner of this size. A spot that is not a number is nowhere.
static bool is_in(struct spot at, struct spot size, bool right, bool top)
{
    return (right ? at.across > 1.0 - size.across : at.across < size.across) &&
           (top ? at.up > 1.0 - size.up : at.up < size.up);
}

// Counts the places of lines and bands that lie in a corner of the drawing, where the legend could be.
static size_t count_in(const struct script *script, struct spot size, bool right, bool top)
{
    enum { BETWEEN = 8 }; // places on the line between two points
    size_t count = 0;
    for (size_t s = 0; s < script->figure->count; s++) {
        const struct lab_series *series = &script->figure->series[s];
        for (size_t i = 0; i < series->count; i++) {
            const size_t before = i > 0 && series->kind != LAB_SERIES_POINTS ? i - 1 : i;
            const struct spot from = spot_of(script, series->x[before], series->y[before]);
            const struct spot to = spot_of(script, series->x[i], series->y[i]);
            for (int k = 1; k <= BETWEEN; k++) {
                const double part = (double)k / BETWEEN;
                count += is_in(
                    (struct spot){from.across + part * (to.across - from.across), from.up + part * (to.up - from.up)},
                    size, right, top);
            }
            for (int high = 0; series->low && high < 2; high++) {
                const double end = high ? series->high[i] : series->low[i];
                count += is_in(spot_of(script, series->x[i], end), size, right, top);
            }
        }
    }
    return count;
}

// Widens the vertical axis upwards, so that its upper part is free.
static void make_room_above(struct report_range *y, double part)
{
    if (y->logarithmic) {
        y->high *= pow(y->high / y->low, part / (1.0 - part));
    } else {
        y->high += (y->high - y->low) * part / (1.0 - part);
    }
}

// Returns the number of the corner with the fewest lines, and gives how many it has.
static size_t emptiest_corner(const struct script *script, size_t *fewest)
{
    const struct spot size = {report_sheet_key_width(&script->sheet), report_sheet_key_height(&script->sheet)};
    size_t best = 0;
    *fewest = SIZE_MAX;
    for (size_t c = 0; c < CORNERS; c++) {
        const size_t count = count_in(script, size, c % 2 == 0, c < 2);
        best = count < *fewest ? c : best;
        *fewest = count < *fewest ? count : *fewest;
    }
    return best;
}

// Chooses the corner for a legend inside the drawing. If all corners have lines, the vertical axis is widened, so that
// the legend hides nothing.
static const char *choose_corner(struct script *script)
{
    static const char *const corners[CORNERS] = {"right top", "left top", "right bottom", "left bottom"};
    size_t lines;
    size_t best = emptiest_corner(script, &lines);
    if (lines > 0 && script->figure->names == 0 && script->sheet.look->legend == CLI_LEGEND_INSIDE) {
        make_room_above(&script->y, report_sheet_key_height(&script->sheet));
        best = emptiest_corner(script, &lines);
    }
    return corners[best];
}

void report_figure_script(FILE *out, const struct lab_figure *figure, const struct report_look *look, const char *file,
                          bool kept)
{
    const bool named = figure->names > 0, listed = report_lists_names(figure);
    struct script script = begin(out, figure, look);
    const struct report_range *y = &script.y;
    make_sheet(&script, look, file);
    script.marks.columns = report_sheet_columns(&script.sheet);
    report_sheet_write(out, &script.sheet, figure, file, choose_corner(&script), kept);
    const struct report_label label = {script.sheet.paint.ink, listed ? 0 : report_sheet_label_columns(&script.sheet)};
    report_axis_write(out, listed ? 'x' : 'y', &figure->y, y, listed ? &script.marks : NULL, &label);
    if (named) {
        report_axis_write_names(out, figure);
    } else {
        report_axis_write(out, 'x', &figure->x, &script.x, &script.marks,
                          &(struct report_label){script.sheet.paint.ink, 0});
    }
    // On a logarithmic axis, measured values and ends of bands below the axis are drawn on its lower edge. Lines of
    // theory continue below the edge.
    if (y->logarithmic) {
        fprintf(out, "shown(y) = y < %.17g ? %.17g : y\nline(y) = y > 0 ? y : %.17g\n", y->low, y->low, y->low);
    } else {
        fputs("shown(y) = y\nline(y) = y\n", out);
    }
    fputs("set clip two\n", out); // a line is visible even if both of its points are outside
    for (size_t s = 0; s < figure->count; s++) {
        write_data(out, &figure->series[s], s);
    }
    write_plot(&script);
}
