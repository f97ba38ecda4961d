// SPDX-License-Identifier: MIT
// All schedules of a small machine.
#ifndef THREADS_DRIVERS_EXPLORE_EXHAUSTIVE_H
#define THREADS_DRIVERS_EXPLORE_EXHAUSTIVE_H

#include "threads/drivers/explore/steps.h"

enum ek_explored explore_exhaustively(struct ek_explore *explore, struct ek_explore_all *all, struct ek_error *error);

#endif
