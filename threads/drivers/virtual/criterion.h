// SPDX-License-Identifier: MIT
// A quick test of the stop criterion at the end of a window.
#ifndef THREADS_DRIVERS_VIRTUAL_CRITERION_H
#define THREADS_DRIVERS_VIRTUAL_CRITERION_H

#include "threads/drivers/virtual/virtual_state.h"

// Returns whether it is certain that the stop criterion does not hold now. It costs little while a few processors show
// this. No worker may run.
bool virtual_criterion_fails(struct virtual_machine *machine);

#endif
