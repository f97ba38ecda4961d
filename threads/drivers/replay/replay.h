// SPDX-License-Identifier: MIT
// A run that is made again, for a driver that goes on from one of its turns. What the workers have not seen by then is
// not looked at, so that another source of looks can take over.
#ifndef THREADS_DRIVERS_REPLAY_REPLAY_H
#define THREADS_DRIVERS_REPLAY_REPLAY_H

#include "threads/drivers/recorder/recorder.h"
#include "threads/free/control/control.h"
#include "threads/free/turn.h"

// As ek_replay_begin, of a machine with a recorder, too: then the turns are written down once more.
struct ek_replay *replay_begin(const struct machine_plan *machine, uint64_t run, const struct ek_tape *tape,
                               struct ek_error *error);

// As ek_replay_destroy, but the run and its recorder stay.
void replay_end(struct ek_replay *replay);
struct free_control *replay_control(const struct ek_replay *replay);
struct recorder *replay_recorder(const struct ek_replay *replay);

// Returns where a worker is after the turns that were made.
struct free_position replay_position(const struct ek_replay *replay, uint32_t worker);

#endif
