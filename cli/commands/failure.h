// SPDX-License-Identifier: MIT
// --record-failures: a run is recorded from its start, and the recording is kept where an invariant was violated or the
// watchdog ended it; else it goes again.
#ifndef CLI_COMMANDS_FAILURE_H
#define CLI_COMMANDS_FAILURE_H

#include "lab/record/recording.h"

struct cli_failure {
    struct lab_recorder *recording;
    char *path; // of the file; what is kept has it until it is destroyed
    bool kept;
};

// Makes the directory, if it is not there, and the file. `experiment` becomes one that is recorded. False and `error`
// where that cannot be: then there is nothing to be ended or destroyed.
bool cli_failure_begin(struct cli_failure *failure, const char *directory, const char *command,
                       struct ek_experiment *experiment, struct ek_error *error);

// The run has ended with this status; the record may have no run. False and `error` where the recording is not whole.
bool cli_failure_end(struct cli_failure *failure, const struct lab_record *record, enum ek_status status,
                     struct ek_error *error);

// The line that replays what was kept, on standard error.
void cli_failure_say(const struct cli_failure *failure);
void cli_failure_destroy(struct cli_failure *failure);

#endif
