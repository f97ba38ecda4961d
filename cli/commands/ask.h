// SPDX-License-Identifier: MIT
// What the options ask of a store, and the picture of its answer: for results, and for sweep --plot.
#ifndef CLI_COMMANDS_ASK_H
#define CLI_COMMANDS_ASK_H

#include "cli/line/options.h"
#include "lab/store/results.h"

// The question, as far as the options say it. False where they do not go together, or a picture could not be drawn.
bool cli_ask_read(const struct cli_options *options, struct lab_question *question, struct ek_error *error);

// Draws --plot.
bool cli_ask_draw(const struct cli_options *options, struct lab_store *store, const struct lab_question *question,
                  struct ek_error *error);

#endif
