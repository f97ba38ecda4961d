// SPDX-License-Identifier: MIT
// The report of explored schedules: for explore, and for replay --then.
#ifndef CLI_REPORT_EXPLORE_REPORT_H
#define CLI_REPORT_EXPLORE_REPORT_H

#include "cli/line/shared_options.h"
#include "lab/studies/exploration.h"

struct report_exploration {
    const struct lab_exploration *of;
    enum cli_format format;
    bool quiet, verbose; // verbose: also the pairs of the protocol
    const char *command, *strategy;
    const char *recording; // the file of the recording
    const char *after;     // the recording that was continued after turn `until`, or NULL
    uint64_t until;
};

// Prints the report, and on standard error what ended the exploration with `status`. Returns the command's exit status.
enum ek_status report_exploration_write(const struct report_exploration *shown, enum ek_status status);

#endif
