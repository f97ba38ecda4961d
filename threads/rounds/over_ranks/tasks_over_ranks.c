// SPDX-License-Identifier: MIT
// Tasks and objects of rounds on several processes. Those of a parcel follow its number in messages of their own: first
// how many there are on each link, then the tasks or objects themselves.
#include <string.h>

#include "base/error.h"
#include "core/program.h"
#include "threads/cargo/objects_over_ranks.h"
#include "threads/cargo/picture.h"
#include "threads/rounds/over_ranks/tasks_over_ranks.h"
#include "threads/rounds/over_ranks/rank_exchange.h"
#include "threads/rounds/verdict.h"

void rounds_ranks_plan_tasks(struct rounds_run *rounds, struct base_arena *memory)
{
    struct rounds_remote *ranks = &rounds->remote;
    if (rounds->machine->program || rounds->machine->objects) {
        base_arena_plan(memory, &ranks->cargo, ranks->link->count, sizeof *ranks->cargo);
        base_arena_plan(memory, &ranks->task_peer, ranks->link->count, sizeof *ranks->task_peer);
        base_arena_plan(memory, &ranks->letters, ranks->link->count, sizeof *ranks->letters);
    }
    if (machine_moves_objects(rounds->machine) && rounds->machine->choose == CORE_CHOOSE_COMMUNICATING) {
        uint64_t words = CARGO_OBJECT_CROSSES * (uint64_t)rounds->machine->objects->count;
        base_arena_plan(memory, &ranks->moves, ranks->link->count, sizeof *ranks->moves);
        base_arena_plan(memory, &ranks->from, ranks->link->count + 1u, sizeof *ranks->from);
        base_arena_plan(memory, &ranks->moved, words, sizeof *ranks->moved);
    }
}

void rounds_ranks_end_tasks(struct rounds_run *rounds)
{
    rank_room_end(&rounds->remote.tasks_out);
    rank_room_end(&rounds->remote.tasks_in);
}

static struct core_task_store *store_of(struct rounds_run *rounds)
{
    return &rounds->tasks.worker[0].store;
}

static bool has_objects(const struct rounds_run *rounds)
{
    return rounds->machine->objects;
}

// Returns the doubles that a task or an object fills.
static size_t words_of(struct rounds_run *rounds)
{
    return has_objects(rounds) ? CARGO_OBJECT_CROSSES : store_of(rounds)->bytes / sizeof(double);
}

// Returns the tasks or objects in the parcel of a port.
static uint64_t count_in(const struct rounds_run *rounds, uint32_t port)
{
    return has_objects(rounds) ? rounds->objects.parcel[port].count : rounds->tasks.parcel[port].count;
}

// Sums up the tasks of each peer's links, after their numbers have been exchanged. Returns the doubles of all tasks to
// send, and sets `brings` to those to receive.
static size_t count_words(struct rounds_run *rounds, size_t *brings)
{
    struct rounds_remote *ranks = &rounds->remote;
    size_t words = words_of(rounds);
    size_t sends = 0, i = 0;
    *brings = 0;
    for (size_t k = 0; k < ranks->crossings->peers; k++) {
        struct ek_rank_peer *peer = &ranks->task_peer[k];
        *peer = (struct ek_rank_peer){.rank = ranks->crossings->peer[k].rank};
        for (; i < ranks->crossings->count && ranks->crossings->at[i].rank == peer->rank; i++) {
            peer->sends += i < ranks->sends ? (size_t)ranks->out[i] * words : 0;
            peer->brings += i < ranks->brings ? (size_t)ranks->in[i] * words : 0;
        }
        sends += peer->sends;
        *brings += peer->brings;
    }
    return sends;
}

bool rounds_ranks_make_room(struct rounds_run *rounds, size_t sends, size_t brings)
{
    struct rounds_remote *ranks = &rounds->remote;
    if (rank_room_grow(&ranks->tasks_out, sends) && rank_room_grow(&ranks->tasks_in, brings)) {
        return true;
    }
    struct ek_error error;
    base_fail(&error, EK_BAD_INPUT, "carrier", "no memory for the load that this rank exchanges: use more ranks");
    rounds_violate(rounds, &error);
    ranks->lost = true; // the others wait for this load, and find this rank gone
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
    for (size_t i = 0; i < ranks->sends; i++) {
        uint32_t port = ranks->crossings->at[i].port;
        double *to = ranks->tasks_out.at + at;
        if (has_objects(rounds)) {
            cargo_objects_pack(&rounds->objects, port, to);
        } else {
            core_task_pack(&rounds->tasks.parcel[port], store_of(rounds), (unsigned char *)to);
        }
        at += (size_t)ranks->out[i] * words_of(rounds);
    }
}

static void unpack(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    size_t at = 0;
    for (size_t i = 0; i < ranks->brings; i++) {
        uint32_t sent_from = rounds->topology->twin[ranks->crossings->at[i].port];
        const double *from = ranks->tasks_in.at + at;
        if (has_objects(rounds)) {
            cargo_objects_unpack(&rounds->objects, sent_from, from, (uint32_t)ranks->in[i]);
        } else if (!core_task_unpack(&rounds->tasks.parcel[sent_from], store_of(rounds), (const unsigned char *)from,
                                     (uint64_t)ranks->in[i])) {
            rounds_ranks_run_short(rounds);
            return;
        }
        at += (size_t)ranks->in[i] * words_of(rounds);
    }
}

