// SPDX-License-Identifier: MIT
// The attendant of a run: the caller's thread, or the driver in its place. It takes snapshots (audit.h) and ends the
// run when a limit is reached.
#ifndef THREADS_FREE_CONTROL_ATTEND_H
#define THREADS_FREE_CONTROL_ATTEND_H

#include "threads/free/control/control.h"

// Does all that is due at time `now_ns`.
void free_attend_at(struct free_control *control, uint64_t now_ns);

// Continues a run at time `now_ns` without the attendant's earlier state. The function computes a new state of the
// attendant from the state of the processors and the load in flight. A run that was draining drains no longer.
void free_attend_from(struct free_control *control, uint64_t now_ns, double in_flight);

// Returns whether anything is due for free_attend_at.
bool free_attend_due(const struct free_control *control, uint64_t now_ns);

// Reports what the run has done so far.
void free_progress(const struct free_control *control, struct ek_progress *progress);

// Returns how many messages have brought an operation forward so far.
uint64_t free_advances(const struct free_run *run);

// Returns the load that each processor holds now. No worker may run.
const double *free_loads_held(struct free_control *control);

#endif
