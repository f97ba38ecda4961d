// SPDX-License-Identifier: MIT
// evenkeel results: asks a store, and puts stores together.
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/report/answer.h"
#include "cli/report/figure.h"
#include "lab/clean.h"
#include "lab/picture.h"

// "t", "bootstrap", or with a level behind a colon.
static bool read_interval(const char *text, struct lab_confidence *confidence, struct ek_error *error)
{
    *confidence = (struct lab_confidence){.way = LAB_BY_T, .level = 0.95};
    const size_t word = strcspn(text, ":");
    if (word == strlen("bootstrap") && strncmp(text, "bootstrap", word) == 0) {
        confidence->way = LAB_BY_BOOTSTRAP;
    } else if (word != 1 || *text != 't') {
        return cli_refuse(error, "interval", 0, "--interval takes t:LEVEL or bootstrap:LEVEL, as in t:0.95");
    }
    if (text[word] == ':') {
        char *end;
        confidence->level = strtod(text + word + 1, &end);
        if (end == text + word + 1 || *end || !(confidence->level > 0.0 && confidence->level < 1.0)) {
            return cli_refuse(error, "interval", (int)word + 1,
                              "a level is a number above 0 and below 1, as in t:0.95");
        }
    }
    return true;
}

static bool options_fit(const struct cli_options *options, struct ek_error *error)
{
    if (options->compare && options->trace_of) {
        return cli_refuse(error, "", -1, "--compare and --trace-of are two questions: ask them one after the other");
    }
    if (!options->x != !options->y || (options->x && (options->compare || options->trace_of))) {
        return cli_refuse(
            error, "", -1,
            "--x and --y go together, and with neither --compare nor --trace-of: --x processors --y steps");
    }
    if (options->plot && !options->x && !options->trace_of) {
        return cli_refuse(error, "", -1,
                          "--plot needs to know what to draw: --trace-of variance, or --x processors "
                          "--y steps");
    }
    if (options->y && options->columns) {
        return cli_refuse(error, "", -1, "--y is the column that is shown: leave out --columns");
    }
    if (options->trace_of && options->columns) {
        return cli_refuse(error, "", -1, "--trace-of shows one field of the traces: leave out --columns");
    }
    return true;
}

// What is listed where nothing was named: in a table what tells the runs apart and what is looked at first.
static char *default_columns(struct lab_store *store, const struct lab_question *question, enum cli_format format,
                             struct ek_error *error)
{
    if (format != CLI_TABLE) {
        return lab_results_columns(store, question->where, error);
    }
    char varying[LAB_RESULTS_LIST];
    if (!lab_results_varying(store, question, varying, sizeof varying, error)) {
        return NULL;
    }
    const size_t size = sizeof varying + 100;
    char *list = malloc(size);
    if (list) {
        snprintf(list, size, "%s%sseed,ended,operations,steps,variance_final,moved", varying, *varying ? "," : "");
    } else {
        cli_refuse(error, "", -1, "there is no memory for the question");
    }
    return list;
}

static bool print_answer(struct lab_store *store, const struct lab_question *question, enum cli_format format,
                         struct ek_error *error)
{
    struct report_answer answer = {.out = stdout, .confidence = &question->confidence};
    struct lab_listener listener = format == CLI_CSV    ? report_answer_csv(&answer)
                                   : format == CLI_JSON ? report_answer_json(&answer)
                                                        : report_answer_table(&answer);
    struct lab_remarks remarks;
    bool good = lab_results_ask(store, question, &listener, &remarks, error);
    if (good && format == CLI_TABLE) {
        report_answer_print(&answer);
        report_answer_remarks(&answer, question, &remarks);
    }
    report_answer_end(&answer);
    return good;
}

// Which axes are logarithmic.
static bool read_log(const struct cli_options *options, bool *x, bool *y, struct ek_error *error)
{
    static const struct {
        const char *name;
        bool x, y;
    } known[] = {{"none", false, false}, {"x", true, false}, {"y", false, true}, {"xy", true, true}};
    *x = false;
    *y = options->trace_of && strcmp(options->trace_of, "variance") == 0;
    for (size_t i = 0; options->log && i < sizeof known / sizeof *known; i++) {
        if (strcmp(options->log, known[i].name) == 0) {
            *x = known[i].x;
            *y = known[i].y;
            return true;
        }
    }
    return !options->log || cli_refuse(error, "log", 0, "--log takes x, y, xy or none");
}

static bool draw(const struct cli_options *options, struct lab_store *store, const struct lab_question *question,
                 struct ek_error *error)
{
    struct lab_figure figure = {0};
    bool log_x, log_y;
    bool good = read_log(options, &log_x, &log_y, error) &&
                lab_picture_make(store, question, log_x, log_y, &figure, error) &&
                report_figure_draw(&figure, options->plot, options->plot_script, error);
    lab_figure_destroy(&figure);
    return good;
}

static bool ask(const struct cli_options *options, struct lab_store *store, struct lab_question *question,
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
    bool good = (!options->plot || draw(options, store, question, error)) &&
                (options->quiet || print_answer(store, question, options->format, error));
    free(columns);
    return good;
}

static bool merge(const struct cli_options *options, struct ek_error *error)
{
    if (strcmp(options->argument, "merge") != 0) {
        return cli_refuse(error, "", -1, "results takes options, or merge INTO FROM..., not '%.60s'",
                          options->argument);
    }
    if (options->words_count < 3) {
        return cli_refuse(error, "", -1, "merge needs two stores or more, as in evenkeel results merge INTO FROM...");
    }
    struct lab_store *into = lab_store_open(options->words[1], LAB_STORE_ADD, error);
    bool good = into;
    for (size_t i = 2; good && i < options->words_count; i++) {
        uint64_t added;
        good = lab_store_merge(into, options->words[i], &added, error);
        if (good && !options->quiet) {
            struct cli_text runs = cli_text_plural(added, "run");
            fputs(runs.of, stdout);
            fputs(" from ", stdout);
            lab_quote(stdout, options->words[i]);
            fputc('\n', stdout);
        }
    }
    lab_store_close(into);
    return good;
}

enum ek_status cli_results(const struct cli_options *options, const char *typed)
{
    (void)typed;
    struct ek_error error = {.at = -1};
    if (options->argument) {
        return merge(options, &error) ? EK_OK : cli_complain(&error, NULL);
    }
    struct lab_question question = {.where = options->where,
                                    .columns = options->y ? options->y : options->columns,
                                    .over = options->x,
                                    .group = options->group,
                                    .compare = options->compare,
                                    .trace = options->trace_of};
    struct lab_store *store = NULL;
    bool good = options_fit(options, &error) && report_figure_ready(options->plot, options->plot_script, &error) &&
                read_interval(cli_options_text(options, "interval"), &question.confidence, &error) &&
                (store = lab_store_open(cli_options_text(options, "store"), LAB_STORE_READ, &error)) &&
                ask(options, store, &question, &error);
    lab_store_close(store);
    return good ? EK_OK : cli_complain(&error, cli_options_text(options, error.axis));
}
