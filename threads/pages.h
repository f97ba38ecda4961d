// SPDX-License-Identifier: MIT
// Pages of 2 MiB for the large arrays of a run.
#ifndef MACHINE_PAGES_H
#define MACHINE_PAGES_H

#include "core/memory.h"

// Asks the system for them, when the memory is taken and nobody has written to it yet. It is advice: nothing depends on
// whether it is followed.
void machine_pages_ask(const struct core_memory *memory);

#endif
