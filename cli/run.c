// SPDX-License-Identifier: MIT
// `evenkeel run`: prepares a machine, runs the experiment as often as asked, and reports.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/out.h"
#include "cli/report/pictures.h"
#include "cli/report/results.h"
#include "cli/text.h"

enum { CHART_ROWS = 4096 }; // what a picture can show of a trace

struct progress {
    struct cli_terminal terminal;
    size_t run;
    uint64_t runs;
    double before_s; // the runs before
    bool shown;
};

static void show_progress(void *context, const struct ek_progress *so_far)
{
    struct progress *progress = context;
    double elapsed_s = progress->before_s + so_far->elapsed_s;
    if (!progress->terminal.is_terminal || elapsed_s < 1.0) {
        return;
    }
    char line[256];
    bool steps = so_far->steps > 0; // in free timing there are none
    snprintf(line, sizeof line, "run %zu of %s, %s, variance %.4g, %.1f s", progress->run + 1,
             cli_text_count(progress->runs).of,
             cli_text_plural(steps ? so_far->steps : so_far->operations, steps ? "step" : "operation").of,
             so_far->variance, elapsed_s);
    fprintf(stderr, "\r%.*s\033[K", progress->terminal.columns - 1, line);
    progress->shown = true;
}

static bool refuse_combination(const struct cli_options *options, struct ek_error *error)
{
    if (options->heat && options->format != CLI_TABLE) {
        return cli_refuse(error, "", -1, "--heat goes with the table: leave out --format");
    }
    if ((options->final || options->trace) && options->format != CLI_JSON && !options->out) {
        return cli_refuse(error, "", -1, "--%s adds to the JSON report: say --format json, or --out DIR too",
                          options->final ? "final" : "trace");
    }
    if (options->experiment.keep_links && options->format != CLI_JSON && !options->out) {
        return cli_refuse(error, "", -1, "--links adds to the JSON report: say --format json, or --out DIR too");
    }
    return !options->plot || report_gnuplot_ready(options->plot, error);
}

static struct ek_machine *prepare(const struct cli_options *options, uint64_t run, struct ek_error *error)
{
    struct ek_experiment experiment = options->experiment;
    experiment.seed += run;
    bool chart = options->format == CLI_TABLE && !options->quiet && cli_terminal_of(stdout).is_terminal;
    bool whole_trace = options->trace || options->out;
    experiment.reader = cli_files_reader();
    experiment.keep_loads = options->final || options->out || options->heat;
    experiment.keep_trace = whole_trace || options->plot || chart;
    experiment.trace_rows = whole_trace ? 0 : CHART_ROWS;
    struct ek_machine *machine = ek_prepare(&experiment, error);
    if (machine && options->heat && ek_machine_topology(machine)->dimensions != 2) {
        cli_refuse(error, "", -1, "--heat needs a topology of two dimensions, as in torus:16x16");
        ek_machine_destroy(machine);
        return NULL;
    }
    return machine;
}

// Many runs need not keep what nothing shows: heat maps are of the first run, plots of the first few.
static void trim(struct ek_report *report, const struct cli_options *options, size_t run)
{
    if (!options->final && !options->out && run > 0) {
        free(report->initial);
        free(report->final);
        report->initial = NULL;
        report->final = NULL;
    }
    if (!options->trace && !options->out && run >= REPORT_PLOT_RUNS) {
        free(report->trace);
        report->trace = NULL;
        report->trace_count = 0;
    }
}

static bool make_room(struct report_results *results, size_t *room, struct ek_error *error)
{
    if (results->count < *room) {
        return true;
    }
    size_t larger = *room > 0 ? 2 * *room : 16;
    struct ek_report *reports = realloc(results->reports, larger * sizeof *reports);
    if (!reports) {
        return cli_refuse(error, "", -1, "no memory for the reports of so many runs: ask for fewer --runs");
    }
    results->reports = reports;
    *room = larger;
    return true;
}

// One run. What was drawn with the machine is drawn anew for each, so run r of seed s is run 0 of seed s + r.
static enum ek_status run_one(struct ek_machine *machine, const struct cli_options *options, struct progress *progress,
                              struct ek_report *report, struct ek_error *error)
{
    if (progress->run == 0 || !ek_machine_drawn(machine)) {
        cli_interrupt_aim(machine);
        return ek_run(machine, progress->run, report, show_progress, progress, error);
    }
    struct ek_machine *own = prepare(options, progress->run, error);
    if (!own) {
        return error->status;
    }
    cli_interrupt_aim(own);
    enum ek_status status = ek_run(own, 0, report, show_progress, progress, error);
    cli_interrupt_aim(NULL);
    ek_machine_destroy(own);
    return status;
}

