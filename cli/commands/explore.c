// SPDX-License-Identifier: MIT
// `evenkeel explore`: many schedules of one experiment in free timing, each checked after every turn.
#include <stdio.h>

#include "cli/commands/commands.h"
#include "cli/line/complain.h"
#include "cli/line/plugin.h"
#include "cli/report/explore_report.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/read_file.h"
#include "cli/terminal/text.h"
#include "lab/studies/schedule_maker.h"

static const double LONG_S = 1e6;

struct options {
    struct ek_experiment experiment;
    const char *strategy, *record;
    uint64_t schedules, turns, jobs; // turns and jobs are 0 if not given
    enum cli_format format;
    bool quiet, verbose;
};

#define PLACE(field) offsetof(struct options, field)

static const struct cli_option own[] = {
    {.name = "strategy",
     .form = "NAME",
     .initial = "random",
     .help = "random, pct:D, delay-first, round-robin or exhaustive:B",
     .more = "The strategy chooses which processor goes on, and which of the arrived messages it sees. `random` draws "
             "both. `pct:D` draws an order of the processors, lets the first that can go on do so, and changes the "
             "order D-1 times. `delay-first` shows messages as late as possible, one at a time. `exhaustive:B` makes "
             "all schedules of a small machine in which no processor that has something to do is passed over more than "
             "B times. With --within there is no strategy.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(strategy)},
    {.name = "schedules",
     .form = "N",
     .initial = "1000",
     .help = "at most this many schedules; --for limits their time",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(schedules),
     .minimum = 1,
     .maximum = UINT64_MAX},
    {.name = "turns",
     .form = "MOST",
     .help = "stop a schedule after this many turns [10000]",
     .more = "The schedule is stopped as --for stops a run. It fails if it does not end within as many turns again, or "
             "1024 turns per processor, whichever is more. `exhaustive` goes to this depth, at most and by default "
             "4096 turns.",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(turns),
     .minimum = 1,
     .maximum = 1000000000},
    CLI_OPTION_JOBS("How many threads run schedules. The results are the same for any number.", PLACE(jobs)),
    {.name = "record",
     .topic = EK_TOPIC_OUTPUT,
     .form = "FILE",
     .initial = "explore.ek",
     .help = "record the schedule that fails, else the first that got too long",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(record),
     .file = CLI_WRITES},
    CLI_OPTION_FORMAT(PLACE(format)),
    CLI_OPTION_QUIET(PLACE(quiet)),
    {.name = "verbose",
     .topic = EK_TOPIC_OUTPUT,
     .help = "list which messages arrived in which state of a port",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(verbose)},
    CLI_OPTION_PLUGIN,
    {0}};

static void show_progress(void *context, uint64_t schedules, uint64_t turns, double elapsed_s)
{
    if (elapsed_s >= 1.0) {
        cli_progress_show(context, elapsed_s, "%s, %s, %.0f s", cli_text_plural(schedules, "schedule").of,
                          cli_text_plural(turns, "turn").of, elapsed_s);
    }
}

// Returns the experiment: --within alone asks for virtual time.
static struct ek_experiment experiment_of(const struct cli_call *call, const struct options *options)
{
    struct ek_experiment experiment = options->experiment;
    if (cli_option_given(call, "within") && !cli_option_given(call, "timing")) {
        experiment.timing = "virtual";
    }
    // --for limits all schedules together. The machine would apply the limit to each schedule, so it gets a longer
    // time.
    experiment.seconds_max = LONG_S;
    experiment.reader = cli_reader();
    return experiment;
}

static struct lab_explore_request order_of(const struct cli_call *call, const struct options *options,
                                           struct cli_progress *progress)
{
    struct ek_experiment experiment = experiment_of(call, options);
    bool machines = lab_explores_machines(&experiment) && !cli_option_given(call, "strategy");
    bool for_a_time = options->experiment.seconds_max > 0.0 && !cli_option_given(call, "schedules");
    struct lab_explore_request order = {.experiment = experiment,
                                        .strategy = machines ? NULL : options->strategy,
                                        .schedules = for_a_time ? UINT64_MAX : options->schedules,
                                        .turns_most = options->turns,
                                        .jobs = (unsigned)options->jobs,
                                        .seconds = options->experiment.seconds_max,
                                        .command = call->typed,
                                        .recording = options->record,
                                        .stopped = cli_interrupt_came,
                                        .progress = show_progress,
                                        .context = progress};
    return order;
}

static enum ek_status explore(const struct cli_call *call, const void *values)
{
    const struct options *options = values;
    struct cli_progress progress = cli_progress_begin(options->quiet, false);
    struct lab_explore_request order = order_of(call, options, &progress);
    struct cli_line within = {0}; // in virtual time instead of a strategy
    cli_line_add(&within, "within:%s", order.experiment.within ? order.experiment.within : "1");
    struct lab_exploration explored;
    struct ek_error error = {.at = -1};
    cli_plugin_interrupt_catch(call);
    enum ek_status status = lab_explore(&order, &explored, &error);
    cli_interrupt_release();
    cli_progress_clear(&progress);
    if (status == EK_BAD_INPUT) {
        status = cli_complain(&error);
    } else {
        struct report_exploration shown = {.of = &explored,
                                           .format = options->format,
                                           .quiet = options->quiet,
                                           .verbose = options->verbose,
                                           .command = call->typed,
                                           .strategy = order.strategy ? order.strategy : within.of,
                                           .recording = order.recording};
        status = report_exploration_write(&shown, status);
        call->found->kind = explored.recorded ? CLI_FOUND_RECORDING : CLI_FOUND_NOTHING;
    }
    lab_exploration_destroy(&explored);
    return status;
}

const struct cli_command cli_explore = {
    .name = "explore",
    .theme = CLI_THEME_TEST,
    .summary = "check many schedules of a run in free timing",
    .more = "Runs free timing on one thread, in virtual time. For each of --schedules schedules the strategy chooses "
            "which processor has the next turn, and which messages it sees. With --within FACTOR each schedule is that "
            "of a machine whose costs are drawn within this factor of the given ones, so schedules that no such "
            "machine could make are left out. Every turn is checked: no load is lost, "
            "created or overtaken; no load is negative; no processor waits for a message that cannot arrive; and the "
            "protocol is followed. Every schedule must end. A schedule that fails is reduced (processors, loads, "
            "turns, the factor) and recorded in --record, for `replay`. If none fails, the first that got too long is "
            "recorded. "
            "The seed determines everything: the same seed has the same log, whose SHA-256 is printed. The last "
            "line is the verdict. The status is 1 if a schedule "
            "fails, and 3 if --for was too short for a single schedule.",
    .timings = EK_IN_FREE | EK_IN_VIRTUAL,
    .experiment = PLACE(experiment),
    .variants =
        (const struct cli_variant[]){
            {.axis = "timing", .initial = "free", .help = "free, or virtual: the default with --within"},
            {.axis = "topology", .initial = "ring:8"},
            {.axis = "for", .help = "the time for all schedules, as in 200ms, 5s, 2m or 1h"},
            {.axis = "carrier", .help = CLI_CARRIERS_WITHOUT_MPI},
            {0}},
    .options = own,
    .size = sizeof(struct options),
    .act = explore};
