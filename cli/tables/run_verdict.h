// SPDX-License-Identifier: MIT
// What the runs of a record mean.
#ifndef CLI_REPORT_RUN_VERDICT_H
#define CLI_REPORT_RUN_VERDICT_H

#include "cli/terminal/text.h"
#include "lab/record/record.h"

// Adds one sentence: whether the runs balanced, in how many steps, what is left, and what the user can try next. It
// says "out of reach" only where the run proves it.
void report_run_verdict(struct cli_line *line, const struct lab_record *record);

#endif
