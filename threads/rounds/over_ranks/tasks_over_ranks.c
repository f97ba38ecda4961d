// SPDX-License-Identifier: MIT
// Tasks of rounds on several processes. The tasks of a parcel follow its number in messages of their own: first how
// many there are on each link, then the tasks themselves.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "threads/rounds/over_ranks/rounds_ranks.h"
#include "threads/rounds/verdict.h"

void rounds_ranks_plan_tasks(struct rounds_run *rounds, struct base_arena *memory)
{
    struct rounds_remote *ranks = &rounds->remote;
    if (rounds->machine->program) {
        base_arena_plan(memory, &ranks->cargo, ranks->link->count, sizeof *ranks->cargo);
        base_arena_plan(memory, &ranks->task_peer, ranks->link->count, sizeof *ranks->task_peer);
        base_arena_plan(memory, &ranks->letters, ranks->link->count, sizeof *ranks->letters);
    }
}

void rounds_ranks_end_tasks(struct rounds_run *rounds)
{
    free(rounds->remote.tasks_out);
    free(rounds->remote.tasks_in);
}

static struct core_task_store *store_of(struct rounds_run *rounds)
{
    return &rounds->tasks.worker[0].store;
}

// Returns the doubles that a task fills.
static size_t words_of(struct rounds_run *rounds)
{
    return store_of(rounds)->bytes / sizeof(double);
}

// Sums up the tasks of each peer's links, after their numbers have been exchanged. Returns the doubles of all tasks to
// send, and sets `brings` to those to receive.
static size_t count_words(struct rounds_run *rounds, size_t *brings)
{
    struct rounds_remote *ranks = &rounds->remote;
    size_t words = words_of(rounds);
    size_t sends = 0, i = 0;
    *brings = 0;
    for (size_t k = 0; k < ranks->crossings.peers; k++) {
        struct ek_rank_peer *peer = &ranks->task_peer[k];
        *peer = (struct ek_rank_peer){.rank = ranks->crossings.peer[k].rank};
        for (; i < ranks->crossings.count && ranks->crossings.at[i].rank == peer->rank; i++) {
            peer->sends += (size_t)ranks->out[i] * words;
            peer->brings += (size_t)ranks->in[i] * words;
        }
        sends += peer->sends;
        *brings += peer->brings;
    }
    return sends;
}

static bool has_room(double **array, size_t *size, size_t count)
{
    if (count <= *size) {
        return true;
    }
    double *grown = realloc(*array, (count + count / 2) * sizeof *grown);
    if (grown) {
        *array = grown;
        *size = count + count / 2;
    }
    return grown;
}

bool rounds_ranks_make_room(struct rounds_run *rounds, size_t sends, size_t brings)
{
    struct rounds_remote *ranks = &rounds->remote;
    if (has_room(&ranks->tasks_out, &ranks->out_size, sends + 1) &&
        has_room(&ranks->tasks_in, &ranks->in_size, brings + 1)) {
        return true;
    }
    struct ek_error error;
    base_fail(&error, EK_BAD_INPUT, "tasks", "no memory for the tasks that this rank exchanges: use more ranks");
    rounds_violate(rounds, &error);
    ranks->lost = true; // the others wait for these tasks, and find this rank gone
    return false;
}

void rounds_ranks_run_short(struct rounds_run *rounds)
{
    rounds->tasks.worker[0].short_of_memory = true;
}

static void pack(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    size_t at = 0;
    for (size_t i = 0; i < ranks->crossings.count; i++) {
        struct core_task_queue *parcel = &rounds->tasks.parcel[ranks->crossings.at[i].port];
        core_task_pack(parcel, store_of(rounds), (unsigned char *)(ranks->tasks_out + at));
        at += (size_t)ranks->out[i] * words_of(rounds);
    }
}

static void unpack(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    size_t at = 0;
    for (size_t i = 0; i < ranks->crossings.count; i++) {
        uint32_t sent_from = rounds->topology->twin[ranks->crossings.at[i].port];
        struct core_task_queue *parcel = &rounds->tasks.parcel[sent_from];
        if (!core_task_unpack(parcel, store_of(rounds), (const unsigned char *)(ranks->tasks_in + at),
                              (uint64_t)ranks->in[i])) {
            rounds_ranks_run_short(rounds);
            return;
        }
        at += (size_t)ranks->in[i] * words_of(rounds);
    }
}

void rounds_ranks_cross_tasks(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    for (size_t i = 0; i < ranks->crossings.count; i++) {
        ranks->out[i] = (double)rounds->tasks.parcel[ranks->crossings.at[i].port].count;
    }
    if (ranks->lost || !rounds_ranks_exchange(rounds)) {
        return;
    }
    size_t brings;
    size_t sends = count_words(rounds, &brings);
    if (!rounds_ranks_make_room(rounds, sends, brings)) {
        return;
    }
    pack(rounds);
    if (!ranks->link->exchange(ranks->link->context, ranks->task_peer, ranks->crossings.peers, ranks->tasks_out,
                               ranks->tasks_in)) {
        rounds_ranks_lose(rounds);
        return;
    }
    unpack(rounds);
}

void rounds_ranks_cross_best(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    const struct ek_topology *topology = rounds->topology;
    int64_t *said = rounds->tasks.said;
    _Static_assert(sizeof *said == sizeof *ranks->out, "a best value travels as the bits of a double");
    if (ranks->lost || rounds->tasks.program->result != EK_RESULT_LEAST) {
        return;
    }
    for (size_t i = 0; i < ranks->crossings.count; i++) {
        uint32_t own = topology->neighbour[topology->twin[ranks->crossings.at[i].port]];
        memcpy(&ranks->out[i], &said[own], sizeof *said);
    }
    bool good = rounds_ranks_exchange(rounds);
    for (size_t i = 0; good && i < ranks->crossings.count; i++) {
        memcpy(&said[topology->neighbour[ranks->crossings.at[i].port]], &ranks->in[i], sizeof *said);
    }
}

void rounds_ranks_meet_tasks(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    struct cargo_tasks *tasks = &rounds->tasks;
    struct cargo_worker own = cargo_sum_of(tasks, rounds->blocks);
    if (ranks->lost) {
        return;
    }
    if (!ranks->link->gather(ranks->link->context, &own, ranks->cargo, sizeof own)) {
        rounds_ranks_lose(rounds);
        return;
    }
    for (unsigned r = 0; r < ranks->link->count; r++) {
        if (r != ranks->link->rank) {
            struct cargo_worker *other = &tasks->worker[rounds->blocks + r - (r > ranks->link->rank)];
            *other = ranks->cargo[r];
            other->tasks = tasks;
        }
    }
}
