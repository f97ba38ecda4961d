// SPDX-License-Identifier: MIT
// Turns on several processes. All ranks know the order of turns. A *stint* consists of successive turns in this order
// whose processors belong to one rank. In a stint only this rank's processors act, and they change only their own loads
// and those of their neighbours. So the loads of neighbours on other ranks are fetched once, when the stint begins, and
// the parcels are delivered once, when it ends. Between the two the rank has the turns as one process has them, and
// keeps the fetched loads up to date. A rank without links to the processors of a stint goes on to the next stint. But
// letters can go to any rank, and with `choose communicating` all ranks must know where objects are. Then all ranks
// take part in what follows each stint.
//
// No deadlock, even if a message waits until it is received: all ranks go through the stints in the same order. Of the
// stints that some rank has not completed, take the first. Each rank that takes part in it has completed all stints
// before it, so it is in this stint or reaches it without waiting. In a stint messages go from the other ranks to the
// stint's rank, and then from this rank to the others, and all make these exchanges in the same order. So the stint
// ends too.
#include <string.h>

#include "threads/rounds/over_ranks/turns_over_ranks.h"
#include "threads/rounds/over_ranks/letters_over_ranks.h"
#include "threads/rounds/over_ranks/rank_exchange.h"
#include "threads/rounds/over_ranks/tasks_over_ranks.h"

void rounds_ranks_plan_turns(struct rounds_run *rounds, struct base_arena *memory)
{
    struct rounds_remote *ranks = &rounds->remote;
    base_arena_plan(memory, &ranks->touched.at, ranks->all.count, sizeof *ranks->touched.at);
    base_arena_plan(memory, &ranks->touched.peer, ranks->link->count, sizeof *ranks->touched.peer);
    base_arena_plan(memory, &ranks->placed, ranks->link->count, sizeof *ranks->placed);
    base_arena_plan(memory, &ranks->border, rounds->topology->processors, sizeof *ranks->border);
}

static unsigned rank_of(const struct rounds_run *rounds, uint32_t p)
{
    unsigned worker = rounds->worker_of[p], own = rounds->remote.link->rank;
    if (worker < rounds->blocks) {
        return own;
    }
    unsigned rank = worker - rounds->blocks;
    return rank + (rank >= own);
}

void rounds_ranks_begin_turns(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    const struct rank_placement *placement = &rounds->machine->placement;
    const struct ek_topology *topology = rounds->topology;
    for (uint32_t i = 0; i < placement->spans; i++) {
        bool own = placement->rank[i] == ranks->link->rank;
        for (uint32_t p = placement->begin[i]; !own && p < placement->begin[i + 1]; p++) {
            rounds->worker_of[p] = rounds_ranks_worker(rounds, placement->rank[i]);
        }
    }
    for (size_t i = 0; i < ranks->all.count; i++) {
        uint32_t port = ranks->all.at[i].port;
        ranks->border[topology->neighbour[port]] = ranks->border[topology->neighbour[topology->twin[port]]] = true;
    }
}

// The places from..end-1 in the order of turns.
struct stint {
    uint32_t from, end;
    unsigned rank;
};

static struct stint stint_at(const struct rounds_run *rounds, uint32_t from)
{
    struct stint stint = {from, from + 1, rank_of(rounds, rounds_turn_at(rounds, from))};
    while (stint.end < rounds->topology->processors &&
           rank_of(rounds, rounds_turn_at(rounds, stint.end)) == stint.rank) {
        stint.end++;
    }
    return stint;
}

// Calls `note` for each link between this rank and another one that the processors of a stint use, in the order in
// which they use it, with the port at this end.
static void each_touched(struct rounds_run *rounds, const struct stint *stint,
                         void (*note)(struct rounds_remote *ranks, unsigned rank, uint32_t port))
{
    const struct ek_topology *topology = rounds->topology;
    struct rounds_remote *ranks = &rounds->remote;
    bool own = stint->rank == ranks->link->rank;
    for (uint32_t place = stint->from; place < stint->end; place++) {
        uint32_t p = rounds_turn_at(rounds, place);
        for (uint32_t port = topology->first[p]; ranks->border[p] && port < topology->first[p + 1]; port++) {
            unsigned other = rank_of(rounds, topology->neighbour[port]);
            if (own && other != stint->rank) {
                note(ranks, other, port);
            } else if (!own && other == ranks->link->rank) {
                note(ranks, stint->rank, topology->twin[port]);
            }
        }
    }
}

static void count(struct rounds_remote *ranks, unsigned rank, uint32_t port)
{
    (void)port;
    ranks->placed[rank]++;
    ranks->touched.count++;
}

static void place(struct rounds_remote *ranks, unsigned rank, uint32_t port)
{
    const struct ek_topology *topology = ranks->all.topology;
    ranks->touched.at[ranks->placed[rank]++] = (struct rank_crossing){.rank = rank,
                                                                      .port = port,
                                                                      .own = topology->neighbour[topology->twin[port]],
                                                                      .neighbour = topology->neighbour[port]};
}

