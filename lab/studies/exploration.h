// SPDX-License-Identifier: MIT
// Schedules of an experiment exploration: how many, what they met, and of the first that fails a small one that fails
// too, and its recording; where none fails, that of the first that got too long.
#ifndef LAB_STUDIES_EXPLORATION_H
#define LAB_STUDIES_EXPLORATION_H

#include "threads/api/explore.h"

struct lab_explore_request {
    struct ek_experiment experiment; // in free timing
    const char *strategy;
    uint64_t schedules, turns_most; // as many at most; each with as many, 0: as many as is usual
    unsigned jobs;                  // threads at once; 0: one a core
    double seconds;                 // or for so long; 0: as long as it takes
    const char *command;            // for the recording
    const char *recording;          // where it goes, if a schedule fails or gets too long
    bool (*stopped)(void);          // whether it is to end
    // Who is told, if not NULL, some ten times a second; by one thread at a time.
    void (*progress)(void *context, uint64_t schedules, uint64_t turns, double elapsed_s);
    void *context;
};

enum { LAB_EXPLORE_TURNS = 10000, LAB_EXPLORE_MET_MAX = 128, LAB_EXPLORE_HASH = 65 };

// What failed.
struct lab_explore_failure {
    uint64_t schedule;          // its number
    uint64_t turns;             // until then
    struct ek_error what;       // is wrong
    char *topology, *load;      // of the small one; NULL: the experiment's own
    uint64_t small_turns;       // of the small one
    struct ek_error small_what; // is wrong with it
    uint64_t tried;             // schedules made to find it
};

struct lab_exploration {
    uint64_t schedules, turns, cut, ends; // ends: final loads that differ
    uint64_t turns_most;                  // of a schedule
    uint64_t cut_first;                   // the first that was cut, if one was
    double elapsed_s;
    char hash[LAB_EXPLORE_HASH]; // SHA-256 of those of the schedules' logs, in hexadecimal digits
    struct ek_explore_met met[LAB_EXPLORE_MET_MAX];
    size_t met_count, reached;
    bool exhaustive;
    struct ek_explore_all all;
    bool failed;
    struct lab_explore_failure failure;
    bool recorded; // what failed or was cut: else, if one was, `unrecorded` says why not
    struct ek_error unrecorded;
};

// EK_OK; EK_VIOLATION where a schedule fails; EK_UNREACHED where it was stopped; EK_BAD_INPUT with `error`.
enum ek_status lab_explore(const struct lab_explore_request *request, struct lab_exploration *exploration,
                           struct ek_error *error);
void lab_exploration_destroy(struct lab_exploration *exploration);

#endif
