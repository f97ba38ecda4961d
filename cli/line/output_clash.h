// SPDX-License-Identifier: MIT
// A command must not overwrite what it reads.
#ifndef CLI_LINE_OUTPUT_CLASH_H
#define CLI_LINE_OUTPUT_CLASH_H

#include "cli/line/command.h"

// Returns false with `error` filled if a file that the command is to write is one that it reads, under any name.
bool cli_outputs_clear(const struct cli_call *call, struct ek_error *error);

#endif
