// SPDX-License-Identifier: MIT
// Prints errors for a person on standard error. An error is one sentence. If it has an excerpt, the excerpt follows,
// with a caret under the wrong character.
#ifndef CLI_LINE_COMPLAIN_H
#define CLI_LINE_COMPLAIN_H

#include "base/error.h"

// Prints the error; the excerpt stands behind the option, as in "--load 5x". Returns error->status.
enum ek_status cli_complain(const struct ek_error *error);

// Prints the error; the excerpt stands as in a file of experiments, "load = 5x". Returns error->status.
enum ek_status cli_complain_of_line(const struct ek_error *error);

// Prints the command that replays a recording, unless `recording` is NULL.
void cli_complain_replay(const char *recording);

#endif
