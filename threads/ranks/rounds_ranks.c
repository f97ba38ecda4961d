// SPDX-License-Identifier: MIT
// Rounds over ranks.
#include "threads/ranks/rounds_ranks.h"

#include <math.h>
#include <string.h>

#include "threads/ranks/agree.h"
#include "base/cursor.h"

// What a worker has counted, and what else all must know.
struct rounds_told {
    double minimum, shift[2], swapped, consumed_at_home;
    uint64_t parcels, messages, invokers;
    int64_t waiting; // since the last meeting
    bool busy, violated, late, interrupted;
};

// Whether span i of the placement is this rank's.
static bool is_own(const struct ek_machine *machine, uint32_t i)
{
    return machine->placement.rank[i] == machine->ranks->rank;
}

static unsigned count_blocks(const struct ek_machine *machine)
{
    unsigned blocks = 0;
    for (uint32_t i = 0; i < machine->placement.spans; i++) {
        blocks += is_own(machine, i);
    }
    return blocks;
}

unsigned rounds_ranks_workers(const struct ek_machine *machine)
{
    bool placed = machine->placement.spans > 0; // else this is asked before there are processors to place
    return placed ? count_blocks(machine) + machine->ranks->count - 1 : machine->workers;
}

void rounds_ranks_plan(struct rounds_run *rounds, struct base_arena *memory)
{
    struct rounds_ranks *ranks = &rounds->ranks;
    ranks->link = rounds->machine->ranks;
    if (!ranks->link) {
        return;
    }
    unsigned count = ranks->link->count;
    ranks->blocks = count_blocks(rounds->machine);
    rank_crossings_plan(&ranks->crossings, ranks->link, &rounds->machine->placement, rounds->topology, memory);
    rank_collector_plan(&ranks->collector, ranks->link, &rounds->machine->placement, memory);
    size_t crossings = ranks->crossings.count;
    base_arena_plan(memory, &ranks->told, count, sizeof *ranks->told);
    base_arena_plan(memory, &ranks->sums, 2 * (uint64_t)count, sizeof *ranks->sums);
    base_arena_plan(memory, &ranks->out, crossings, sizeof *ranks->out);
    base_arena_plan(memory, &ranks->in, crossings, sizeof *ranks->in);
}

void rounds_ranks_begin(struct rounds_run *rounds)
{
    if (rounds->ranks.link) {
        rank_crossings_find(&rounds->ranks.crossings);
    }
}

