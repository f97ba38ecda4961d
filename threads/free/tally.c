// SPDX-License-Identifier: MIT
// Guesses at the criterion.
#include "threads/free/tally.h"

#include <math.h>

static bool can_guess(const struct machine_plan *machine)
{
    switch (machine->stop.kind) {
    case CORE_STOP_VARIANCE:
    case CORE_STOP_SPREAD:
    case CORE_STOP_SHARED:
        return true;
    case CORE_STOP_ERROR:
        return !machine->capacity;
    case CORE_STOP_NEIGHBOURS: // links between workers are nobody's
    case CORE_STOP_NEVER:
    case CORE_STOP_ITSELF:
        break;
    }
    return false;
}

// Lone values, whoever reads them together knows that they are not: relaxed.
static void publish(_Atomic double *place, double value)
{
    atomic_store_explicit(place, value, memory_order_relaxed);
}

static double published(const _Atomic double *place)
{
    return atomic_load_explicit(place, memory_order_relaxed);
}

void free_tally(struct free_worker *worker)
{
    const struct free_run *run = worker->run;
    if (!can_guess(run->machine)) {
        return;
    }
    double sum = 0.0;
    double squares = 0.0;
    double least = INFINITY;
    double most = -INFINITY;
    for (uint32_t place = worker->begin; place < worker->end; place++) {
        double held = run->processor[free_processor_at(run, place)].held;
        double distance = held - run->start.mean; // near the mean, so that squares are small where they count
        sum += distance;
        squares += distance * distance;
        least = held < least ? held : least;
        most = held > most ? held : most;
    }
    publish(&worker->tally.sum, sum);
    publish(&worker->tally.squares, squares);
    publish(&worker->tally.least, least);
    publish(&worker->tally.most, most);
}

bool free_tally_promises(const struct free_run *run)
{
    const struct core_stop *stop = &run->machine->stop;
    double sum = 0.0;
    double squares = 0.0;
    double least = INFINITY;
    double most = -INFINITY;
    if (!can_guess(run->machine)) {
        return false;
    }
    for (unsigned w = 0; w < run->machine->workers; w++) {
        const struct free_tally *tally = &run->worker[w].tally;
        sum += published(&tally->sum);
        squares += published(&tally->squares);
        least = fmin(least, published(&tally->least));
        most = fmax(most, published(&tally->most));
    }
    double variance = squares - sum * sum / run->topology->processors;
    switch (stop->kind) {
    case CORE_STOP_VARIANCE:
        return variance <= stop->limit;
    case CORE_STOP_ERROR:
        return variance <= stop->limit * stop->limit;
    case CORE_STOP_SPREAD:
        return most - least <= stop->limit;
    default:
        return least > 0.0; // shared
    }
}
