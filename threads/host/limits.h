// SPDX-License-Identifier: MIT
// Parts of ek_limits_read. Every run asks for some of them, and each reads only the files that it must: there are many.
#ifndef THREADS_HOST_LIMITS_H
#define THREADS_HOST_LIMITS_H

#include "threads/api/run.h"

// How much memory. `root` is "", or where a test has control groups of its own.
void host_limits_read_memory(const char *root, struct ek_limits *limits);

// How many threads.
void host_limits_read_threads(struct ek_limits *limits);

// How many mappings, 0: not known.
uint64_t host_limits_maps(void);

#endif
