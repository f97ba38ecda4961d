// SPDX-License-Identifier: MIT
// Completions for shells, made from the rows of the commands.
#ifndef CLI_LINE_COMPLETION_H
#define CLI_LINE_COMPLETION_H

#include "cli/line/command.h"

// The shells: bash, zsh and fish.
extern const struct ek_choice cli_shells[];

// Prints the completion for cli_shells[shell].
void cli_completion(unsigned shell, const struct cli_command *const *commands);

#endif
