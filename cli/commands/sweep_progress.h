// SPDX-License-Identifier: MIT
// Shows how far the runs of a sweep are, for the commands sweep and papers.
#ifndef CLI_COMMANDS_SWEEP_PROGRESS_H
#define CLI_COMMANDS_SWEEP_PROGRESS_H

#include "lab/sweep/sweep.h"

// The callback lab_sweep.progress; its context is a struct cli_progress.
void cli_sweep_progress(void *progress, const struct lab_sweep_progress *so_far);

// Returns whether all runs were carried out, and none violated an invariant or got stuck. If not, fills `error`.
bool cli_sweep_complete(const struct lab_sweep_result *swept, struct ek_error *error);

#endif
