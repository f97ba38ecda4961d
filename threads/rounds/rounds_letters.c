// SPDX-License-Identifier: MIT
// Letters in rounds and in turns: what they carry leaves and reaches the loads.
#include "threads/rounds/step.h"

static unsigned index_of(const struct rounds_worker *worker)
{
    return (unsigned)(worker - worker->rounds->worker);
}

static void note(struct rounds_worker *worker, uint32_t p, struct cargo_posted posted)
{
    struct rounds_loads *loads = &worker->rounds->loads;
    loads->held[p] += posted.arrived - posted.left;
    loads->moved[p] += posted.moved;
    worker->announced += posted.messages;
    worker->parcels += posted.parcels;
}

// Counts messages. Those of the announce phase count only now: the run may end between the phases.
static void count_messages(struct rounds_worker *worker)
{
    worker->messages += worker->announced;
    worker->announced = 0;
}

static void ask(struct rounds_worker *worker, uint32_t p)
{
    struct rounds_run *rounds = worker->rounds;
    note(worker, p, cargo_letters_ask(&rounds->letters, index_of(worker), p, rounds->now.time));
}

static void give(struct rounds_worker *worker, uint32_t p, const double *announced)
{
    struct rounds_run *rounds = worker->rounds;
    note(worker, p, cargo_letters_give(&rounds->letters, index_of(worker), p, rounds->now.time, announced));
}

void rounds_letters_take(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        note(worker, p, cargo_letters_take(&rounds->letters, index_of(worker), p, rounds->now.time));
    }
}

void rounds_letters_ask(struct rounds_worker *worker)
{
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        ask(worker, p);
    }
}

void rounds_letters_give(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    const double *announced = rounds_only_letters(rounds) ? NULL : rounds->announcements.inbox;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        give(worker, p, announced ? announced + rounds->topology->first[p] : NULL);
    }
    count_messages(worker);
}

void rounds_letters_turn(struct rounds_worker *worker, uint32_t p, const double *announced)
{
    ask(worker, p);
    give(worker, p, announced);
    count_messages(worker);
}
