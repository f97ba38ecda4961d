// SPDX-License-Identifier: MIT
// Meetings of porters (porter.h).
#ifndef THREADS_DRIVERS_PORTERS_MEETING_H
#define THREADS_DRIVERS_PORTERS_MEETING_H

#include "threads/drivers/porters/porter_state.h"

// Returns the most doubles that a meeting sends over a link.
unsigned porter_pack_words(void);

// The first function plans the memory, after the links between ranks are counted. The second one initializes the
// memory, after it is taken.
void porter_meeting_plan(struct porter *porter, uint64_t ranks, struct base_arena *memory);
void porter_meeting_begin(struct porter *porter, uint32_t mailbox_capacity);

// Meets the other porters. Returns false if the run is over and all ranks know it, or a rank does not answer.
bool porter_meet(struct porter *porter);

#endif
