// SPDX-License-Identifier: MIT
// Completions for shells, from the tables of commands and options.
#ifndef CLI_LINE_COMPLETION_H
#define CLI_LINE_COMPLETION_H

#include "cli/line/command.h"

// Prints the completion of `shell`: bash, zsh or fish. False and `error` for another.
bool cli_completion(const char *shell, const struct cli_command *commands, size_t count, struct ek_error *error);

#endif
