// SPDX-License-Identifier: MIT
// The transport's part for tasks and objects.
#ifndef THREADS_ROUNDS_OVER_RANKS_TASKS_OVER_RANKS_H
#define THREADS_ROUNDS_OVER_RANKS_TASKS_OVER_RANKS_H

#include "threads/rounds/transport.h"

void rounds_ranks_plan_tasks(struct rounds_run *rounds, struct base_arena *memory);
void rounds_ranks_end_tasks(struct rounds_run *rounds);
void rounds_ranks_cross_cargo(struct rounds_run *rounds);
void rounds_ranks_cross_said(struct rounds_run *rounds);
void rounds_ranks_meet_tasks(struct rounds_run *rounds);
void rounds_ranks_gather_tasks(struct rounds_run *rounds);
void rounds_ranks_gather_objects(struct rounds_run *rounds);

// In turns. `tell_best` tells the receivers of parcels the best values that their senders knew. `tell_moves` tells all
// ranks which objects have moved, if givers need to know.
void rounds_ranks_tell_best(struct rounds_run *rounds);
void rounds_ranks_tell_moves(struct rounds_run *rounds);

// Makes room for the doubles of tasks that this rank sends and receives. If there is no memory, it ends the run and
// returns false.
bool rounds_ranks_make_room(struct rounds_run *rounds, size_t sends, size_t brings);

// Notes that there is no memory for tasks. The next meeting ends the run in all ranks.
void rounds_ranks_run_short(struct rounds_run *rounds);

#endif
