// SPDX-License-Identifier: MIT
// Rounds on several processes.
#include "threads/rounds/over_ranks/rounds_ranks.h"

#include <math.h>
#include <string.h>

#include "threads/ranks/agree.h"
#include "threads/rounds/over_ranks/letters_over_ranks.h"
#include "threads/rounds/over_ranks/rank_exchange.h"
#include "threads/rounds/over_ranks/tasks_over_ranks.h"
#include "threads/rounds/over_ranks/turns_over_ranks.h"
#include "base/cursor.h"
#include "topologies/rows.h"

// The report of a rank at a meeting: the sums and extremes of its workers, and flags.
struct rounds_counted {
    double minimum, shift[2], swapped, consumed_at_home;
    uint64_t parcels, messages, invokers;
    int64_t waiting; // since the last meeting
    bool busy, violated, late, interrupted;
    struct rounds_pace pace; // the slowest
};

// Returns whether span i of the placement is this rank's.
static bool is_own(const struct machine_plan *machine, uint32_t i)
{
    return machine->placement.rank[i] == machine->ranks->rank;
}

static unsigned count_blocks(const struct machine_plan *machine)
{
    unsigned blocks = 0;
    for (uint32_t i = 0; i < machine->placement.spans; i++) {
        blocks += is_own(machine, i);
    }
    return blocks;
}

static unsigned workers(const struct machine_plan *machine)
{
    bool placed = machine->placement.spans > 0; // false while the topology is an outline
    return placed ? count_blocks(machine) + machine->ranks->count - 1 : machine->workers;
}

static void plan(struct rounds_run *rounds, struct base_arena *memory)
{
    struct rounds_remote *ranks = &rounds->remote;
    ranks->link = rounds->machine->ranks;
    unsigned count = ranks->link->count;
    rounds->blocks = count_blocks(rounds->machine);
    rank_crossings_plan(&ranks->all, ranks->link, &rounds->machine->placement, rounds->topology, memory);
    bool reads = rounds->by_block && rounds->topology->processors <= CORE_MEASURE_IN_ORDER;
    rank_collector_plan(&ranks->collector, ranks->link, &rounds->machine->placement, reads, memory);
    base_arena_plan(memory, &ranks->window, reads ? rounds->topology->processors : 0, sizeof *ranks->window);
    base_arena_plan(memory, &ranks->tally, rounds->by_block ? count : 0, sizeof *ranks->tally);
    size_t crossings = ranks->all.count;
    rounds_ranks_use_all(rounds);
    base_arena_plan(memory, &ranks->counted, count, sizeof *ranks->counted);
    base_arena_plan(memory, &ranks->sums, 2 * (uint64_t)count, sizeof *ranks->sums);
    base_arena_plan(memory, &ranks->out, crossings, sizeof *ranks->out);
    base_arena_plan(memory, &ranks->in, crossings, sizeof *ranks->in);
    rounds_ranks_plan_tasks(rounds, memory);
    if (rounds->in_turns) {
        rounds_ranks_plan_turns(rounds, memory);
    }
}

// Gives each worker a span of this rank's processors, and none to the workers that stand for other ranks.
static void begin(struct rounds_run *rounds)
{
    const struct rank_placement *placement = &rounds->machine->placement;
    uint32_t processors = rounds->topology->processors;
    unsigned count = 0;
    rank_crossings_find(&rounds->remote.all);
    for (uint32_t i = 0; i < placement->spans; i++) {
        if (is_own(rounds->machine, i)) {
            rounds_begin_worker(rounds, count++, placement->begin[i], placement->begin[i + 1]);
        }
    }
    for (; count < rounds->workers; count++) {
        rounds_begin_worker(rounds, count, processors, processors);
    }
    if (rounds->in_turns) {
        rounds_ranks_begin_turns(rounds);
    }
}

// Returns whether all ranks have answered so far. Otherwise the run is about to end, and nothing more is sent.
static bool speaks(const struct rounds_run *rounds)
{
    return !rounds->remote.lost;
}

