// SPDX-License-Identifier: MIT
// What operations do to the variance of their domains in rounds, where that is asked for; else all this does nothing.
#ifndef THREADS_ROUNDS_ROUND_OVERLAPS_H
#define THREADS_ROUNDS_ROUND_OVERLAPS_H

#include "threads/rounds/rounds_state.h"

// Plans the room.
void rounds_overlaps_plan(struct rounds_run *rounds, struct base_arena *memory);

// Notes the worker's loads and invokers as an operation begins; and the loads when it has ended, before work.
void rounds_overlaps_begin(struct rounds_worker *worker);
void rounds_overlaps_end(struct rounds_worker *worker);

// In a serial section, when an operation has ended that everybody has noted.
void rounds_overlaps_measure(struct rounds_run *rounds);

#endif
