// SPDX-License-Identifier: MIT
// Rounds over ranks.
#include "threads/rounds/ranks.h"

#include <math.h>
#include <string.h>

#include "threads/ranks.h"
#include "topologies/scan.h"

// What a worker has counted, and what else all must know.
struct rounds_told {
    double minimum, shift[2], swapped, consumed_at_home;
    uint64_t parcels, messages, invokers;
    int64_t waiting; // since the last meeting
    bool busy, violated, late, interrupted;
};

static struct rounds_worker *own(const struct rounds_run *rounds)
{
    return &rounds->worker[rounds->ranks.link->rank];
}

// The links between the processors begin..end-1 and others; none where the topology has no arrays yet.
static uint64_t count_leaving(const struct ek_topology *topology, uint32_t begin, uint32_t end)
{
    uint64_t leaving = 0;
    for (uint32_t port = topology->first ? topology->first[begin] : 0; topology->first && port < topology->first[end];
         port++) {
        leaving += topology->neighbour[port] < begin || topology->neighbour[port] >= end;
    }
    return leaving;
}

void rounds_ranks_plan(struct rounds_run *rounds, struct core_memory *memory)
{
    struct rounds_ranks *ranks = &rounds->ranks;
    const struct ek_topology *topology = rounds->topology;
    ranks->link = rounds->machine->ranks;
    if (!ranks->link) {
        return;
    }
    unsigned count = ranks->link->count;
    uint64_t leaving = count_leaving(topology, machine_carrier_begin(topology->processors, count, ranks->link->rank),
                                     machine_carrier_begin(topology->processors, count, ranks->link->rank + 1));
    core_memory_plan(memory, &ranks->told, count, sizeof *ranks->told);
    core_memory_plan(memory, &ranks->sums, 2 * (uint64_t)count, sizeof *ranks->sums);
    core_memory_plan(memory, &ranks->from, count + 1u, sizeof *ranks->from);
    core_memory_plan(memory, &ranks->peer, count, sizeof *ranks->peer);
    core_memory_plan(memory, &ranks->leaving, leaving, sizeof *ranks->leaving);
    core_memory_plan(memory, &ranks->coming, leaving, sizeof *ranks->coming);
    core_memory_plan(memory, &ranks->out, leaving, sizeof *ranks->out);
    core_memory_plan(memory, &ranks->in, leaving, sizeof *ranks->in);
}

