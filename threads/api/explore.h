// SPDX-License-Identifier: MIT
// Chosen schedules of a run in free timing, on the caller's thread and in virtual time. Part of <evenkeel.h>.
//
// A strategy chooses which worker runs next, which of the arrived messages this worker sees, and when the attendant
// runs. The attendant takes snapshots and ends the run. The engine is the same as in runs on threads. All its
// invariants are checked after every turn. A schedule is determined by the experiment, the strategy and the schedule's
// number.
#ifndef EK_EXPLORE_H
#define EK_EXPLORE_H

#include "threads/api/replay.h"

// One step of a schedule.
struct ek_scheduled {
    uint32_t who;  // who runs: a worker's number; the number of workers for the attendant; one more for the thread that
                   // makes links fail
    uint32_t sees; // two bits for each of the first 15 ports, the lowest first: 0 if it sees no new message there, 1 if
                   // one message, 2 if all. If the top bit is set, the worker only reads its mailboxes; its turn comes
                   // in a later step.
};

// A value of `sees`: it sees all messages that have arrived.
#define EK_EXPLORE_SEES_ALL 0x2AAAAAAAu

// The most turns of a schedule of the strategy exhaustive:B, which backtracks to each of them.
#define EK_EXPLORE_DEEPEST 4096

// Receives a log of all events, as bytes that are the same on every computer: their hash identifies the schedule.
struct ek_explore_log {
    void (*write)(void *context, const uint8_t *bytes, size_t count);
    void *context;
};

struct ek_explore;

// Prepares to explore run 0 of the machine with a strategy: random, pct:D, delay-first, round-robin or exhaustive:B
// (docs/explore.md). The machine must outlive the explorer. If it has a recorder, only one schedule can be run. A
// schedule reaches its limit after `turns_most` turns. Then its run is asked to end, as after a limit on time. The run
// must end within `turns_most` further turns, or within 1024 turns for each processor if that number is greater.
// Returns NULL with `error` filled on failure.
EK_API struct ek_explore *ek_explore_begin(struct ek_machine *machine, const char *strategy, uint64_t turns_most,
                                           const struct ek_explore_log *log, struct ek_error *error);
EK_API void ek_explore_destroy(struct ek_explore *explore);

// Prepares to explore from the middle of a recorded run. Run 0 of the machine is replayed from its tapes (replay.h) up
// to turn `until`, and each turn is checked. Then the run continues with the strategy, which must not be exhaustive.
// Only one schedule can be run; `turns_most` counts its turns after `until`. Experiments with faults or a limit on
// operations are refused.
EK_API struct ek_explore *ek_explore_after(struct ek_machine *machine, const struct ek_tape *tape, uint64_t until,
                                           const char *strategy, uint64_t turns_most, const struct ek_explore_log *log,
                                           struct ek_error *error);

// How a schedule ended.
enum ek_explored {
    EK_EXPLORED_ENDS,   // the run ended before its limit
    EK_EXPLORED_CUT,    // the run ended because it reached its limit
    EK_EXPLORED_FAILS,  // a check failed: `error` says which
    EK_EXPLORED_REFUSED // the schedule could not be run: `error` says why
};

// Runs schedule `number`.
EK_API enum ek_explored ek_explore_schedule(struct ek_explore *explore, uint64_t number, struct ek_error *error);

// Runs the schedule that begins with these steps and goes on with all workers in turn.
EK_API enum ek_explored ek_explore_follow(struct ek_explore *explore, const struct ek_scheduled *steps, size_t count,
                                          struct ek_error *error);

// These three describe the last schedule: its number of turns; its steps, with *count set to their number; and the load
// of each processor at its end. The arrays are valid until the next schedule.
EK_API uint64_t ek_explore_turns(const struct ek_explore *explore);
EK_API const struct ek_scheduled *ek_explore_steps(const struct ek_explore *explore, size_t *count);
EK_API const double *ek_explore_loads(struct ek_explore *explore);

// Fills the report of the last schedule, as ek_run would have filled it. Call it once, and only if the explorer has run
// no other schedule.
EK_API enum ek_status ek_explore_report_sized(struct ek_explore *explore, struct ek_report *report, size_t size,
                                              struct ek_error *error);
static inline enum ek_status ek_explore_report(struct ek_explore *explore, struct ek_report *report,
                                               struct ek_error *error)
{
    return ek_explore_report_sized(explore, report, sizeof *report, error);
}

// A pair of a port's state and an arriving message that the protocol allows.
struct ek_explore_met {
    const char *part;    // the neighbour's part in the receiver's own operation
    bool engaged;        // the receiver takes part in the sender's operation
    const char *message; // the kind of the message that arrived
    uint64_t times;      // how often the pair occurred in the last schedule, or in all of ek_explore_all
};

// Writes pair `index`. Returns false past the last.
EK_API bool ek_explore_met(const struct ek_explore *explore, size_t index, struct ek_explore_met *met);

// The findings of ek_explore_all.
struct ek_explore_all {
    bool complete;    // all schedules were run: none was longer than `turns_most`, and the memory sufficed
    uint64_t states;  // distinct states of the run
    uint64_t turns;   // turns that lead from one state to another
    uint64_t ends;    // states in which no processor has anything left to do
    uint64_t longest; // turns of the longest schedule
    double schedules; // schedules that lead from the start to an end; inexact above 2^53
};

// Runs all schedules with at most `turns_most` turns. The machine must have no delays, faults and workload. With
// EK_EXPLORE_DEEPEST turns, schedules must have an end: it refuses an invocation by which processors begin operations
// for ever (always, at, every, probability, global).
EK_API enum ek_explored ek_explore_all(struct ek_explore *explore, struct ek_explore_all *all, struct ek_error *error);

#endif
