// SPDX-License-Identifier: MIT
// The first lines are kept to find the widths of the columns. Later lines are printed at once, so a long table needs no
// more memory.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/report/results_report.h"
#include "cli/tables/paste.h"
#include "cli/tables/table_columns.h"
#include "cli/tables/table_lines.h"
#include "cli/terminal/terminal.h"
#include "lab/text/clean_text.h"

enum { GAP = 2 };

// Adds a number with its interval. Returns whether there is an interval.
static bool add_interval(struct cli_line *line, const struct lab_interval *interval)
{
    const bool known = isfinite(interval->low) && isfinite(interval->high);
    cli_line_add(line, "%s", cli_text_amount(interval->value).of);
    if (known) {
        cli_line_add(line, " [%s; %s]", cli_text_amount(interval->low).of, cli_text_amount(interval->high).of);
    }
    return known;
}

// Adds a median. If many runs were cut, the data may set no upper bound.
static bool add_median(struct cli_line *line, const struct lab_interval *median, bool interval)
{
    const bool known = interval && isfinite(median->low);
    cli_line_add(line, "median %s", cli_text_amount(median->value).of);
    if (known) {
        cli_line_add(line, " [%s; %s]", cli_text_amount(median->low).of,
                     isfinite(median->high) ? cli_text_amount(median->high).of : "-");
    }
    return known;
}

// Adds a mean with its interval. If runs were cut, the median or a lower bound of the mean takes its place.
static void add_spread(struct report_results *answer, struct cli_line *line, const struct lab_spread *spread,
                       bool interval)
{
    if (spread->cut > 0 && isnan(spread->median.value)) {
        cli_line_add(line, ">%s", cli_text_amount(spread->at_least).of);
    } else if (spread->cut > 0) {
        answer->has_medians = true;
        answer->has_bounds = add_median(line, &spread->median, interval) || answer->has_bounds;
    } else if (interval) {
        answer->has_intervals = add_interval(line, &spread->mean) || answer->has_intervals;
    } else {
        cli_line_add(line, "%s", cli_text_amount(spread->mean.value).of);
    }
    if (spread->cut > 0) {
        cli_line_add(line, " (%s cut)", cli_text_count(spread->cut).of);
    }
    if (spread->failed > 0) {
        cli_line_add(line, " (%s failed)", cli_text_count(spread->failed).of);
    }
}

static char *say_number(const struct lab_heading *heading, const struct lab_entry *cell)
{
    char text[300];
    const char *sign = cell->bound ? ">" : ""; // the run was cut: this is a lower bound
    if (cell->kind == LAB_ENTRY_REAL) {
        snprintf(text, sizeof text, "%s%s", sign, cli_text_amount(cell->real).of);
    } else if (heading->is_switch) {
        snprintf(text, sizeof text, "%s", cell->whole != 0 ? "true" : "false");
    } else {
        snprintf(text, sizeof text, "%s%s", sign,
                 cell->whole < 0 ? cli_text_amount((double)cell->whole).of : cli_text_count((uint64_t)cell->whole).of);
    }
    return strdup(text);
}

static char *say_cell(struct report_results *answer, const struct lab_heading *heading, const struct lab_entry *cell)
{
    struct cli_line line = {0};
    switch (cell->kind) {
    case LAB_ENTRY_TEXT:
        return lab_text_clean_copy(cell->text);
    case LAB_ENTRY_WHOLE:
    case LAB_ENTRY_REAL:
        return say_number(heading, cell);
    case LAB_ENTRY_INTERVAL:
        answer->has_intervals = add_interval(&line, &cell->interval) || answer->has_intervals;
        return strdup(line.of);
    case LAB_ENTRY_MEAN:
    case LAB_ENTRY_SPREAD:
        add_spread(answer, &line, &cell->spread, cell->kind == LAB_ENTRY_SPREAD);
        return strdup(line.of);
    case LAB_ENTRY_NONE:
        break;
    }
    return strdup("-");
}

// Returns the length of a number without the interval behind it.
static int bare_length(const char *text)
{
    return (int)strcspn(text, " ");
}

