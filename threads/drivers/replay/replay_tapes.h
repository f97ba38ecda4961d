// SPDX-License-Identifier: MIT
// The replay of a run from its tapes. Another driver can use it to continue the run from one of its turns with its own
// source of looks. Between two turns no worker has made a look that belongs to a later turn.
#ifndef THREADS_DRIVERS_REPLAY_REPLAY_TAPES_H
#define THREADS_DRIVERS_REPLAY_REPLAY_TAPES_H

#include "threads/api/turn.h"
#include "threads/drivers/recorder/recorder.h"
#include "threads/free/control/control.h"
#include "threads/free/turn.h"

struct ek_tape;
struct ek_turn_made;
struct replay_tapes;

// Creates run `run` of the machine, before its first turn. If the machine has a recorder, the turns are recorded again.
// Returns NULL with `error` filled on failure.
struct replay_tapes *replay_tapes_create(const struct machine_plan *machine, uint64_t run, const struct ek_tape *tape,
                                         struct ek_error *error);
void replay_tapes_destroy(struct replay_tapes *tapes);

// Like replay_tapes_destroy, but the run and its recorder stay alive.
void replay_tapes_end(struct replay_tapes *tapes);

// Makes the next turn, and sets its number, time, worker and processor. Returns as ek_replay_turn does.
enum ek_replay_status replay_tapes_turn(struct replay_tapes *tapes, struct ek_turn_made *turn, struct ek_error *error);

struct free_control *replay_tapes_control(const struct replay_tapes *tapes);
struct recorder *replay_tapes_recorder(const struct replay_tapes *tapes);

// Returns a worker's position after the turns made so far.
struct free_position replay_tapes_position(const struct replay_tapes *tapes, uint32_t worker);

#endif
