// SPDX-License-Identifier: MIT
// The last line of a report in the terminal: a command that is worth trying next. It carries the user's own topology,
// method, store or file, and can be pasted.
#ifndef CLI_LINE_NEXT_H
#define CLI_LINE_NEXT_H

#include "cli/line/command.h"

// Prints "next: evenkeel ..." after a command that has ended with this status. Prints nothing if the command printed no
// text for people (JSON, --quiet, ...), if it failed, or if the table knows no such command.
void cli_next(const struct cli_call *call, enum ek_status status);

// The same after a command's help.
void cli_next_help(const struct cli_command *const *commands, const struct cli_command *of);

#endif
