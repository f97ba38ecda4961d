// SPDX-License-Identifier: MIT
// The engine of free timing on threads.
#ifndef THREADS_DRIVERS_FREE_ENGINE_H
#define THREADS_DRIVERS_FREE_ENGINE_H

#include "threads/machine/engine.h"

extern const struct machine_engine free_engine;

#endif
