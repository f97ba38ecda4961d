// SPDX-License-Identifier: MIT
// A rank's porter (ranks.h): the meetings, while the workers run. Without ranks this does nothing.
#ifndef THREADS_RANKS_PORTER_H
#define THREADS_RANKS_PORTER_H

#include "threads/free/free_state.h"

// When the links between ranks are planned; and when they are found.
void free_porter_plan(struct free_run *run, struct base_arena *memory);
void free_porter_begin(struct free_run *run);

// The porters meet. False when the run is over and all know it, and where there are no ranks.
bool free_porter_meet(struct free_run *run);

// The processor time of all ranks' workers when they met last. Porters spin, which is no work.
uint64_t free_porter_worked_ns(const struct free_run *run);

#endif
