// SPDX-License-Identifier: MIT
// The manual page evenkeel(1), made from the rows of the commands.
#ifndef CLI_LINE_MANUAL_H
#define CLI_LINE_MANUAL_H

#include "cli/line/command.h"

// Prints the page in mdoc(7).
void cli_manual(const struct cli_command *const *commands);

#endif
