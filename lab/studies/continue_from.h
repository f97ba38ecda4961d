// SPDX-License-Identifier: MIT
// Continues a recorded run in another way: replays it up to a turn, and explores one schedule from there.
#ifndef LAB_STUDIES_CONTINUE_FROM_H
#define LAB_STUDIES_CONTINUE_FROM_H

#include "lab/studies/exploration.h"

struct lab_continue_request {
    const char *path;      // of the recording
    uint64_t until;        // the last turn that is replayed, 0 for none
    const char *strategy;  // of the schedule that follows
    uint64_t number;       // of this schedule
    uint64_t turns_most;   // the limit for turns after the replay, 0 for LAB_EXPLORE_TURNS
    const char *command;   // the command line for the new recording
    const char *recording; // the path for a recording of the whole run, or NULL
    bool (*stopped)(void); // returns whether to end; may be NULL
};

// Continues the recorded run, and fills the exploration with the one schedule. Returns EK_OK, EK_VIOLATION if the
// schedule fails, EK_UNREACHED if it was stopped, or EK_BAD_INPUT and `error`.
enum ek_status lab_continue_from(const struct lab_continue_request *request, struct lab_exploration *exploration,
                                 struct ek_error *error);

#endif
