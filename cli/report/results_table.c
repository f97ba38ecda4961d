// SPDX-License-Identifier: MIT
// The first lines are kept to find the widths of the columns. Later lines are printed at once, so a long table needs no
// more memory.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/report/results_report.h"
#include "cli/report/table_columns.h"
#include "cli/report/table_lines.h"
#include "cli/terminal/terminal.h"
#include "lab/text/clean_text.h"

enum { GAP = 2 };

// Returns a mean with its interval.
static char *say_interval(const struct lab_interval *interval)
{
    char text[300];
    snprintf(text, sizeof text, "%s", cli_text_amount(interval->value).of);
    if (isfinite(interval->low) && isfinite(interval->high)) {
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, " [%s, %s]", cli_text_amount(interval->low).of,
                 cli_text_amount(interval->high).of);
    }
    return strdup(text);
}

static char *say_cell(const struct lab_heading *heading, const struct lab_entry *cell)
{
    switch (cell->kind) {
    case LAB_ENTRY_TEXT:
        return lab_text_clean_copy(cell->text);
    case LAB_ENTRY_WHOLE:
        return strdup(heading->is_switch ? (cell->whole != 0 ? "true" : "false")
                      : cell->whole < 0  ? cli_text_amount((double)cell->whole).of
                                         : cli_text_count((uint64_t)cell->whole).of);
    case LAB_ENTRY_REAL:
        return strdup(cli_text_amount(cell->real).of);
    case LAB_ENTRY_INTERVAL:
        return say_interval(&cell->interval);
    case LAB_ENTRY_SPREAD:
        return say_interval(&cell->spread.mean);
    case LAB_ENTRY_NONE:
        break;
    }
    return strdup("-");
}

static void print_line(struct report_results *answer, char *const *texts)
{
    for (size_t i = 0; i < answer->shown; i++) {
        const int room = answer->width[i] - (int)cli_text_width(texts[i]);
        const int blanks = room > 0 ? room : 0;
        fprintf(answer->out, "%*s", GAP, "");
        if (answer->left[i]) {
            fprintf(answer->out, "%s%*s", texts[i], i + 1 < answer->shown ? blanks : 0, "");
        } else {
            fprintf(answer->out, "%*s%s", blanks, "", texts[i]);
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

// Returns how many columns fit, but at least one.
static size_t fit(const struct report_results *answer, const struct cli_terminal *terminal)
{
    size_t shown = 0;
    for (int total = 0; shown < answer->count; shown++) {
        total += GAP + answer->width[shown];
        if (terminal->bounded && total > terminal->columns && shown > 0) {
            break;
        }
    }
    return shown;
}

// Prints the headings and the lines that were kept.
static void print_kept(struct report_results *answer)
{
    const struct cli_terminal terminal = cli_terminal_of(answer->out);
    answer->shown = fit(answer, &terminal);
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
    bool good = answer->kept && answer->texts && answer->width && answer->left;
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
        answer->texts[i] = say_cell(&answer->headings[i], &cells[i]);
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
    struct cli_line line = {0};
    for (size_t i = answer->shown; i < answer->count; i++) {
        cli_line_add(&line, "%s%s", i > answer->shown ? ", " : "", answer->headings[i].name);
    }
    if (answer->shown < answer->count) {
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
    free(answer->headings);
}

void report_results_notes(struct report_results *answer, const struct lab_question *question,
                          const struct lab_answer_notes *remarks)
{
    FILE *out = answer->out;
    const struct cli_terminal terminal = cli_terminal_of(out);
    fputc('\n', out);
    report_say(out, &terminal, "lines", "%s of %s", cli_text_count(remarks->lines).of,
               cli_text_plural(remarks->runs, "run").of);
    if (report_results_estimates(answer)) {
        char interval[64];
        lab_confidence_write(answer->confidence, interval, sizeof interval);
        report_say(out, &terminal, "intervals", "in brackets: %s", interval);
    }
    if (question->compare) {
        report_say(out, &terminal, "partners", "%s of the first set and %s of the second have no partner",
                   cli_text_plural(remarks->unpaired[0], "run").of, cli_text_count(remarks->unpaired[1]).of);
        if (remarks->apart > 0) {
            struct lab_confidence apart = *answer->confidence;
            apart.way = apart.way == LAB_INTERVAL_T ? LAB_INTERVAL_WELCH : apart.way;
            char interval[64];
            lab_confidence_write(&apart, interval, sizeof interval);
            report_say(out, &terminal, "whole sets",
                       "in %s no seed is in both sets, and 'pairs' is 0: all runs count, %s",
                       cli_text_plural(remarks->apart, "line").of, interval);
        }
        report_say(out, &terminal, "effects",
                   "the difference is first - second, the ratio is mean(first) / mean(second); a ratio without an "
                   "interval is unknown, since its denominator can be 0");
    }
    if (question->trace) {
        report_say(out, &terminal, "traces", "%s without a trace; a run that has ended counts with its last value",
                   cli_text_plural(remarks->traceless, "run").of);
    }
    if ((question->compare || question->trace) && !question->group) {
        report_say(out, &terminal, "grouped by", "%s", *remarks->group ? remarks->group : "nothing: no axis varies");
    }
}
