// SPDX-License-Identifier: MIT
// All schedules of a small machine.
#ifndef THREADS_DRIVERS_EXPLORE_EXHAUST_H
#define THREADS_DRIVERS_EXPLORE_EXHAUST_H

#include "threads/drivers/explore/explorer.h"

enum ek_explored free_exhaust(struct ek_explore *explore, struct ek_explore_all *all, struct ek_error *error);

#endif
