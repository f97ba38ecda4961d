// SPDX-License-Identifier: MIT
// Stretches and sweeps of a worker, whose turns are made one by one.
#include "threads/async/lane.h"

#include "threads/async/engine.h"

void async_direct(struct async_run *run, void *director, const struct async_witness *witness,
                  const struct async_world *world)
{
    run->director = director;
    run->witness = witness;
    run->plain = false;
    async_record_world(run, world);
}

struct async_lane async_lane_of(const struct async_worker *worker)
{
    return (struct async_lane){.processor = worker->begin, .until = worker->begin};
}

// Ends the sweep, if it is through.
static enum async_next next_of(struct async_lane *lane, struct async_worker *worker)
{
    if (lane->processor < lane->until) {
        return ASYNC_NEXT_TURN;
    }
    if (lane->processor < worker->end) {
        return ASYNC_NEXT_LOOK;
    }
    async_sweep_end(worker);
    lane->processor = lane->until = worker->begin;
    return worker->look.over ? ASYNC_NEXT_OVER : ASYNC_NEXT_LOOK;
}

enum async_next async_lane_look(struct async_lane *lane, struct async_worker *worker)
{
    lane->until = async_stretch_begin(worker, lane->processor);
    lane->processor = worker->look.over ? lane->until : lane->processor;
    return next_of(lane, worker);
}

enum async_next async_lane_turn(struct async_lane *lane, struct async_worker *worker, bool *any)
{
    *any = async_step(worker, lane->processor++);
    return next_of(lane, worker);
}
