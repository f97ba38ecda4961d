// SPDX-License-Identifier: MIT
// Prints the help for commands, made from the rows of the commands.
#ifndef CLI_LINE_HELP_TEXT_H
#define CLI_LINE_HELP_TEXT_H

#include "cli/line/command.h"

void cli_help_command(const struct cli_command *command);

// Names all commands in a few lines.
void cli_help_brief(const struct cli_command *const *commands);
void cli_help_overview(const struct cli_command *const *commands);

// A command line for a new user to try, and what it does. cli_help_example returns NULL past the last.
struct cli_example {
    const char *command, *meaning;
};
const struct cli_example *cli_help_example(size_t index);

#endif
