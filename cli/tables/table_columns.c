// SPDX-License-Identifier: MIT
#include "cli/tables/table_columns.h"

#include "cli/tables/table_lines.h"
#include "cli/terminal/terminal.h"

enum { COLUMNS_MAX = 16, APART = 2 };

static int width_of(const struct report_columns *columns, int column)
{
    size_t width = cli_text_width(columns->heading(columns->of, column).of);
    for (size_t i = 0; i < columns->lines; i++) {
        size_t cell = cli_text_width(columns->cell(columns->of, i, column).of);
        width = cell > width ? cell : width;
    }
    return (int)width;
}

// Returns how many columns fit, and finds how wide they are.
static int fit(FILE *out, const struct report_columns *columns, int *widths)
{
    struct cli_terminal terminal = cli_terminal_of(out);
    int total = 0, shown = 0;
    for (; shown < columns->count && shown < COLUMNS_MAX; shown++) {
        widths[shown] = width_of(columns, shown);
        total += APART + widths[shown];
        if (terminal.bounded && total > terminal.columns && shown >= columns->least) {
            break;
        }
    }
    return shown;
}

static void write_cell(FILE *out, const char *text, bool name, int width)
{
    int room = width - (int)cli_text_width(text);
    fprintf(out, "%*s%s%*s", APART + (name ? 0 : room), "", text, name ? room : 0, "");
}

static void write_below(FILE *out, const struct report_columns *columns, size_t line, const int *widths)
{
    struct cli_text text = columns->below ? columns->below(columns->of, line) : (struct cli_text){""};
    if (*text.of) {
        int indent = APART;
        for (int c = 0; c < columns->name; c++) {
            indent += APART + widths[c];
        }
        fprintf(out, "\n%*s%s", indent, "", text.of);
    }
}

void report_columns_name(FILE *out, const struct cli_line *line)
{
    struct cli_line sentence = {0};
    cli_line_add(&sentence, "Columns that do not fit: %s", line->of);
    fputc('\n', out);
    cli_text_wrap(out, sentence.of, APART, REPORT_WIDTH);
}

void report_columns_write(FILE *out, const struct report_columns *columns)
{
    int widths[COLUMNS_MAX];
    int shown = fit(out, columns, widths);
    fputc('\n', out);
    for (int c = 0; c < shown; c++) {
        write_cell(out, columns->heading(columns->of, c).of, c == columns->name, widths[c]);
    }
    for (size_t i = 0; i < columns->lines; i++) {
        fputc('\n', out);
        for (int c = 0; c < shown; c++) {
            write_cell(out, columns->cell(columns->of, i, c).of, c == columns->name, widths[c]);
        }
        write_below(out, columns, i, widths);
    }
    fputc('\n', out);
    struct cli_line line = {0};
    for (int c = shown; c < columns->count; c++) {
        cli_line_add(&line, "%s%s", c > shown ? ", " : "", columns->heading(columns->of, c).of);
    }
    if (shown < columns->count) {
        report_columns_name(out, &line);
    }
}