static void lose(struct rounds_run *rounds)
{
    struct ek_error lost;
    base_fail(&lost, EK_BAD_INPUT, "carrier",
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

static bool exchange(struct rounds_run *rounds)
{
    const struct rounds_ranks *ranks = &rounds->ranks;
    bool good = ranks->link->exchange(ranks->link->context, ranks->crossings.peer, ranks->crossings.peers, ranks->out,
                                      ranks->in);
    if (!good) {
        lose(rounds);
    }
    return good;
}

void rounds_ranks_cross_levels(struct rounds_run *rounds)
{
    const struct rounds_ranks *ranks = &rounds->ranks;
    const struct ek_topology *topology = rounds->topology;
    if (!speaks(rounds)) {
        return;
    }
    for (size_t i = 0; i < ranks->crossings.count; i++) {
        ranks->out[i] = rounds->loads.level[topology->neighbour[topology->twin[ranks->crossings.at[i].port]]];
    }
    bool good = exchange(rounds);
    for (size_t i = 0; good && i < ranks->crossings.count; i++) {
        rounds->loads.level[topology->neighbour[ranks->crossings.at[i].port]] = ranks->in[i];
    }
}

void rounds_ranks_cross(struct rounds_run *rounds, struct rounds_lane *lane, bool taken)
{
    const struct rounds_ranks *ranks = &rounds->ranks;
    const struct ek_topology *topology = rounds->topology;
    if (!speaks(rounds)) {
        return;
    }
    for (size_t i = 0; i < ranks->crossings.count; i++) {
        double *message = &lane->outbox[rounds_place(lane, ranks->crossings.at[i].port)];
        ranks->out[i] = *message;
        *message = taken ? lane->nothing : *message;
    }
    bool good = exchange(rounds);
    for (size_t i = 0; good && i < ranks->crossings.count; i++) {
        uint32_t port = ranks->crossings.at[i].port;
        lane->inbox[rounds_found(lane, port)] = ranks->in[i];
        if (lane->bells.rung && !rounds_is_nothing(lane, ranks->in[i])) {
            rounds_bells_ring(&lane->bells, topology->neighbour[topology->twin[port]]);
        }
    }
}

static struct rounds_told tell_own(const struct rounds_run *rounds)
{
    struct rounds_told told = {
        .minimum = INFINITY,
        .waiting = atomic_load_explicit(&rounds->shared.waiting, memory_order_relaxed) - rounds->ranks.waiting,
        .busy = atomic_load_explicit(&rounds->shared.busy, memory_order_relaxed),
        .violated = atomic_load_explicit(&rounds->shared.violated, memory_order_relaxed),
        .late = rounds->now.late,
        .interrupted = rounds->now.interrupted,
    };
    for (unsigned b = 0; b < rounds->ranks.blocks; b++) {
        const struct rounds_worker *worker = &rounds->worker[b];
        told.minimum = fmin(told.minimum, worker->minimum);
        told.shift[0] = fmax(told.shift[0], worker->shift[0]);
        told.shift[1] = fmax(told.shift[1], worker->shift[1]);
        told.swapped += worker->swapped;
        told.consumed_at_home += worker->consumed_at_home;
        told.parcels += worker->parcels;
        told.messages += worker->messages;
        told.invokers += worker->invokers;
    }
    return told;
}

// What another rank has told goes to the worker that stands for it.
static void hear_of(struct rounds_run *rounds, unsigned rank)
{
    const struct rounds_ranks *ranks = &rounds->ranks;
    const struct rounds_told *told = &ranks->told[rank];
    if (rank == ranks->link->rank) {
        return;
    }
    struct rounds_worker *worker = &rounds->worker[ranks->blocks + rank - (rank > ranks->link->rank)];
    worker->minimum = told->minimum;
    worker->shift[0] = told->shift[0];
    worker->shift[1] = told->shift[1];
    worker->swapped = told->swapped;
    worker->consumed_at_home = told->consumed_at_home;
    worker->parcels = told->parcels;
    worker->messages = told->messages;
    worker->invokers = told->invokers;
}

// What is so in one rank is so in all.
static void hear_flags(struct rounds_run *rounds, const struct rounds_told *told)
{
    rounds->ranks.waiting += told->waiting;
    rounds->now.late = rounds->now.late || told->late;
    rounds->now.interrupted = rounds->now.interrupted || told->interrupted;
    if (told->busy) {
        atomic_store_explicit(&rounds->shared.busy, true, memory_order_relaxed);
    }
}

bool rounds_ranks_agree(struct rounds_run *rounds, bool good, struct ek_error *error)
{
    if (speaks(rounds) && !rank_vote(rounds->ranks.link, &good, 0, error)) {
        rounds->ranks.lost = true;
    }
    return good;
}

// A violation in one rank is one in all; the first rank's is reported.
static void hear_violation(struct rounds_run *rounds)
{
    const struct rounds_ranks *ranks = &rounds->ranks;
    rounds_ranks_agree(rounds, !ranks->told[ranks->link->rank].violated, &rounds->shared.violation);
    atomic_store_explicit(&rounds->shared.violated, true, memory_order_relaxed);
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
    bool violated = false;
    for (unsigned r = 0; r < ranks->link->count; r++) {
        hear_of(rounds, r);
        hear_flags(rounds, &ranks->told[r]);
        violated = violated || ranks->told[r].violated;
    }
    atomic_store_explicit(&rounds->shared.waiting, ranks->waiting, memory_order_relaxed);
    if (violated) {
        hear_violation(rounds);
    }
}

static void collect(struct rounds_run *rounds, double *array, size_t words, const uint32_t *first)
{
    if (speaks(rounds) && array && !rank_collect(&rounds->ranks.collector, array, words, first)) {
        lose(rounds);
    }
}

void rounds_ranks_collect(struct rounds_run *rounds, double *array, size_t words)
{
    collect(rounds, array, words, NULL);
}

void rounds_ranks_collect_ports(struct rounds_run *rounds, double *array, size_t words)
{
    collect(rounds, array, words, rounds->topology->first);
}

double rounds_ranks_in_flight(struct rounds_run *rounds)
{
    const struct ek_ranks *link = rounds->ranks.link;
    double sum[2] = {0.0, 0.0}; // and what rounding took from it
    const struct rank_placement *placement = &rounds->machine->placement;
    const uint32_t *first = rounds->topology->first;
    for (uint32_t i = 0; rounds->lines.links && i < placement->spans && speaks(rounds); i++) {
        if (is_own(rounds->machine, i)) {
            mail_delay_add_in_flight(&rounds->lines, first[placement->begin[i]], first[placement->begin[i + 1]],
                                     &sum[0], &sum[1]);
        }
        if (!link->gather(link->context, sum, rounds->ranks.sums, sizeof sum)) {
            lose(rounds);
        }
        memcpy(sum, rounds->ranks.sums + 2 * (size_t)placement->rank[i], sizeof sum);
    }
    return isfinite(sum[1]) ? sum[0] + sum[1] : sum[0];
}
