// SPDX-License-Identifier: MIT
// Stretches and sweeps of a worker, whose turns are made one by one.
#include "threads/drivers/replay/lane.h"

#include "threads/free/free_engine.h"

void free_direct(struct free_run *run, void *director, const struct free_witness *witness,
                 const struct free_world *world)
{
    run->director = director;
    run->witness = witness;
    run->plain = false;
    free_record_world(run, world);
}

struct free_lane free_lane_of(const struct free_worker *worker)
{
    return (struct free_lane){.processor = worker->begin, .until = worker->begin};
}

// Ends the sweep, if it is through.
static enum free_next next_of(struct free_lane *lane, struct free_worker *worker)
{
    if (lane->processor < lane->until) {
        return FREE_NEXT_TURN;
    }
    if (lane->processor < worker->end) {
        return FREE_NEXT_LOOK;
    }
    free_sweep_end(worker);
    lane->processor = lane->until = worker->begin;
    return worker->look.over ? FREE_NEXT_OVER : FREE_NEXT_LOOK;
}

enum free_next free_lane_look(struct free_lane *lane, struct free_worker *worker)
{
    lane->until = free_stretch_begin(worker, lane->processor);
    lane->processor = worker->look.over ? lane->until : lane->processor;
    return next_of(lane, worker);
}

enum free_next free_lane_turn(struct free_lane *lane, struct free_worker *worker, bool *any)
{
    *any = free_step(worker, lane->processor++);
    return next_of(lane, worker);
}
