// SPDX-License-Identifier: MIT
// The part of ek_limits_read that is quick: memory, threads and mappings, without asking the hardware.
#ifndef MACHINE_LIMITS_H
#define MACHINE_LIMITS_H

#include "threads/run.h"

void machine_limits_read_system(struct ek_limits *limits);

// Its memory alone. `root` is "", or where a test has control groups of its own.
void machine_limits_read_memory(const char *root, struct ek_limits *limits);

#endif
