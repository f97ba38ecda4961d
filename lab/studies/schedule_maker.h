// SPDX-License-Identifier: MIT
// A schedule maker runs schedules on its own machine, and keeps the results of each. The results of all schedules are
// summed in their order.
#ifndef LAB_STUDIES_SCHEDULE_MAKER_H
#define LAB_STUDIES_SCHEDULE_MAKER_H

#include <nettle/sha2.h>

#include "lab/studies/exploration.h"

// The results of a schedule.
struct lab_made_schedule {
    enum ek_explored how;
    uint64_t turns;
    uint64_t end;                       // a hash of the final loads
    uint8_t digest[SHA256_DIGEST_SIZE]; // of the log
    uint64_t met[LAB_EXPLORE_MET_MAX];  // how often each entry of ek_explore_met occurred
};

struct lab_schedule_maker {
    struct ek_machine *machine;
    struct ek_explore *explore;
    struct sha256_ctx log;                // of the current schedule
    bool (*stopped)(const void *context); // called while the log grows: returns whether to interrupt
    const void *context;
};

// Returns whether the schedules of the experiment are runs of machines with drawn costs.
bool lab_explores_machines(const struct ek_experiment *experiment);

// Prepares a machine for the experiment. Returns false and `error` on failure. The caller ends the maker in either
// case.
bool lab_schedule_maker_begin(struct lab_schedule_maker *maker, const struct ek_experiment *experiment,
                              const char *strategy, uint64_t turns_most, struct ek_error *error);
void lab_schedule_maker_end(struct lab_schedule_maker *maker);

// Returns a log that writes to the maker's hash.
struct ek_explore_log lab_schedule_maker_log(struct lab_schedule_maker *maker);

// Runs schedule `number`, or all schedules exhaustively. Sets `error` if a schedule fails or cannot run.
void lab_schedule_make(struct lab_schedule_maker *maker, uint64_t number, struct lab_made_schedule *made,
                       struct ek_error *error);
void lab_schedule_make_all(struct lab_schedule_maker *maker, struct ek_explore_all *all, struct lab_made_schedule *made,
                           struct ek_error *error);

// The sum of schedules.
struct lab_schedule_sum {
    struct lab_exploration *exploration;
    struct sha256_ctx log; // of the digests of all schedules
    uint64_t *end;         // [ends] the `end` of each schedule
    size_t ends, size;
};

// Begins a sum of no schedules, with the entries of ek_explore_met that the maker has.
void lab_schedule_sum_begin(struct lab_schedule_sum *sum, struct lab_exploration *exploration,
                            const struct lab_schedule_maker *maker);

// Adds the results of a schedule. Returns false if memory is short.
bool lab_schedule_sum_add(struct lab_schedule_sum *sum, const struct lab_made_schedule *made);
void lab_schedule_sum_end(struct lab_schedule_sum *sum);

#endif
