// SPDX-License-Identifier: MIT
// Exchange of data between the ranks of a run.
#include "threads/free/over_ranks/rank_link.h"

#include "base/cursor.h"
#include "threads/free/finish.h"
#include "threads/free/over_ranks/gather.h"
#include "threads/machine/on_ranks.h"
#include "threads/ranks/agree.h"

void free_rank_link_plan(struct free_rank_link *link, const struct machine_plan *machine, unsigned words,
                         struct base_arena *memory)
{
    link->ranks = machine->ranks;
    rank_crossings_plan(&link->crossings, machine->ranks, &machine->placement, machine->topology, memory);
    rank_collector_plan(&link->collector, machine->ranks, &machine->placement, true, memory);
    base_arena_plan(memory, &link->final, machine->ranks->count, sizeof *link->final);
    base_arena_plan(memory, &link->tally, machine->ranks->count, sizeof *link->tally);
    base_arena_plan(memory, &link->flows, machine->ranks->count, sizeof *link->flows);
    base_arena_plan(memory, &link->lengths, machine->ranks->count, sizeof *link->lengths);
    base_arena_plan(memory, &link->from, machine->ranks->count + 1u, sizeof *link->from);
    base_arena_plan(memory, &link->peer, machine->ranks->count, sizeof *link->peer);
    base_arena_plan(memory, &link->out, link->crossings.count * words, sizeof *link->out);
    base_arena_plan(memory, &link->in, link->crossings.count * words, sizeof *link->in);
    uint64_t with_tasks = machine->program ? machine->ranks->count : 0;
    uint64_t with_objects = machine->objects ? machine->ranks->count : 0;
    base_arena_plan(memory, &link->cargo.peer, with_tasks + with_objects, sizeof *link->cargo.peer);
    uint64_t with_letters = machine->method->letters ? machine->ranks->count : 0;
    base_arena_plan(memory, &link->cargo.one, with_objects + with_letters, sizeof *link->cargo.one);
    base_arena_plan(memory, &link->cargo.length, 2 * (with_objects + with_letters), sizeof *link->cargo.length);
    base_arena_plan(memory, &link->cargo.counted, with_tasks, sizeof *link->cargo.counted);
    base_arena_plan(memory, &link->cargo.letters, with_letters, sizeof *link->cargo.letters);
}

void free_rank_link_begin(struct free_rank_link *link)
{
    rank_crossings_find(&link->crossings);
}

void free_rank_link_end(struct free_rank_link *link)
{
    rank_room_end(&link->cargo.out);
    rank_room_end(&link->cargo.in);
}

void free_rank_lose(struct free_rank_link *link)
{
    struct ek_error lost;
    base_fail(&lost, EK_BAD_INPUT, "carrier",
              "another rank does not answer: it has ended or died, and this run ends with it");
    link->lost = true;
    free_violate_with(&link->control->run, &lost);
}

bool free_rank_agree(struct free_rank_link *link, bool good, struct ek_error *error)
{
    if (!link->lost && !rank_vote(link->ranks, &good, 0, error)) {
        link->lost = true;
    }
    return good;
}

bool free_rank_bring(struct free_rank_link *link, void *all, size_t bytes)
{
    const struct ek_ranks *ranks = link->ranks;
    if (!link->lost && !ranks->gather(ranks->context, (char *)all + ranks->rank * bytes, all, bytes)) {
        free_rank_lose(link);
    }
    return !link->lost;
}

void free_rank_collect(struct free_rank_link *link, void *array, size_t bytes, bool ports)
{
    const struct ek_topology *by_port = ports ? link->control->run.topology : NULL;
    if (!link->lost && array && !rank_collect(&link->collector, array, bytes / sizeof(double), by_port)) {
        free_rank_lose(link);
    }
}

void free_rank_collect_parts(struct free_rank_link *link, void *array, size_t bytes, bool first)
{
    for (unsigned r = 0; r <= link->ranks->count; r++) {
        link->from[r] = (first ? r > 0 : r) * (bytes / sizeof(double));
    }
    if (array) {
        free_rank_collect_list(link, array);
    }
}

void free_rank_collect_list(struct free_rank_link *link, void *array)
{
    const struct ek_ranks *ranks = link->ranks;
    if (!link->lost && !ranks->collect(ranks->context, array, link->from)) {
        free_rank_lose(link);
    }
}

bool free_rank_exchange(struct free_rank_link *link, const struct ek_rank_peer *peer, size_t peers, const double *out,
                        double *in)
{
    const struct ek_ranks *ranks = link->ranks;
    if (!link->lost && !ranks->exchange(ranks->context, peer, peers, out, in)) {
        free_rank_lose(link);
    }
    return !link->lost;
}

_Static_assert(sizeof(struct watch_profile_row) % sizeof(double) == 0 &&
                   sizeof(struct watch_profile_row) / sizeof(double) <= MACHINE_RANKS_WORDS_FREE,
               "whole words, at most as many as machine_ranks_check counts on");
