// SPDX-License-Identifier: MIT
// How far a sweep is, on standard error.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/text.h"
#include "lab/sweep.h"

struct cli_progress {
    struct cli_terminal terminal;
    bool shown;
    double said_s; // when a plain line was written
};

// For lab_sweep.progress, with one of these as the context.
void cli_progress_show(void *context, const struct lab_sweep_progress *so_far);

// Takes the line away.
void cli_progress_end(struct cli_progress *progress);

#endif
