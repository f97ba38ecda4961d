// SPDX-License-Identifier: MIT
// The state of a run as words. From two states with the same words a run goes on in the same ways. The words leave out
// what only a report or a check reads, and what only delays, faults, work and a limit on operations need.
#ifndef THREADS_DRIVERS_EXPLORE_STATE_H
#define THREADS_DRIVERS_EXPLORE_STATE_H

#include "threads/drivers/explore/steps.h"

// Returns the most words that a state has.
size_t explore_state_most(const struct ek_explore *explore);

// Writes the words of the current state, and returns their number. `passed` counts, for each worker, how often in a row
// it was passed over.
size_t explore_state_put(const struct ek_explore *explore, const uint32_t *passed, uint64_t *words);

#endif
