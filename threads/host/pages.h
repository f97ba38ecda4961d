// SPDX-License-Identifier: MIT
// Pages of 2 MiB for the large arrays of a run.
#ifndef THREADS_HOST_PAGES_H
#define THREADS_HOST_PAGES_H

#include "base/arena.h"

// Asks the system for large pages. Call this when the memory has been allocated and before it is written. The request
// is advice: no result depends on it.
void host_pages_request(const struct base_arena *memory);

#endif
