// SPDX-License-Identifier: MIT
#include "cli/figures/figure_sheet.h"

#include <math.h>
#include <string.h>

#include "base/characters.h"
#include "cli/figures/figure.h"
#include "cli/figures/gnuplot.h"

// How each format is drawn. `unit` is the size of a unit in the terminal's measure: pixels, or inches of a PDF. The
// factors are those of a picture 800 units wide, and those that make text of 8 points in a picture of a given size.
struct report_kind {
    const char *ending, *terminal, *font;
    double unit, font_scale, line_width;
    double sized_unit, sized_font_scale, sized_line_width;
    bool has_point_scale;
};
static const struct report_kind kinds[] = {
    {".svg", "svg", "sans-serif,10", 1.0, 1.3, 1.0, 1.0, 16.0 / 15.0, 2.0 / 3.0, false},
    {".pdf", "pdfcairo", "sans,10", 0.01, 0.7, 1.5, 1.0 / 96.0, 0.6, 1.0, false},
    {".png", "pngcairo", "sans,10", 2.0, 2.0, 2.0, 300.0 / 96.0, 2.5, 300.0 / 144.0, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct report_kind *kind_of(const char *file)
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

// How the title and the note are printed.
struct print {
    int size;       // of the font
    double columns; // characters per line of 800 units
    double height;  // of a line, in lines of the picture's own font
};
static const struct print title_print = {13, 76, 1.35};
static const struct print note_print = {10, 100, 1.1};

// The parts of a picture in units, with text of its usual size. In a picture of a given size, text has 0.8 of it.
enum { WIDTH = 800, LINE = 19, ROW = 21, MIDDLE = 340, KEY_ROOM = 60, UNITS_PER_INCH = 96 };
static const double SIZED_TEXT = 0.8;

// The least and the most characters in a line. The longest line is kept by a buffer of four bytes for each.
enum { COLUMNS_LEAST = 8, COLUMNS_MOST = 250 };

static size_t columns_in(const struct report_sheet *sheet, double columns)
{
    return (size_t)fmin(fmax(columns * sheet->width / WIDTH / sheet->text, COLUMNS_LEAST), COLUMNS_MOST);
}

static double lines_height(const struct report_sheet *sheet, const char *text, const struct print *print)
{
    double lines = 0.0;
    for (; *text; text += report_line_length(text, columns_in(sheet, print->columns))) {
        lines++;
    }
    return lines * print->height;
}

static struct report_sheet begin(const struct report_look *look)
{
    struct report_sheet sheet = {.look = look, .paint = report_paint_of(look->style), .sized = look->width_in > 0.0};
    sheet.width = sheet.sized ? look->width_in * UNITS_PER_INCH : WIDTH;
    sheet.height = look->height_in * UNITS_PER_INCH;
    sheet.text = sheet.paint.text * (sheet.sized ? SIZED_TEXT : 1.0);
    sheet.stroke = sheet.paint.stroke;
    return sheet;
}

struct report_sheet report_sheet_make(const struct lab_figure *figure, const struct report_look *look, const char *file)
{
    static const double columns[] = {[CLI_LEGEND_BELOW] = 86.0, [CLI_LEGEND_INSIDE] = 60.0, [CLI_LEGEND_RIGHT] = 30.0};
    struct report_sheet sheet = begin(look);
    sheet.kind = kind_of(file);
    sheet.title = look->title ? look->title : figure->title;
    sheet.note = look->title ? "" : figure->note;
    sheet.key_columns = look->legend == CLI_LEGEND_NONE ? 0 : columns_in(&sheet, columns[look->legend]);
    return sheet;
}

void report_sheet_add_label(struct report_sheet *sheet, const char *label)
{
    while (sheet->key_columns > 0 && *label) {
        const size_t length = report_line_length(label, sheet->key_columns);
        sheet->key_longest = length > sheet->key_longest ? length : sheet->key_longest;
        sheet->key_lines++;
        label += length;
    }
}

static double above(const struct report_sheet *sheet)
{
    return lines_height(sheet, sheet->title, &title_print) + lines_height(sheet, sheet->note, &note_print);
}

void report_sheet_fit(struct report_sheet *sheet, const struct lab_figure *figure)
{
    if (sheet->sized) {
        return;
    }
    const double below = sheet->look->legend == CLI_LEGEND_BELOW ? (double)sheet->key_lines : 0.0;
    const double least = sheet->look->legend == CLI_LEGEND_RIGHT ? LINE * sheet->text * (double)sheet->key_lines : 0.0;
    const double middle = fmax(report_lists_names(figure) ? ROW * sheet->text * (double)figure->names : MIDDLE, least);
    sheet->height = floor(middle + sheet->text * (KEY_ROOM + LINE * (above(sheet) + below)));
}

bool report_sheet_has_room(const struct report_look *look)
{
    const struct report_sheet sheet = begin(look);
    const double title = LINE * sheet.text * lines_height(&sheet, look->title ? look->title : "", &title_print);
    return !sheet.sized || title <= 0.4 * sheet.height;
}

double report_sheet_columns(const struct report_sheet *sheet)
{
    const bool beside = sheet->look->legend == CLI_LEGEND_RIGHT;
    return (double)columns_in(sheet, 94.0) - (beside ? (double)sheet->key_columns : 0.0);
}

// Returns the height of the drawing in units, about.
static double drawing_height(const struct report_sheet *sheet)
{
    const double below = sheet->look->legend == CLI_LEGEND_BELOW ? (double)sheet->key_lines : 0.0;
    return fmax(sheet->height - sheet->text * (KEY_ROOM + LINE * (above(sheet) + below)), LINE * sheet->text);
}

size_t report_sheet_label_columns(const struct report_sheet *sheet)
{
    return !sheet->sized
               ? 0
               : columns_in(sheet, 105.0 * (drawing_height(sheet) + KEY_ROOM / 2 * sheet->text) / sheet->width);
}

double report_sheet_key_width(const struct report_sheet *sheet)
{
    enum { SIGN = 7 }; // the characters that a sign before the text takes
    return fmin(((double)sheet->key_longest + SIGN) / report_sheet_columns(sheet), 1.0);
}

double report_sheet_key_height(const struct report_sheet *sheet)
{
    return fmin(0.9 * LINE * sheet->text * ((double)sheet->key_lines + 0.5) / drawing_height(sheet), 0.65);
}

// Writes the text in as many lines as it needs, each as a label. The first line is at this height above the drawing.
// The lines begin at the drawing's left edge, or at the picture's if names stand beside the drawing. Returns the height
// below the last line.
static double write_lines(FILE *out, const struct report_sheet *sheet, const char *text, double height,
                          const struct print *print, bool names)
{
    while (*text) {
        char line[4 * COLUMNS_MOST + 1];
        size_t length = report_line_length(text, columns_in(sheet, print->columns));
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        fputs("set label ", out);
        report_gnuplot_quote(out, line);
        fprintf(out, " at %s, graph 1 offset character 0, %g left noenhanced font ',%d' textcolor rgb '%s'\n",
                names ? "screen 0.02" : "graph 0", height, print->size, sheet->paint.ink);
        text += length;
        height -= print->height;
    }
    return height;
}

static void write_terminal(FILE *out, const struct report_sheet *sheet)
{
    const struct report_kind *kind = sheet->kind;
    const struct report_look *look = sheet->look;
    const bool in_inches = kind->unit < 1.0;
    // A PNG whose size is in pixels has as many pixels.
    const double dots = look->in_pixels && kind->has_point_scale ? UNITS_PER_INCH / 300.0 : 1.0;
    const double unit = sheet->sized ? kind->sized_unit * dots : kind->unit;
    const double font = sheet->sized ? kind->sized_font_scale * dots : kind->font_scale;
    const double line = sheet->sized ? kind->sized_line_width * dots : kind->line_width;
    const char *measure = in_inches ? "in" : "";
    double width = sheet->width * unit, height = sheet->height * unit;
    if (!in_inches) {
        width = round(width);
        height = round(height);
    }
    fprintf(out, "set encoding utf8\nset terminal %s size %.6g%s,%.6g%s font '%s' fontscale %.4g", kind->terminal,
            width, measure, height, measure, kind->font, font * sheet->paint.text);
    fprintf(out, " linewidth %.4g", line * sheet->stroke);
    if (kind->has_point_scale) {
        fprintf(out, " pointscale %.4g", unit);
    }
    fprintf(out, " background rgb '%s'\n", sheet->paint.background);
}

static void write_key(FILE *out, const struct report_sheet *sheet, const char *corner)
{
    switch (sheet->look->legend) {
    case CLI_LEGEND_BELOW:
        fputs("set key below left", out);
        break;
    case CLI_LEGEND_INSIDE:
        fprintf(out, "set key inside %s opaque fillcolor rgb '%s'", corner, sheet->paint.background);
        break;
    case CLI_LEGEND_RIGHT:
        fputs("set key outside right top", out);
        break;
    case CLI_LEGEND_NONE:
        fputs("unset key\n", out);
        return;
    }
    if (sheet->look->legend != CLI_LEGEND_BELOW) {
        fprintf(out, " width %g", -0.2 * (double)sheet->key_longest); // gnuplot takes letters for wider than they are
    }
    fprintf(out, "%s Left reverse vertical maxcols 1 textcolor rgb '%s'\n",
            sheet->sized ? " samplen 2.5 spacing 0.9" : "", sheet->paint.ink);
}

// Writes a comment of one line.
static void write_comment(FILE *out, const char *what, const char *text)
{
    fprintf(out, "# %s: ", what);
    for (; *text; text++) {
        fputc(base_is_control(*text) ? ' ' : *text, out);
    }
    fputc('\n', out);
}

// Keeps in the script what the picture does not show.
static void write_comments(FILE *out, const struct report_sheet *sheet, const struct lab_figure *figure)
{
    if (sheet->look->title) {
        write_comment(out, "title", figure->title);
        write_comment(out, "note", figure->note);
    }
    if (sheet->look->legend == CLI_LEGEND_NONE && *figure->band) {
        write_comment(out, "band", figure->band);
    }
}

void report_sheet_write(FILE *out, const struct report_sheet *sheet, const struct lab_figure *figure, const char *file,
                        const char *corner, bool kept)
{
    const struct report_paint *paint = &sheet->paint;
    write_comments(out, sheet, figure);
    write_terminal(out, sheet);
    if (kept) {
        fputs("set output ", out);
        report_gnuplot_quote(out, file);
        fputc('\n', out);
    }
    fprintf(out,
            "set grid linecolor rgb '%s' linetype 1\nset border 3 linecolor rgb '%s'\n"
            "set tics nomirror textcolor rgb '%s'\nset datafile missing 'NaN'\n"
            "set style fill transparent solid %g noborder\n",
            paint->grid, paint->ink, paint->ink, paint->band);
    write_key(out, sheet, corner);
    const double height = above(sheet);
    fprintf(out, "set tmargin %g\n", height + 0.8);
    double left = write_lines(out, sheet, sheet->title, height - 0.1, &title_print, report_lists_names(figure));
    write_lines(out, sheet, sheet->note, left, &note_print, report_lists_names(figure));
}
