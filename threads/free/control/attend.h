// SPDX-License-Identifier: MIT
// The attendant's part in a run: it begins snapshots and looks at them (audit.h), and ends the run when a limit is
// reached.
#ifndef THREADS_FREE_CONTROL_ATTEND_H
#define THREADS_FREE_CONTROL_ATTEND_H

#include "threads/free/control/control.h"

// Attends at this time.
void free_attend_at(struct free_control *control, uint64_t now_ns);

// Whether there is something to attend to.
bool free_attend_due(const struct free_control *control, uint64_t now_ns);

// What the run has done so far.
void free_progress(const struct free_control *control, struct ek_progress *progress);

// How often an operation got on: a count that grows.
uint64_t free_advances(const struct free_run *run);

// By processor: what each holds now. While no worker runs.
const double *free_loads_held(struct free_control *control);

#endif
