// SPDX-License-Identifier: MIT
// `evenkeel run`: runs the experiment as often as requested, and reports.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/run_ranks.h"
#include "cli/line/complain.h"
#include "cli/line/plugin.h"
#include "cli/figures/live.h"
#include "cli/figures/picture.h"
#include "cli/report/out_directory.h"
#include "cli/report/record_report.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/read_file.h"
#include "cli/terminal/terminal.h"
#include "lab/record/failure_recording.h"
#include "lab/record/recording.h"
#include "lab/record/run_experiment.h"
#include "topologies/topology.h"

// SLOWED_WIDTH: of a line below a table. CHART_ROWS: the most rows of a trace that are kept of a single run. PLOT_ROWS:
// the most that are kept of each run if
// --plot draws several. PLOT_RUNS_MAX: the most runs that --plot draws.
enum { SLOWED_WIDTH = 100, CHART_ROWS = 4096, PLOT_ROWS = 512, PLOT_RUNS_MAX = 10000 };

struct options {
    struct ek_experiment experiment;
    struct report_view view;
    uint64_t runs;
    const char *out, *record, *failures, *speed; // NULL if not given
    bool final, trace, live;
};

#define PLACE(field) offsetof(struct options, field)

static const struct cli_option own[] = {
    CLI_OPTION_RUNS("1", "the number of runs; each run has its own seed", PLACE(runs)),
    CLI_OPTION_FORMAT(PLACE(view.format)),
    {.name = "out",
     .topic = EK_TOPIC_OUTPUT,
     .letter = 'o',
     .form = "DIR",
     .help = "also write run.json, trace.csv and final.csv there",
     .more =
         "The directory is created if it does not exist. Other files in it are left alone. If one of these "
         "files exists already, nothing is run. With --objects the new placement after the first run is written, too: "
         "placement.csv, which --objects file: reads, or for vt: new LB data files of the ranks. With --picture there "
         "is also picture.png.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(out),
     .file = CLI_WRITES},
    CLI_OPTION_FINAL(PLACE(final)),
    CLI_OPTION_TRACE(PLACE(trace)),
    CLI_OPTIONS_PICTURE(
        "draw the variance: .svg, .pdf or .png",
        "Needs gnuplot. The picture shows the mean variance of all runs over the steps, in free timing over time. The "
        "band around it is the 95 % interval of the mean. The prediction of theory is drawn beside it.",
        PLACE(view.picture)),
    {.name = "record",
     .topic = EK_TOPIC_OUTPUT,
     .form = "FILE",
     .help = "free and virtual timing: record the run, for evenkeel replay",
     .more = "Goes with a single run. The file grows during the run. If the run is killed, replay repeats it as far as "
             "the file reaches. In free timing the file holds what the workers see, in virtual time little more than "
             "the experiment.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(record),
     .file = CLI_WRITES},
    CLI_OPTION_RECORD_FAILURES(PLACE(failures)),
    CLI_OPTION_HEAT(PLACE(view.heat)),
    {.name = "picture",
     .topic = EK_TOPIC_OUTPUT,
     .help = "show the picture that the tasks compute, as in --tasks mandelbrot:600x400:8",
     .more =
         "The points are what the tasks wrote when processors executed them. The map in the terminal has logarithmic "
         "shades. With --out DIR the picture is also written as picture.png, with a pixel for each point; this needs "
         "a build with libpng.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(experiment.keep_picture)},
    {.name = "live",
     .topic = EK_TOPIC_OUTPUT,
     .help = "show the run in the terminal while it goes on",
     .more =
         "Shows the loads over the topology, the variance beside the prediction of theory, and the messages per "
         "second; in virtual time also how much virtual time passes in a second. Standard output must be a terminal. "
         "Keys: space pauses the run and lets it go on, n (or ., or the right arrow) goes one step, + doubles the "
         "speed, - halves it, q ends the run as Ctrl-C does. In virtual time a step is a row of the trace (--sample). "
         "While a run waits, its elapsed_s stands still, but the time of --for passes. In free timing the threads go "
         "at "
         "their own speed, and q is the only key.",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(live)},
    {.name = "speed",
     .topic = EK_TOPIC_OUTPUT,
     .form = "SPEED",
     .help = "with --live: steps or virtual time per second, or max",
     .more =
         "In rounds and turns as in 50steps/s, in virtual time as in 10us/s; the run can be slower, but not faster. "
         "max does not slow the run. Without --speed the run starts slowly and gets faster: it begins with 5 steps "
         "a second, in virtual time with 5 rows of the trace a second, and doubles its speed after every 3 s.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(speed)},
    CLI_OPTION_QUIET(PLACE(view.quiet)),
    CLI_OPTION_PLUGIN,
    {0}};

// A run under way, for its callbacks.
struct session {
    const struct cli_call *call;
    const struct options *options;
    struct lab_recorder *recording;       // or NULL
    struct lab_failure_recording failure; // of --record-failures; it owns the recording then
    struct report_live *live;             // or NULL
    struct report_speed speed;            // of the live view
    struct cli_progress progress;
    const struct lab_record *record; // the runs that have ended
    struct report_directory *out;
    struct cli_plugin_patience patience;
    uint64_t run;    // the run under way
    double before_s; // time of the runs before it
    double last_s;   // time since it began
};

static bool has_timing(const struct session *session, const char *timing)
{
    return strcmp(cli_option_text(session->call, "timing"), timing) == 0;
}

static bool can_record(const struct session *session, struct ek_error *error)
{
    const struct options *options = session->options;
    const char *option = options->record ? "record" : "record-failures";
    if (options->record && options->failures) {
        return base_refuse(error, "--record keeps the recording of any run: leave out --record-failures");
    }
    if (!has_timing(session, "free") && !has_timing(session, "virtual")) {
        return base_refuse(error, "--%s is for --timing free and virtual: in rounds and turns the seed repeats a run",
                           option);
    }
    return options->runs == 1 || base_refuse(error, "--%s records one run: leave out --runs", option);
}

static bool can_live(struct session *session, struct ek_error *error)
{
    const struct options *options = session->options;
    struct cli_terminal terminal = cli_terminal_of(stdout);
    if (cli_ranks()) {
        return base_refuse(error, "--live shows the runs of one process, and here are ranks: leave out --live, or use "
                                  "--carrier pool");
    }
    return report_speed_read(options->speed, cli_option_text(session->call, "timing"), &session->speed, error) &&
           (!options->view.quiet || base_refuse(error, "--live shows the run and --quiet nothing: leave out one")) &&
           report_live_possible(&terminal, error);
}

static bool can_picture(const struct options *options, struct ek_error *error)
{
    if (options->runs > 1) {
        return base_refuse(error, "--picture keeps the picture of one run: leave out --runs");
    }
    if (options->out) {
        return report_picture_writable(error);
    }
    return (options->view.format == CLI_TABLE && !options->view.quiet) ||
           base_refuse(error, "--picture is shown below the table, or written to a file: add --out DIR");
}

static bool refuse_combination(struct session *session, struct ek_error *error)
{
    static const char report_only[] = "--%s adds to the JSON report: add --format json or --out DIR";
    const struct options *options = session->options;
    const struct report_view *view = &options->view;
    bool to_file = view->format == CLI_JSON || options->out;
    if ((options->final || options->trace) && !to_file) {
        return base_refuse(error, report_only, options->final ? "final" : "trace");
    }
    bool links_in_table = view->format == CLI_TABLE && !has_timing(session, "free");
    if (options->experiment.keep_links && !to_file && !links_in_table) {
        return base_refuse(error, report_only, "links");
    }
    if (view->picture.plot && options->runs > PLOT_RUNS_MAX) {
        return base_refuse_text(error, "runs", cli_option_given(session->call, "runs"), 0,
                                "--plot draws at most %d runs: give fewer --runs, or leave out --plot", PLOT_RUNS_MAX);
    }
    if (((options->record || options->failures) && !can_record(session, error)) ||
        (options->live && !can_live(session, error))) {
        return false;
    }
    if (options->experiment.keep_picture && !can_picture(options, error)) {
        return false;
    }
    if (options->speed && !options->live) {
        return base_refuse(error, "--speed is for a run that is shown: add --live");
    }
    if ((options->experiment.frames > 0 || options->experiment.profile > 0) && !to_file) {
        return base_refuse(error, report_only, options->experiment.frames > 0 ? "frames" : "profile");
    }
    return report_record_possible(view, error);
}

static bool accepts(void *context, const struct ek_machine *machine, struct ek_error *error)
{
    const struct session *session = context;
    const struct report_view *view = &session->options->view;
    const char *warning = ek_machine_warning(machine);
    if (*warning && !view->quiet) {
        fprintf(stderr, "evenkeel: warning: %s\n", warning);
    }
    if (view->heat && ek_machine_outline(machine)->dimensions != 2) {
        return base_refuse(error, "--heat needs a topology of two dimensions, as in torus:16x16");
    }
    return (!session->recording || lab_recorder_begin(session->recording, machine, error)) &&
           (!session->live || report_live_begin(session->live, machine, error));
}

// Optional parts of the JSON report.
static unsigned parts_of(const struct options *options)
{
    return (options->final ? LAB_WITH_FINAL : 0) | (options->trace ? LAB_WITH_TRACE : 0);
}

static bool made(void *context, const struct lab_record *record, struct ek_error *error)
{
    struct session *session = context;
    if (!cli_ranks_first()) {
        return true;
    }
    if (cli_terminal_of(stdout).is_terminal) { // the run's lines appear where the progress line is
        cli_progress_clear(&session->progress);
    }
    if (session->live) {
        report_live_clear(session->live);
    }
    return report_record_run(record, record->count - 1, &session->options->view, parts_of(session->options), error);
}

// Reports a run that got stuck or violated an invariant, with the machine's dump.
static void complain(const struct lab_record *record, const struct ek_error *error)
{
    fflush(stdout);
    cli_complain(error);
    const struct ek_report *last = record->count > 0 ? &record->runs[record->count - 1] : NULL;
    fputs(last && last->free.dump ? last->free.dump : "", stderr);
}

// Writes all outputs. If one fails the others are still written, since a run may have taken hours.
static enum ek_status report(const struct session *session, const struct lab_record *record,
                             struct report_directory *out, enum ek_status status, const struct ek_error *error)
{
    struct ek_error other = {.at = -1};
    if (!cli_ranks_first()) {
        return status;
    }
    bool presented = report_record_rest(record, &session->options->view, &other) || cli_complain(&other) == EK_OK;
    bool written = report_directory_write(out, record, &other) || cli_complain(&other) == EK_OK;
    if (status == EK_UNREACHED) {
        report_record_unreached(record);
    } else if (status != EK_OK) {
        complain(record, error);
    }
    return presented && written ? status : EK_BAD_INPUT;
}

// Ends the command during a run that cannot be stopped, because a plugin does not return. Reports the earlier
// runs.
_Noreturn static void give_up(struct session *session)
{
    struct ek_error error;
    const char *plugin = cli_option_given(session->call, "plugin");
    base_fail(&error, EK_STUCK, "",
              "run %s does not end, perhaps because the plugin %.200s does not return: evenkeel check %.200s tests its "
              "methods",
              cli_text_count(session->run + 1).of, plugin, plugin);
    report_live_destroy(session->live);
    cli_progress_clear(&session->progress);
    if (session->record->count > 0) {
        report(session, session->record, session->out, EK_STUCK, &error);
    } else {
        report_directory_abandon(session->out);
        cli_complain(&error);
    }
    fflush(stdout);
    _exit(EK_STUCK);
}

// The run under way was asked to end: it may be waiting for its live view.
static void stop(void *context)
{
    const struct session *session = context;
    if (session->live) {
        report_live_release(session->live);
    }
}

static void show_progress(void *context, uint64_t run, const struct ek_progress *so_far)
{
    struct session *session = context;
    if (run != session->run) {
        session->before_s += session->last_s;
        session->run = run;
        session->patience = (struct cli_plugin_patience){0};
    }
    double limit_s = has_timing(session, "virtual") ? 0.0 : session->options->experiment.seconds_max;
    if (cli_plugin_overdue(session->call, &session->patience, so_far->elapsed_s, limit_s)) {
        give_up(session);
    }
    session->last_s = so_far->elapsed_s;
    double elapsed_s = session->before_s + so_far->elapsed_s;
    if (elapsed_s >= 1.0) {
        bool steps = so_far->steps > 0; // free timing has none
        cli_progress_show(&session->progress, elapsed_s, "run %s of %s, %s, variance %.4g, %.1f s",
                          cli_text_count(run + 1).of, cli_text_count(session->options->runs).of,
                          cli_text_plural(steps ? so_far->steps : so_far->operations, steps ? "step" : "operation").of,
                          so_far->variance, elapsed_s);
    }
}

// Describes what to run and what to keep of it. Heat maps and the terminal's chart show the first run, plots show all.
static struct lab_run_request order_of(struct session *session)
{
    const struct options *options = session->options;
    const struct report_view *view = &options->view;
    // All ranks must keep the same data. Their terminals can differ, so ranks draw no chart.
    bool terminal = cli_terminal_of(stdout).is_terminal && !cli_ranks();
    bool chart = view->format == CLI_TABLE && !view->quiet && terminal;
    bool all_traces = options->trace || options->out;
    bool asked = options->experiment.frames > 0 || options->experiment.profile > 0;
    bool all_loads = options->final || options->out || asked;
    bool recorded = options->record || options->failures;
    struct lab_run_request order = {.experiment = options->experiment,
                                    .runs = options->runs,
                                    .command = session->call->typed,
                                    .theory = true,
                                    .loads_kept = all_loads ? UINT64_MAX : 1,
                                    .traces_kept = all_traces || view->picture.plot ? UINT64_MAX : 1,
                                    .on_prepared = accepts,
                                    .stopped = cli_interrupt_came,
                                    .on_progress = show_progress,
                                    .on_stop = stop,
                                    .on_run = made,
                                    .context = session};
    order.experiment.ranks = cli_ranks();
    order.experiment.reader = cli_reader();
    order.experiment.read_part = cli_read_part;
    order.experiment.keep_loads = options->final || options->out || view->heat || recorded;
    order.experiment.keep_placement = options->out;
    order.experiment.keep_trace = all_traces || view->picture.plot || chart || recorded;
    order.experiment.trace_rows = all_traces ? 0 : view->picture.plot && options->runs > 1 ? PLOT_ROWS : CHART_ROWS;
    return order;
}

// Tells a user who did not choose a carrier what threads cost. Threads that outnumber the cores wait for each other at
// every barrier, while a pool computes the same results with one worker per core. The first run is repeated on a pool,
// for at most a tenth of its time and at most a second.
static void compare_carriers(const struct session *session, const struct lab_record *record)
{
    static const double WORTH_S = 0.5, SHARE = 0.1, MOST_S = 1.0;
    const struct ek_report *first = &record->runs[0];
    bool worth = !session->options->view.quiet && !cli_option_given(session->call, "carrier") && !first->timed &&
                 first->ended != EK_ENDED_TIME && first->elapsed_s > WORTH_S && first->workers > record->host.cores;
    if (!worth) {
        return;
    }
    struct lab_run_request order = {
        .experiment = session->options->experiment, .runs = 1, .command = "", .stopped = cli_interrupt_came};
    struct lab_record other = {0};
    struct ek_error error;
    order.experiment.reader = cli_reader();
    order.experiment.read_part = cli_read_part;
    order.experiment.carrier = "pool";
    order.experiment.seconds_max = fmin(SHARE * first->elapsed_s, MOST_S);
    cli_interrupt_catch();
    if (lab_run(&order, &other, &error) == EK_OK && other.runs[0].ended == first->ended) { // it was not cut short
        fprintf(stderr, "evenkeel: note: %s threads took %s; --carrier pool takes %s for the same result, bit by bit\n",
                cli_text_count(first->workers).of, cli_text_seconds(first->elapsed_s).of,
                cli_text_seconds(other.runs[0].elapsed_s).of);
    }
    cli_interrupt_release();
    lab_record_destroy(&other);
}

// Takes a tape that another rank writes to the file.
static bool take_none(void *context, unsigned worker, const uint8_t *bytes, size_t count)
{
    (void)context, (void)worker, (void)bytes, (void)count;
    return true;
}

static bool begin_recording(struct session *session, struct ek_experiment *experiment, struct ek_error *error)
{
    static const struct ek_recorder none = {.write = take_none};
    const struct options *options = session->options;
    const char *typed = session->call->typed;
    if (!cli_ranks_first()) {
        experiment->recorder = options->record || options->failures ? &none : NULL;
        return true;
    }
    if (options->record) {
        session->recording = lab_recorder_create(options->record, typed, experiment, error);
    } else if (options->failures &&
               lab_failure_recording_begin(&session->failure, options->failures, typed, experiment, error)) {
        session->recording = session->failure.recorder;
    }
    return session->recording || !(options->record || options->failures);
}

// Ends the recording. An incomplete recording is reported. If the run itself failed, that is reported first, and if it
// failed for the same reason, that is all.
static enum ek_status end_recording(struct session *session, const struct lab_record *record, enum ek_status status,
                                    struct ek_error *error)
{
    struct ek_error unwritten = {.at = -1};
    bool written = !session->recording ? true
                   : session->options->failures
                       ? lab_failure_recording_end(&session->failure, record, status, &unwritten)
                       : lab_recorder_end(session->recording, record->count > 0 ? record : NULL, &unwritten);
    if (written) {
        return status;
    }
    if (status == EK_OK || status == EK_UNREACHED) {
        *error = unwritten;
        return EK_BAD_INPUT;
    }
    if (strcmp(unwritten.sentence, error->sentence) != 0) {
        cli_complain(&unwritten);
    }
    return status;
}

// Prepares what observes the runs: the live view, and a recording.
static bool begin_observers(struct session *session, const struct lab_record *record, struct lab_run_request *order,
                            struct ek_error *error)
{
    if (session->options->live) {
        const struct report_live_plan plan = {.runs = session->options->runs,
                                              .speed = session->speed,
                                              .limit_s = session->options->experiment.seconds_max};
        session->live = report_live_create(record, &plan, error);
        if (!session->live) {
            return false;
        }
        report_live_observe(session->live, &order->experiment);
    }
    return begin_recording(session, &order->experiment, error);
}

// Says that the runs went slower than they could, and how to see them at full speed.
static void say_slowed(const struct session *session, double slowed_s)
{
    if (slowed_s > 0.0 && session->options->view.format == CLI_TABLE) {
        struct cli_line line = {0};
        cli_line_add(&line, "live: %s waited %s to be watched; --live --speed max shows %s at full speed",
                     session->options->runs > 1 ? "the runs" : "the run", cli_text_seconds(slowed_s).of,
                     session->options->runs > 1 ? "them" : "it");
        cli_text_wrap(stdout, line.of, 0, SLOWED_WIDTH);
    }
}

static enum ek_status run_into(struct report_directory *out, struct session *session)
{
    struct ek_error error = {.at = -1};
    struct lab_record record = {0};
    struct lab_run_request order = order_of(session);
    session->record = &record;
    session->out = out;
    session->progress = cli_progress_begin(session->options->view.quiet || session->options->live, false);
    bool ready = begin_observers(session, &record, &order, &error);
    bool all_ready = ek_ranks_agree(order.experiment.ranks, ready, &error);
    if (!ready) {
        report_live_destroy(session->live);
        report_directory_abandon(out);
        return cli_complain(&error);
    }
    cli_interrupt_catch();
    enum ek_status status = all_ready ? lab_run(&order, &record, &error) : error.status;
    cli_interrupt_release();
    const double slowed_s = session->live ? report_live_slowed_s(session->live) : 0.0;
    report_live_destroy(session->live);
    cli_progress_clear(&session->progress);
    status = end_recording(session, &record, status, &error);
    if (record.count == 0) {
        report_directory_abandon(out);
        lab_failure_recording_destroy(&session->failure);
        if (status == EK_UNREACHED) {
            base_fail(&error, status, "", "interrupted before the first run");
        }
        return cli_complain(&error);
    }
    status = report(session, &record, out, status, &error);
    say_slowed(session, slowed_s);
    cli_complain_replay(session->failure.kept ? session->failure.path : NULL);
    lab_failure_recording_destroy(&session->failure);
    if (status == EK_OK) {
        fflush(stdout);
        compare_carriers(session, &record);
    }
    lab_record_destroy(&record);
    return status;
}

static enum ek_status run_all(struct session *session)
{
    struct ek_error error = {.at = -1};
    struct report_directory out = {0};
    const struct ek_experiment *experiment = &session->options->experiment;
    unsigned extra =
        (experiment->keep_picture ? REPORT_FILES_PICTURE : 0) | (experiment->profile > 0 ? REPORT_FILES_PROFILE : 0);
    bool ready = refuse_combination(session, &error) &&
                 report_directory_open(&out, cli_ranks_first() ? session->options->out : NULL, extra, &error);
    if (!ek_ranks_agree(cli_ranks(), ready, &error)) { // only the first rank has the directory
        report_directory_abandon(&out);
        return cli_complain(&error);
    }
    return run_into(&out, session);
}

static enum ek_status run(const struct cli_call *call, const void *options)
{
    struct ek_error error = {.at = -1};
    if (!cli_ranks_join(cli_option_text(call, "carrier"), &error)) {
        return cli_complain(&error);
    }
    struct session session = {.call = call, .options = options};
    enum ek_status status = run_all(&session);
    cli_ranks_leave(status);
    return status;
}

const struct cli_command cli_run = {
    .name = "run",
    .summary = "run one experiment",
    .more = "Builds the emulated machine, runs the method in rounds until the stop criterion holds, and reports. With "
            "--timing free there are no rounds: each processor goes at its own pace and exchanges messages, and each "
            "snapshot of the loads is checked against a ledger. Ctrl-C or SIGTERM ends the run, which is still "
            "reported; a second one ends the program at once.",
    .timings = EK_IN_ALL,
    .experiment = PLACE(experiment),
    .options = own,
    .size = sizeof(struct options),
    .act = run};