// The rank that has processor p.
static unsigned rank_of(const struct rounds_run *rounds, uint32_t p)
{
    unsigned low = 0, high = rounds->ranks.link->count - 1;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (p < rounds->worker[middle].end) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// Both ends of a link go by the sender's port: a rank's messages to another are in the order of the ports that they
// leave by.
void rounds_ranks_begin(struct rounds_run *rounds)
{
    struct rounds_ranks *ranks = &rounds->ranks;
    const struct ek_topology *topology = rounds->topology;
    if (!ranks->link) {
        return;
    }
    size_t count = 0;
    for (unsigned r = 0; r < ranks->link->count; r++) {
        const struct rounds_worker *sender = &rounds->worker[r];
        size_t before = ranks->from[r] = count;
        for (uint32_t port = sender->every.from; r != ranks->link->rank && port < sender->every.to; port++) {
            if (rank_of(rounds, topology->neighbour[port]) == ranks->link->rank) {
                ranks->coming[count++] = topology->twin[port];
            }
        }
        if (count > before) {
            ranks->peer[ranks->peers++] = (struct ek_rank_peer){.rank = r, .count = count - before};
        }
    }
    ranks->count = count;
    for (uint32_t port = own(rounds)->every.from; port < own(rounds)->every.to; port++) {
        unsigned receiver = rank_of(rounds, topology->neighbour[port]);
        if (receiver != ranks->link->rank) {
            ranks->leaving[ranks->from[receiver]++] = port;
        }
    }
}

static void lose(struct rounds_run *rounds)
{
    struct ek_error lost;
    topo_fail(&lost, EK_BAD_INPUT, "carrier", -1,
              "another rank does not answer any more: it was ended, or died, and the run with it in step %llu",
              (unsigned long long)rounds->now.step);
    rounds->ranks.lost = true;
    rounds_violate(rounds, &lost);
}

// Whether there is anybody to speak to.
static bool speaks(const struct rounds_run *rounds)
{
    return rounds->ranks.link && !rounds->ranks.lost;
}

void rounds_ranks_cross(struct rounds_run *rounds, struct rounds_lane *lane, bool taken)
{
    const struct rounds_ranks *ranks = &rounds->ranks;
    const struct ek_topology *topology = rounds->topology;
    if (!speaks(rounds)) {
        return;
    }
    for (size_t i = 0; i < ranks->count; i++) {
        double *message = &lane->outbox[lane->place[ranks->leaving[i]]];
        ranks->out[i] = *message;
        *message = taken ? lane->nothing : *message;
    }
    if (!ranks->link->exchange(ranks->link->context, ranks->peer, ranks->peers, ranks->out, ranks->in)) {
        lose(rounds);
        return;
    }
    for (size_t i = 0; i < ranks->count; i++) {
        lane->inbox[ranks->coming[i]] = ranks->in[i];
        if (lane->bells.rung && !rounds_is_nothing(lane, ranks->in[i])) {
            rounds_bells_ring(&lane->bells, topology->neighbour[topology->twin[ranks->coming[i]]]);
        }
    }
}

static struct rounds_told tell_own(const struct rounds_run *rounds)
{
    const struct rounds_worker *worker = own(rounds);
    return (struct rounds_told){
        .minimum = worker->minimum,
        .shift = {worker->shift[0], worker->shift[1]},
        .swapped = worker->swapped,
        .consumed_at_home = worker->consumed_at_home,
        .parcels = worker->parcels,
        .messages = worker->messages,
        .invokers = worker->invokers,
        .waiting = atomic_load_explicit(&rounds->shared.waiting, memory_order_relaxed) - rounds->ranks.waiting,
        .busy = atomic_load_explicit(&rounds->shared.busy, memory_order_relaxed),
        .violated = atomic_load_explicit(&rounds->shared.violated, memory_order_relaxed),
        .late = rounds->now.late,
        .interrupted = rounds->now.interrupted,
    };
}

static void hear_of(struct rounds_run *rounds, unsigned rank)
{
    const struct rounds_told *told = &rounds->ranks.told[rank];
    struct rounds_worker *worker = &rounds->worker[rank];
    worker->minimum = told->minimum;
    worker->shift[0] = told->shift[0];
    worker->shift[1] = told->shift[1];
    worker->swapped = told->swapped;
    worker->consumed_at_home = told->consumed_at_home;
    worker->parcels = told->parcels;
    worker->messages = told->messages;
    worker->invokers = told->invokers;
    rounds->ranks.waiting += told->waiting;
    rounds->now.late = rounds->now.late || told->late;
    rounds->now.interrupted = rounds->now.interrupted || told->interrupted;
    if (told->busy) {
        atomic_store_explicit(&rounds->shared.busy, true, memory_order_relaxed);
    }
}

// A violation in one rank is one in all; the first rank's is reported.
static void hear_violations(struct rounds_run *rounds)
{
    const struct ek_ranks *link = rounds->ranks.link;
    unsigned first = 0;
    while (first < link->count && !rounds->ranks.told[first].violated) {
        first++;
    }
    if (first < link->count) {
        machine_ranks_agree(link, first != link->rank, 0, &rounds->shared.violation);
        atomic_store_explicit(&rounds->shared.violated, true, memory_order_relaxed);
    }
}

void rounds_ranks_tell(struct rounds_run *rounds)
{
    struct rounds_ranks *ranks = &rounds->ranks;
    if (!speaks(rounds)) {
        return;
    }
    struct rounds_told told = tell_own(rounds);
    if (!ranks->link->gather(ranks->link->context, &told, ranks->told, sizeof told)) {
        lose(rounds);
        return;
    }
    for (unsigned r = 0; r < ranks->link->count; r++) {
        hear_of(rounds, r);
    }
    atomic_store_explicit(&rounds->shared.waiting, ranks->waiting, memory_order_relaxed);
    hear_violations(rounds);
}

static void collect(struct rounds_run *rounds, double *array, size_t words, bool by_port)
{
    const struct rounds_ranks *ranks = &rounds->ranks;
    if (!speaks(rounds) || !array) {
        return;
    }
    for (unsigned r = 0; r < ranks->link->count; r++) {
        const struct rounds_worker *worker = &rounds->worker[r];
        ranks->from[r + 1] = words * (by_port ? worker->every.to : worker->end);
    }
    ranks->from[0] = 0;
    if (!ranks->link->collect(ranks->link->context, array, ranks->from)) {
        lose(rounds);
    }
}

void rounds_ranks_collect(struct rounds_run *rounds, double *array, size_t words)
{
    collect(rounds, array, words, false);
}

void rounds_ranks_collect_ports(struct rounds_run *rounds, double *array, size_t words)
{
    collect(rounds, array, words, true);
}

double rounds_ranks_in_flight(struct rounds_run *rounds)
{
    const struct ek_ranks *link = rounds->ranks.link;
    double sum[2] = {0.0, 0.0}; // and what rounding took from it
    for (unsigned r = 0; rounds->lines.delay && r < link->count && speaks(rounds); r++) {
        const struct rounds_worker *worker = &rounds->worker[r];
        if (r == link->rank) {
            mail_delay_add_in_flight(&rounds->lines, worker->every.from, worker->every.to, &sum[0], &sum[1]);
        }
        if (!link->gather(link->context, sum, rounds->ranks.sums, sizeof sum)) {
            lose(rounds);
        }
        memcpy(sum, rounds->ranks.sums + 2 * r, sizeof sum);
    }
    return isfinite(sum[1]) ? sum[0] + sum[1] : sum[0];
}
