// SPDX-License-Identifier: MIT
// The phases of a step for one worker's block: announce_phase.c and migrate_phase.c; and steps of one phase: one_pass.c
// and foresight.c.
#ifndef THREADS_ROUNDS_STEP_H
#define THREADS_ROUNDS_STEP_H

#include "core/methods/kernels/block.h"
#include "threads/rounds/rounds_state.h"

// `take` receives the parcels of the step before. `announce` sends the announcements of this step.
void rounds_take(struct rounds_worker *worker);
void rounds_announce(struct rounds_worker *worker);

// `pass_on` does both at once. `can_pass_on` returns whether that is possible: nothing lies between the two.
bool rounds_can_pass_on(const struct rounds_run *rounds);
void rounds_pass_on(struct rounds_worker *worker);

// Receives announcements and sends parcels.
void rounds_migrate(struct rounds_worker *worker);

// Runs a step in one pass (one_pass.c), after the announce phase of the first one.
void rounds_one_pass(struct rounds_worker *worker);

// `step` runs a step of one phase. `take` receives the parcels of the step before, after all workers have sent theirs.
void rounds_foreseen_step(struct rounds_worker *worker);
void rounds_foreseen_take(struct rounds_worker *worker);

// Resting (resting.c): `has_news` returns whether loads on which the worker's parcels depend have changed in the step
// before. `rest` ends the worker's step, in which it was quiet or not: it lets the worker rest, and reports its news.
// In the serial section, `list` writes the processors that the next step needs to rounds->chosen, and returns their
// number.
bool rounds_rest_has_news(struct rounds_worker *worker);
void rounds_rest(struct rounds_worker *worker, bool quiet);
uint32_t rounds_rest_list(struct rounds_run *rounds);

// For mailboxes other than `slot`: `post` puts the block's messages from the outbox into the mailboxes at the other
// ends of the links, and `fetch` takes the messages for the block from its mailboxes into the inbox.
void rounds_lane_post(struct rounds_lane *lane, const struct rounds_active *active);
void rounds_lane_fetch(struct rounds_lane *lane, const struct rounds_active *active);

// For methods whose processors sleep: `ring` rings the bells of the processors that are sent something on this lane,
// and `answer` lists the worker's processors whose bells were rung.
void rounds_lane_ring(struct rounds_worker *worker, struct rounds_lane *lane);
void rounds_lane_answer(struct rounds_worker *worker, struct rounds_lane *lane);

// `block_of` returns what the method sees of the block in this phase. `run_method` runs the method on the block.
struct ek_block rounds_block_of(struct rounds_worker *worker);
void rounds_run_method(struct rounds_worker *worker, struct ek_block *block);

// Runs this rule on the block, whose amounts the machine rounds.
void rounds_run_rounded(const struct rounds_worker *worker, struct ek_block *block, ek_flow *flow);

// Checks the amounts of the method on the block, and reports those that break a promise. Also moves the load, unless
// the step is one pass (one_pass.c). Returns false in that case: the method is still to be run.
bool rounds_run_checked(struct rounds_worker *worker, struct ek_block *block);

// Returns whether the amounts at both ends of a link are compared.
bool rounds_checks_mutual(const struct machine_plan *machine);

// Find the pace of the block's processors (rounds_clock.c): of a program that receives parcels, and of all methods
// after they have sent theirs.
void rounds_clock_take(struct rounds_worker *worker);
void rounds_clock_migrate(struct rounds_worker *worker);

// Returns one of two loops of the method, by the units of the load.
static inline rounds_loop *rounds_loop_for(const struct machine_plan *machine, rounds_loop *real, rounds_loop *tokens)
{
    return machine->units == EK_TOKENS ? tokens : real;
}

// Returns whether only some processors have a turn in this step.
static inline bool rounds_some_have_turns(const struct rounds_run *rounds)
{
    return rounds->requests && !rounds->now.at.wakes;
}

// Returns whether the method is a program, and not one that the machine runs as a rule.
static inline bool rounds_runs_program(const struct rounds_run *rounds)
{
    return rounds->machine->method->rounds->act && !rounds->reads_levels;
}

// Returns whether the program computes this step's announcements. Otherwise they are loads.
static inline bool rounds_program_announces(const struct rounds_run *rounds)
{
    return rounds->machine->method->rounds->announce && !rounds->now.at.loads;
}

#endif
