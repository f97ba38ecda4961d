// SPDX-License-Identifier: MIT
// Exploration: runs many schedules of an experiment and counts what they met. The first schedule that fails is shrunk
// to a small one that fails too, and recorded. If none fails, the first schedule that was cut is recorded. A schedule
// is *cut* if it reaches its limit of turns.
#ifndef LAB_STUDIES_EXPLORATION_H
#define LAB_STUDIES_EXPLORATION_H

#include "threads/api/experiment.h"
#include "threads/api/explore.h"

struct lab_explore_request {
    struct ek_experiment experiment; // in free timing, or in virtual time
    const char *strategy;            // NULL in virtual time
    uint64_t schedules;              // at most so many
    uint64_t turns_most;             // the limit for each schedule, 0 for the default
    unsigned jobs;                   // threads, 0 for one per core
    double seconds;                  // a limit of time, 0 for none
    const char *command;             // the command line for the recording
    const char *recording;           // the path for the recording of a schedule that fails or is cut
    bool (*stopped)(void);           // returns whether to end; may be NULL
    // Called about ten times a second, by one thread at a time; may be NULL.
    void (*progress)(void *context, uint64_t schedules, uint64_t turns, double elapsed_s);
    void *context;
};

enum { LAB_EXPLORE_TURNS = 10000, LAB_EXPLORE_MET_MAX = 128, LAB_EXPLORE_HASH = 65 };

// The first schedule that failed, and the *small* one to which it was shrunk.
struct lab_explore_failure {
    uint64_t schedule;          // its number
    uint64_t turns;             // until it failed
    struct ek_error what;       // what failed
    char *topology, *load;      // of the small schedule; NULL for the experiment's own
    char *within;               // of the small schedule's machine; NULL in free timing
    uint64_t small_turns;       // until the small schedule failed
    struct ek_error small_what; // what failed in the small schedule
    uint64_t tried;             // schedules that were tried to find it
};

struct lab_exploration {
    uint64_t schedules, turns, cut; // `turns` of all schedules; `cut` counts schedules
    uint64_t ends;                  // distinct final loads
    uint64_t turns_most;            // the limit for each schedule
    double factor;                  // in virtual time the factor of `within`, else 0
    bool endless;                   // the experiment may have no end of its own
    uint64_t cut_first;             // the number of the first schedule that was cut, if cut > 0
    double elapsed_s;
    char hash[LAB_EXPLORE_HASH]; // SHA-256 of the SHA-256 hashes of all schedules' logs, in hexadecimal
    struct ek_explore_met met[LAB_EXPLORE_MET_MAX];
    size_t met_count, reached; // entries of `met`, and those that occurred
    bool exhaustive;
    struct ek_explore_all all; // if exhaustive
    bool failed;
    struct lab_explore_failure failure; // if failed
    bool recorded;                      // there is a recording of a schedule that failed or was cut
    struct ek_error unrecorded;         // why the recording could not be written
};

// Explores the experiment. Returns EK_OK, EK_VIOLATION if a schedule fails, EK_UNREACHED if it was stopped, or
// EK_BAD_INPUT and `error`.
enum ek_status lab_explore(const struct lab_explore_request *request, struct lab_exploration *exploration,
                           struct ek_error *error);
void lab_exploration_destroy(struct lab_exploration *exploration);

#endif
