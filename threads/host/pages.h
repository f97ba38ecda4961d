// SPDX-License-Identifier: MIT
// Pages of 2 MiB for the large arrays of a run.
#ifndef THREADS_HOST_PAGES_H
#define THREADS_HOST_PAGES_H

#include "base/arena.h"

// Asks the system for them, when the memory is taken and nobody has written to it yet. It is advice: nothing depends on
// whether it is followed.
void host_pages_request(const struct base_arena *memory);

#endif
