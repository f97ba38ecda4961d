// SPDX-License-Identifier: MIT
// What schedules came to, as it is shown: those of explore, and the one that goes on from a recording.
#ifndef CLI_REPORT_EXPLORE_REPORT_H
#define CLI_REPORT_EXPLORE_REPORT_H

#include "cli/line/shared_options.h"
#include "lab/studies/exploration.h"

struct cli_explored {
    const struct lab_exploration *of;
    enum cli_format format;
    bool quiet;
    const char *command, *strategy;
    const char *recording; // what was recorded is there
    const char *after;     // the recording that it goes on from after turn `until`, or NULL
    uint64_t until;
};

// Prints it, and complains of what ended it; `status` is what it came to. The command's status.
enum ek_status cli_explored_present(const struct cli_explored *shown, enum ek_status status);

#endif
