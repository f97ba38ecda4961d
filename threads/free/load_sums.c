// SPDX-License-Identifier: MIT
// Sums of loads.
#include "threads/free/load_sums.h"

#include <math.h>

static bool can_guess(const struct machine_plan *machine)
{
    if (machine->program) { // the run ends when no task is left
        return true;
    }
    switch (machine->stop.kind) {
    case CORE_STOP_VARIANCE:
    case CORE_STOP_SPREAD:
    case CORE_STOP_SHARED:
        return true;
    case CORE_STOP_ERROR:
    case CORE_STOP_DISCREPANCY:
        return !machine->capacity;
    case CORE_STOP_NEIGHBOURS: // a worker does not know the loads at the other end of a link
    case CORE_STOP_IMBALANCE:  // nor the mean of all loads
    case CORE_STOP_NEVER:
    case CORE_STOP_ITSELF:
        break;
    }
    return false;
}

// Relaxed: lone values. The reader does not assume that they belong to one moment.
static void publish(_Atomic double *place, double value)
{
    atomic_store_explicit(place, value, memory_order_relaxed);
}

static double published(const _Atomic double *place)
{
    return atomic_load_explicit(place, memory_order_relaxed);
}

void free_publish_sums(struct free_worker *worker)
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
        double distance =
            held - run->start.mean; // from the mean, so that the squares of nearly balanced loads are small
        sum += distance;
        squares += distance * distance;
        least = held < least ? held : least;
        most = held > most ? held : most;
    }
    publish(&worker->sums.sum, sum);
    publish(&worker->sums.squares, squares);
    publish(&worker->sums.least, least);
    publish(&worker->sums.most, most);
}

bool free_sums_reach_criterion(const struct free_run *run)
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
        const struct free_sums *sums = &run->worker[w].sums;
        sum += published(&sums->sum);
        squares += published(&sums->squares);
        least = fmin(least, published(&sums->least));
        most = fmax(most, published(&sums->most));
    }
    if (run->machine->program) {
        return most <= 0.0;
    }
    double variance = squares - sum * sum / run->topology->processors;
    switch (stop->kind) {
    case CORE_STOP_VARIANCE:
        return variance <= stop->limit;
    case CORE_STOP_ERROR:
        return variance <= stop->limit * stop->limit;
    case CORE_STOP_SPREAD:
    case CORE_STOP_DISCREPANCY:
        return most - least <= stop->limit;
    default:
        return least > 0.0; // CORE_STOP_SHARED
    }
}
