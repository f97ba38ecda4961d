// SPDX-License-Identifier: MIT
// The search through all schedules of a small machine.
#ifndef THREADS_DRIVERS_EXPLORE_EXHAUSTIVE_H
#define THREADS_DRIVERS_EXPLORE_EXHAUSTIVE_H

#include "threads/drivers/explore/steps.h"

// Visits all schedules of at most `turns_most` turns, and counts them. Returns how the search ended.
enum ek_explored explore_exhaustively(struct ek_explore *explore, struct ek_explore_all *all, struct ek_error *error);

#endif
