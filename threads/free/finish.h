// SPDX-License-Identifier: MIT
// How a run is over at once: any thread may find a violation; all workers then see in their next look that it is over.
#ifndef THREADS_FREE_FINISH_H
#define THREADS_FREE_FINISH_H

#include "threads/free/free_state.h"

// Notes a violation and ends the run at once. The first one is reported. Any thread.
void free_violate(struct free_run *run, const struct ek_error *violation);

// Wakes every worker. Any thread.
void free_ring_all(struct free_run *run);

// Ends the run: every worker stops after its next look. Any thread.
void free_finish(struct free_run *run);

#endif
