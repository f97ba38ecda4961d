// SPDX-License-Identifier: MIT
// A recording that is kept only if its run fails. Every run is recorded from its start, as nobody knows before the run
// whether it will fail.
#ifndef LAB_RECORD_FAILURE_RECORDING_H
#define LAB_RECORD_FAILURE_RECORDING_H

#include "lab/record/recording.h"

struct lab_failure_recording {
    struct lab_recorder *recorder;
    char *path;
    bool kept; // the run failed, so the file stays
};

// Makes the directory if it does not exist. Makes a file in it, and changes `experiment` so that its run is recorded.
// If the function returns false, there is nothing to end or destroy.
bool lab_failure_recording_begin(struct lab_failure_recording *failure, const char *directory, const char *command,
                                 struct ek_experiment *experiment, struct ek_error *error);

// Ends the recording of a run with this status. Removes the file unless an invariant was violated or the watchdog ended
// the run. The record may be without a run. Returns false if the recording could not be written.
bool lab_failure_recording_end(struct lab_failure_recording *failure, const struct lab_record *record,
                               enum ek_status status, struct ek_error *error);
void lab_failure_recording_destroy(struct lab_failure_recording *failure);

#endif
