// SPDX-License-Identifier: MIT
// The exchange of results when all workers have ended.
#ifndef THREADS_DRIVERS_PORTERS_GATHER_H
#define THREADS_DRIVERS_PORTERS_GATHER_H

#include "threads/drivers/porters/porter_state.h"

// Plans the memory.
void porter_gather_plan(struct porter *porter, uint64_t ranks, struct base_arena *memory);

// The function of the porter's transport that brings the results together.
void porter_gather(struct free_transport *transport, struct free_control *control);

#endif
