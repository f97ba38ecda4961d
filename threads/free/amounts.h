// SPDX-License-Identifier: MIT
// Checks of the amounts that a method computes for an operation (core/promises.h).
#ifndef THREADS_FREE_AMOUNTS_H
#define THREADS_FREE_AMOUNTS_H

#include "threads/free/free_state.h"

// Reports a violation if the worker's amounts break a promise. An amount that is no number, or not whole in tokens,
// becomes 0. `view` is the view that the method had.
void free_amounts_check(struct free_worker *worker, const struct ek_view *view);

#endif
