// SPDX-License-Identifier: MIT
// Measures what operations do to the variance of their domains in rounds. If the experiment does not ask for
// `overlaps`, these functions do nothing.
#ifndef THREADS_ROUNDS_ROUND_OVERLAPS_H
#define THREADS_ROUNDS_ROUND_OVERLAPS_H

#include "threads/rounds/rounds_state.h"

// Plans the memory.
void rounds_overlaps_plan(struct rounds_run *rounds, struct base_arena *memory);

// The first function notes the loads and the domains of the worker's processors when an operation begins, before the
// method acts on `block`. The second one notes their loads when the operation has ended, before a tick.
void rounds_overlaps_begin(struct rounds_worker *worker, const struct ek_block *block);
void rounds_overlaps_end(struct rounds_worker *worker);

// Measures an operation that has ended, in a serial section after all workers have noted it.
void rounds_overlaps_measure(struct rounds_run *rounds);

#endif
