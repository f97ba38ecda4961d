// SPDX-License-Identifier: MIT
// A worker's turns, one by one. A worker makes passes over its processors: a pass is a row of stretches; each stretch
// begins with a look around, and then each of its processors takes a turn. All drivers make turns by these functions.
#ifndef THREADS_FREE_TURN_H
#define THREADS_FREE_TURN_H

#include "threads/free/free_state.h"

// Where a worker is between two turns.
struct free_position {
    uint32_t place; // of the processor whose turn is next (free_processor_at)
    uint32_t until; // where the stretch ends
};

// What a worker does next: it looks around, as a stretch begins; it takes a turn; or nothing, for the run is over.
enum free_next { FREE_NEXT_LOOK, FREE_NEXT_TURN, FREE_NEXT_OVER };

// Before the worker's first look.
struct free_position free_position_first(const struct free_worker *worker);

// Make the look around, and the turn. Each returns what comes next; a pass that is through with it has ended. `any`:
// whether the processor had something to do.
enum free_next free_position_look(struct free_position *at, struct free_worker *worker);
enum free_next free_position_turn(struct free_position *at, struct free_worker *worker, bool *any);

// Makes one pass. Returns whether any processor had something to do.
bool free_pass(struct free_worker *worker);

// A slow processor takes its turn in some passes only. Whether p skips this one; whether its turn begins with a look at
// its ports.
bool free_is_slow(const struct free_worker *worker, uint32_t p);
bool free_looks(const struct free_worker *worker, uint32_t p);

#endif
