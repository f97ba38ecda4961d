// SPDX-License-Identifier: MIT
// Schedules of a run in free timing, chosen instead of left to chance, on the caller's thread and in virtual time.
// Fifth part of <evenkeel.h>.
//
// A strategy chooses which worker goes on, what its looks see of what is there, and when the caller's part (snapshots,
// the end) is done. The engine is the one that threads run. After every turn all that it promises is looked at. All of
// that follows from the experiment, the strategy and the number of the schedule.
#ifndef EK_EXPLORE_H
#define EK_EXPLORE_H

#include "threads/api/replay.h"

// One step of a schedule: who goes on, and what it sees.
struct ek_scheduled {
    uint32_t who;  // a worker; behind the workers the attendant, and behind that who lets links fail
    uint32_t sees; // of each of the first 15 ports two bits: nothing new, one message, all; the top bit: it only looks
};                 // around, and its turn waits

// A step that sees all there is.
#define EK_EXPLORE_SEES_ALL 0x2AAAAAAAu

// The most turns of a schedule of exhaustive:B, which comes back to each.
#define EK_EXPLORE_DEEPEST 4096

// Who is told what happens, as bytes that say the same on every computer: their hash is the schedule's.
struct ek_explore_log {
    void (*write)(void *context, const uint8_t *bytes, size_t count);
    void *context;
};

struct ek_explore;

// Makes run 0 of the machine ready to be explored by a strategy: random, pct:D, delay-first, round-robin or
// exhaustive:B (docs/explore.md). The machine may have a recorder: then one schedule of it can be
// made. It must outlive this. A schedule is told to stop after `turns_most` turns, as --for would, and must then end
// within as many again, or 1024 a processor. NULL and `error` where it cannot be.
EK_API struct ek_explore *ek_explore_begin(struct ek_machine *machine, const char *strategy, uint64_t turns_most,
                                           const struct ek_explore_log *log, struct ek_error *error);
EK_API void ek_explore_destroy(struct ek_explore *explore);

// The same, from within a run that was recorded: run 0 of the machine is made again from its tapes (replay.h), up to
// turn `until`, each turn looked at, and goes on from there by the strategy, which is not exhaustive. One schedule can
// be made, which `turns_most` counts from there. Not for faults and a limit on operations.
EK_API struct ek_explore *ek_explore_after(struct ek_machine *machine, const struct ek_tape *tape, uint64_t until,
                                           const char *strategy, uint64_t turns_most, const struct ek_explore_log *log,
                                           struct ek_error *error);

// How a schedule ended.
enum ek_explored {
    EK_EXPLORED_ENDS,   // the run came to an end of its own
    EK_EXPLORED_CUT,    // it got too long, and ended when it was told to
    EK_EXPLORED_FAILS,  // `error` says what is wrong
    EK_EXPLORED_REFUSED // it could not be made: `error` says why
};

// Makes schedule `number`; the one that these steps say, and then the rest in turn.
EK_API enum ek_explored ek_explore_schedule(struct ek_explore *explore, uint64_t number, struct ek_error *error);
EK_API enum ek_explored ek_explore_follow(struct ek_explore *explore, const struct ek_scheduled *steps, size_t count,
                                          struct ek_error *error);

// Of the schedule that was made last: its turns, its steps and how many, what each processor holds at its end. Alive
// until the next.
EK_API uint64_t ek_explore_turns(const struct ek_explore *explore);
EK_API const struct ek_scheduled *ek_explore_steps(const struct ek_explore *explore, size_t *count);
EK_API const double *ek_explore_loads(struct ek_explore *explore);

// Its report, once, as ek_run would have filled it. The machine has made no other schedule.
EK_API enum ek_status ek_explore_report_sized(struct ek_explore *explore, struct ek_report *report, size_t size,
                                              struct ek_error *error);
static inline enum ek_status ek_explore_report(struct ek_explore *explore, struct ek_report *report,
                                               struct ek_error *error)
{
    return ek_explore_report_sized(explore, report, sizeof *report, error);
}

// What the schedule that was made last, or all of ek_explore_all, has met of the protocol: entry `index` of state and
// message; false past the last.
struct ek_explore_met {
    const char *part;    // of the receiver's own operation at that port
    bool engaged;        // it is in the sender's
    const char *message; // that came
    uint64_t times;
};
EK_API bool ek_explore_met(const struct ek_explore *explore, size_t index, struct ek_explore_met *met);

// All schedules with at most `turns_most` turns, of a machine without delays, faults and work.
struct ek_explore_all {
    bool complete;    // none was longer, and there was memory for all
    uint64_t states;  // that differ
    uint64_t turns;   // that lead from one to another
    uint64_t ends;    // states in which nobody has anything left to do
    uint64_t longest; // turns of a schedule
    double schedules; // that lead from the start to an end; inexact above 2^53
};
EK_API enum ek_explored ek_explore_all(struct ek_explore *explore, struct ek_explore_all *all, struct ek_error *error);

#endif
