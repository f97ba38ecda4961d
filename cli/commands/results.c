// SPDX-License-Identifier: MIT
// evenkeel results: asks a store, and puts stores together.
#include <stdlib.h>
#include <string.h>

#include "cli/commands/ask.h"
#include "cli/line/commands.h"
#include "cli/line/complain.h"
#include "cli/report/answer.h"
#include "lab/text/clean_text.h"

// What is listed where nothing was named: in a table what tells the runs apart and what is looked at first.
static char *default_columns(struct lab_store *store, const struct lab_question *question, enum cli_format format,
                             struct ek_error *error)
{
    if (format != CLI_TABLE) {
        return lab_results_columns(store, question, error);
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
        base_refuse(error, "there is no memory for the question");
    }
    return list;
}

static bool print_answer(struct lab_store *store, const struct lab_question *question, enum cli_format format,
                         struct ek_error *error)
{
    struct report_answer answer = {.out = stdout, .confidence = &question->confidence};
    struct lab_answer_sink listener = format == CLI_CSV    ? report_answer_csv(&answer)
                                      : format == CLI_JSON ? report_answer_json(&answer)
                                                           : report_answer_table(&answer);
    struct lab_answer_notes remarks;
    bool good = lab_results_ask(store, question, &listener, &remarks, error);
    if (good && format == CLI_TABLE) {
        report_answer_print(&answer);
        report_answer_remarks(&answer, question, &remarks);
    }
    report_answer_end(&answer);
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
    bool good = (!options->plot || cli_ask_draw(options, store, question, error)) &&
                (options->quiet || print_answer(store, question, options->format, error));
    free(columns);
    return good;
}

static bool merge(const struct cli_options *options, struct ek_error *error)
{
    if (strcmp(options->argument, "merge") != 0) {
        return base_refuse(error, "results takes options, or merge INTO FROM..., not '%.60s'", options->argument);
    }
    if (options->words_count < 3) {
        return base_refuse(error, "merge needs two stores or more, as in evenkeel results merge INTO FROM...");
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
            lab_shell_quote(stdout, options->words[i]);
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
        return merge(options, &error) ? EK_OK : cli_complain(&error);
    }
    struct lab_question question;
    bool good =
        cli_ask_read(options, &question, &error) &&
        (!options->plot || question.over || question.trace ||
         base_refuse(&error, "--plot needs to know what to draw: --trace-of variance, or --x processors --y steps"));
    struct lab_store *store = good ? lab_store_open(cli_options_text(options, "store"), LAB_STORE_READ, &error) : NULL;
    good = store && ask(options, store, &question, &error);
    lab_store_close(store);
    return good ? EK_OK : cli_complain(&error);
}
