// SPDX-License-Identifier: MIT
// The explorer: the state of a machine between two steps, and the steps.
//
// Terms. An *actor* is a worker, the attendant or the fault thread; a number identifies it. In a *step* an actor makes
// one turn, or does all that is due. A *schedule* is a sequence of steps. A *strategy* chooses the next step, and the
// messages that it sees (strategy.h).
#ifndef THREADS_DRIVERS_EXPLORE_STEPS_H
#define THREADS_DRIVERS_EXPLORE_STEPS_H

#include "threads/api/explore.h"
#include "threads/drivers/explore/image.h"
#include "threads/drivers/explore/checks.h"
#include "threads/drivers/replay/replay_tapes.h"

// The state of a port that a step sees: two bits in `sees` of struct ek_scheduled, from the lowest.
enum explore_sight { EXPLORE_SEES_NOTHING, EXPLORE_SEES_ONE, EXPLORE_SEES_ALL };
enum { EXPLORE_PORTS = 15 }; // a step sees everything at further ports
static const uint32_t EXPLORE_SEES_EVERYTHING = EK_EXPLORE_SEES_ALL;
static const uint32_t EXPLORE_LOOKS_ONLY = 0x80000000u;

// A worker between two steps.
struct explore_worker {
    struct free_position turns;
    bool any, unseen; // in this pass so far: a processor did something; a message or room was there and not seen
    bool own, rung;   // it has something to do without a message; a message may have come since it saw all
    bool spins;       // in its last pass no processor had anything to do
    uint32_t place;   // in `ready`, or EXPLORE_NO_ACTOR
};

struct explore_strategy;

struct ek_explore {
    struct free_look_source source; // what the current step may see
    struct free_witness witness;    // logs the events, and wakes the receivers of messages
    struct free_control *control;
    struct free_run *run;      // &control->run
    struct recorder *recorder; // or NULL
    const struct explore_strategy *strategy;
    uint32_t depth; // the D of pct:D, or the B of exhaustive:B
    uint64_t turns_most;
    struct ek_explore_log log;
    struct explore_image start; // before the first turn
    struct explore_checker checker;
    uint64_t clock;                // ns
    uint64_t turns;                // of this schedule
    uint64_t drained_at;           // turns after which the run was ended from outside; 0: it was not
    bool was_cut;                  // the run was ended because it had too many turns
    bool continues;                // it continues a replay: there is no image to return to
    struct explore_worker *worker; // [workers]
    uint32_t *ready, ready_count;  // the workers that have something to do
    uint64_t next_due;             // the earliest time at which a sleeping worker has something to do
    uint32_t sees;                 // of the current step
    uint64_t advances;             // of operations, when all workers last had nothing to do
    uint32_t rests;                // how often this has happened since, without an advance

    struct ek_scheduled *step; // the steps made so far
    size_t steps, steps_size;
    const struct ek_scheduled *script; // steps to make before the strategy chooses; or NULL
    size_t script_count, script_at;

    // Used by the strategies.
    uint64_t number;
    struct base_random random;
    unsigned held_back; // random: of four looks at a port, this number does not see all
    uint32_t turn;      // round-robin: the last actor
    uint32_t *priority; // pct: by actor
    uint64_t *change;   // pct: the turns after which the first actor becomes the last one
    uint32_t changes, lowest;

    // In virtual time.
    struct virtual_machine *machine; // of the current schedule; NULL in free timing
    struct machine_plan *plan;       // its plan: that of the experiment, with the number of the machine
    uint64_t first_number;           // of the machines

    uint8_t bytes[256]; // of the log, not written yet
    size_t bytes_count;
};

#define EXPLORE_NO_ACTOR UINT32_MAX

// The actors beside the workers.
static inline uint32_t explore_attendant(const struct ek_explore *explore)
{
    return explore->run->machine->workers;
}

static inline uint32_t explore_fault_thread(const struct ek_explore *explore)
{
    return explore->run->machine->workers + 1;
}

// Begins a new schedule, from the start of the run. Does nothing if the schedule continues a replay.
void explore_restart(struct ek_explore *explore);

// Begins the one schedule that continues a replay.
void explore_continue(struct ek_explore *explore, const struct replay_tapes *replay);

// The first function notes that a worker has something to do. The second one returns whether an actor has something to
// do.
void explore_wake(struct ek_explore *explore, uint32_t worker);
bool explore_can_act(const struct ek_explore *explore, uint32_t who);

// The first function makes a step. The second one ends a schedule whose run is over, with the last looks of all
// workers.
void explore_step(struct ek_explore *explore, struct ek_scheduled step);
void explore_finish(struct ek_explore *explore);

// Returns the number of turns within which a run must end after its drain began: `turns_most`, but at least 1024 for
// each processor.
uint64_t explore_turns_to_end(const struct ek_explore *explore);

// Returns a processor that is in an operation, or the number of processors if there is none.
uint32_t explore_waiting_processor(const struct ek_explore *explore);

// Advances the clock to the next event, when no actor has anything to do. Returns false if no event will come.
bool explore_advance_clock(struct ek_explore *explore);

bool explore_is_over(const struct ek_explore *explore);
bool explore_has_failed(const struct ek_explore *explore);

#endif
