// SPDX-License-Identifier: MIT
// A rank's porter (ranks.h): the meetings, while the workers run. Without ranks this does nothing.
#ifndef ASYNC_PORTER_H
#define ASYNC_PORTER_H

#include "threads/async/state.h"

// When the links between ranks are planned; and when they are found.
void async_porter_plan(struct async_run *run, struct core_memory *memory);
void async_porter_begin(struct async_run *run);

// The porters meet. False when the run is over and all know it, and where there are no ranks.
bool async_porter_meet(struct async_run *run);

// The processor time of all ranks' workers when they met last. Porters spin, which is no work.
uint64_t async_porter_worked_ns(const struct async_run *run);

#endif
