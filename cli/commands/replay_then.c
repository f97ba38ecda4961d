// SPDX-License-Identifier: MIT
// Going on from a recording.
#include "cli/commands/replay_then.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/line/complain.h"
#include "cli/commands/explore_report.h"
#include "cli/terminal/interrupt.h"
#include "lab/studies/continue_from.h"

enum { STRATEGY_MAX = 64 };

// "random:7": a strategy, and behind its last colon a seed.
static bool read_spec(const char *text, char *strategy, uint64_t *seed, struct ek_error *error)
{
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    *seed = colon ? strtoull(colon + 1, &end, 10) : 0;
    if (!colon || colon[1] < '0' || colon[1] > '9' || *end != '\0' || colon - text >= STRATEGY_MAX) {
        return base_refuse_text(error, "then", text, 0, "--then takes a strategy and a seed, as random:7 or pct:3:7");
    }
    snprintf(strategy, STRATEGY_MAX, "%.*s", (int)(colon - text), text);
    return true;
}

// What looks at the recorded run alone.
static bool is_possible(const struct cli_options *options, struct ek_error *error)
{
    static const char *const others[] = {"from",     "to",    "show",  "every", "overlaps",
                                         "timeline", "final", "trace", "heat"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (cli_options_given(options, others[i])) {
            return base_refuse(error, "--%s does not go with --then: give it with the recording of the whole",
                               others[i]);
        }
    }
    return true;
}

enum ek_status cli_then(const struct cli_options *options, const char *typed)
{
    struct ek_error error = {.at = -1};
    char strategy[STRATEGY_MAX];
    struct lab_continue_request order = {.path = options->argument,
                                         .until = options->until,
                                         .strategy = strategy,
                                         .turns_most = options->turns,
                                         .command = typed,
                                         .recording = options->record,
                                         .stopped = cli_interrupt_came};
    if (!is_possible(options, &error) || !read_spec(options->then, strategy, &order.number, &error)) {
        return cli_complain(&error);
    }
    struct lab_exploration explored;
    cli_interrupt_catch();
    enum ek_status status = lab_continue_from(&order, &explored, &error);
    cli_interrupt_release();
    if (status == EK_BAD_INPUT) {
        status = cli_complain(&error);
    } else {
        struct cli_explored shown = {.of = &explored,
                                     .options = options,
                                     .command = typed,
                                     .strategy = options->then,
                                     .recording = options->record,
                                     .after = options->argument,
                                     .until = options->until};
        status = cli_explored_present(&shown, status);
    }
    lab_exploration_destroy(&explored);
    return status;
}
