// SPDX-License-Identifier: MIT
// The injection of faults: links and processors fail and come back, at the times that the experiment lists or draws.
// One thread at a time calls these functions.
#ifndef THREADS_FREE_CONTROL_FAULT_INJECTION_H
#define THREADS_FREE_CONTROL_FAULT_INJECTION_H

#include "threads/free/control/control.h"

// Before the first turn: applies the faults that are there from the start.
void free_faults_begin(struct free_control *control);

// Returns the time of the next fault or repair, UINT64_MAX if none will come.
static inline uint64_t free_faults_next_ns(const struct free_control *control)
{
    return control->faults.waits ? control->faults.next.at_ns : UINT64_MAX;
}

// Applies the next fault or repair if it is due. Returns whether it was.
bool free_faults_apply(struct free_control *control, uint64_t now_ns);

#endif
