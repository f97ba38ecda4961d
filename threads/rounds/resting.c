// SPDX-License-Identifier: MIT
// Resting: where steps have one phase (foresight.c), a worker that cannot act is left out of the meetings.
//
// Terms. A worker is *quiet* in a step if none of its processors sends or receives load. The *news* of a processor is
// that a load has changed on which the parcels depend that it sends or receives: a neighbour's load, and with a program
// that is a rule a load within two links, because what a neighbour sends depends on all its neighbours. A worker
// *rests* after two operations without news in which it was quiet.
//
// A worker that rests would compute nothing else than in its last operation: a rule that is foreseen depends on these
// loads and the step only. All it has written holds for the steps that it leaves out: both arrays of levels have its
// loads, and both arrays of parcels have nothing. In the serial section, the workers that do not rest and those with
// news are called (mail_barrier_call); the others stay at the barrier.
//
// News is a bell of each processor. It is rung in a phase and answered in the next one, in which the next news is rung.
// So there are two sets of bells, for even and for odd steps. A third set marks the workers that do not rest; only the
// worker writes its mark.
#include "threads/rounds/step.h"

// Returns the bells of the news that a step makes.
static struct rounds_bells *news_of(struct rounds_run *rounds, uint64_t step)
{
    return &rounds->news[step % 2];
}

// Rings the bells of the processors whose parcels depend on the load of p.
static void ring_around(struct rounds_run *rounds, uint32_t p)
{
    const struct ek_topology *topology = rounds->topology;
    struct rounds_bells *news = news_of(rounds, rounds->now.time);
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        uint32_t q = topology->neighbour[port];
        rounds_bells_ring(news, q);
        for (uint32_t k = topology->first[q]; rounds->machine->method_plan.flow && k < topology->first[q + 1]; k++) {
            rounds_bells_ring(news, topology->neighbour[k]);
        }
    }
}

// Returns whether the worker has sent nothing in this step and in the one before.
static bool has_sent_nothing(const struct rounds_worker *worker)
{
    const struct rounds_lane *parcels = &worker->rounds->parcels;
    for (uint32_t port = worker->every.from; port < worker->every.to; port++) {
        if (parcels->outbox[rounds_place(parcels, port)] != 0.0 || parcels->inbox[rounds_place(parcels, port)] != 0.0) {
            return false;
        }
    }
    return true;
}

bool rounds_rest_has_news(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    return rounds->now.time > 0 &&
           rounds_bells_answer(news_of(rounds, rounds->now.time - 1), worker->begin, worker->end, worker->turns) > 0;
}

void rounds_rest(struct rounds_worker *worker, bool quiet)
{
    struct rounds_run *rounds = worker->rounds;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        if (rounds->loads.foreseen[p] != rounds->loads.level[p]) {
            ring_around(rounds, p);
        }
    }
    if (!quiet) {
        worker->busy_in = rounds->now.operation;
    }
    bool rests = quiet && rounds->now.operation > worker->busy_in + 2 && has_sent_nothing(worker);
    if (rests) {
        rounds_bells_answer(&rounds->awake, worker->begin, worker->begin + 1, worker->turns);
        worker->before = (struct rounds_active){.ends = rounds->topology->ends}; // nothing is under way to it
    } else {
        rounds_bells_ring(&rounds->awake, worker->begin);
    }
}

uint32_t rounds_rest_list(struct rounds_run *rounds)
{
    const struct rounds_bells *news = news_of(rounds, rounds->now.time - 1);
    return rounds_bells_list(&rounds->awake, news, rounds->topology->processors, rounds->chosen);
}
