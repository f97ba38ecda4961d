// SPDX-License-Identifier: MIT
// `evenkeel explain WORD`.
#include "cli/commands/commands.h"
#include "cli/line/complain.h"
#include "cli/line/lookup.h"
#include "cli/line/shared_options.h"

static const struct cli_option own[] = {CLI_OPTION_PLUGIN, {0}};

static const char *method_name(const struct cli_command *const *commands, size_t index)
{
    (void)commands;
    return ek_method_at(index) ? ek_method_at(index)->name : NULL;
}

static enum ek_status explain(const struct cli_call *call, const void *options)
{
    (void)options;
    struct ek_error error = {.at = -1};
    return cli_word_explain(call->commands, call->words[0], &error) ? EK_OK : cli_complain(&error);
}

const struct cli_command cli_explain = {
    .name = "explain",
    .argument = "WORD",
    .argument_word = method_name,
    .explains = true,
    .summary = "explain a method: equation, parameter, paper; or an option, or a value",
    .more = "WORD is a method (ade), an option (topology) or a value of one (torus, slot, peak:6400).",
    .options = own,
    .act = explain};
