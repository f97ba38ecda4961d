// SPDX-License-Identifier: MIT
// The engine of rounds: what a worker does. A step has two phases, each closed by the barrier:
//
//   announce  take in the parcels of the step before, say the own load (or a program's words) on the links that take
//             part
//   migrate   hear what was said, ask the method how much goes where, debit it, put the parcels
//
// Between the phases, all have their parcels: there the last to arrive measures, tests the stop criterion and decides
// (a serial section of the barrier), so a test costs no barrier of its own. A worker runs the phases of its block of
// processors; nothing that is computed depends on how the blocks are cut. Where both ends of a link know what goes over
// it and a meeting costs more than the work, only the first step has two phases (foresight.c).
#include "threads/rounds/step.h"

#include "threads/machine/on_ranks.h"
#include "threads/rounds/rounds_engine.h"
#include "threads/rounds/transport.h"
#include "threads/host/slice.h"

// The blocks that a thread carries, and its place at the barrier.
struct blocks {
    struct rounds_run *rounds;
    struct rounds_worker *first, *end;
    unsigned member;
};

static void each(const struct blocks *blocks, void (*phase)(struct rounds_worker *worker))
{
    for (struct rounds_worker *worker = blocks->first; worker < blocks->end; worker++) {
        phase(worker);
    }
}

static void take_and_announce(const struct blocks *blocks)
{
    struct rounds_run *rounds = blocks->rounds;
    if (rounds_can_pass_on(rounds)) {
        each(blocks, rounds->planes ? rounds_planes_pass_on : rounds_pass_on);
        return;
    }
    each(blocks, rounds_take);
    if (rounds_meets_between(rounds)) {
        mail_barrier_wait(&rounds->barrier, blocks->member, rounds_decide, rounds);
        if (rounds->now.over) {
            return;
        }
        each(blocks, rounds_work_first);
    }
    each(blocks, rounds_announce);
}

// What was put on links that lead to other ranks is brought there.
static void cross(struct rounds_run *rounds)
{
    if (rounds->now.migrates) {
        rounds_cross(rounds, &rounds->parcels, rounds->requests != NULL);
        return;
    }
    if (rounds->reads_levels) {
        if (rounds->transport) {
            rounds->transport->cross_levels(rounds);
        }
    } else {
        rounds_cross(rounds, &rounds->announcements, isnan(rounds->announcements.nothing));
    }
    if (rounds->invokes) {
        rounds_cross(rounds, &rounds->invitations, false);
    }
}

// A worker may be left out of phases in which it has nothing to do: it does what the phase asks for when it is let go.
void rounds_run_worker(void *context, unsigned index)
{
    struct rounds_run *rounds = context;
    struct rounds_worker *first = &rounds->worker[index];
    struct blocks blocks = {rounds, first, first + (rounds->blocks), index};
    if (!rounds->chosen) { // else one wakes many among threads that yield, and lives of what they forfeit
        host_slice_shorten(machine_ranks_threads(rounds->machine), host_places_count(rounds->machine->places));
    }
    mail_barrier_wait(&rounds->barrier, index, rounds_begin, rounds);
    while (!rounds->now.over) {
        if (rounds->now.migrates) {
            each(&blocks, rounds->foresees ? rounds_foreseen_step : rounds_migrate);
        } else {
            take_and_announce(&blocks);
        }
        cross(rounds);
        mail_barrier_wait(&rounds->barrier, index, rounds_phase_done, rounds);
    }
    if (rounds->foresees && rounds->now.time > 0) {
        each(&blocks, rounds_foreseen_take);
    }
}
