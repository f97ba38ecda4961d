// SPDX-License-Identifier: MIT
// The curve is drawn on a canvas of braille dots, 2 x 4 per character, or of '*' if the terminal has no UTF-8.
#include "cli/figures/chart.h"

#include <math.h>
#include <string.h>

#include "base/debug.h"
#include "cli/terminal/terminal.h"
#include "lab/record/traces.h"
#include "threads/api/report.h"

enum { COLUMNS_MAX = 1000, DOTS_ACROSS = 2, DOTS_DOWN = 4, MARGIN = 8 };

struct canvas {
    int columns, rows;
    int across, down; // dots per character
    unsigned char dots[REPORT_CHART_ROWS][COLUMNS_MAX], theory[REPORT_CHART_ROWS][COLUMNS_MAX];
    double bottom, top; // decimal logarithms
    double first, last; // steps, or seconds
};

static void set_dot(const struct canvas *canvas, unsigned char (*dots)[COLUMNS_MAX], int x, int y)
{
    // Unicode numbers the dots of a braille character down the left column, then the right, and the lowest row last.
    static const unsigned char bits[DOTS_DOWN][DOTS_ACROSS] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    BASE_DEBUG_ASSERT(x >= 0 && x < canvas->columns * canvas->across && y >= 0 && y < canvas->rows * canvas->down);
    dots[y / canvas->down][x / canvas->across] |= bits[y % canvas->down][x % canvas->across];
}

static double logarithm(double variance)
{
    return variance > 0.0 && isfinite(variance) ? log10(variance) : NAN;
}

// Chooses a scale of whole powers of ten. Returns false if no variance is above 0.
static bool set_scale(struct canvas *canvas, const struct ek_report *report)
{
    canvas->bottom = INFINITY;
    canvas->top = -INFINITY;
    for (size_t i = 0; i < report->trace_count; i++) {
        canvas->bottom = fmin(canvas->bottom, logarithm(report->trace[i].variance));
        canvas->top = fmax(canvas->top, logarithm(report->trace[i].variance));
    }
    if (!(canvas->bottom <= canvas->top)) {
        return false;
    }
    canvas->bottom = floor(canvas->bottom);
    canvas->top = fmax(ceil(canvas->top), canvas->bottom + 1.0);
    canvas->first = lab_trace_moment(report, 0);
    canvas->last = lab_trace_moment(report, report->trace_count - 1);
    return canvas->last > canvas->first;
}

// Returns the logarithm of the variance at a place, interpolated between the rows around it. The search for them begins
// at row `*at`.
static double value_at(const struct ek_report *report, double place, size_t *at)
{
    while (*at + 2 < report->trace_count && lab_trace_moment(report, *at + 1) <= place) {
        (*at)++;
    }
    double left = lab_trace_moment(report, *at);
    double part = (place - left) / (lab_trace_moment(report, *at + 1) - left);
    double low = logarithm(report->trace[*at].variance);
    return part > 0.0 ? low + part * (logarithm(report->trace[*at + 1].variance) - low) : low;
}

static double place_of(const struct canvas *canvas, int x)
{
    return canvas->first + (canvas->last - canvas->first) * x / (canvas->columns * canvas->across - 1);
}

static int dot_of(const struct canvas *canvas, double value)
{
    return (int)lround((canvas->top - value) / (canvas->top - canvas->bottom) * (canvas->rows * canvas->down - 1));
}

static void draw_curve(struct canvas *canvas, const struct ek_report *report)
{
    size_t at = 0;
    int before = -1;
    for (int x = 0; x < canvas->columns * canvas->across; x++) {
        double value = value_at(report, place_of(canvas, x), &at);
        if (isnan(value)) {
            before = -1;
            continue;
        }
        int y = dot_of(canvas, value);
        int from = before < 0 ? y : before;
        for (int dot = from < y ? from + 1 : y; dot <= (from < y ? y : from - (from > y)); dot++) {
            set_dot(canvas, canvas->dots, x, dot);
        }
        before = y;
    }
}

