// SPDX-License-Identifier: MIT
// The immediate end of a run. Any thread may call these functions.
#ifndef THREADS_FREE_FINISH_H
#define THREADS_FREE_FINISH_H

#include "threads/free/free_state.h"

// Notes a violation, whose sentence `format` makes, and ends the run. If several are found the first one is reported.
void free_violate(struct free_run *run, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

// Notes this error instead.
void free_violate_with(struct free_run *run, const struct ek_error *violation);

// Ends the run: every worker ends after its next look.
void free_finish(struct free_run *run);

// Wakes every worker that sleeps.
void free_ring_all(struct free_run *run);

#endif
