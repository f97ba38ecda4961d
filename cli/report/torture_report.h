// SPDX-License-Identifier: MIT
// What the runs of torture mean.
#ifndef CLI_REPORT_TORTURE_REPORT_H
#define CLI_REPORT_TORTURE_REPORT_H

#include "cli/terminal/text.h"
#include "lab/studies/torture.h"

// Adds one sentence: how many runs failed, what that says about other runs, and what to do next. `seed` is the seed of
// the first run.
void report_torture_verdict(struct cli_line *line, const struct lab_torture_tally *tally);

#endif