// Draws a dot now and then, within the scale of the measured values.
static void draw_theory(struct canvas *canvas, const struct ek_report *report, double factor)
{
    enum { APART = 4 };
    double initial = logarithm(report->trace[0].variance);
    for (int x = 0; x < canvas->columns * canvas->across; x += APART) {
        double value = initial + (place_of(canvas, x) - canvas->first) * log10(factor);
        if (value >= canvas->bottom && value <= canvas->top) {
            set_dot(canvas, canvas->theory, x, dot_of(canvas, value));
        }
    }
}

static void print_cell(FILE *out, const struct canvas *canvas, int row, int column, bool utf8)
{
    unsigned dots = canvas->dots[row][column] | canvas->theory[row][column];
    if (dots == 0) {
        fputc(' ', out);
    } else if (!utf8) {
        fputc(canvas->dots[row][column] ? '*' : '.', out);
    } else {
        // U+2800 and above, in UTF-8.
        fprintf(out, "\xE2%c%c", (int)(0xA0 + (dots >> 6)), (int)(0x80 + (dots & 0x3F)));
    }
}

// Prints the power of ten of this row of characters, if it has a label. Labels are at least three rows apart.
static void print_label(FILE *out, const struct canvas *canvas, int row)
{
    double decades = canvas->top - canvas->bottom;
    double apart = ceil(decades * 3.0 / (canvas->rows - 1));
    for (double power = canvas->top; power >= canvas->bottom; power -= apart) {
        if (lround((canvas->top - power) / decades * (canvas->rows - 1)) == row) {
            fprintf(out, "%*s%-4.0f", MARGIN - 4, "1e", power);
            return;
        }
    }
    fprintf(out, "%*s", MARGIN, "");
}

// Returns "step 12,345", or in free timing "12.3 ms".
static struct cli_text place_text(const struct ek_report *report, double place)
{
    if (report->timed) {
        return cli_text_seconds(place);
    }
    struct cli_text text;
    snprintf(text.of, sizeof text.of, "step %.70s", cli_text_count((uint64_t)place).of);
    return text;
}

static void print_row(FILE *out, const struct canvas *canvas, const struct cli_terminal *terminal, int row)
{
    int end = canvas->columns;
    while (end > 0 && canvas->dots[row][end - 1] == 0 && canvas->theory[row][end - 1] == 0) {
        end--;
    }
    print_label(out, canvas, row);
    fprintf(out, "%s%s", terminal->utf8 ? "│" : "|", cli_terminal_style(terminal, CLI_CYAN));
    for (int column = 0; column < end; column++) {
        print_cell(out, canvas, row, column, terminal->utf8);
    }
    fprintf(out, "%s\n", cli_terminal_style(terminal, CLI_PLAIN));
}

// Prints the line below the rows, and below its ends the first and the last place.
static void print_axis(FILE *out, const struct canvas *canvas, const struct cli_terminal *terminal,
                       const struct ek_report *report)
{
    fprintf(out, "%*s%s", MARGIN, "", terminal->utf8 ? "└" : "+");
    for (int column = 0; column < canvas->columns; column++) {
        fputs(terminal->utf8 ? "─" : "-", out);
    }
    struct cli_text first = place_text(report, canvas->first);
    struct cli_text last = place_text(report, canvas->last);
    fprintf(out, "\n%*s %s%*s\n", MARGIN, "", first.of, canvas->columns - (int)strlen(first.of), last.of);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

void report_chart_draw(FILE *out, const struct cli_terminal *terminal, const struct ek_report *report,
                       struct report_chart_size size, double factor)
{
    int rows = size.rows;
    struct canvas canvas = {.columns = smaller(smaller(size.columns, terminal->columns) - MARGIN - 2, COLUMNS_MAX),
                            .rows = rows,
                            .across = terminal->utf8 ? DOTS_ACROSS : 1,
                            .down = terminal->utf8 ? DOTS_DOWN : 1};
    assert(canvas.columns > 1 && rows > 1 && rows <= REPORT_CHART_ROWS);
    if (report->trace_count < 2 || !set_scale(&canvas, report)) {
        return;
    }
    draw_curve(&canvas, report);
    if (!isnan(factor)) {
        draw_theory(&canvas, report, factor);
    }
    fputs(isnan(factor) ? "  variance\n" : "  variance; dotted: theory\n", out);
    for (int row = 0; row < rows; row++) {
        print_row(out, &canvas, terminal, row);
    }
    print_axis(out, &canvas, terminal, report);
}
