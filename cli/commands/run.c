// SPDX-License-Identifier: MIT
// `evenkeel run`: runs the experiment as often as asked, and reports.
#include "lab/record/run_experiment.h"

#include "lab/record/failure_recording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/line/commands.h"
#include "cli/line/complain.h"
#include "cli/terminal/files.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/live.h"
#include "cli/terminal/out.h"
#include "cli/terminal/present.h"
#include "cli/commands/run_ranks.h"
#include "cli/report/views.h"

// What a picture can show of a trace: that of the terminal, of one run, and --plot, of all.
enum { CHART_ROWS = 4096, PLOT_ROWS = 512, PLOT_RUNS_MAX = 10000 };

struct progress {
    const struct cli_options *options;
    struct lab_recorder *recording;       // or NULL
    struct lab_failure_recording failure; // whose it is with --record-failures
    struct cli_live *live;                // or NULL
    struct cli_terminal terminal;         // standard error's
    unsigned parts;                       // of a JSON report
    uint64_t runs;
    uint64_t run;    // under way
    double before_s; // the runs before it
    double last_s;   // how long it is under way
    bool shown;
};

static void clear_progress(struct progress *progress)
{
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        progress->shown = false;
    }
}

static void show_progress(void *context, uint64_t run, const struct ek_progress *so_far)
{
    struct progress *progress = context;
    if (run != progress->run) {
        progress->before_s += progress->last_s;
        progress->run = run;
    }
    progress->last_s = so_far->elapsed_s;
    double elapsed_s = progress->before_s + so_far->elapsed_s;
    if (!progress->terminal.escapes || elapsed_s < 1.0) {
        return;
    }
    struct cli_line line = {0};
    bool steps = so_far->steps > 0; // in free timing there are none
    cli_line_add(&line, "run %s of %s, %s, variance %.4g, %.1f s", cli_text_count(run + 1).of,
                 cli_text_count(progress->runs).of,
                 cli_text_plural(steps ? so_far->steps : so_far->operations, steps ? "step" : "operation").of,
                 so_far->variance, elapsed_s);
    fprintf(stderr, "\r%.*s\033[K", progress->terminal.columns - 1, line.of);
    progress->shown = true;
}

static bool can_record(const struct cli_options *options, struct ek_error *error)
{
    const char *option = options->record ? "record" : "record-failures";
    if (options->record && options->failures) {
        return base_refuse(error, "--record keeps the recording of any run: leave --record-failures out");
    }
    if (strcmp(cli_options_text(options, "timing"), "free") != 0) {
        return base_refuse(error, "--%s is for --timing free: in rounds and turns a run is repeated by its seed",
                           option);
    }
    return options->runs == 1 || base_refuse(error, "--%s is of one run: leave --runs out", option);
}

static bool can_live(const struct cli_options *options, struct ek_error *error)
{
    struct cli_terminal terminal = cli_terminal_of(stdout);
    return (!options->quiet || base_refuse(error, "--live shows how the run goes, and --quiet nothing: leave "
                                                  "one of them out")) &&
           cli_live_possible(&terminal, error);
}

static bool refuse_combination(const struct cli_options *options, struct ek_error *error)
{
    bool to_file = options->format == CLI_JSON || options->out;
    if ((options->final || options->trace) && !to_file) {
        return base_refuse(error, "--%s adds to the JSON report: say --format json, or --out DIR too",
                           options->final ? "final" : "trace");
    }
    bool in_table = options->format == CLI_TABLE && strcmp(cli_options_text(options, "timing"), "free") != 0;
    if (options->experiment.keep_links && !to_file && !in_table) {
        return base_refuse(error, "--links adds to the JSON report: say --format json, or --out DIR too");
    }
    if (options->plot && options->runs > PLOT_RUNS_MAX) {
        return base_refuse_text(error, "runs", cli_options_given(options, "runs"), 0,
                                "--plot draws at most %d runs: ask for fewer, or leave it out", PLOT_RUNS_MAX);
    }
    if (((options->record || options->failures) && !can_record(options, error)) ||
        (options->live && !can_live(options, error))) {
        return false;
    }
    if (options->experiment.frames > 0 && !to_file) {
        return base_refuse(error, "--frames adds to the JSON report: say --format json, or --out DIR too");
    }
    return cli_present_possible(options, error);
}