static void cross_loads(struct rounds_run *rounds, double *loads)
{
    const struct rounds_remote *ranks = &rounds->remote;
    if (!speaks(rounds)) {
        return;
    }
    for (size_t i = 0; i < ranks->sends; i++) {
        ranks->out[i] = loads[ranks->crossings->at[i].own];
    }
    bool good = rounds_ranks_exchange(rounds);
    for (size_t i = 0; good && i < ranks->brings; i++) {
        loads[ranks->crossings->at[i].neighbour] = ranks->in[i];
    }
}

// The places of both ports of a crossing among the amounts sent so far.
struct sent_places {
    size_t here, there;
};

static struct sent_places sent_places_of(const struct rounds_run *rounds, const struct rank_crossing *crossing)
{
    const struct ek_topology *topology = rounds->topology;
    uint32_t p = crossing->own, k = crossing->port - topo_first(topology, p);
    if (rounds->sent_plane == 0) {
        return (struct sent_places){crossing->port, topo_twin(topology, p, k, crossing->neighbour)};
    }
    struct topo_port to = topo_port_at(topology, p, k);
    size_t plane = topo_plane_of(topology, to.dimension, to.direction);
    size_t twin = topo_plane_of(topology, to.dimension, -to.direction);
    return (struct sent_places){plane * rounds->sent_plane + p, twin * rounds->sent_plane + crossing->neighbour};
}

static void cross_sent(struct rounds_run *rounds)
{
    const struct rounds_remote *ranks = &rounds->remote;
    if (!speaks(rounds)) {
        return;
    }
    for (size_t i = 0; i < ranks->sends; i++) {
        ranks->out[i] = rounds->sent[sent_places_of(rounds, &ranks->crossings->at[i]).here];
    }
    bool good = rounds_ranks_exchange(rounds);
    for (size_t i = 0; good && i < ranks->brings; i++) {
        rounds->sent[sent_places_of(rounds, &ranks->crossings->at[i]).there] = ranks->in[i];
    }
}

static void clear(struct rounds_run *rounds, struct rounds_lane *lane)
{
    const struct rank_crossings *crossings = &rounds->remote.all;
    for (size_t i = 0; i < crossings->count; i++) {
        lane->outbox[rounds_place(lane, crossings->at[i].port)] = lane->nothing;
    }
}

static void cross(struct rounds_run *rounds, struct rounds_lane *lane, bool once)
{
    const struct rounds_remote *ranks = &rounds->remote;
    if (!speaks(rounds)) {
        return;
    }
    for (size_t i = 0; i < ranks->sends; i++) {
        double *message = &lane->outbox[rounds_place(lane, ranks->crossings->at[i].port)];
        ranks->out[i] = *message;
        *message = once ? lane->nothing : *message;
    }
    bool good = rounds_ranks_exchange(rounds);
    for (size_t i = 0; good && i < ranks->brings; i++) {
        const struct rank_crossing *crossing = &ranks->crossings->at[i];
        lane->inbox[rounds_found(lane, crossing->port)] = ranks->in[i];
        if (lane->bells.rung && !rounds_is_nothing(lane, ranks->in[i])) {
            rounds_bells_ring(&lane->bells, crossing->own);
        }
    }
}

// Sums up what the workers of this rank have counted.
static struct rounds_counted count_own(const struct rounds_run *rounds)
{
    struct rounds_counted own = {
        .minimum = INFINITY,
        .waiting = atomic_load_explicit(&rounds->shared.waiting, memory_order_relaxed) - rounds->remote.waiting,
        .busy = atomic_load_explicit(&rounds->shared.busy, memory_order_relaxed),
        .violated = atomic_load_explicit(&rounds->shared.violated, memory_order_relaxed),
        .late = rounds->now.late,
        .interrupted = rounds->now.interrupted,
    };
    for (unsigned b = 0; b < rounds->blocks; b++) {
        const struct rounds_worker *worker = &rounds->worker[b];
        own.minimum = fmin(own.minimum, worker->minimum);
        own.shift[0] = fmax(own.shift[0], worker->shift[0]);
        own.shift[1] = fmax(own.shift[1], worker->shift[1]);
        own.swapped += worker->swapped;
        own.consumed_at_home += worker->consumed_at_home;
        own.parcels += worker->parcels;
        own.messages += worker->messages;
        own.invokers += worker->invokers;
        rounds_pace_slow(&own.pace, &worker->pace);
    }
    return own;
}