// Runs until all are done, one fails or Ctrl-C. The worst status of all.
static enum ek_status run_all(struct ek_machine *machine, struct report_results *results, struct ek_error *error)
{
    const struct cli_options *options = results->options;
    struct progress progress = {.terminal = cli_terminal_of(stderr), .runs = options->runs};
    progress.terminal.is_terminal = progress.terminal.is_terminal && !options->quiet;
    enum ek_status worst = EK_OK;
    size_t room = 0;
    while (results->count < options->runs && !cli_interrupt_came() && (worst == EK_OK || worst == EK_UNREACHED)) {
        if (!make_room(results, &room, error)) {
            worst = EK_BAD_INPUT;
            break;
        }
        struct ek_report *report = &results->reports[results->count];
        *report = (struct ek_report){0};
        progress.run = results->count;
        enum ek_status status = run_one(machine, options, &progress, report, error);
        if (status == EK_OK || status == EK_UNREACHED) {
            trim(report, options, results->count);
            progress.before_s += report->elapsed_s;
            results->count++;
        } else {
            results->failed = *report;
        }
        worst = status == EK_OK ? worst : status;
    }
    if (progress.shown) {
        fputs("\r\033[K", stderr);
    }
    return worst == EK_OK && results->count < options->runs ? EK_UNREACHED : worst;
}

// What was not reached in what, and why, of at least one run that ended so.
static void describe_unreached(const struct report_results *results, size_t unreached, char *sentence, size_t size)
{
    const struct ek_report *first = results->reports;
    while (first->converged) {
        first++;
    }
    const char *stop = report_stop(results);
    bool never = strcmp(stop, "never") == 0;
    const char *why = report_why(first);
    struct cli_text place =
        cli_text_plural(first->has_async ? first->operations : first->steps, first->has_async ? "operation" : "step");
    if (results->options->runs > 1) {
        struct cli_text runs = cli_text_plural(results->count, "run");
        snprintf(place.of, sizeof place.of, "%.30s of %.40s", cli_text_count(unreached).of, runs.of);
    }
    snprintf(sentence, size, "%.80s %s %s%s%s", never ? "the experiment" : stop,
             never ? "ended early, after" : "was not reached in", place.of, *why ? ": " : "", why);
}

// Says on standard error that a criterion was not reached or that not all runs were done.
static void say_unreached(const struct report_results *results)
{
    struct ek_error error = {.status = EK_UNREACHED, .at = -1};
    size_t unreached = report_unreached(results);
    if (unreached > 0) {
        describe_unreached(results, unreached, error.sentence, sizeof error.sentence);
    } else {
        snprintf(error.sentence, sizeof error.sentence, "interrupted after %s of %s", cli_text_count(results->count).of,
                 cli_text_plural(results->options->runs, "run").of);
    }
    fflush(stdout);
    cli_complain(&error, NULL);
}

// Everything that was asked for, in files and on standard output.
static bool report_all(const struct report_results *results, struct cli_out *out, struct ek_error *error)
{
    const struct cli_options *options = results->options;
    if (!cli_out_write(out, results, error) ||
        (options->plot && !report_gnuplot_draw(options->plot, report_gnuplot_variance, results, error))) {
        return false;
    }
    if (options->quiet) {
        return true;
    }
    if (options->format == CLI_JSON) {
        return report_json_write(stdout, results) || ferror(stdout) ||
               cli_refuse(error, "", -1, "no memory for the JSON report: leave out --final or --trace");
    }
    if (options->format == CLI_CSV) {
        report_csv_write(stdout, results);
    } else {
        report_table_write(stdout, results);
    }
    return true;
}

static enum ek_status run_and_report(struct ek_machine *machine, struct report_results *results, struct cli_out *out,
                                     struct ek_error *error)
{
    cli_interrupt_catch();
    enum ek_status status = run_all(machine, results, error);
    cli_interrupt_release();
    if (results->count == 0 && status == EK_UNREACHED) {
        cli_refuse(error, "", -1, "interrupted before the first run");
        error->status = status;
    }
    if ((status != EK_OK && status != EK_UNREACHED) || results->count == 0) {
        cli_out_abandon(out);
        cli_complain(error, cli_options_text(results->options, error->axis));
        fputs(results->failed.async.dump ? results->failed.async.dump : "", stderr);
        return error->status;
    }
    if (!report_all(results, out, error)) {
        return cli_complain(error, NULL);
    }
    if (status == EK_UNREACHED) {
        say_unreached(results);
    }
    return status;
}

enum ek_status cli_command_run(const struct cli_options *options, const char *typed)
{
    struct ek_error error = {.at = -1};
    struct cli_out out;
    struct ek_machine *machine = refuse_combination(options, &error) ? prepare(options, 0, &error) : NULL;
    if (!machine || !cli_out_open(&out, options->out, &error)) {
        ek_machine_destroy(machine);
        return cli_complain(&error, cli_options_text(options, error.axis));
    }
    struct report_results results = {.options = options, .command = typed, .machine = machine};
    enum ek_status status = run_and_report(machine, &results, &out, &error);
    for (size_t i = 0; i < results.count; i++) {
        ek_report_destroy(&results.reports[i]);
    }
    free(results.reports);
    ek_report_destroy(&results.failed);
    ek_machine_destroy(machine);
    return status;
}
