// SPDX-License-Identifier: MIT
// How the attendant ends a run: it drains first, or at once where something is wrong.
#ifndef THREADS_FREE_CONTROL_END_H
#define THREADS_FREE_CONTROL_END_H

#include "threads/free/control/control.h"

// No operation begins any more; the run ends when everything has arrived. Without effect if a reason is known already.
void free_drain(struct free_control *control, enum ek_ended ended);

// Ends the run now.
void free_end_now(struct free_control *control, enum ek_ended ended);

#endif
