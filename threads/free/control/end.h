// SPDX-License-Identifier: MIT
// How the attendant ends a run. Normally the run *drains* first: no operation begins any more, and the run ends when
// all messages have arrived. If something is wrong the run ends at once.
#ifndef THREADS_FREE_CONTROL_END_H
#define THREADS_FREE_CONTROL_END_H

#include "threads/free/control/control.h"

// Drains the run, for this reason. Without effect if the run drains already.
void free_drain(struct free_control *control, enum ek_ended ended);

// Ends the run at once, for this reason.
void free_end_now(struct free_control *control, enum ek_ended ended);

#endif
