// SPDX-License-Identifier: MIT
// How a run in free timing ends: it drains first, or at once where something is wrong.
#ifndef THREADS_FREE_CONTROL_END_H
#define THREADS_FREE_CONTROL_END_H

#include "threads/free/free_state.h"

// Notes a violation; the run ends at once. The first one is reported. Any thread.
void free_violate(struct free_run *run, const struct ek_error *violation);

// Wakes every worker. Any thread.
void free_ring_all(struct free_run *run);

// The run is over: all go home.
void free_go_home(struct free_run *run);

// The attendant's: no operation begins any more, and when everything has arrived the run ends; it ends now.
void free_stop(struct free_run *run, enum ek_ended ended);
void free_end(struct free_run *run, enum ek_ended ended);

#endif
