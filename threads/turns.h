// SPDX-License-Identifier: MIT
// Turns: in a step the processors act one after another, each on what those before it have done.
#ifndef EK_TURNS_H
#define EK_TURNS_H

#include "threads/rounds_state.h"

// What worker `worker` does from the first to the last step. All workers of the machine must run it at once.
void ek_turns_work(void *rounds, unsigned worker);

bool ek_turns_create(struct ek_rounds *rounds);
void ek_turns_free(struct ek_rounds *rounds);

#endif
