// SPDX-License-Identifier: MIT
// One turn in virtual time.
//
// A turn that begins at t receives all messages that arrived by t, and changes the state of its processor. It costs, in
// this order,
//
//   1. T, the cost of a turn;
//   2. the overhead o for each message received;
//   3. the overhead o for each message sent: the n-th one departs n*o after what came before.
//
// A slow processor takes F times as long for all of this.
//
// The next turn begins when this one ends, if the processor has something to do without a message: it draws whether it
// invokes, pauses, waits for an older ticket, has work to come, or must announce its load. Otherwise it begins when a
// message arrives, when a tick of work is due, or when a kept message can be put on its wire.
#ifndef THREADS_DRIVERS_VIRTUAL_VIRTUAL_TURN_H
#define THREADS_DRIVERS_VIRTUAL_VIRTUAL_TURN_H

#include "threads/drivers/virtual/virtual_state.h"

// Makes the next turn of processor p, and sets when the one after it begins: VIRTUAL_NEVER if no event will come.
void virtual_turn(struct virtual_worker *own, uint32_t p);

#endif