static void print_line(struct report_results *answer, char *const *texts)
{
    if (report_is_pasted(answer->format)) {
        report_paste_line(answer->out, answer->format, answer->count, (const char *const *)texts);
        return;
    }
    int pending = 0; // blanks that are printed only if another column follows
    for (size_t i = 0; i < answer->count; i++) {
        const int bytes = answer->bare[i] ? bare_length(texts[i]) : (int)strlen(texts[i]);
        const int room = answer->width[i] - (answer->bare[i] ? bytes : (int)cli_text_width(texts[i]));
        const int blanks = room > 0 ? room : 0;
        if (answer->shown[i]) {
            fprintf(answer->out, "%*s%*s%.*s", pending + GAP, "", answer->left[i] ? 0 : blanks, "", bytes, texts[i]);
            pending = answer->left[i] ? blanks : 0;
        }
    }
    fputc('\n', answer->out);
}

static void free_texts(struct report_results *answer, char **texts)
{
    for (size_t i = 0; i < answer->count; i++) {
        free(texts[i]);
        texts[i] = NULL;
    }
}

static bool is_secondary(const struct report_results *answer, size_t column)
{
    const char *name = answer->headings[column].name;
    return answer->headings[column].secondary || (answer->secondary && lab_results_list_has(answer->secondary, name));
}

// Leaves out intervals, column by column, until the main columns fit.
static void leave_out_intervals(struct report_results *answer, int columns)
{
    int total = 0;
    for (size_t i = 0; i < answer->count; i++) {
        total += is_secondary(answer, i) ? 0 : GAP + answer->width[i];
    }
    for (size_t i = 0; total > columns && i < answer->count; i++) {
        if (answer->headings[i].kind == LAB_ENTRY_INTERVAL) {
            int width = 0;
            for (size_t line = 0; line < answer->kept_lines; line++) {
                const int length = bare_length(answer->kept[line * answer->count + i]);
                width = length > width ? length : width;
            }
            answer->bare[i] = width < answer->width[i];
            total -= answer->width[i] - width;
            answer->width[i] = width;
        }
    }
}

// Finds the columns that fit: the first of the main columns, then of the secondary ones.
static void fit(struct report_results *answer, const struct cli_terminal *terminal)
{
    int total = 0;
    bool full = false;
    for (int secondary = 0; secondary < 2; secondary++) {
        for (size_t i = 0; i < answer->count; i++) {
            const int width = GAP + answer->width[i];
            if (is_secondary(answer, i) == (secondary == 1)) {
                full = full || (terminal->bounded && total > 0 && total + width > terminal->columns);
                answer->shown[i] = !full;
                total += full ? 0 : width;
            }
        }
    }
}

// Prints the same as a table to be pasted, which has all columns.
static void paste_kept(struct report_results *answer)
{
    char *align = answer->align;
    for (size_t i = 0; i < answer->count; i++) {
        align[i] = answer->left[i] ? 'l' : 'r';
        answer->shown[i] = true;
    }
    align[answer->count] = '\0';
    report_paste_head(answer->out, answer->format, align, (const char *const *)answer->kept);
    free_texts(answer, answer->kept);
    for (size_t line = 1; line < answer->kept_lines; line++) {
        char **texts = answer->kept + line * answer->count;
        print_line(answer, texts);
        free_texts(answer, texts);
    }
    answer->kept_lines = 0;
    answer->printed = true;
}

// Prints the headings and the lines that were kept.
static void print_kept(struct report_results *answer)
{
    if (report_is_pasted(answer->format)) {
        paste_kept(answer);
        return;
    }
    const struct cli_terminal terminal = cli_terminal_of(answer->out);
    if (terminal.bounded) {
        leave_out_intervals(answer, terminal.columns);
    }
    fit(answer, &terminal);
    for (size_t line = 0; line < answer->kept_lines; line++) {
        char **texts = answer->kept + line * answer->count;
        fputs(line == 0 ? cli_terminal_style(&terminal, CLI_FAINT) : "", answer->out);
        print_line(answer, texts);
        fputs(line == 0 ? cli_terminal_style(&terminal, CLI_PLAIN) : "", answer->out);
        free_texts(answer, texts);
    }
    answer->kept_lines = 0;
    answer->printed = true;
}

