// SPDX-License-Identifier: MIT
// The engine of virtual time.
#ifndef THREADS_DRIVERS_VIRTUAL_VIRTUAL_ENGINE_H
#define THREADS_DRIVERS_VIRTUAL_VIRTUAL_ENGINE_H

#include "threads/machine/engine.h"

extern const struct machine_engine virtual_engine;

#endif
