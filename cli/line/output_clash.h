// SPDX-License-Identifier: MIT
// What a command writes does not take the place of what it reads: a slip of the hand must not cost a store.
#ifndef CLI_LINE_OUTPUT_CLASH_H
#define CLI_LINE_OUTPUT_CLASH_H

#include "cli/line/command.h"

// Whether no file that is to be written is one that is read, under whatever name.
bool cli_apart(const struct cli_options *options, const struct cli_command *command, struct ek_error *error);

#endif
