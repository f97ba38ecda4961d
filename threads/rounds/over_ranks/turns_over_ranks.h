// SPDX-License-Identifier: MIT
// The transport's part for turns.
#ifndef THREADS_ROUNDS_OVER_RANKS_TURNS_OVER_RANKS_H
#define THREADS_ROUNDS_OVER_RANKS_TURNS_OVER_RANKS_H

#include "threads/rounds/transport.h"

void rounds_ranks_plan_turns(struct rounds_run *rounds, struct base_arena *memory);
void rounds_ranks_begin_turns(struct rounds_run *rounds);
void rounds_ranks_take_turns(struct rounds_run *rounds);

#endif
