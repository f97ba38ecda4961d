// SPDX-License-Identifier: MIT
// How far a command is, on standard error. On a terminal each line takes the place of the one before; elsewhere nothing
// is written, or if `plain` a line every half minute.
#ifndef CLI_TERMINAL_PROGRESS_H
#define CLI_TERMINAL_PROGRESS_H

#include "cli/terminal/text.h"

struct cli_progress {
    bool plain;
    bool escapes;  // standard error is a terminal whose lines can be replaced
    bool shown;    // a line is on the terminal
    double said_s; // when the last plain line was written
};

// Returns a progress line that is ready to be shown. If `quiet`, the line is never shown.
struct cli_progress cli_progress_begin(bool quiet, bool plain);

// Shows a line. `elapsed_s` is the time since the command began.
__attribute__((format(printf, 3, 4))) void cli_progress_show(struct cli_progress *progress, double elapsed_s,
                                                             const char *format, ...);

// Removes the line from the terminal.
void cli_progress_clear(struct cli_progress *progress);

#endif
