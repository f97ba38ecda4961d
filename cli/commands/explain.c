// SPDX-License-Identifier: MIT
// `evenkeel explain WORD`.
#include "cli/commands/commands.h"
#include "cli/line/complain.h"
#include "cli/line/glossary.h"
#include "cli/line/lookup.h"
#include "cli/line/shared_options.h"
#include "core/method.h"

static const struct cli_option own[] = {CLI_OPTION_PLUGIN, {0}};

// Returns the words that completion offers: the methods, then the glossary.
static const char *word_at(const struct cli_command *const *commands, size_t index)
{
    (void)commands;
    size_t methods = 0;
    while (ek_method_at(methods)) {
        methods++;
    }
    if (index < methods) {
        return ek_method_at(index)->name;
    }
    return cli_term_at(index - methods) ? cli_term_at(index - methods)->word : NULL;
}

static enum ek_status explain(const struct cli_call *call, const void *options)
{
    (void)options;
    struct ek_error error = {.at = -1};
    return cli_word_explain(call, call->words[0], &error) ? EK_OK : cli_complain(&error);
}

const struct cli_command cli_explain = {
    .name = "explain",
    .theme = CLI_THEME_LEARN,
    .argument = "WORD",
    .argument_word = word_at,
    .explains = true,
    .summary = "explain a method, an option, a value or a term",
    .more =
        "WORD is a method (ade), an option (topology), a value of one (torus, slot, peak:6400), or a term of reports "
        "and pages (gamma, sphere, variance).",
    .options = own,
    .act = explain};
