// SPDX-License-Identifier: MIT
// A run that is made again, as who goes on from one of its turns sees it: what the workers have not seen by then is not
// looked at, so that another world can take over.
#ifndef THREADS_DRIVERS_REPLAY_REPLAY_H
#define THREADS_DRIVERS_REPLAY_REPLAY_H

#include "threads/drivers/explore/inspect.h"
#include "threads/drivers/replay/lane.h"

// As ek_replay_begin; of a machine with a recorder, too, which writes the turns down once more.
struct ek_replay *free_replay_begin(struct ek_machine *machine, uint64_t run, const struct ek_tape *tape,
                                    struct ek_error *error);

// As ek_replay_destroy, but the run stays.
void free_replay_end(struct ek_replay *replay);
struct free_run *free_replay_run(const struct ek_replay *replay);

// Each turn from here on, which is the first, is looked at.
void free_replay_inspect(struct ek_replay *replay, struct free_inspector *inspector);

// Where a worker is after the turns that were made, and what it does next.
struct free_lane free_replay_lane(const struct ek_replay *replay, uint32_t worker, enum free_next *next);

#endif