// Keeps a line, or prints it if there is no room to keep it. The answer owns the texts.
static void add_line(struct report_results *answer, char **texts)
{
    if (answer->kept_lines == REPORT_RESULTS_LINES) {
        print_kept(answer);
    }
    if (answer->printed) {
        print_line(answer, texts);
        free_texts(answer, texts);
        return;
    }
    for (size_t i = 0; i < answer->count; i++) {
        const int width = (int)cli_text_width(texts[i]);
        answer->width[i] = width > answer->width[i] ? width : answer->width[i];
        answer->kept[answer->kept_lines * answer->count + i] = texts[i];
    }
    answer->kept_lines++;
}

static bool begin(void *context, const struct lab_heading *headings, size_t count, struct ek_error *error)
{
    struct report_results *answer = context;
    if (!report_results_begin(answer, headings, count, error)) {
        return false;
    }
    answer->kept = calloc(REPORT_RESULTS_LINES * count, sizeof *answer->kept);
    answer->texts = calloc(count, sizeof *answer->texts);
    answer->width = calloc(count, sizeof *answer->width);
    answer->left = calloc(count, sizeof *answer->left);
    answer->shown = calloc(count, sizeof *answer->shown);
    answer->bare = calloc(count, sizeof *answer->bare);
    answer->align = calloc(count + 1, sizeof *answer->align);
    bool good = answer->align && answer->kept && answer->texts && answer->width && answer->left && answer->shown &&
                answer->bare;
    for (size_t i = 0; good && i < count; i++) {
        answer->texts[i] = strdup(headings[i].name);
        good = answer->texts[i];
    }
    if (good) {
        add_line(answer, answer->texts);
        memset(answer->texts, 0, count * sizeof *answer->texts);
    }
    return good || base_refuse(error, "there is no memory for the table: --format csv needs less");
}

static bool line(void *context, const struct lab_entry *cells, struct ek_error *error)
{
    struct report_results *answer = context;
    for (size_t i = 0; i < answer->count; i++) {
        answer->left[i] = answer->left[i] || cells[i].kind == LAB_ENTRY_TEXT;
        answer->texts[i] = say_cell(answer, &answer->headings[i], &cells[i]);
        if (!answer->texts[i]) {
            return base_refuse(error, "there is no memory for the table: --format csv needs less");
        }
    }
    add_line(answer, answer->texts);
    memset(answer->texts, 0, answer->count * sizeof *answer->texts);
    return true;
}

struct lab_answer_sink report_results_table(struct report_results *answer)
{
    return (struct lab_answer_sink){.context = answer, .begin = begin, .line = line};
}

void report_results_print(struct report_results *answer)
{
    if (!answer->printed) {
        print_kept(answer);
    }
    if (report_is_pasted(answer->format)) {
        report_paste_foot(answer->out, answer->format);
        return;
    }
    struct cli_line line = {0};
    for (size_t i = 0; i < answer->count; i++) {
        if (!answer->shown[i] || answer->bare[i]) {
            cli_line_add(&line, "%s%s%s", line.length > 0 ? ", " : "", answer->shown[i] ? "the interval of " : "",
                         answer->headings[i].name);
        }
    }
    if (line.length > 0) {
        cli_line_add(&line, "; --format csv shows them");
        report_columns_name(answer->out, &line);
    }
}

void report_results_end(struct report_results *answer)
{
    for (size_t line = 0; answer->kept && line < answer->kept_lines; line++) {
        free_texts(answer, answer->kept + line * answer->count);
    }
    if (answer->texts) {
        free_texts(answer, answer->texts);
    }
    free(answer->texts);
    free(answer->kept);
    free(answer->width);
    free(answer->left);
    free(answer->shown);
    free(answer->bare);
    free(answer->align);
    free(answer->headings);
}
