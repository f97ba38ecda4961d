// SPDX-License-Identifier: MIT
// How a run in free timing ends: it drains first, or at once where something is wrong.
#ifndef ASYNC_END_H
#define ASYNC_END_H

#include "threads/async/state.h"

// Notes a violation; the run ends at once. The first one is reported. Any thread.
void async_violate(struct async_run *run, const struct ek_error *violation);

// Wakes every worker. Any thread.
void async_ring_all(struct async_run *run);

// The run is over: all go home.
void async_go_home(struct async_run *run);

// The attendant's: no operation begins any more, and when everything has arrived the run ends; it ends now.
void async_stop(struct async_run *run, enum ek_ended ended);
void async_end(struct async_run *run, enum ek_ended ended);

#endif
