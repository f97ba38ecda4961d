// SPDX-License-Identifier: MIT
// All schedules of a small machine.
#ifndef ASYNC_EXHAUST_H
#define ASYNC_EXHAUST_H

#include "threads/async/explorer.h"

enum ek_explored async_exhaust(struct ek_explore *explore, struct ek_explore_all *all, struct ek_error *error);

#endif
