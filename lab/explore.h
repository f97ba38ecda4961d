// SPDX-License-Identifier: MIT
// Schedules of an experiment explored: how many, what they met, and of the first that fails a small one that fails too,
// and its recording.
#ifndef LAB_EXPLORE_H
#define LAB_EXPLORE_H

#include "threads/explore.h"

struct lab_explore_order {
    struct ek_experiment experiment; // in free timing
    const char *strategy;
    uint64_t schedules, turns_most; // as many at most; each with as many
    double seconds;                 // or for so long; 0: as long as it takes
    const char *command;            // for the recording
    const char *recording;          // where it goes, if a schedule fails
    bool (*stopped)(void);          // whether it is to end
    // Who is told, if not NULL, some ten times a second.
    void (*progress)(void *context, uint64_t schedules, uint64_t turns, double elapsed_s);
    void *context;
};

enum { LAB_EXPLORE_MET_MAX = 128, LAB_EXPLORE_HASH = 65 };

// What failed.
struct lab_explore_failure {
    uint64_t schedule;          // its number
    uint64_t turns;             // until then
    struct ek_error what;       // is wrong
    char *topology, *load;      // of the small one; NULL: the experiment's own
    uint64_t small_turns;       // of the small one
    struct ek_error small_what; // is wrong with it
    uint64_t tried;             // schedules made to find it
    bool recorded;              // else `unrecorded` says why not
    struct ek_error unrecorded;
};

struct lab_explored {
    uint64_t schedules, turns, cut, ends; // ends: final loads that differ
    double elapsed_s;
    char hash[LAB_EXPLORE_HASH]; // SHA-256 of the log of all schedules, in hexadecimal digits
    struct ek_explore_met met[LAB_EXPLORE_MET_MAX];
    size_t met_count, reached;
    bool exhaustive;
    struct ek_explore_all all;
    bool failed;
    struct lab_explore_failure failure;
};

// EK_OK; EK_VIOLATION where a schedule fails; EK_UNREACHED where it was stopped; EK_BAD_INPUT with `error`.
enum ek_status lab_explore(const struct lab_explore_order *order, struct lab_explored *explored,
                           struct ek_error *error);
void lab_explored_destroy(struct lab_explored *explored);

#endif
