// SPDX-License-Identifier: MIT
// The explorer as its files share it: the machine between two steps, who can go on, and the steps themselves.
#ifndef ASYNC_EXPLORER_H
#define ASYNC_EXPLORER_H

#include "threads/async/image.h"
#include "threads/async/inspect.h"
#include "threads/async/replay.h"
#include "threads/explore.h"

// What a step sees of a port: two bits, from the lowest.
enum async_sees { ASYNC_SEES_NOTHING, ASYNC_SEES_ONE, ASYNC_SEES_ALL };
enum { ASYNC_SEES_PORTS = 15 }; // all is seen of those behind
static const uint32_t ASYNC_SEES_EVERYTHING = EK_EXPLORE_SEES_ALL;
static const uint32_t ASYNC_LOOKS_ONLY = 0x80000000u;

// A worker between two steps.
struct async_explored {
    struct async_lane turns;
    enum async_next next;
    bool any, unseen; // in the sweep so far: something was done; a message or room was there and not seen
    bool own, rung;   // it has something to do without a message; a message may have come since it saw all
    bool spins;       // its last sweep found nothing to do
    uint32_t place;   // in the list of those that are ready; NOBODY
};

struct async_strategy;

struct ek_explore {
    struct async_run *run;
    const struct async_strategy *strategy;
    uint32_t depth; // of pct
    uint64_t turns_most;
    struct ek_explore_log log;
    struct async_image start;
    struct async_inspector inspector;
    uint64_t clock;                // ns
    uint64_t turns;                // of this schedule
    uint64_t told_to_stop;         // after so many turns; 0: not yet
    bool was_cut;                  // for it got too long
    bool goes_on;                  // from a run that was made again: there is no coming back
    struct async_explored *worker; // [workers]
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
    struct topo_random lots;
    unsigned held_back; // random: how many of four looks at a port do not see all
    uint32_t turn;      // in turn: who was last
    uint32_t *priority; // pct: by who
    uint64_t *change;   // pct: the turns after which the first is to be the last
    uint32_t changes, lowest;

    uint8_t bytes[256]; // of the log
    size_t bytes_count;
};

enum { ASYNC_NOBODY = UINT32_MAX };

// Who is there beside the workers.
static inline uint32_t async_explore_attendant(const struct ek_explore *explore)
{
    return explore->run->machine->workers;
}

static inline uint32_t async_explore_faults(const struct ek_explore *explore)
{
    return explore->run->machine->workers + 1;
}

// A new schedule, from the start; nothing where it goes on from elsewhere.
void async_explore_again(struct ek_explore *explore);

// The one schedule that goes on from the turns that were made again.
void async_explore_go_on(struct ek_explore *explore, const struct ek_replay *replay);

// A worker has something to do; whether this one has.
void async_explore_wake(struct ek_explore *explore, uint32_t worker);
bool async_explore_can(const struct ek_explore *explore, uint32_t who);

// A step. What it does not see stays for another. And a schedule that is over: what each worker does then.
void async_explore_step(struct ek_explore *explore, struct ek_scheduled step);
void async_explore_finish(struct ek_explore *explore);

// Somebody who waits in an operation, or for its end; the number of processors where there is none.
uint32_t async_explore_who_waits(const struct ek_explore *explore);

// Where nobody has anything to do, the clock goes on to what comes next. False where nothing comes any more.
bool async_explore_wait(struct ek_explore *explore);

bool async_explore_is_over(const struct ek_explore *explore);
bool async_explore_has_failed(const struct ek_explore *explore);

#endif
