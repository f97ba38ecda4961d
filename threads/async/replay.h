// SPDX-License-Identifier: MIT
// A run that is made again, as who goes on from one of its turns sees it: what the workers have not seen by then is not
// looked at, so that another world can take over.
#ifndef ASYNC_REPLAY_H
#define ASYNC_REPLAY_H

#include "threads/async/inspect.h"
#include "threads/async/lane.h"

// As ek_replay_begin; of a machine with a recorder, too, which writes the turns down once more.
struct ek_replay *async_replay_begin(struct ek_machine *machine, uint64_t run, const struct ek_tape *tape,
                                     struct ek_error *error);

// As ek_replay_destroy, but the run stays.
void async_replay_end(struct ek_replay *replay);
struct async_run *async_replay_run(const struct ek_replay *replay);

// Each turn from here on, which is the first, is looked at.
void async_replay_inspect(struct ek_replay *replay, struct async_inspector *inspector);

// Where a worker is after the turns that were made, and what it does next.
struct async_lane async_replay_lane(const struct ek_replay *replay, uint32_t worker, enum async_next *next);

#endif
