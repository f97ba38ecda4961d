// SPDX-License-Identifier: MIT
// Strategies choose the next step: which actor goes on, and what it sees.
#ifndef THREADS_DRIVERS_EXPLORE_STRATEGY_H
#define THREADS_DRIVERS_EXPLORE_STRATEGY_H

#include "threads/drivers/explore/steps.h"

struct explore_strategy {
    const char *name;
    void (*begin)(struct ek_explore *explore); // begins a schedule; may be NULL

    // Returns the next step; its actor is EXPLORE_NO_ACTOR if no actor has anything to do.
    struct ek_scheduled (*next)(struct ek_explore *explore);

    // The strategy may let an actor wait for ever. Therefore, after some turns all actors go on in turn.
    bool unfair;
};

// Reads "random", "pct:D", "delay-first", "round-robin" or "exhaustive:B" into the explorer. Returns false, with
// `error`, if the text is none of these.
bool explore_strategy_read(struct ek_explore *explore, const char *spec, struct ek_error *error);

// Returns the next step: of the script, and after it of the strategy.
struct ek_scheduled explore_strategy_next(struct ek_explore *explore);

#endif
