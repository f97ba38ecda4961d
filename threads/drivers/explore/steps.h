// SPDX-License-Identifier: MIT
// The explorer as its files share it: the machine between two steps, who can go on, and the steps themselves.
#ifndef THREADS_DRIVERS_EXPLORE_STEPS_H
#define THREADS_DRIVERS_EXPLORE_STEPS_H

#include "threads/drivers/explore/image.h"
#include "threads/drivers/explore/checks.h"
#include "threads/drivers/replay/replay.h"
#include "threads/api/explore.h"

// What a step sees of a port: two bits, from the lowest.
enum explore_sight { EXPLORE_SEES_NOTHING, EXPLORE_SEES_ONE, EXPLORE_SEES_ALL };
enum { EXPLORE_PORTS = 15 }; // all is seen of those behind
static const uint32_t EXPLORE_SEES_EVERYTHING = EK_EXPLORE_SEES_ALL;
static const uint32_t EXPLORE_LOOKS_ONLY = 0x80000000u;

// A worker between two steps.
struct explore_worker {
    struct free_position turns;
    bool any, unseen; // in the sweep so far: something was done; a message or room was there and not seen
    bool own, rung;   // it has something to do without a message; a message may have come since it saw all
    bool spins;       // its last sweep found nothing to do
    uint32_t place;   // in the list of those that are ready; NOBODY
};

struct explore_strategy;

struct ek_explore {
    struct free_look_source source; // what the step under way is to see
    struct free_witness witness;    // logs what happens, and wakes those to whom messages are sent
    struct free_control *control;
    struct free_run *run;      // its
    struct recorder *recorder; // or NULL
    const struct explore_strategy *strategy;
    uint32_t depth; // of pct
    uint64_t turns_most;
    struct ek_explore_log log;
    struct explore_image start;
    struct explore_checker checker;
    uint64_t clock;                // ns
    uint64_t turns;                // of this schedule
    uint64_t drained_at;           // after so many turns; 0: not yet
    bool was_cut;                  // for it got too long
    bool continues;                // from a run that was made again: there is no coming back
    struct explore_worker *worker; // [workers]
    uint32_t *ready, ready_count;  // the workers that have something to do
    uint64_t next_due;             // when the earliest of what sleepers wait for comes
    uint32_t sees;                 // of the step under way
    uint64_t advances;             // of operations, when nobody had anything to do last
    uint32_t rests;                // how often that came since with nothing done

    struct ek_scheduled *step; // those made
    size_t steps, steps_size;
    const struct ek_scheduled *script; // to be followed
    size_t script_count, script_at;

    // The strategy's.
    uint64_t number;
    struct base_random random;
    unsigned held_back; // random: how many of four looks at a port do not see all
    uint32_t turn;      // in turn: who was last
    uint32_t *priority; // pct: by who
    uint64_t *change;   // pct: the turns after which the first is to be the last
    uint32_t changes, lowest;

    uint8_t bytes[256]; // of the log
    size_t bytes_count;
};

#define EXPLORE_NO_ACTOR UINT32_MAX

// Who is there beside the workers.
static inline uint32_t explore_attendant(const struct ek_explore *explore)
{
    return explore->run->machine->workers;
}

static inline uint32_t explore_fault_thread(const struct ek_explore *explore)
{
    return explore->run->machine->workers + 1;
}

// A new schedule, from the start; nothing where it goes on from elsewhere.
void explore_restart(struct ek_explore *explore);

// The one schedule that goes on from the turns that were made again.
void explore_continue(struct ek_explore *explore, const struct ek_replay *replay);

// A worker has something to do; whether this one has.
void explore_wake(struct ek_explore *explore, uint32_t worker);
bool explore_can_act(const struct ek_explore *explore, uint32_t who);

// A step. What it does not see stays for another. And a schedule that is over: what each worker does then.
void explore_step(struct ek_explore *explore, struct ek_scheduled step);
void explore_finish(struct ek_explore *explore);

// Somebody who waits in an operation, or for its end; the number of processors where there is none.
uint32_t explore_waiting_processor(const struct ek_explore *explore);

// Where nobody has anything to do, the clock goes on to what comes next. False where nothing comes any more.
bool explore_advance_clock(struct ek_explore *explore);

bool explore_is_over(const struct ek_explore *explore);
bool explore_has_failed(const struct ek_explore *explore);

#endif
