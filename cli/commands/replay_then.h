// SPDX-License-Identifier: MIT
// `evenkeel replay FILE --then STRATEGY:SEED`: a recorded run that continues differently.
#ifndef CLI_COMMANDS_REPLAY_THEN_H
#define CLI_COMMANDS_REPLAY_THEN_H

#include "cli/report/record_report.h"

struct cli_then {
    const char *spec;      // STRATEGY:SEED
    const char *file;      // the recording
    const char *recording; // where the whole run is recorded, or NULL
    uint64_t until;        // the last turn of the recording that is repeated; 0: none
    uint64_t turns_most;   // 0: the usual number
};

// Continues the run and prints the result. Returns the exit status.
enum ek_status cli_then(const struct cli_call *call, const struct cli_then *then, const struct report_view *view);

#endif
