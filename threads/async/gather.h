// SPDX-License-Identifier: MIT
// What ranks bring together when their workers have ended, so that each of them makes the whole report. Without ranks
// this does nothing.
#ifndef ASYNC_GATHER_H
#define ASYNC_GATHER_H

#include "threads/async/state.h"

void async_gather_plan(struct async_run *run, struct core_memory *memory);

// All but what is left under way; and that, when each rank has counted what lies in its own mailboxes and shelves.
void async_gather(struct async_run *run);
void async_gather_left(struct async_run *run);

#endif
