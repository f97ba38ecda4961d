// SPDX-License-Identifier: MIT
// The immediate end of a run. Any thread may call these functions.
#ifndef THREADS_FREE_FINISH_H
#define THREADS_FREE_FINISH_H

#include "threads/free/free_state.h"

// Notes a violation and ends the run. `format` and its arguments make the violation's sentence. If several violations
// are found, the first one is reported.
void free_violate(struct free_run *run, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

// Does the same with an error whose sentence is already made.
void free_violate_with(struct free_run *run, const struct ek_error *violation);

// Ends the run: every worker ends after its next look.
void free_finish(struct free_run *run);

// Wakes every worker that sleeps.
void free_ring_all(struct free_run *run);

#endif