static bool accepts(void *context, const struct ek_machine *machine, struct ek_error *error)
{
    const struct progress *progress = context;
    const char *warning = ek_machine_warning(machine);
    if (*warning && !progress->options->quiet) {
        fprintf(stderr, "evenkeel: warning: %s\n", warning);
    }
    if (progress->options->heat && ek_machine_topology(machine)->dimensions != 2) {
        return base_refuse(error, "--heat needs a topology of two dimensions, as in torus:16x16");
    }
    return (!progress->recording || lab_recorder_begin(progress->recording, machine, error)) &&
           (!progress->live || cli_live_begin(progress->live, machine, error));
}

static bool made(void *context, const struct lab_record *record, struct ek_error *error)
{
    struct progress *progress = context;
    if (!cli_ranks_first()) {
        return true;
    }
    if (cli_terminal_of(stdout).is_terminal) { // its lines come where the progress is
        clear_progress(progress);
    }
    if (progress->live) {
        cli_live_clear(progress->live);
    }
    return cli_present_run(record, record->count - 1, progress->options, progress->parts, error);
}

// What is to be run, and what is to be kept of it for all that will be shown: heat maps and the terminal's chart are of
// the first run, plots of all.
static struct lab_run_request order_of(const struct cli_options *options, const char *typed, struct progress *progress)
{
    // All ranks keep the same, and not all have the same terminal.
    bool terminal = cli_terminal_of(stdout).is_terminal && !cli_ranks();
    bool chart = options->format == CLI_TABLE && !options->quiet && terminal;
    bool all_traces = options->trace || options->out;
    bool recorded = options->record || options->failures;
    struct lab_run_request order = {
        .experiment = options->experiment,
        .runs = options->runs,
        .command = typed,
        .theory = true,
        .loads_kept = options->final || options->out || options->experiment.frames > 0 ? UINT64_MAX : 1,
        .traces_kept = all_traces || options->plot ? UINT64_MAX : 1,
        .on_prepared = accepts,
        .stopped = cli_interrupt_came,
        .on_progress = show_progress,
        .on_run = made,
        .context = progress};
    order.experiment.ranks = cli_ranks();
    order.experiment.reader = cli_files_reader();
    order.experiment.keep_loads = options->final || options->out || options->heat || recorded;
    order.experiment.keep_trace = all_traces || options->plot || chart || recorded;
    order.experiment.trace_rows = all_traces ? 0 : options->plot && options->runs > 1 ? PLOT_ROWS : CHART_ROWS;
    return order;
}

// A run that was stuck or violated an invariant says so itself, with all that the machine found.
static void complain(const struct lab_record *record, const struct ek_error *error)
{
    fflush(stdout);
    cli_complain(error);
    const struct ek_report *last = record->count > 0 ? &record->runs[record->count - 1] : NULL;
    fputs(last && last->free.dump ? last->free.dump : "", stderr);
}

// Whatever cannot be written, the rest is: a run may have taken hours.
static enum ek_status report(const struct lab_record *record, const struct cli_options *options, struct cli_out *out,
                             enum ek_status status, const struct ek_error *error)
{
    struct ek_error other = {.at = -1};
    if (!cli_ranks_first()) {
        return status;
    }
    bool presented = cli_present_rest(record, options, &other) || cli_complain(&other) == EK_OK;
    bool written = cli_out_write(out, record, &other) || cli_complain(&other) == EK_OK;
    if (status == EK_UNREACHED) {
        cli_present_unreached(record);
    } else if (status != EK_OK) {
        complain(record, error);
    }
    return presented && written ? status : EK_BAD_INPUT;
}

// Threads that outnumber the cores wait for each other at every barrier, where a pool's workers go on: the results are
// the same. Who has not asked for threads is told what they cost, once that has been measured: the first run again on
// the pool, for a tenth of its time and a second at most.
static void compare_carriers(const struct lab_record *record, const struct cli_options *options)
{
    static const double WORTH_S = 0.5, SHARE = 0.1, MOST_S = 1.0;
    const struct ek_report *first = &record->runs[0];
    bool worth = !options->quiet && !cli_options_given(options, "carrier") && !first->timed &&
                 first->ended != EK_ENDED_TIME && first->elapsed_s > WORTH_S && first->workers > record->host.cores;
    if (!worth) {
        return;
    }
    struct lab_run_request order = {
        .experiment = options->experiment, .runs = 1, .command = "", .stopped = cli_interrupt_came};
    struct lab_record other = {0};
    struct ek_error error;
    order.experiment.reader = cli_files_reader();
    order.experiment.carrier = "pool";
    order.experiment.seconds_max = fmin(SHARE * first->elapsed_s, MOST_S);
    cli_interrupt_catch();
    if (lab_run(&order, &other, &error) == EK_OK && other.runs[0].ended == first->ended) { // not cut
        fprintf(stderr, "evenkeel: note: %s threads took %s; with --carrier pool the same, to the last bit, takes %s\n",
                cli_text_count(first->workers).of, cli_text_seconds(first->elapsed_s).of,
                cli_text_seconds(other.runs[0].elapsed_s).of);
    }
    cli_interrupt_release();
    lab_record_destroy(&other);
}