// Finds the links that a stint touches, sorted by rank. The links to a rank stay in the order in which they are used:
// amounts must be added to a load in this order.
static void find_touched(struct rounds_run *rounds, const struct stint *stint)
{
    struct rounds_remote *ranks = &rounds->remote;
    size_t before = 0;
    ranks->touched.count = ranks->touched.peers = 0;
    each_touched(rounds, stint, count);
    for (unsigned r = 0; ranks->touched.count > 0 && r < ranks->link->count; r++) {
        size_t links = ranks->placed[r];
        ranks->placed[r] = before;
        before += links;
        if (links > 0) {
            ranks->touched.peer[ranks->touched.peers++] = (struct ek_rank_peer){.rank = r};
        }
    }
    if (ranks->touched.count > 0) {
        each_touched(rounds, stint, place);
        memset(ranks->placed, 0, ranks->link->count * sizeof *ranks->placed);
    }
}

// Lets messages cross the links that a stint touches: out of this rank, or into it.
static void use_touched(struct rounds_remote *ranks, bool out)
{
    size_t i = 0;
    ranks->crossings = &ranks->touched;
    ranks->sends = out ? ranks->touched.count : 0;
    ranks->brings = out ? 0 : ranks->touched.count;
    for (size_t k = 0; k < ranks->touched.peers; k++) {
        struct ek_rank_peer *peer = &ranks->touched.peer[k];
        size_t first = i;
        while (i < ranks->touched.count && ranks->touched.at[i].rank == peer->rank) {
            i++;
        }
        peer->sends = out ? i - first : 0;
        peer->brings = out ? 0 : i - first;
    }
}

static bool moves_objects(const struct rounds_run *rounds)
{
    return machine_moves_objects(rounds->machine);
}

// Lets the rank of a stint fetch what its processors see of their neighbours on other ranks.
static void fetch(struct rounds_run *rounds, bool own)
{
    struct rounds_remote *ranks = &rounds->remote;
    use_touched(ranks, !own);
    rounds->transport->cross_loads(rounds, rounds->loads.held);
    for (size_t i = 0; i < ranks->sends; i++) {
        uint32_t p = ranks->touched.at[i].own;
        if (rounds_has_tasks(rounds)) {
            cargo_say(&rounds->tasks, p);
        } else if (moves_objects(rounds)) {
            cargo_objects_say(&rounds->objects, p);
        }
    }
    if (rounds_has_tasks(rounds) || moves_objects(rounds)) {
        rounds_ranks_cross_said(rounds);
    }
    for (size_t i = 0; !ranks->lost && i < ranks->brings; i++) {
        uint32_t p = ranks->touched.at[i].neighbour;
        if (rounds_has_tasks(rounds)) {
            cargo_hear(&rounds->tasks, p, p);
        } else if (moves_objects(rounds)) {
            cargo_objects_see(&rounds->objects, p);
        }
    }
}

// Gives a parcel from another rank to its receiver.
static void receive(struct rounds_run *rounds, uint32_t sent_from, double amount)
{
    uint32_t p = rounds->topology->neighbour[sent_from];
    rounds_turn_add(rounds, sent_from, amount);
    if (rounds_has_tasks(rounds)) {
        cargo_receive(&rounds->tasks.worker[rounds->worker_of[p]], p, sent_from);
    } else if (moves_objects(rounds)) {
        cargo_objects_arrive(&rounds->objects, sent_from, rounds->now.time);
        rounds_objects_loads(rounds, p, p + 1);
    }
}

// Lets the rank of a stint deliver what its processors have sent to other ranks: parcels, and the best values that the
// receivers have heard with them.
static void deliver(struct rounds_run *rounds, bool own)
{
    struct rounds_remote *ranks = &rounds->remote;
    use_touched(ranks, own);
    rounds->transport->cross(rounds, &rounds->parcels, true);
    if (rounds_has_tasks(rounds) || moves_objects(rounds)) {
        rounds_ranks_cross_cargo(rounds);
    }
    for (size_t i = 0; !ranks->lost && i < ranks->brings; i++) {
        uint32_t port = ranks->touched.at[i].port;
        double amount = rounds->parcels.inbox[rounds_found(&rounds->parcels, port)];
        if (amount > 0.0) {
            receive(rounds, rounds->topology->twin[port], amount);
        }
    }
    if (rounds_has_tasks(rounds)) {
        rounds_ranks_tell_best(rounds);
    }
}

static void make(struct rounds_run *rounds, const struct stint *stint)
{
    struct rounds_remote *ranks = &rounds->remote;
    bool own = stint->rank == ranks->link->rank;
    if (!rounds_only_letters(rounds)) {
        find_touched(rounds, stint);
    }
    if (ranks->touched.count > 0) {
        fetch(rounds, own);
    }
    for (uint32_t place = stint->from; own && place < stint->end; place++) {
        uint32_t p = rounds_turn_at(rounds, place);
        rounds_turn(&rounds->worker[rounds->worker_of[p]], p);
    }
    if (ranks->touched.count > 0 && !rounds_has_letters(rounds)) {
        deliver(rounds, own);
    }
    rounds_ranks_use_all(rounds);
    rounds_ranks_tell_moves(rounds);
    if (rounds_has_letters(rounds)) {
        rounds_ranks_cross_letters_of(rounds, stint->rank);
    }
}

void rounds_ranks_take_turns(struct rounds_run *rounds)
{
    struct stint stint = {0};
    while (stint.end < rounds->topology->processors && !rounds->remote.lost) {
        stint = stint_at(rounds, stint.end);
        make(rounds, &stint);
    }
}
