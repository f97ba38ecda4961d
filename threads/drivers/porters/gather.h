// SPDX-License-Identifier: MIT
// The exchange of results when all workers have ended. After it each rank has all data of the report.
#ifndef THREADS_DRIVERS_PORTERS_GATHER_H
#define THREADS_DRIVERS_PORTERS_GATHER_H

#include "threads/drivers/porters/porter_state.h"

// Plans the memory.
void porter_gather_plan(struct porter *porter, uint64_t ranks, struct base_arena *memory);

// Functions of the porter's transport. The first one exchanges all results but the messages left under way; the second
// one exchanges these, when each rank has counted the messages in its own mailboxes and shelves.
void porter_gather(struct free_transport *transport, struct free_control *control);
void porter_gather_left(struct free_transport *transport, struct free_control *control);

#endif
