// SPDX-License-Identifier: MIT
// The manual page evenkeel(1), from the tables of commands and options.
#ifndef CLI_LINE_MANUAL_H
#define CLI_LINE_MANUAL_H

#include "cli/line/command.h"

// Prints it in mdoc(7).
void cli_manual(const struct cli_command *commands, size_t count);

#endif
