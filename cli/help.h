// SPDX-License-Identifier: MIT
// The help, from the tables of commands and options.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

void cli_help_command(const struct cli_command *command);
void cli_help_overview(const struct cli_command *commands, size_t count);

// A command line to begin with, and what it does; NULL past the last.
struct cli_example {
    const char *command, *meaning;
};
const struct cli_example *cli_help_example(size_t index);

// An option's value where it is not typed: the command's own, else the option's; NULL where there is none.
const char *cli_help_initial(const struct cli_command *command, const struct ek_axis *option);

#endif
