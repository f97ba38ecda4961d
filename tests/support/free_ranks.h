// SPDX-License-Identifier: MIT
// Free timing over ranks that are threads, and programs whose checks can be named.
#ifndef TESTS_FREE_RANKS_H
#define TESTS_FREE_RANKS_H

#include "tests/support/rank_threads.h"

// Carries the experiment. Each rank must report the same as the first.
void tests_carry_free(struct tests_room *room, struct tests_seat *seat, const struct ek_experiment *experiment);

void tests_leave(const struct tests_room *room, struct tests_seat *seat);

struct tests_check {
    const char *name;
    void (*check)(void);
};

// Runs all checks, or those that the arguments name. Returns the status of a plain program.
int tests_free_ranks_main(const struct tests_check *checks, size_t checks_count, int count, char **argument);

#endif
