// SPDX-License-Identifier: MIT
// The files that a command writes: none may be one that it reads, and some are standard output.
#ifndef CLI_LINE_OUTPUT_CLASH_H
#define CLI_LINE_OUTPUT_CLASH_H

#include "cli/line/command.h"

// Returns whether the command writes none of the files that it reads, whatever their names. Otherwise fills `error`.
bool cli_outputs_clear(const struct cli_call *call, struct ek_error *error);

// Returns whether the command writes one of its files to standard output: it is "-", or a name such as /dev/stdout.
bool cli_outputs_to_stdout(const struct cli_call *call);

// Prints "wrote FILE", unless standard output is that file.
void cli_outputs_say(const struct cli_call *call, const char *file);

#endif
