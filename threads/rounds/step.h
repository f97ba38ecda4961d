// SPDX-License-Identifier: MIT
// A step of one worker's block: its phases, in announce.c, migrate.c and, where it is one phase, foresight.c; and
// what they share.
#ifndef THREADS_ROUNDS_STEP_H
#define THREADS_ROUNDS_STEP_H

#include "core/methods/kernels/block.h"
#include "threads/rounds/rounds_state.h"

// Takes in the parcels of the step before, and says what is said in this one.
void rounds_take(struct rounds_worker *worker);
void rounds_announce(struct rounds_worker *worker);

// Both in one pass, where nothing lies between.
bool rounds_can_pass_on(const struct rounds_run *rounds);
void rounds_pass_on(struct rounds_worker *worker);
void rounds_planes_pass_on(struct rounds_worker *worker);

// Hears what was said, and puts the parcels.
void rounds_migrate(struct rounds_worker *worker);

// A step in one phase; and the parcels of the last, when all have put theirs.
void rounds_foreseen_step(struct rounds_worker *worker);
void rounds_foreseen_take(struct rounds_worker *worker);

// Queue kinds: what the block wrote at its ports' places goes into the mailboxes at the other ends, and comes out of
// them at those.
void rounds_lane_post(struct rounds_lane *lane, const struct rounds_active *active);
void rounds_lane_fetch(struct rounds_lane *lane, const struct rounds_active *active);

// Where processors sleep: rings for those who are sent something on this lane, and finds out who was.
void rounds_lane_ring(struct rounds_worker *worker, struct rounds_lane *lane);
void rounds_lane_answer(struct rounds_worker *worker, struct rounds_lane *lane);

// What the method sees of the block in this phase, and its turn at it.
struct ek_block rounds_block_of(struct rounds_worker *worker);
void rounds_run_method(struct rounds_worker *worker, struct ek_block *block);

// Where processors sleep, only some have a turn in this step.
static inline bool rounds_some_have_turns(const struct rounds_run *rounds)
{
    return rounds->requests && !rounds->now.at.wakes;
}

// Whether this step's announcements are a program's words, and not loads.
static inline bool rounds_program_announces(const struct rounds_run *rounds)
{
    return rounds->machine->method->rounds->announce && !rounds->now.at.loads;
}

#endif
