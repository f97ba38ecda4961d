// SPDX-License-Identifier: MIT
// `evenkeel rank`: which method for this graph and this load. Runs all that apply, or those that are named, with the
// same seeds until the same criterion, and puts them in order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/line/commands.h"
#include "cli/line/complain.h"
#include "cli/terminal/files.h"
#include "cli/terminal/interrupt.h"
#include "cli/report/rank_report.h"
#include "lab/sweep/values.h"

struct progress {
    struct cli_terminal terminal; // standard error's
    const char *method;           // under way
    size_t index, methods;
    uint64_t runs;
    bool shown;
};

static void begins(void *context, size_t index, const char *method)
{
    struct progress *progress = context;
    progress->index = index;
    progress->method = method;
}

static void show_progress(void *context, uint64_t run, const struct ek_progress *so_far)
{
    struct progress *progress = context;
    if (progress->terminal.escapes) {
        struct cli_line line = {0};
        cli_line_add(&line, "%s, method %zu of %zu, run %s of %s, %.1f s", progress->method, progress->index + 1,
                     progress->methods, cli_text_count(run + 1).of, cli_text_count(progress->runs).of,
                     so_far->elapsed_s);
        fprintf(stderr, "\r%.*s\033[K", progress->terminal.columns - 1, line.of);
        progress->shown = true;
    }
}

// Every method as its example has it: that is what it is with a parameter of its own.
static bool take_all(struct lab_values *methods, struct ek_error *error)
{
    size_t count = 0;
    while (ek_method_at(count)) {
        count++;
    }
    *methods = (struct lab_values){.text = calloc(count, sizeof *methods->text)};
    bool good = methods->text;
    for (size_t i = 0; good && i < count; i++) {
        const char *example = ek_method_at(i)->texts->example ? ek_method_at(i)->texts->example : ek_method_at(i)->name;
        bool quoted = *example == '"';
        example += quoted;
        methods->text[i] = strndup(example, strcspn(example, quoted ? "\"" : " "));
        good = methods->text[i];
        methods->count += good;
    }
    if (!good) {
        lab_values_destroy(methods);
        return base_refuse(error, "no memory for the names of all methods");
    }
    return true;
}

static bool take_methods(struct lab_values *methods, const struct cli_options *options, struct ek_error *error)
{
    const char *named = cli_options_given(options, "method");
    return named ? lab_values_read(methods, ek_axis_named("method"), named, error) : take_all(methods, error);
}

// All have the same criterion: not each its own, as where none is said.
static struct ek_experiment experiment_of(const struct cli_options *options)
{
    struct ek_experiment experiment = options->experiment;
    experiment.reader = cli_files_reader();
    bool tokens = experiment.units && strcmp(experiment.units, "tokens") == 0;
    experiment.units = tokens ? "tokens" : "real";
    experiment.stop = experiment.stop ? experiment.stop : tokens ? "neighbours:1" : "variance:1";
    return experiment;
}

static const struct lab_field *field_of(const struct cli_options *options, struct ek_error *error)
{
    bool free_running = strcmp(cli_options_text(options, "timing"), "free") == 0;
    const char *by = options->by ? options->by : free_running ? "time" : "steps";
    if (free_running && (strcmp(by, "steps") == 0 || strcmp(by, "factor") == 0)) {
        base_refuse_text(error, "by", by, 0,
                         "free timing counts no steps: rank by operations, messages, moved or time");
        return NULL;
    }
    return lab_rank_field_named(by, error);
}

static bool present(const struct lab_rank *rank, const struct cli_options *options, const char *typed,
                    struct ek_error *error)
{
    bool good = true;
    if (options->format == CLI_JSON) {
        good = report_rank_write_json(stdout, rank, typed);
    } else if (options->format == CLI_CSV) {
        report_rank_write_csv(stdout, rank);
    } else if (!options->quiet) {
        good = report_rank_write(stdout, rank);
    }
    return good || ferror(stdout) ||
           base_refuse(error, "no memory for the report of so many runs: ask for fewer --runs");
}

// What a ranking ends with: what broke, else what kept it from being whole.
static enum ek_status conclude(const struct lab_rank *rank)
{
    struct ek_error error = rank->error;
    fflush(stdout);
    if (rank->status == EK_UNREACHED) {
        base_refuse(&error, "interrupted: methods after those above were not run");
    } else if (rank->status == EK_OK && rank->ranked == 0) {
        base_refuse(&error, "no method reached the criterion in every run: give a --stop that is farther, or more "
                            "--steps");
    } else if (rank->status == EK_OK) {
        return EK_OK;
    }
    error.status = rank->status == EK_OK ? EK_UNREACHED : rank->status;
    return cli_complain(&error);
}

static enum ek_status rank_methods(const struct cli_options *options, const char *typed, const struct lab_field *by,
                                   const struct lab_values *methods)
{
    struct ek_error error = {.at = -1};
    struct progress progress = {.terminal = cli_terminal_of(stderr), .methods = methods->count, .runs = options->runs};
    progress.terminal.escapes = progress.terminal.escapes && !options->quiet;
    struct lab_run_request order = {.experiment = experiment_of(options),
                                    .runs = options->runs,
                                    .command = typed,
                                    .theory = true,
                                    .stopped = cli_interrupt_came,
                                    .on_progress = show_progress,
                                    .context = &progress};
    struct lab_rank rank;
    cli_interrupt_catch();
    bool good = lab_rank_run(&rank, &order, by, methods->text, methods->count, begins, &error);
    cli_interrupt_release();
    fputs(progress.shown ? "\r\033[K" : "", stderr);
    if (!good) {
        return cli_complain(&error);
    }
    good = present(&rank, options, typed, &error);
    enum ek_status status = good ? conclude(&rank) : cli_complain(&error);
    lab_rank_destroy(&rank);
    return status;
}

enum ek_status cli_rank(const struct cli_options *options, const char *typed)
{
    struct ek_error error = {.at = -1};
    struct lab_values methods;
    const struct lab_field *by = field_of(options, &error);
    if (!by || !take_methods(&methods, options, &error)) {
        return cli_complain(&error);
    }
    enum ek_status status = rank_methods(options, typed, by, &methods);
    lab_values_destroy(&methods);
    return status;
}
