// SPDX-License-Identifier: MIT
// Runs a schedule again with a recorder.
#ifndef LAB_STUDIES_SCHEDULE_RECORDING_H
#define LAB_STUDIES_SCHEDULE_RECORDING_H

#include "lab/studies/exploration.h"

struct lab_schedule_origin {
    const struct ek_experiment *experiment;
    const char *strategy; // NULL in virtual time
    uint64_t turns_most;
    const struct ek_scheduled *step; // [count] the schedule's steps, or NULL if it has a number
    size_t count;
    uint64_t number;            // of the schedule, if `step` is NULL
    const struct ek_tape *tape; // a recorded run, or NULL; the schedule begins after its turn `until`
    uint64_t until;
};

// Returns the value of the axis `within` for the machine whose run is this schedule in virtual time, as in "2:17". It
// is allocated; NULL in free timing, or if memory is short.
char *lab_schedule_within(const struct ek_experiment *experiment, uint64_t number);

// Runs the schedule, and writes its recording. Returns false and `error` on failure.
bool lab_schedule_record(const struct lab_schedule_origin *origin, const char *path, const char *command,
                         struct ek_error *error);

#endif
