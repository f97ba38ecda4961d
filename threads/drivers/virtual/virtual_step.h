// SPDX-License-Identifier: MIT
// A run in virtual time turn by turn, on the caller's thread.
//
// Within a window a worker makes the turns of one processor after the other. That gives the same run as the order of
// time, because a message that is sent in a window arrives after it. A caller who looks at the machine between two
// turns needs the order of time.
#ifndef THREADS_DRIVERS_VIRTUAL_VIRTUAL_STEP_H
#define THREADS_DRIVERS_VIRTUAL_VIRTUAL_STEP_H

#include "threads/drivers/virtual/virtual_state.h"

// Makes the next turn of the machine, and sets the processor whose turn it was and the time at which it began. This is
// the turn that begins first, of several that of the processor with the lowest number. Returns false if the run is
// over, if all turns of its tape are made, or if the machine cannot follow its tape further (virtual_marks.h).
bool virtual_step(struct virtual_machine *machine, uint32_t *processor, uint64_t *time);

#endif
