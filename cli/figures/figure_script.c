// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/characters.h"
#include "cli/figures/figure.h"
#include "cli/figures/gnuplot.h"

// How each format is drawn. All pictures are 800 units wide. A unit is two pixels of a PNG, and a hundredth of an inch
// in a PDF.
static const struct kind {
    const char *ending;
    const char *terminal; // the height follows
    const char *looks;
    double unit;
} kinds[] = {
    {".svg", "svg size 800", "font 'sans-serif,10' fontscale 1.3 background rgb 'white'", 1.0},
    {".pdf", "pdfcairo size 8in", "font 'sans,10' fontscale 0.7 linewidth 1.5 background rgb 'white'", 0.01},
    {".png", "pngcairo size 1600", "font 'sans,10' fontscale 2 linewidth 2 pointscale 2 background rgb 'white'", 2.0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// Okabe and Ito's colours, which the colour-blind can distinguish, without yellow, which is invisible on white paper.
// The first four differ most in grey. Later ones that look alike in grey differ in dash and point.
static const struct report_style styles[] = {{"#0072b2", 1, 7},  {"#e69f00", 1, 5},  {"#000000", 1, 9},
                                             {"#009e73", 1, 11}, {"#cc79a7", 5, 13}, {"#56b4e9", 4, 4},
                                             {"#d55e00", 3, 6}};
_Static_assert(sizeof styles / sizeof *styles == REPORT_STYLES, "a style for each of so many series");

// An open triangle that points upwards, to the larger values that a lower bound allows. No style has it.
enum { BOUND_POINT = 8 };

// A colour that is used again gets another dash. Dash 2 is reserved for theory.
struct report_style report_figure_style(size_t index)
{
    static const int next[] = {[1] = 3, [3] = 4, [4] = 5, [5] = 1};
    struct report_style style = styles[index % REPORT_STYLES];
    for (size_t again = index / REPORT_STYLES; again > 0; again--) {
        style.dash = next[style.dash];
    }
    return style;
}

static const struct kind *kind_of(const char *file)
{
    size_t length = strlen(file);
    for (size_t i = 0; i < KINDS; i++) {
        size_t ending = strlen(kinds[i].ending);
        if (length > ending && strcmp(file + length - ending, kinds[i].ending) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

bool report_figure_drawn(const char *file)
{
    return kind_of(file) != NULL;
}

// The range of an axis.
struct range {
    double low, high;
    bool logarithmic;
    double single; // the x that all points have, which gets the only mark of the axis; else NaN
    bool cut;      // a line has values that a logarithmic axis cannot show
};

static void widen(struct range *range, double value, bool logarithmic)
{
    if (isfinite(value) && (value > 0.0 || !logarithmic)) {
        range->low = fmin(range->low, value);
        range->high = fmax(range->high, value);
    }
}

// Returns the range of all measured values, or of theory if nothing was measured.
static struct range range_of(const struct lab_figure *figure, bool along_x, bool logarithmic)
{
    struct range range = {.low = INFINITY, .high = -INFINITY, .logarithmic = logarithmic};
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
        return range_of(figure, along_x, false);
    }
    range.single = along_x && range.low == range.high ? range.low : NAN;
    return range;
}

// Widens the range by the bands. A band that reaches down to 0 is followed for a decade on a logarithmic axis.
static void widen_by_bands(struct range *range, const struct lab_figure *figure)
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

// Adds room around the data. A single value keeps clear of the edges, and is in the middle of the x axis.
static void add_margin(struct range *range, bool along_x)
{
    if (range->low > range->high) {
        *range = (struct range){.low = 0.0, .high = 1.0};
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

// Returns the place of a value on an axis: 0 and 1 are its ends. A value that a logarithmic axis cannot show lies on
// its lower end.
static double place(const struct range *range, double value)
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

// Returns whether any of a series is visible. The axes include all measured values. A series of theory, which is a line
// without points, can lie outside the axes.
static bool is_seen(const struct lab_series *series, const struct range *x, const struct range *y)
{
    bool line = series->kind == LAB_SERIES_THEORY;
    for (size_t i = line; i < series->count; i++) {
        size_t before = i - line;
        double from = 0.0, to = 1.0;
        if (isfinite(series->y[i]) && isfinite(series->y[before]) &&
            clip(place(x, series->x[before]), place(x, series->x[i]), &from, &to) &&
            clip(place(y, series->y[before]), place(y, series->y[i]), &from, &to)) {
            return true;
        }
    }
    return false;
}

// Marks an axis of less than two decades, which has too few powers of ten, at 1, 2 and 5 times each power.
static void write_few_decades(FILE *out, char axis, const struct range *range)
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

static void write_scale(FILE *out, char axis, const struct lab_scale *scale, const struct range *range)
{
    fprintf(out, "set %clabel ", axis);
    report_gnuplot_quote(out, scale->label);
    fprintf(out, " noenhanced%s\nset %crange [%.17g:%.17g]\n", axis == 'x' ? " offset 0,0.4" : "", axis, range->low,
            range->high);
    if (range->logarithmic) {
        fprintf(out, "set logscale %c\n", axis);
    }
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

// Returns whether the figure has bars, which stand on its names.
static bool has_columns(const struct lab_figure *figure)
{
    return figure->count > 0 && figure->series[0].kind == LAB_SERIES_BARS;
}

// Returns whether the names are listed beside the drawing.
static bool lists_names(const struct lab_figure *figure)
{
    return figure->names > 0 && !has_columns(figure);
}

static void write_names(FILE *out, const struct lab_figure *figure)
{
    bool listed = lists_names(figure);
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

static bool ends_word(char byte)
{
    return byte == ' ' || byte == ',' || byte == ';' || byte == '/';
}

// Returns the length of the next line in bytes: as many characters as fit, up to the end of a word if one ends in the
// line's second half.
static size_t line_length(const char *text, size_t columns)
{
    size_t width = 0;
    size_t length = 0;
    size_t word = 0;
    for (; text[length]; length++) {
        width += !base_continues(text[length]);
        if (width > columns) {
            return word > columns / 2 ? word : length;
        }
        if (ends_word(text[length]) && text[length + 1] != ' ') {
            word = length + 1;
        }
    }
    return length;
}

// How the title and the note are printed.
struct print {
    int size;       // of the font
    size_t columns; // characters per line
    double height;  // of a line, in lines of the picture's own font
};
static const struct print title_print = {13, 76, 1.35};
static const struct print note_print = {10, 100, 1.1};

static int count_lines(const char *text, const struct print *print)
{
    int lines = 0;
    for (; *text; text += line_length(text, print->columns)) {
        lines++;
    }
    return lines;
}

// Writes the text in as many lines as it needs, each as a label. The first line is at this height above the drawing.
// The lines begin at the drawing's left edge, or at the picture's if names stand beside the drawing. Returns the height
// below the last line.
static double write_lines(FILE *out, const char *text, double height, const struct print *print, bool names)
{
    while (*text) {
        char line[4 * 128];
        size_t length = line_length(text, print->columns);
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        fputs("set label ", out);
        report_gnuplot_quote(out, line);
        fprintf(out, " at %s, graph 1 offset character 0, %g left noenhanced font ',%d'\n",
                names ? "screen 0.02" : "graph 0", height, print->size);
        text += length;
        height -= print->height;
    }
    return height;
}

enum { LINE = 19, ROW = 21, MIDDLE = 340, KEY_ROOM = 60 };

// Sets the size of the picture, with the title and the note above the drawing and the legend below.
static void write_head(FILE *out, const struct lab_figure *figure, size_t named, const char *file, bool kept)
{
    const struct kind *kind = kind_of(file);
    double above = count_lines(figure->title, &title_print) * title_print.height +
                   count_lines(figure->note, &note_print) * note_print.height;
    double below = (double)named + (figure->band[0] ? 1.0 : 0.0);
    double middle = lists_names(figure) ? ROW * (double)figure->names : MIDDLE;
    double height = floor(middle + KEY_ROOM + LINE * (above + below));
    fprintf(out, "set encoding utf8\nset terminal %s,%g%s %s\n", kind->terminal, kind->unit * height,
            kind->unit < 1.0 ? "in" : "", kind->looks);
    if (kept) {
        fputs("set output ", out);
        report_gnuplot_quote(out, file);
        fputc('\n', out);
    }
    fputs("set grid linecolor rgb '#d8d8d8' linetype 1\nset border 3\nset tics nomirror\n"
          "set datafile missing 'NaN'\nset style fill transparent solid 0.22 noborder\n"
          "set key below left Left reverse vertical maxcols 1\n",
          out);
    fprintf(out, "set tmargin %g\n", above + 0.8);
    double left = write_lines(out, figure->title, above - 0.1, &title_print, lists_names(figure));
    write_lines(out, figure->note, left, &note_print, lists_names(figure));
}

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

// Returns the style of a series: by its number among the measured series. Theory and bounds have the style of the line
// before them.
static struct report_style style_of(const struct lab_figure *figure, size_t index)
{
    size_t measured = 0;
    for (size_t i = 0; i <= index; i++) {
        const enum lab_series_kind kind = figure->series[i].kind;
        measured += kind == LAB_SERIES_LINE || kind == LAB_SERIES_POINTS || kind == LAB_SERIES_BARS;
    }
    return report_figure_style(measured > 0 ? measured - 1 : 0);
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

static void write_bands(FILE *out, const struct lab_figure *figure)
{
    for (size_t s = 0; s < figure->count; s++) {
        const struct lab_series *series = &figure->series[s];
        const char *colour = style_of(figure, s).colour;
        if (has_band(series)) {
            fprintf(out,
                    "  $series%zu using 1:(shown($3)):(shown($4)) with filledcurves linecolor rgb '%s' notitle, \\\n",
                    s, colour);
        } else if (has_bars(series)) {
            fprintf(
                out,
                "  $series%zu using 1:(shown($2)):(shown($3)):(shown($4)) with yerrorbars pointtype 0 linewidth 1.5 "
                "linecolor rgb '%s' notitle, \\\n",
                s, colour);
        }
    }
}

// Writes the legend of bands and bars.
static void write_band_title(FILE *out, const struct lab_figure *figure)
{
    bool band = false, bars = false;
    for (size_t s = 0; s < figure->count; s++) {
        band = band || has_band(&figure->series[s]);
        bars = bars || has_bars(&figure->series[s]);
    }
    char title[sizeof figure->band + 16];
    const char *what = has_columns(figure) ? "whisker" : band && bars ? "band or bar" : band ? "band" : "bar";
    snprintf(title, sizeof title, "%s: %s", what, figure->band);
    fprintf(out, ", \\\n  NaN with %s linecolor rgb '#808080' title ", band ? "filledcurves" : "lines");
    report_gnuplot_quote(out, title);
    fputs(" noenhanced", out);
}

// Writes the bars of a series. Those of all series share the room of a name.
static void write_columns(FILE *out, const struct lab_figure *figure, size_t index)
{
    static const double ROOM = 0.8;
    const struct lab_series *series = &figure->series[index];
    double width = ROOM / (double)figure->count;
    double shift = width * ((double)index - 0.5 * ((double)figure->count - 1.0));
    fprintf(out,
            "  $series%zu using ($1+%.17g):(shown($2)):(%.17g) with boxes fillstyle solid 1 linecolor rgb '%s' title ",
            index, shift, width, style_of(figure, index).colour);
    report_gnuplot_quote(out, series->label);
    fputs(" noenhanced", out);
    if (series->low) {
        fprintf(
            out,
            ", \\\n  $series%zu using ($1+%.17g):(shown($3)):(0):(shown($4)-shown($3)) with vectors heads size graph "
            "0.006,90 linewidth 1.5 linecolor rgb '#808080' notitle",
            index, shift);
    }
}

// Writes a series. A line has about a dozen marks, however many points it has, so that lines differ without colours. If
// a measured series is not visible, the legend says so. If a line of theory is not visible, the legend leaves it out.
static void write_series(FILE *out, const struct lab_figure *figure, size_t index, bool seen)
{
    const struct lab_series *series = &figure->series[index];
    struct report_style style = style_of(figure, index);
    const char *columns = figure->names > 0 ? series->low ? "(shown($2)):1:(shown($3)):(shown($4))" : "(shown($2)):1"
                          : series->low && series->kind == LAB_SERIES_POINTS ? "1:(shown($2)):(shown($3)):(shown($4))"
                          : series->kind == LAB_SERIES_THEORY                ? "1:(line($2))"
                                                                             : "1:(shown($2))";
    fprintf(out, "  $series%zu using %s with ", index, columns);
    if (series->kind == LAB_SERIES_IDEAL || series->kind == LAB_SERIES_LIMIT) {
        fprintf(out, "lines dashtype %d linewidth 1.5 linecolor rgb '#707070'",
                series->kind == LAB_SERIES_IDEAL ? 1 : 2);
    } else if (series->kind == LAB_SERIES_THEORY) {
        fprintf(out, "lines dashtype 2 linewidth 2 linecolor rgb '%s'", style.colour);
    } else if (series->kind == LAB_SERIES_BOUNDS) {
        fprintf(out, "points pointtype %d pointsize 1.2 linewidth 1.5 linecolor rgb '%s'", BOUND_POINT, style.colour);
    } else if (series->kind == LAB_SERIES_POINTS) {
        fprintf(out, "%s pointtype %d pointsize 0.8 linewidth 1.5 linecolor rgb '%s'",
                !series->low        ? "points"
                : figure->names > 0 ? "xerrorbars"
                                    : "yerrorbars",
                style.point, style.colour);
    } else {
        fprintf(out,
                "linespoints dashtype %d linewidth 2 pointtype %d pointsize 0.7 pointinterval %zu linecolor rgb '%s'",
                style.dash, style.point, series->count / 12 + 1, style.colour);
    }
    if (!seen && series->kind == LAB_SERIES_THEORY) {
        fputs(" notitle", out);
        return;
    }
    char label[sizeof series->label + 24];
    snprintf(label, sizeof label, "%s%s", series->label, seen ? "" : ": no value to draw");
    fputs(" title ", out);
    report_gnuplot_quote(out, label);
    fputs(" noenhanced", out);
}

static void write_plot(FILE *out, const struct lab_figure *figure, const struct range *x, const struct range *y)
{
    fputs("plot \\\n", out);
    write_bands(out, figure);
    for (size_t s = 0; s < figure->count; s++) {
        fputs(s > 0 ? ", \\\n" : "", out);
        if (has_columns(figure)) {
            write_columns(out, figure, s);
        } else {
            write_series(out, figure, s, is_seen(&figure->series[s], x, y));
        }
    }
    if (figure->band[0] && figure->count > 0) {
        write_band_title(out, figure);
    }
    fputc('\n', out);
}

void report_figure_script(FILE *out, const struct lab_figure *figure, const char *file, bool kept)
{
    bool named = figure->names > 0;
    struct range x = range_of(figure, true, figure->x.logarithmic && !named);
    struct range y = range_of(figure, false, figure->y.logarithmic);
    widen_by_bands(&y, figure);
    add_margin(&x, true);
    add_margin(&y, false);
    size_t titles = 0;
    for (size_t s = 0; s < figure->count; s++) {
        titles += figure->series[s].kind != LAB_SERIES_THEORY || is_seen(&figure->series[s], &x, &y);
    }
    write_head(out, figure, titles, file, kept);
    write_scale(out, lists_names(figure) ? 'x' : 'y', &figure->y, &y);
    if (named) {
        write_names(out, figure);
    } else {
        write_scale(out, 'x', &figure->x, &x);
    }
    // On a logarithmic axis, measured values and ends of bands below the axis are drawn on its lower edge. Lines of
    // theory continue below the edge.
    if (y.logarithmic) {
        fprintf(out, "shown(y) = y < %.17g ? %.17g : y\nline(y) = y > 0 ? y : %.17g\n", y.low, y.low, y.low);
    } else {
        fputs("shown(y) = y\nline(y) = y\n", out);
    }
    fputs("set clip two\n", out); // a line is visible even if both of its points are outside
    for (size_t s = 0; s < figure->count; s++) {
        write_data(out, &figure->series[s], s);
    }
    write_plot(out, figure, &x, &y);
}
