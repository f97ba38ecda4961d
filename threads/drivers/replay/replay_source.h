// SPDX-License-Identifier: MIT
// Where the turns of a replay come from. A *source* owns the run that is repeated. The common part of all replays, the
// events of a turn and the load in flight, is in replay_driver.c.
#ifndef THREADS_DRIVERS_REPLAY_REPLAY_SOURCE_H
#define THREADS_DRIVERS_REPLAY_REPLAY_SOURCE_H

#include "threads/api/turn.h"
#include "threads/free/control/control.h"

struct ek_tape;
struct ek_turn_made;

struct replay_source {
    unsigned timing; // of the runs that it repeats, as EK_IN_FREE

    // Creates run `run` of the machine, before its first turn. Returns NULL with `error` filled on failure.
    void *(*create)(const struct machine_plan *machine, uint64_t run, const struct ek_tape *tape,
                    struct ek_error *error);
    void (*destroy)(void *source);
    struct free_control *(*control)(void *source);

    // Makes the next turn, and sets its number, time, worker and processor. Returns as ek_replay_turn does.
    enum ek_replay_status (*turn)(void *source, struct ek_turn_made *turn, struct ek_error *error);

    // Fills the report of a run that has ended, as ek_replay_report does.
    enum ek_status (*report)(void *source, enum ek_ended ended, double elapsed_s, struct ek_report *report,
                             struct ek_error *error);
};

// The sources: tapes of what workers observed, and virtual time.
extern const struct replay_source replay_from_tapes, replay_from_virtual;

#endif
