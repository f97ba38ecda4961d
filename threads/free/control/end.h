// SPDX-License-Identifier: MIT
// How the attendant ends a run. Normally the run *drains* first: no operation begins any more, and the run ends when
// all messages have arrived. If something is wrong the run ends at once.
#ifndef THREADS_FREE_CONTROL_END_H
#define THREADS_FREE_CONTROL_END_H

#include "threads/free/control/control.h"

// Drains the run, for this reason. Without effect if the run drains already.
void free_drain(struct free_control *control, enum ek_ended ended);

// Returns whether the run drains.
static inline bool free_drains(const struct free_control *control)
{
    return control->attendant.stopping;
}

// Notes why and when the run has ended, for the report.
void free_note_end(struct free_control *control, enum ek_ended ended, uint64_t ended_ns);

// Ends the run at once, for this reason.
void free_end_now(struct free_control *control, enum ek_ended ended);

#endif
