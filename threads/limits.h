// SPDX-License-Identifier: MIT
// The part of ek_limits_read that is quick: memory, threads and mappings, without asking the hardware.
#ifndef EK_LIMITS_H
#define EK_LIMITS_H

#include "threads/run.h"

void ek_limits_read_system(struct ek_limits *limits);

#endif
