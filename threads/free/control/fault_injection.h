// SPDX-License-Identifier: MIT
// The injection of faults: links and processors fail and come back, at the times that the experiment says or draws.
// One thread at a time calls these functions.
#ifndef THREADS_FREE_CONTROL_FAULT_INJECTION_H
#define THREADS_FREE_CONTROL_FAULT_INJECTION_H

#include "threads/free/control/control.h"

// Before the first turn: lets fail what is down from the start.
void free_faults_begin(struct free_control *control);

// Lets the next link or processor fail or come back if that is due. Returns whether it was.
bool free_faults_apply(struct free_control *control, uint64_t now_ns);

#endif