// Copies what another rank has counted to the worker that stands for it.
static void copy_counts(struct rounds_run *rounds, unsigned rank)
{
    const struct rounds_remote *ranks = &rounds->remote;
    const struct rounds_counted *counted = &ranks->counted[rank];
    if (rank == ranks->link->rank) {
        return;
    }
    struct rounds_worker *worker = &rounds->worker[rounds_ranks_worker(rounds, rank)];
    worker->minimum = counted->minimum;
    worker->shift[0] = counted->shift[0];
    worker->shift[1] = counted->shift[1];
    worker->swapped = counted->swapped;
    worker->consumed_at_home = counted->consumed_at_home;
    worker->parcels = counted->parcels;
    worker->messages = counted->messages;
    worker->invokers = counted->invokers;
    worker->pace = counted->pace;
}

// Sets every flag that one rank has set.
static void add_flags(struct rounds_run *rounds, const struct rounds_counted *counted)
{
    rounds->remote.waiting += counted->waiting;
    rounds->now.late = rounds->now.late || counted->late;
    rounds->now.interrupted = rounds->now.interrupted || counted->interrupted;
    if (counted->busy) {
        atomic_store_explicit(&rounds->shared.busy, true, memory_order_relaxed);
    }
}

static bool agree(struct rounds_run *rounds, bool good, struct ek_error *error)
{
    if (speaks(rounds) && !rank_vote(rounds->remote.link, &good, 0, error)) {
        rounds->remote.lost = true;
    }
    return good;
}

// Reports the violation of the first rank that found one, in all ranks.
static void share_violation(struct rounds_run *rounds)
{
    const struct rounds_remote *ranks = &rounds->remote;
    agree(rounds, !ranks->counted[ranks->link->rank].violated, &rounds->shared.violation);
    atomic_store_explicit(&rounds->shared.violated, true, memory_order_relaxed);
}

static void meet(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    if (!speaks(rounds)) {
        return;
    }
    struct rounds_counted own = count_own(rounds);
    if (!ranks->link->gather(ranks->link->context, &own, ranks->counted, sizeof own)) {
        rounds_ranks_lose(rounds);
        return;
    }
    bool violated = false;
    for (unsigned r = 0; r < ranks->link->count; r++) {
        copy_counts(rounds, r);
        add_flags(rounds, &ranks->counted[r]);
        violated = violated || ranks->counted[r].violated;
    }
    atomic_store_explicit(&rounds->shared.waiting, ranks->waiting, memory_order_relaxed);
    if (rounds_has_letters(rounds)) {
        rounds_ranks_meet_letters(rounds);
    }
    if (violated) {
        share_violation(rounds);
    }
}

static void collect(struct rounds_run *rounds, double *array, size_t words, bool by_port)
{
    const struct ek_topology *ports = by_port ? rounds->topology : NULL;
    if (speaks(rounds) && !rank_collect(&rounds->remote.collector, array, words, ports)) {
        rounds_ranks_lose(rounds);
    }
}

static const double *read(struct rounds_run *rounds, const double *array)
{
    struct rounds_remote *ranks = &rounds->remote;
    _Static_assert((int)CORE_MEASURE_IN_ORDER <= (int)RANK_WINDOW, "the array can be collected at once");
    if (speaks(rounds) &&
        !rank_collect_window(&ranks->collector, array, 0, rounds->topology->processors, ranks->window)) {
        rounds_ranks_lose(rounds);
    }
    return ranks->window;
}

