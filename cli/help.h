// SPDX-License-Identifier: MIT
// The help and the manual page, from the tables of commands and options.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

void cli_help_command(const struct cli_command *command);
void cli_help_overview(const struct cli_command *commands, size_t count);
void cli_help_man(const struct cli_command *commands, size_t count);

#endif
