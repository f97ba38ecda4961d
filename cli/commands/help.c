// SPDX-License-Identifier: MIT
// `evenkeel help`: help for a command, the manual page, and the completions for shells.
#include "base/nearest.h"
#include "cli/commands/commands.h"
#include "cli/line/complain.h"
#include "cli/line/completion.h"
#include "cli/line/help_text.h"
#include "cli/line/lookup.h"
#include "cli/line/manual.h"

struct options {
    bool man;
    unsigned shell; // by cli_shells
};

static const struct cli_option own[] = {
    {.name = "man", .help = "print the manual page", .kind = EK_AXIS_SWITCH, .place = offsetof(struct options, man)},
    {.name = "completion",
     .form = "SHELL",
     .help = "print the completion for bash, zsh or fish",
     .choices = cli_shells,
     .place = offsetof(struct options, shell)},
    {0}};

// Explains a word. If it looks like a mistyped command, the error says so.
static bool explain(const struct cli_call *call, const char *word, struct ek_error *error)
{
    return cli_word_explain(call, word, error) ||
           (cli_command_near(call->commands, word) ? cli_command_refuse(call->commands, word, error) : false);
}

static const char *command_name(const struct cli_command *const *commands, size_t index)
{
    return commands[index] ? commands[index]->name : NULL;
}

static enum ek_status help(const struct cli_call *call, const void *values)
{
    const struct options *options = values;
    struct ek_error error = {.at = -1};
    const char *word = call->words_count > 0 ? call->words[0] : NULL;
    const struct cli_command *command = word ? cli_command_named(call->commands, word) : NULL;
    if (cli_option_given(call, "completion")) {
        cli_completion(options->shell, call->commands);
    } else if (options->man) {
        cli_manual(call->commands);
    } else if (command) {
        cli_help_command(command);
    } else if (!word) {
        cli_help_overview(call->commands);
    } else if (!explain(call, word, &error)) {
        return cli_complain(&error);
    }
    return EK_OK;
}

const struct cli_command cli_help = {.name = "help",
                                     .theme = CLI_THEME_LEARN,
                                     .argument = "WORD",
                                     .argument_word = command_name,
                                     .optional = true,
                                     .explains = true,
                                     .summary = "show help for a command, or explain a word",
                                     .options = own,
                                     .size = sizeof(struct options),
                                     .act = help};