static void merge(struct rounds_run *rounds, struct core_tally *tally)
{
    struct rounds_remote *ranks = &rounds->remote;
    if (!speaks(rounds)) {
        return;
    }
    if (!ranks->link->gather(ranks->link->context, tally, ranks->tally, sizeof *tally)) {
        rounds_ranks_lose(rounds);
        return;
    }
    for (unsigned r = 0; r < ranks->link->count; r++) {
        if (r != ranks->link->rank) {
            core_tally_merge(tally, &ranks->tally[r]);
        }
    }
}

// Returns the load in flight. Each span in turn adds the load on its way to the processors of the span to the sum of
// the spans before it.
static double in_flight(struct rounds_run *rounds)
{
    const struct ek_ranks *link = rounds->remote.link;
    double sum[2] = {0.0, 0.0}; // the sum, and its rounding error
    const struct rank_placement *placement = &rounds->machine->placement;
    const uint32_t *first = rounds->topology->first;
    for (uint32_t i = 0; rounds->lines.links && i < placement->spans && speaks(rounds); i++) {
        if (is_own(rounds->machine, i)) {
            mail_delay_add_in_flight(&rounds->lines, first[placement->begin[i]], first[placement->begin[i + 1]],
                                     &sum[0], &sum[1]);
        }
        if (!link->gather(link->context, sum, rounds->remote.sums, sizeof sum)) {
            rounds_ranks_lose(rounds);
        }
        memcpy(sum, rounds->remote.sums + 2 * (size_t)placement->rank[i], sizeof sum);
    }
    return isfinite(sum[1]) ? sum[0] + sum[1] : sum[0];
}

// A port's parcels wait at their receiver's rank; their sender may belong to another one.
static void share_returned(struct rounds_run *rounds, uint32_t port, uint64_t *parcels, double *load)
{
    const struct ek_ranks *link = rounds->remote.link;
    const struct rank_placement *placement = &rounds->machine->placement;
    uint32_t receiver = rounds->topology->neighbour[rounds->topology->twin[port]];
    const double own[2] = {(double)*parcels, *load};
    if (!speaks(rounds)) {
        return;
    }
    if (!link->gather(link->context, own, rounds->remote.sums, sizeof own)) {
        rounds_ranks_lose(rounds);
        return;
    }
    const double *its = rounds->remote.sums + 2 * (size_t)placement->rank[rank_placement_span(placement, receiver)];
    *parcels = (uint64_t)its[0];
    *load = its[1];
}

// Collects the amounts sent so far, plane by plane if they lie in planes.
static void collect_sent(struct rounds_run *rounds)
{
    uint32_t planes = rounds->sent_plane ? topo_plane(rounds->topology, rounds->topology->dimensions) : 0;
    for (uint32_t plane = 0; plane < planes; plane++) {
        collect(rounds, rounds->sent + plane * rounds->sent_plane, 1, false);
    }
    if (planes == 0) {
        collect(rounds, rounds->sent, 1, true);
    }
}

const struct rounds_transport rounds_ranks_transport = {.workers = workers,
                                                        .plan = plan,
                                                        .begin = begin,
                                                        .end = rounds_ranks_end_tasks,
                                                        .clear = clear,
                                                        .read = read,
                                                        .merge = merge,
                                                        .cross = cross,
                                                        .cross_cargo = rounds_ranks_cross_cargo,
                                                        .cross_said = rounds_ranks_cross_said,
                                                        .meet_tasks = rounds_ranks_meet_tasks,
                                                        .gather_tasks = rounds_ranks_gather_tasks,
                                                        .cross_letters = rounds_ranks_cross_letters,
                                                        .gather_objects = rounds_ranks_gather_objects,
                                                        .cross_loads = cross_loads,
                                                        .cross_sent = cross_sent,
                                                        .take_turns = rounds_ranks_take_turns,
                                                        .meet = meet,
                                                        .agree = agree,
                                                        .collect = collect,
                                                        .collect_sent = collect_sent,
                                                        .share_returned = share_returned,
                                                        .in_flight = in_flight};
