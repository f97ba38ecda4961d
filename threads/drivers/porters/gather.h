// SPDX-License-Identifier: MIT
// What ranks bring together when their workers have ended, so that each of them makes the whole report.
#ifndef THREADS_DRIVERS_PORTERS_GATHER_H
#define THREADS_DRIVERS_PORTERS_GATHER_H

#include "threads/drivers/porters/porter.h"

// Plans the memory.
void porter_gather_plan(struct porter *porter, uint64_t ranks, struct base_arena *memory);

// Functions of the porter's transport: bring together all results but the messages left under way; and those, when each
// rank has counted what lies in its own mailboxes and shelves.
void porter_gather(struct free_transport *transport, struct free_control *control);
void porter_gather_left(struct free_transport *transport, struct free_control *control);

#endif
