// SPDX-License-Identifier: MIT
// Turns: in a step the processors act one after another, each on what those before it have done.
#ifndef ROUNDS_TURNS_H
#define ROUNDS_TURNS_H

#include "threads/rounds/state.h"

// What worker `worker` does from the first to the last step. All workers of the machine must run it at once.
void rounds_turns_work(void *rounds, unsigned worker);

bool rounds_turns_create(struct rounds_run *rounds);
void rounds_turns_destroy(struct rounds_run *rounds);

#endif
