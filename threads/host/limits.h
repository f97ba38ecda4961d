// SPDX-License-Identifier: MIT
// The parts of ek_limits_read. Every run needs some of them, and each part reads only its own files.
#ifndef THREADS_HOST_LIMITS_H
#define THREADS_HOST_LIMITS_H

#include "base/common.h"

struct ek_limits;

// Reads the memory limits. `root` is "", or in tests a folder that stands for / and has other control groups.
void host_limits_read_memory(const char *root, struct ek_limits *limits);

// Reads the limits on the number of threads.
void host_limits_read_threads(struct ek_limits *limits);

// Returns the limit on memory mappings of a process, or 0 if it is unknown.
uint64_t host_limits_maps(void);

#endif
