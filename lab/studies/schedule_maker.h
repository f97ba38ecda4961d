// SPDX-License-Identifier: MIT
// Who makes schedules: a machine of its own, and what is kept of each schedule. And what all of them come to, added up
// one after the other.
#ifndef LAB_STUDIES_SCHEDULE_MAKER_H
#define LAB_STUDIES_SCHEDULE_MAKER_H

#include <nettle/sha2.h>

#include "lab/studies/exploration.h"

// A schedule that was made.
struct lab_made_schedule {
    enum ek_explored how;
    uint64_t turns;
    uint64_t end;                       // a hash of its final loads
    uint8_t digest[SHA256_DIGEST_SIZE]; // of its log
    uint64_t met[LAB_EXPLORE_MET_MAX];  // how often each entry of ek_explore_met was
};

struct lab_schedule_maker {
    struct ek_machine *machine;
    struct ek_explore *explore;
    struct sha256_ctx log;                // of the schedule under way
    bool (*stopped)(const void *context); // if not NULL, asked while the log grows: whether the machine is to end
    const void *context;
};

// A machine of this experiment, and its maker. False and `error` where it cannot be; ended all the same.
bool lab_schedule_maker_begin(struct lab_schedule_maker *maker, const struct ek_experiment *experiment,
                              const char *strategy, uint64_t turns_most, struct ek_error *error);
void lab_schedule_maker_end(struct lab_schedule_maker *maker);

// Who takes the log of the schedules.
struct ek_explore_log lab_schedule_maker_log(struct lab_schedule_maker *maker);

// Makes schedule `number`; or all that there are, exhaustively. `error` where it fails or cannot be made.
void lab_schedule_make(struct lab_schedule_maker *maker, uint64_t number, struct lab_made_schedule *made,
                       struct ek_error *error);
void lab_schedule_make_all(struct lab_schedule_maker *maker, struct ek_explore_all *all, struct lab_made_schedule *made,
                           struct ek_error *error);

// The sum of schedules.
struct lab_schedule_sum {
    struct lab_exploration *exploration;
    struct sha256_ctx log; // of all schedules: of their logs' SHA-256
    uint64_t *end;         // [ends] of each schedule
    size_t ends, size;
};

// Of no schedule yet, of what this maker makes.
void lab_schedule_sum_begin(struct lab_schedule_sum *sum, struct lab_exploration *exploration,
                            const struct lab_schedule_maker *maker);

// Adds a schedule. False without memory.
bool lab_schedule_sum_add(struct lab_schedule_sum *sum, const struct lab_made_schedule *made);
void lab_schedule_sum_end(struct lab_schedule_sum *sum);

#endif
