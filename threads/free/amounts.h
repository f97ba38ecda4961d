// SPDX-License-Identifier: MIT
// Checks of the amounts that a method computes for an operation (core/promises.h).
#ifndef THREADS_FREE_AMOUNTS_H
#define THREADS_FREE_AMOUNTS_H

#include "threads/free/free_state.h"

// Reports a violation if an amount of the worker breaks a promise. `view` is what the method saw. Such an amount
// becomes 0.
void free_amounts_check(struct free_worker *worker, const struct ek_view *view);

#endif