// Tells all ranks which objects leave their processors in this step, and where these go.
void rounds_ranks_tell_moves(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    unsigned count = ranks->link->count, own = ranks->link->rank;
    if (!ranks->moved || ranks->lost) {
        return;
    }
    uint64_t moves = cargo_objects_write_moves(&rounds->objects, ranks->moved);
    if (!ranks->link->gather(ranks->link->context, &moves, ranks->moves, sizeof moves)) {
        rounds_ranks_lose(rounds);
        return;
    }
    for (unsigned r = 0; r < count; r++) {
        ranks->from[r + 1] = ranks->from[r] + CARGO_OBJECT_CROSSES * (size_t)ranks->moves[r];
    }
    size_t all = ranks->from[count] / CARGO_OBJECT_CROSSES;
    struct ek_error error;
    if (all > rounds->objects.set->count) {
        cargo_objects_refuse(&error);
        rounds_violate(rounds, &error);
        return;
    }
    memmove(ranks->moved + ranks->from[own], ranks->moved,
            (ranks->from[own + 1] - ranks->from[own]) * sizeof *ranks->moved);
    if (!ranks->link->collect(ranks->link->context, ranks->moved, ranks->from)) {
        rounds_ranks_lose(rounds);
        return;
    }
    cargo_objects_note_moves(&rounds->objects, ranks->moved, all);
}

void rounds_ranks_cross_cargo(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    if (!rounds->in_turns) { // in turns all ranks are told later, also those without links here
        rounds_ranks_tell_moves(rounds);
    }
    for (size_t i = 0; i < ranks->sends; i++) {
        ranks->out[i] = (double)count_in(rounds, ranks->crossings->at[i].port);
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
    if (!ranks->link->exchange(ranks->link->context, ranks->task_peer, ranks->crossings->peers, ranks->tasks_out.at,
                               ranks->tasks_in.at)) {
        rounds_ranks_lose(rounds);
        return;
    }
    unpack(rounds);
}

// A best value, or a load in units, travels as the bits of a double.
// It is that of the processor at this end of each link, or at the other one.
static void cross_said(struct rounds_run *rounds, bool of_other_end)
{
    struct rounds_remote *ranks = &rounds->remote;
    char *said = has_objects(rounds) ? (char *)rounds->objects.said : (char *)rounds->tasks.said;
    const size_t each = sizeof *ranks->out;
    _Static_assert(sizeof *rounds->tasks.said == sizeof *ranks->out, "as many bits as a double");
    _Static_assert(sizeof *rounds->objects.said == sizeof *ranks->out, "as many bits as a double");
    if (ranks->lost || (!has_objects(rounds) && rounds->tasks.program->result != EK_RESULT_LEAST)) {
        return;
    }
    for (size_t i = 0; i < ranks->sends; i++) {
        const struct rank_crossing *crossing = &ranks->crossings->at[i];
        memcpy(&ranks->out[i], said + (of_other_end ? crossing->neighbour : crossing->own) * each, each);
    }
    bool good = rounds_ranks_exchange(rounds);
    for (size_t i = 0; good && i < ranks->brings; i++) {
        const struct rank_crossing *crossing = &ranks->crossings->at[i];
        memcpy(said + (of_other_end ? crossing->own : crossing->neighbour) * each, &ranks->in[i], each);
    }
}

void rounds_ranks_cross_said(struct rounds_run *rounds)
{
    cross_said(rounds, false);
}

void rounds_ranks_tell_best(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    for (size_t i = 0; i < ranks->sends; i++) {
        cargo_say(&rounds->tasks, ranks->crossings->at[i].neighbour);
    }
    cross_said(rounds, true);
    for (size_t i = 0; !ranks->lost && i < ranks->brings; i++) {
        uint32_t own = ranks->crossings->at[i].own;
        cargo_hear(&rounds->tasks, own, own);
    }
}

void rounds_ranks_meet_tasks(struct rounds_run *rounds)
{
    struct rounds_remote *ranks = &rounds->remote;
    struct cargo_tasks *tasks = &rounds->tasks;
    struct cargo_worker own = cargo_sum_of(tasks, 0, rounds->blocks);
    if (ranks->lost) {
        return;
    }
    if (!ranks->link->gather(ranks->link->context, &own, ranks->cargo, sizeof own)) {
        rounds_ranks_lose(rounds);
        return;
    }
    for (unsigned r = 0; r < ranks->link->count; r++) {
        if (r != ranks->link->rank) {
            cargo_set_counts(tasks, rounds_ranks_worker(rounds, r), &ranks->cargo[r]);
        }
    }
}

void rounds_ranks_gather_tasks(struct rounds_run *rounds)
{
    rounds_collect(rounds, rounds->tasks.busy, 1);
    if (!rounds->remote.lost && !cargo_picture_gather(&rounds->tasks)) {
        rounds_ranks_lose(rounds);
    }
}

void rounds_ranks_gather_objects(struct rounds_run *rounds)
{
    struct ek_error error = {0};
    bool lost = false;
    rounds_collect(rounds, (double *)rounds->objects.bytes_sent, 1); // a number of 64 bits travels as those of a double
    rounds_collect(rounds, (double *)rounds->objects.moved, 1);
    if (rounds->remote.lost) {
        return;
    }
    if (!cargo_objects_gather(&rounds->objects, &lost, &error) && !lost) {
        rounds_violate(rounds, &error);
    }
    if (lost) {
        rounds_ranks_lose(rounds);
    }
}
