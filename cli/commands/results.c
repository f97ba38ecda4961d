// SPDX-License-Identifier: MIT
// `evenkeel results`: queries a store, and merges stores.
#include <stdlib.h>
#include <string.h>

#include "cli/commands/ask.h"
#include "cli/commands/commands.h"
#include "cli/commands/file_kind.h"
#include "cli/line/complain.h"
#include "cli/report/results_report.h"
#include "cli/tables/paste.h"
#include "lab/results/best.h"
#include "lab/text/clean_text.h"

struct options {
    struct cli_ask ask;
    const char *store, *sort, *best;
    uint64_t limit; // lines to print; 0: all
    enum cli_format format;
    bool quiet;
};

#define PLACE(field) offsetof(struct options, field)

static const struct cli_option own[] = {
    CLI_OPTION_STORE("evenkeel.sqlite", PLACE(store)),
    {.name = "where",
     .form = "CONDITION",
     .help = "only runs that satisfy this: 'method=ode and processors>64'",
     .more = "Compares columns of the store (docs/store.md), or terms made of them, by =, !=, <, <=, >, >=. The "
             "operator ~ finds a text within a text. Combine comparisons by and, or, not and parentheses. A comparison "
             "with a value that was not measured is false.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(ask.where)},
    {.name = "columns",
     .form = "LIST",
     .help = "what to show: columns, and terms like steps/theory_steps",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(ask.columns)},
    {.name = "compare",
     .form = "A vs B",
     .help = "compare two sets seed by seed: 'method=ade vs method=ode'",
     .more = "Each set is a condition as in --where. Runs with the same seed in the same group are paired. If no seed "
             "occurs in both sets, whole sets are compared. Without --group, runs are grouped by the axes that vary "
             "within either set.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(ask.compare)},
    CLI_OPTIONS_ASK(PLACE(ask)),
    {.name = "sort",
     .form = "COLUMN",
     .help = "sort the lines by this column of the answer; COLUMN:desc begins with the largest",
     .more = "A mean is sorted by its value, or by the median if runs were cut.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(sort)},
    {.name = "limit",
     .form = "LINES",
     .help = "print at most this many lines",
     .kind = EK_AXIS_WHOLE,
     .minimum = 1,
     .maximum = UINT64_MAX,
     .place = PLACE(limit)},
    {.name = "best",
     .form = "COLUMN",
     .help = "show the option with the smallest value of this column, case by case",
     .more = "With --group the options are the values of its last column, and the cases those of its other columns: "
             "--group topology,method --best steps finds the best method for each topology. Without --group all lines "
             "are one case. A case without a line has no smallest value: it is shared, or runs were cut or failed.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(best)},
    CLI_OPTION_FORMAT_TO_PASTE(PLACE(format)),
    CLI_OPTION_QUIET(PLACE(quiet)),
    {0}};

// The columns of a list by default, besides the axes that vary. The secondary ones are left out first.
static const char main_columns[] = "seed,ended,steps", secondary_columns[] = "operations,variance_final,moved";

// Returns the columns that are listed if none was named. A table has the axes that vary and the main results.
static char *default_columns(struct lab_store *store, const struct lab_question *question, enum cli_format format,
                             struct ek_error *error)
{
    if (format != CLI_TABLE && !report_is_pasted(format)) {
        return lab_results_columns(store, question, error);
    }
    char varying[LAB_RESULTS_LIST];
    if (!lab_results_varying(store, question, varying, sizeof varying, error)) {
        return NULL;
    }
    const size_t size = sizeof varying + 100;
    char *list = malloc(size);
    if (list) {
        snprintf(list, size, "%s%s%s,%s", varying, *varying ? "," : "", main_columns, secondary_columns);
    } else {
        base_refuse(error, "there is no memory for the question");
    }
    return list;
}

// Asks, and keeps the lines, because sorting, the best lines and the verdict need all of them.
static bool print_ordered(struct lab_store *store, const struct lab_question *question, const struct options *options,
                          const struct lab_answer_sink *sink, struct lab_answer_notes *remarks,
                          char verdict[LAB_VERDICT_SIZE], struct ek_error *error)
{
    struct lab_lines lines = {0};
    const struct lab_answer_sink keep = lab_lines_keep(&lines);
    bool good = lab_results_ask(store, question, &keep, remarks, error);
    if (good) {
        good = lab_lines_verdict(&lines, question, remarks, verdict, error);
    }
    const uint64_t limit = options->limit > 0 ? options->limit : UINT64_MAX;
    good = good && (!options->best || lab_lines_best(&lines, options->best, &remarks->undecided, error)) &&
           (!options->sort || lab_lines_sort(&lines, options->sort, error)) &&
           lab_lines_pass(&lines, limit, sink, error);
    remarks->lines = lines.count < limit ? lines.count : limit;
    lab_lines_destroy(&lines);
    return good;
}

static bool print_answer(struct lab_store *store, const struct lab_question *question, const struct options *options,
                         bool by_default, struct ek_error *error)
{
    const enum cli_format format = options->format;
    struct report_results answer = {.out = stdout,
                                    .format = format,
                                    .confidence = &question->confidence,
                                    .secondary = by_default ? secondary_columns : NULL};
    struct lab_answer_sink listener = format == CLI_CSV    ? report_results_csv(&answer)
                                      : format == CLI_JSON ? report_results_json(&answer)
                                                           : report_results_table(&answer);
    struct lab_answer_notes remarks;
    char verdict[LAB_VERDICT_SIZE] = "";
    const bool summarises = (question->group || question->compare) && (format == CLI_TABLE || report_is_pasted(format));
    bool good = summarises || options->sort || options->best || options->limit > 0
                    ? print_ordered(store, question, options, &listener, &remarks, verdict, error)
                    : lab_results_ask(store, question, &listener, &remarks, error);
    if (good && format == CLI_TABLE) {
        report_results_print(&answer);
        report_results_notes(&answer, question, &remarks);
        report_results_verdict(&answer, question, &remarks, verdict);
    } else if (good && report_is_pasted(format)) {
        report_results_print(&answer);
        good = report_results_paste_notes(&answer, question, &remarks, verdict) ||
               base_refuse(error, "there is no memory for the table: --format csv needs less");
    }
    report_results_end(&answer);
    return good;
}

static bool answer(const struct options *options, struct lab_store *store, struct lab_question *question,
                   struct ek_error *error)
{
    char *columns = NULL;
    if (!question->columns && !question->group && !question->over && !question->compare && !question->trace) {
        columns = default_columns(store, question, options->format, error);
        if (!columns) {
            return false;
        }
        question->columns = columns;
    }
    bool printed = !options->quiet || options->format != CLI_TABLE;
    bool good = (!options->ask.picture.plot || cli_ask_draw(&options->ask, store, question, error)) &&
                (!printed || print_answer(store, question, options, columns, error));
    free(columns);
    return good;
}

// Returns whether a store can be opened. A merge that is refused leaves no new store behind.
static bool opens(const char *path, struct ek_error *error)
{
    struct lab_store *store = lab_store_open(path, LAB_STORE_READ, error);
    lab_store_close(store);
    return store;
}

static bool merge(const struct cli_call *call, const struct options *options, struct ek_error *error)
{
    if (strcmp(call->words[0], "merge") != 0) {
        return base_refuse(error, "results takes options, as --store FILE, or merge INTO FROM..., not '%.60s'",
                           call->words[0]);
    }
    if (call->words_count < 3) {
        return base_refuse(error, "merge needs two stores or more, as in evenkeel results merge INTO FROM...");
    }
    bool good = true;
    for (size_t i = 2; good && i < call->words_count; i++) {
        good = opens(call->words[i], error);
    }
    struct lab_store *into = good ? lab_store_open(call->words[1], LAB_STORE_ADD, error) : NULL;
    good = into && lab_store_check(into, error);
    for (size_t i = 2; good && i < call->words_count; i++) {
        uint64_t added;
        good = lab_store_merge(into, call->words[i], &added, error);
        if (good && !options->quiet) {
            printf("%s from ", cli_text_plural(added, "run").of);
            lab_shell_quote(stdout, call->words[i]);
            putchar('\n');
        }
    }
    lab_store_close(into);
    return good;
}

static bool ask(const struct cli_call *call, const struct options *options, struct ek_error *error)
{
    struct lab_question question;
    bool good =
        cli_ask_read(call, &options->ask, &question, error) &&
        (!options->ask.picture.plot || question.over || question.trace ||
         base_refuse(error,
                     "--plot needs to know what to draw: add --trace-of variance, or --x processors --y steps")) &&
        (!options->best || (!question.compare && !question.trace && !question.over) ||
         base_refuse(error, "--best chooses among runs or groups: leave out --compare, --trace-of and --x"));
    good = good && cli_file_may_be(options->store, CLI_FILE_STORE, error);
    struct lab_store *store = good ? lab_store_open(options->store, LAB_STORE_READ, error) : NULL;
    good = store && lab_store_check(store, error) && answer(options, store, &question, error);
    lab_store_close(store);
    return good;
}

static const char *argument_word(const struct cli_command *const *commands, size_t index)
{
    (void)commands;
    return index == 0 ? "merge" : NULL;
}

static enum ek_status results(const struct cli_call *call, const void *options)
{
    struct ek_error error = {.at = -1};
    bool good = call->words_count > 0 ? merge(call, options, &error) : ask(call, options, &error);
    return good ? EK_OK : cli_complain(&error);
}

const struct cli_command cli_results = {
    .name = "results",
    .theme = CLI_THEME_STUDY,
    .argument = "merge",
    .argument_word = argument_word,
    .optional = true,
    .several = true,
    .summary = "query a store of runs: lists, means, comparisons, traces, pictures",
    .more = "Lists the runs of --store that satisfy --where. With --group it shows the mean of each column for each "
            "group, with a confidence interval. With --compare it shows how the runs of a second set differ, seed by "
            "seed. With --trace-of it averages traces. --format csv has the columns of `run --format csv`; json writes "
            "one object per line. `results merge INTO FROM...` adds the runs of other stores to INTO. If two stores "
            "have the same run, the run that started later is kept.",
    .options = own,
    .size = sizeof(struct options),
    .act = results};
