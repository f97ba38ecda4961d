// SPDX-License-Identifier: MIT
// Help for commands, made from their rows.
#ifndef CLI_LINE_HELP_TEXT_H
#define CLI_LINE_HELP_TEXT_H

#include "cli/line/command.h"

void cli_help_command(const struct cli_command *command);
void cli_help_overview(const struct cli_command *const *commands);

// A command line to begin with, and what it does. Returns NULL past the last.
struct cli_example {
    const char *command, *meaning;
};
const struct cli_example *cli_help_example(size_t index);

#endif
