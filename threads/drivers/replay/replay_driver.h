// SPDX-License-Identifier: MIT
// A replay for another driver, which continues the run from one of its turns with its own source of looks. Between two
// turns no worker has made a look that belongs to a later turn.
#ifndef THREADS_DRIVERS_REPLAY_REPLAY_DRIVER_H
#define THREADS_DRIVERS_REPLAY_REPLAY_DRIVER_H

#include "threads/drivers/recorder/recorder.h"
#include "threads/free/control/control.h"
#include "threads/free/turn.h"

// Like ek_replay_begin, but the machine may have a recorder, which then records the turns again.
struct ek_replay *replay_begin(const struct machine_plan *machine, uint64_t run, const struct ek_tape *tape,
                               struct ek_error *error);

// Like ek_replay_destroy, but the run and its recorder stay alive.
void replay_end(struct ek_replay *replay);
struct free_control *replay_control(const struct ek_replay *replay);
struct recorder *replay_recorder(const struct ek_replay *replay);

// Returns a worker's position after the turns made so far.
struct free_position replay_position(const struct ek_replay *replay, uint32_t worker);

#endif
