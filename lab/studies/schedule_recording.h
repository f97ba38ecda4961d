// SPDX-License-Identifier: MIT
// A schedule, made once more on a machine that is recorded.
#ifndef LAB_STUDIES_SCHEDULE_RECORDING_H
#define LAB_STUDIES_SCHEDULE_RECORDING_H

#include "threads/api/explore.h"

struct lab_schedule_origin {
    const struct ek_experiment *experiment;
    const char *strategy;
    uint64_t turns_most;
    const struct ek_scheduled *step; // [count] its steps; NULL: it is that of the number
    size_t count;
    uint64_t number;
    const struct ek_tape *tape; // if not NULL, it goes on after turn `until` of this run
    uint64_t until;
};

// Makes it, and writes its recording. False and `error` where that cannot be.
bool lab_schedule_record(const struct lab_schedule_origin *scheduled, const char *path, const char *command,
                         struct ek_error *error);

#endif
