// SPDX-License-Identifier: MIT
// The engine of rounds: what a worker does. All terms are defined in rounds_state.h. A step has two phases, and each
// ends at the barrier:
//
//   1. Announce. The worker receives the parcels of the step before, and sends an announcement on each link that takes
//      part in the step.
//   2. Migrate. It receives the announcements, asks the method how much load goes over each link, subtracts that, and
//      sends the parcels.
//
// After the announce phase all load has arrived. There the last worker at the barrier runs a serial section that
// measures, tests the stop criterion, and ends the run or lets it go on. So a test costs no barrier of its own.
//
// Cost: two barriers a step. If a processor can compute what its neighbours send to it, only the first step has two
// phases and the others have one: if the method has a loop for that (one_pass.c), or if meetings cost more than the
// work (foresight.c). With foresight, workers that cannot act are left out (resting.c).
#include "threads/rounds/step.h"

#include "threads/machine/on_ranks.h"
#include "threads/rounds/rounds_engine.h"
#include "threads/rounds/transport.h"
#include "threads/host/slice.h"

// The blocks that a thread carries, and its number at the barrier.
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
    if (rounds->one_pass) { // the first step: loads are read in place
        each(blocks, rounds_take);
        return;
    }
    if (rounds_can_pass_on(rounds)) {
        each(blocks, rounds_pass_on);
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

// Returns whether parcels consist of more than their number.
static bool has_cargo(const struct rounds_run *rounds)
{
    return rounds_has_tasks(rounds) || machine_moves_objects(rounds->machine);
}

// Sends loads to the other ranks that have neighbours of these processors.
static void cross_loads(struct rounds_run *rounds, double *loads)
{
    if (rounds->transport) {
        rounds->transport->cross_loads(rounds, loads);
    }
}

// Carries the messages of this phase that lead to other ranks.
static void cross(struct rounds_run *rounds)
{
    if (rounds->transport && rounds_has_letters(rounds)) {
        rounds->transport->cross_letters(rounds);
    }
    if (rounds->now.migrates && rounds->one_pass) {
        cross_loads(rounds, rounds->loads.foreseen);
        return;
    }
    if (rounds->now.migrates) {
        rounds_cross(rounds, &rounds->parcels, rounds->requests != NULL);
        if (rounds->transport && has_cargo(rounds) && !rounds_has_letters(rounds)) {
            rounds->transport->cross_cargo(rounds);
        }
        return;
    }
    if (rounds->transport && has_cargo(rounds)) {
        rounds->transport->cross_said(rounds);
    }
    if (rounds->reads_levels) {
        cross_loads(rounds, rounds->loads.level);
    } else {
        rounds_cross(rounds, &rounds->announcements, isnan(rounds->announcements.nothing));
    }
    if (rounds->invokes) {
        rounds_cross(rounds, &rounds->invitations, false);
    }
}

// A worker that has nothing to do in some phases is left out of them. When it is released, it runs the phase that `now`
// names.
void rounds_run_worker(void *context, unsigned index)
{
    struct rounds_run *rounds = context;
    struct rounds_worker *first = &rounds->worker[index];
    struct blocks blocks = {rounds, first, first + (rounds->blocks), index};
    if (!rounds->chosen ||
        rounds->rests) { // otherwise a lone worker wakes many that yield, and needs the time that they give up
        host_slice_shorten(machine_ranks_threads(rounds->machine), host_places_count(rounds->machine->places));
    }
    mail_barrier_wait(&rounds->barrier, index, rounds_begin, rounds);
    while (!rounds->now.over) {
        if (rounds->now.migrates) {
            each(&blocks, rounds->one_pass   ? rounds_one_pass
                          : rounds->foresees ? rounds_foreseen_step
                                             : rounds_migrate);
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
