// SPDX-License-Identifier: MIT
// A worker's turns one by one, for who makes the turns of all workers on one thread: a replay, an explorer.
#ifndef ASYNC_LANE_H
#define ASYNC_LANE_H

#include "threads/async/state.h"

// From here on the director makes the turns; its witness sees what they do, and its world is what they see.
void async_direct(struct async_run *run, void *director, const struct async_witness *witness,
                  const struct async_world *world);

// Where a worker is between two turns.
struct async_lane {
    uint32_t processor; // whose turn is next
    uint32_t until;     // where the stretch ends
};

// What a worker does next: it looks around, as a stretch begins; it takes a turn; or nothing, for the run is over.
enum async_next { ASYNC_NEXT_LOOK, ASYNC_NEXT_TURN, ASYNC_NEXT_OVER };

// Before its first look.
struct async_lane async_lane_of(const struct async_worker *worker);

// The look around, and the turn. Each says what comes then; a sweep that is through with it has ended. `any`: whether
// the processor had something to do.
enum async_next async_lane_look(struct async_lane *lane, struct async_worker *worker);
enum async_next async_lane_turn(struct async_lane *lane, struct async_worker *worker, bool *any);

#endif
