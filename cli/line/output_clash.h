// SPDX-License-Identifier: MIT
// A command must not overwrite what it reads.
#ifndef CLI_LINE_OUTPUT_CLASH_H
#define CLI_LINE_OUTPUT_CLASH_H

#include "cli/line/command.h"

// Returns whether the command writes none of the files that it reads, whatever their names. Otherwise fills `error`.
bool cli_outputs_clear(const struct cli_call *call, struct ek_error *error);

#endif
