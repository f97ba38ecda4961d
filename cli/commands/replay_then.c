// SPDX-License-Identifier: MIT
#include "cli/commands/replay_then.h"

#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "cli/line/complain.h"
#include "cli/line/plugin.h"
#include "cli/report/explore_report.h"
#include "cli/terminal/interrupt.h"
#include "lab/studies/continue_from.h"

enum { STRATEGY_MAX = 64 };

// Reads a strategy and, behind its last colon, a seed.
static bool read_spec(const char *text, char *strategy, uint64_t *seed, struct ek_error *error)
{
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;
    if (length == 0 || length >= STRATEGY_MAX) {
        return base_refuse_text(error, "then", text, 0, "--then takes a strategy and a seed, as random:7 or pct:3:7");
    }
    snprintf(strategy, STRATEGY_MAX, "%.*s", (int)length, text);
    struct base_cursor cursor = base_cursor_start("then", text, error);
    cursor.at = length + 1;
    return base_cursor_whole(&cursor, "the seed of --then STRATEGY:SEED", 0, UINT64_MAX, seed) &&
           base_cursor_end(&cursor);
}

// Refuses the options that show the recorded run only.
static bool is_possible(const struct cli_call *call, struct ek_error *error)
{
    static const char *const others[] = {"from",     "to",    "show",  "every", "overlaps",
                                         "timeline", "final", "trace", "heat"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (cli_option_given(call, others[i])) {
            return base_refuse(error, "--%s does not go with --then: add --record FILE, and replay that file with --%s",
                               others[i], others[i]);
        }
    }
    return true;
}

enum ek_status cli_then(const struct cli_call *call, const struct cli_then *then, const struct report_view *view)
{
    struct ek_error error = {.at = -1};
    char strategy[STRATEGY_MAX];
    struct lab_continue_request order = {.path = then->file,
                                         .until = then->until,
                                         .strategy = strategy,
                                         .turns_most = then->turns_most,
                                         .command = call->typed,
                                         .recording = then->recording,
                                         .stopped = cli_interrupt_came};
    if (!is_possible(call, &error) || !read_spec(then->spec, strategy, &order.number, &error)) {
        return cli_complain(&error);
    }
    struct lab_exploration explored;
    cli_plugin_interrupt_catch(call);
    enum ek_status status = lab_continue_from(&order, &explored, &error);
    cli_interrupt_release();
    if (status == EK_BAD_INPUT) {
        status = cli_complain(&error);
    } else {
        struct report_exploration shown = {.of = &explored,
                                           .format = view->format,
                                           .quiet = view->quiet,
                                           .command = call->typed,
                                           .strategy = then->spec,
                                           .recording = then->recording,
                                           .after = then->file,
                                           .until = then->until};
        status = report_exploration_write(&shown, status);
        call->found->kind = explored.recorded ? CLI_FOUND_RECORDING : CLI_FOUND_NOTHING;
    }
    lab_exploration_destroy(&explored);
    return status;
}
