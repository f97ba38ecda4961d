// SPDX-License-Identifier: MIT
// How far a sweep is, on standard error, and how far it came.
#ifndef CLI_TERMINAL_PROGRESS_H
#define CLI_TERMINAL_PROGRESS_H

#include "cli/terminal/text.h"
#include "lab/sweep/sweep.h"

struct cli_progress {
    struct cli_terminal terminal;
    bool shown;
    double said_s; // when a plain line was written
};

// For lab_sweep.progress, with one of these as the context.
void cli_progress_show(void *context, const struct lab_sweep_progress *so_far);

// Takes the line away.
void cli_progress_end(struct cli_progress *progress);

// Whether all runs were made, and none of them violated an invariant or stuck. False and `error`, with the status.
bool cli_progress_whole(const struct lab_sweep_result *swept, struct ek_error *error);

#endif