static bool begin_recording(struct progress *progress, const char *typed, struct ek_experiment *experiment,
                            struct ek_error *error)
{
    const struct cli_options *options = progress->options;
    if (options->record) {
        progress->recording = lab_recorder_create(options->record, typed, experiment, error);
    } else if (options->failures &&
               lab_failure_recording_begin(&progress->failure, options->failures, typed, experiment, error)) {
        progress->recording = progress->failure.recorder;
    }
    return progress->recording || !(options->record || options->failures);
}

// A recording that is not whole is no success; what the run itself said comes first.
static enum ek_status end_recording(struct progress *progress, const struct lab_record *record, enum ek_status status,
                                    struct ek_error *error)
{
    struct ek_error unwritten = {.at = -1};
    bool written = !progress->recording ? true
                   : progress->options->failures
                       ? lab_failure_recording_end(&progress->failure, record, status, &unwritten)
                       : lab_recorder_end(progress->recording, record->count > 0 ? record : NULL, &unwritten);
    if (written) {
        return status;
    }
    if (status == EK_OK || status == EK_UNREACHED) {
        *error = unwritten;
        return EK_BAD_INPUT;
    }
    cli_complain(&unwritten);
    return status;
}

// Who is to look on: the terminal, and a recording.
static bool look_on(struct progress *progress, const struct lab_record *record, const char *typed,
                    struct lab_run_request *order, struct ek_error *error)
{
    const struct cli_options *options = progress->options;
    if (options->live) {
        progress->live = cli_live_create(record, options->runs, error);
        if (!progress->live) {
            return false;
        }
        order->experiment.observer = cli_live_observer(progress->live);
    }
    return begin_recording(progress, typed, &order->experiment, error);
}

static enum ek_status run_into(struct cli_out *out, const struct cli_options *options, const char *typed)
{
    struct ek_error error = {.at = -1};
    struct lab_record record = {0};
    struct progress progress = {.options = options,
                                .terminal = cli_terminal_of(stderr),
                                .runs = options->runs,
                                .parts = (options->final ? LAB_WITH_FINAL : 0) | (options->trace ? LAB_WITH_TRACE : 0)};
    progress.terminal.escapes = progress.terminal.escapes && !options->quiet && !options->live;
    struct lab_run_request order = order_of(options, typed, &progress);
    bool ready = look_on(&progress, &record, typed, &order, &error);
    bool all_ready = ek_ranks_agree(order.experiment.ranks, ready, &error);
    if (!ready) {
        cli_live_destroy(progress.live);
        cli_out_abandon(out);
        return cli_complain(&error);
    }
    cli_interrupt_catch();
    enum ek_status status = all_ready ? lab_run(&order, &record, &error) : error.status;
    cli_interrupt_release();
    cli_live_destroy(progress.live);
    clear_progress(&progress);
    status = end_recording(&progress, &record, status, &error);
    if (record.count == 0) {
        cli_out_abandon(out);
        lab_failure_recording_destroy(&progress.failure);
        if (status == EK_UNREACHED) {
            base_refuse(&error, "interrupted before the first run");
            error.status = status;
        }
        return cli_complain(&error);
    }
    status = report(&record, options, out, status, &error);
    cli_complain_replay(progress.failure.kept ? progress.failure.path : NULL);
    lab_failure_recording_destroy(&progress.failure);
    if (status == EK_OK) {
        fflush(stdout);
        compare_carriers(&record, options);
    }
    lab_record_destroy(&record);
    return status;
}

static enum ek_status run(const struct cli_options *options, const char *typed)
{
    struct ek_error error = {.at = -1};
    struct cli_out out = {0};
    bool ready =
        refuse_combination(options, &error) && cli_out_open(&out, cli_ranks_first() ? options->out : NULL, &error);
    if (!ek_ranks_agree(cli_ranks(), ready, &error)) { // the folder is the first rank's alone
        cli_out_abandon(&out);
        return cli_complain(&error);
    }
    return run_into(&out, options, typed);
}

enum ek_status cli_run(const struct cli_options *options, const char *typed)
{
    struct ek_error error = {.at = -1};
    const char *carrier = cli_options_text(options, "carrier");
    if (!cli_ranks_join(carrier, &error)) {
        return cli_complain(&error);
    }
    enum ek_status status = run(options, typed);
    cli_ranks_leave(status);
    return status;
}
