// SPDX-License-Identifier: MIT
// A recorded run that goes on otherwise: made again up to a turn, and from there a schedule of a strategy's.
#ifndef LAB_STUDIES_CONTINUE_FROM_H
#define LAB_STUDIES_CONTINUE_FROM_H

#include "lab/studies/exploration.h"

struct lab_continue_request {
    const char *path; // of the recording
    uint64_t until;   // the last turn that is made again; 0: none
    const char *strategy;
    uint64_t number;       // of its schedule
    uint64_t turns_most;   // from there on; 0: as many as is usual
    const char *command;   // for a recording of the whole
    const char *recording; // where that goes, or NULL
    bool (*stopped)(void); // whether it is to end; NULL: never
};

// What comes of it, as of one schedule: EK_OK, EK_VIOLATION where it fails, EK_UNREACHED where it was stopped,
// EK_BAD_INPUT with `error`.
enum ek_status lab_continue_from(const struct lab_continue_request *request, struct lab_exploration *exploration,
                                 struct ek_error *error);

#endif
