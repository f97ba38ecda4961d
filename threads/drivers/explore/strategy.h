// SPDX-License-Identifier: MIT
// Strategies: who goes on, and what it sees.
#ifndef THREADS_DRIVERS_EXPLORE_STRATEGY_H
#define THREADS_DRIVERS_EXPLORE_STRATEGY_H

#include "threads/drivers/explore/steps.h"

struct explore_strategy {
    const char *name;
    void (*begin)(struct ek_explore *explore); // a schedule; NULL: nothing

    // The next step; nobody, who is EXPLORE_NO_ACTOR, where nobody has anything to do.
    struct ek_scheduled (*next)(struct ek_explore *explore);

    // It may let somebody wait for ever. So it is followed for a number of turns only, and then everybody goes on in
    // turn.
    bool unfair;
};

// Reads "random", "pct:D", "delay-first", "round-robin" or "exhaustive" into the explorer. False and `error`.
bool explore_strategy_read(struct ek_explore *explore, const char *spec, struct ek_error *error);

// What the schedule does next: what its script says, then what the strategy chooses.
struct ek_scheduled explore_strategy_next(struct ek_explore *explore);

#endif
