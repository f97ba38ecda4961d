// SPDX-License-Identifier: MIT
// `evenkeel explore`: schedules of one experiment in free timing, each looked at after every turn.
#include <stdio.h>

#include "cli/line/commands.h"
#include "cli/line/complain.h"
#include "cli/commands/explore_report.h"
#include "cli/terminal/files.h"
#include "cli/terminal/interrupt.h"

static const double LONG_S = 1e6;

struct exploration {
    const struct cli_options *options;
    struct cli_terminal terminal; // standard error's
    bool shown;                   // a progress line
};

static void clear_progress(struct exploration *exploration)
{
    if (exploration->shown) {
        fputs("\r\033[K", stderr);
        exploration->shown = false;
    }
}

static void show_progress(void *context, uint64_t schedules, uint64_t turns, double elapsed_s)
{
    struct exploration *exploration = context;
    if (!exploration->terminal.escapes || elapsed_s < 1.0) {
        return;
    }
    struct cli_line line = {0};
    cli_line_add(&line, "%s, %s, %.0f s", cli_text_plural(schedules, "schedule").of, cli_text_plural(turns, "turn").of,
                 elapsed_s);
    fprintf(stderr, "\r%.*s\033[K", exploration->terminal.columns - 1, line.of);
    exploration->shown = true;
}

static struct lab_explore_request order_of(const struct cli_options *options, const char *typed,
                                           struct exploration *exploration)
{
    bool for_a_time = options->experiment.seconds_max > 0.0 && !cli_options_given(options, "schedules");
    struct lab_explore_request order = {.experiment = options->experiment,
                                        .strategy = cli_options_text(options, "strategy"),
                                        .schedules = for_a_time ? UINT64_MAX : options->schedules,
                                        .turns_most = options->turns,
                                        .jobs = (unsigned)options->jobs,
                                        .seconds = options->experiment.seconds_max,
                                        .command = typed,
                                        .recording = cli_options_text(options, "record"),
                                        .stopped = cli_interrupt_came,
                                        .progress = show_progress,
                                        .context = exploration};
    // Of a run it is the turns that are limited: to the machine, which has a clock for it, for longer than they take.
    order.experiment.seconds_max = LONG_S;
    order.experiment.reader = cli_files_reader();
    return order;
}

enum ek_status cli_explore(const struct cli_options *options, const char *typed)
{
    struct exploration exploration = {.options = options, .terminal = cli_terminal_of(stderr)};
    struct lab_explore_request order = order_of(options, typed, &exploration);
    struct lab_exploration explored;
    struct ek_error error = {.at = -1};
    exploration.terminal.escapes = exploration.terminal.escapes && !options->quiet;
    cli_interrupt_catch();
    enum ek_status status = lab_explore(&order, &explored, &error);
    cli_interrupt_release();
    clear_progress(&exploration);
    if (status == EK_BAD_INPUT) {
        status = cli_complain(&error);
    } else {
        struct cli_explored shown = {.of = &explored,
                                     .command = typed,
                                     .strategy = order.strategy,
                                     .recording = order.recording,
                                     .options = options};
        status = cli_explored_present(&shown, status);
    }
    lab_exploration_destroy(&explored);
    return status;
}
