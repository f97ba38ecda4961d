// SPDX-License-Identifier: MIT
// A worker's turns. A worker makes passes over its processors. A pass is a sequence of stretches; a stretch begins with
// a look around (look.h), and then each of its processors makes a turn. All drivers make turns by these functions.
#ifndef THREADS_FREE_TURN_H
#define THREADS_FREE_TURN_H

#include "threads/free/free_state.h"

// A worker's next action: it looks around, as a stretch begins; it makes a turn; or none, as the run is over.
enum free_next { FREE_NEXT_LOOK, FREE_NEXT_TURN, FREE_NEXT_OVER };

// A worker's position between two turns.
struct free_position {
    uint32_t place; // of the processor whose turn is next (free_processor_at)
    uint32_t until; // the place where the stretch ends
    enum free_next next;
};

// Returns the position before the worker's first look.
struct free_position free_position_first(const struct free_worker *worker);

// Makes the look around that is next.
void free_position_look(struct free_position *at, struct free_worker *worker);

// Makes the turn that is next. Returns whether the processor had something to do.
bool free_position_turn(struct free_position *at, struct free_worker *worker);

// Makes a turn of processor p, with the look that its worker has made. Returns whether p had something to do. The
// caller counts the turn.
bool free_turn(struct free_worker *worker, uint32_t p);

// Makes one pass. Returns whether any processor had something to do.
bool free_pass(struct free_worker *worker);

// Returns whether p, a slow processor, makes no turn in this pass.
bool free_skips_turn(const struct free_worker *worker, uint32_t p);

// Returns whether p begins its turn in this pass with a look at its ports.
bool free_looks_at_ports(const struct free_worker *worker, uint32_t p);

#endif
