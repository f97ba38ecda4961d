// SPDX-License-Identifier: MIT
// A worker's turns one by one, for who makes the turns of all workers on one thread: a replay, an explorer.
#ifndef THREADS_DRIVERS_REPLAY_LANE_H
#define THREADS_DRIVERS_REPLAY_LANE_H

#include "threads/free/free_state.h"

// From here on the director makes the turns; its witness sees what they do, and its world is what they see.
void free_direct(struct free_run *run, void *director, const struct free_witness *witness,
                 const struct free_world *world);

// Where a worker is between two turns.
struct free_lane {
    uint32_t processor; // whose turn is next
    uint32_t until;     // where the stretch ends
};

// What a worker does next: it looks around, as a stretch begins; it takes a turn; or nothing, for the run is over.
enum free_next { FREE_NEXT_LOOK, FREE_NEXT_TURN, FREE_NEXT_OVER };

// Before its first look.
struct free_lane free_lane_of(const struct free_worker *worker);

// The look around, and the turn. Each says what comes then; a sweep that is through with it has ended. `any`: whether
// the processor had something to do.
enum free_next free_lane_look(struct free_lane *lane, struct free_worker *worker);
enum free_next free_lane_turn(struct free_lane *lane, struct free_worker *worker, bool *any);

#endif
