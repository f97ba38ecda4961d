// SPDX-License-Identifier: MIT
// Tasks in rounds: the parcels that the method has sent as numbers are filled with tasks.
#include "threads/rounds/step.h"
#include "threads/rounds/transport.h"
#include "threads/rounds/verdict.h"

static struct cargo_worker *cargo_of(const struct rounds_worker *worker)
{
    return &worker->rounds->tasks.worker[worker - worker->rounds->worker];
}

// A large machine's tasks do not fit the caches. So a loop prefetches the oldest tasks of a processor that comes some
// ports later, if a parcel is there.
enum { AHEAD = 8 };

static inline void prefetch_oldest(const struct rounds_worker *worker, const struct rounds_active *active, size_t k,
                                   const double *amounts, bool found)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    if (k + AHEAD < rounds_active_count(active)) {
        uint32_t port = rounds_active_port(active, k + AHEAD);
        size_t place = found ? rounds_found(&rounds->parcels, port) : rounds_place(&rounds->parcels, port);
        if (amounts[place] > 0.0) {
            __builtin_prefetch(rounds->tasks.processor[topology->neighbour[topology->twin[port]]].held.oldest);
        }
    }
}

// A linear rule may give away more than a processor holds. Tasks cannot be owed, so the parcel gets what is there.
void rounds_tasks_send(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    for (size_t k = 0; k < rounds_active_count(&worker->now); k++) {
        uint32_t port = rounds_active_port(&worker->now, k);
        double *amount = &rounds->parcels.outbox[rounds_place(&rounds->parcels, port)];
        prefetch_oldest(worker, &worker->now, k, rounds->parcels.outbox, false);
        if (*amount > 0.0) {
            uint32_t p = topology->neighbour[topology->twin[port]];
            double sent = (double)cargo_send(cargo_of(worker), p, port, (uint64_t)*amount);
            double short_of = *amount - sent;
            rounds->loads.held[p] += short_of;
            rounds->loads.moved[p] -= short_of;
            if (rounds->sent) {
                rounds->sent[port] -= short_of;
            }
            *amount = sent;
        }
    }
}

void rounds_tasks_receive(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    for (size_t k = 0; k < rounds_active_count(&worker->before); k++) {
        uint32_t port = rounds_active_port(&worker->before, k);
        prefetch_oldest(worker, &worker->before, k, rounds->parcels.inbox, true);
        if (rounds->parcels.inbox[rounds_found(&rounds->parcels, port)] > 0.0) {
            uint32_t sent_from = topology->twin[port];
            cargo_receive(cargo_of(worker), topology->neighbour[sent_from], sent_from);
        }
    }
}

// Returns whether processors tell one another the best value that they know.
static bool tells_best(const struct rounds_run *rounds)
{
    return rounds->tasks.program->result == EK_RESULT_LEAST;
}

void rounds_tasks_say(struct rounds_worker *worker)
{
    for (uint32_t p = worker->begin; tells_best(worker->rounds) && p < worker->end; p++) {
        cargo_say(&worker->rounds->tasks, p);
    }
}

// Reads what the neighbours said in the announce phase. The barrier between the phases orders these accesses.
void rounds_tasks_hear(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    for (size_t k = 0; tells_best(rounds) && k < rounds_active_count(&worker->now); k++) {
        uint32_t port = rounds_active_port(&worker->now, k);
        uint32_t p = topology->neighbour[topology->twin[port]];
        if (!rounds->invokes || rounds->invokes[p] || rounds->invitations.inbox[port] != 0.0) {
            cargo_hear(&rounds->tasks, p, topology->neighbour[port]);
        }
    }
}

void rounds_tasks_done(struct rounds_run *rounds)
{
    struct ek_error violation;
    if (!rounds_has_tasks(rounds)) {
        return;
    }
    if (rounds->transport) {
        rounds->transport->meet_tasks(rounds);
    }
    bool done = cargo_tick_done(&rounds->tasks, cargo_letters_in_flight(&rounds->letters));
    if (!cargo_good(&rounds->tasks, done, &violation)) {
        rounds_violate(rounds, &violation);
    } else if (done) {
        rounds_end(rounds, EK_ENDED_DONE);
    }
}
