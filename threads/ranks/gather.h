// SPDX-License-Identifier: MIT
// What ranks bring together when their workers have ended, so that each of them makes the whole report. Without ranks
// this does nothing.
#ifndef THREADS_RANKS_GATHER_H
#define THREADS_RANKS_GATHER_H

#include "threads/free/free_state.h"

void free_gather_plan(struct free_run *run, struct base_arena *memory);

// All but what is left under way; and that, when each rank has counted what lies in its own mailboxes and shelves.
void free_gather(struct free_run *run);
void free_gather_left(struct free_run *run);

#endif
