// SPDX-License-Identifier: MIT
// What ranks bring each other.
#include "threads/ranks/free_ranks.h"

#include "threads/free/control/end.h"
#include "threads/free/look.h"
#include "threads/machine/on_ranks.h"
#include "threads/ranks/agree.h"
#include "base/cursor.h"

void free_ranks_plan(struct free_run *run, struct base_arena *memory)
{
    run->ranks.link = run->machine->ranks;
    if (run->ranks.link) {
        rank_crossings_plan(&run->ranks.crossings, run->ranks.link, &run->machine->placement, run->topology, memory);
        rank_collector_plan(&run->ranks.collector, run->ranks.link, &run->machine->placement, memory);
        bool scattered = run->machine->placement.spans > run->ranks.link->count;
        base_arena_plan(memory, &run->placed, scattered ? run->topology->processors : 0, sizeof *run->placed);
        base_arena_plan(memory, &run->ranks.from, run->ranks.link->count + 1u, sizeof *run->ranks.from);
    }
}

// Gives each worker its rank's processors.
static void place(struct free_run *run)
{
    const struct rank_placement *placement = &run->machine->placement;
    for (uint32_t i = 0; i < placement->spans; i++) {
        run->worker[placement->rank[i]].end += placement->begin[i + 1] - placement->begin[i];
    }
    uint32_t begin = 0;
    for (unsigned r = 0; r < run->ranks.link->count; r++) { // from how many it has to where they begin
        struct free_worker *worker = &run->worker[r];
        worker->begin = begin;
        begin += worker->end;
        worker->end = worker->begin;
    }
    for (uint32_t i = 0; i < placement->spans; i++) {
        struct free_worker *worker = &run->worker[placement->rank[i]];
        for (uint32_t p = placement->begin[i]; p < placement->begin[i + 1]; p++, worker->end++) {
            run->owner[p] = placement->rank[i];
            if (run->placed) {
                run->placed[worker->end] = p;
            }
        }
    }
}

void free_ranks_begin(struct free_run *run)
{
    if (run->ranks.link) {
        rank_crossings_find(&run->ranks.crossings);
        place(run);
    }
}

static void lose(struct free_run *run)
{
    struct ek_error lost;
    base_fail(&lost, EK_BAD_INPUT, "carrier",
              "another rank does not answer any more: it was ended, or died, and the run with it");
    run->ranks.lost = true;
    free_violate(run, &lost);
    if (!atomic_load_explicit(&run->shared.started, memory_order_relaxed)) { // this thread's own; who waits goes home
        free_look_start(run);
    }
}

bool free_ranks_speak(const struct free_run *run)
{
    return run->ranks.link && !run->ranks.lost;
}

bool free_ranks_agree(struct free_run *run, bool good, struct ek_error *error)
{
    if (free_ranks_speak(run) && !rank_vote(run->ranks.link, &good, 0, error)) {
        run->ranks.lost = true;
    }
    return good;
}

bool free_ranks_bring(struct free_run *run, void *all, size_t bytes)
{
    const struct ek_ranks *link = run->ranks.link;
    if (free_ranks_speak(run) && !link->gather(link->context, (char *)all + link->rank * bytes, all, bytes)) {
        lose(run);
    }
    return free_ranks_speak(run);
}

void free_ranks_collect(struct free_run *run, void *array, size_t bytes, bool ports)
{
    const uint32_t *first = ports ? run->topology->first : NULL;
    if (free_ranks_speak(run) && array && !rank_collect(&run->ranks.collector, array, bytes / sizeof(double), first)) {
        lose(run);
    }
}

void free_ranks_collect_parts(struct free_run *run, void *array, size_t bytes, bool first)
{
    const struct ek_ranks *link = run->ranks.link;
    if (!free_ranks_speak(run) || !array) {
        return;
    }
    for (unsigned r = 0; r <= link->count; r++) {
        run->ranks.from[r] = (first ? r > 0 : r) * (bytes / sizeof(double));
    }
    if (!link->collect(link->context, array, run->ranks.from)) {
        lose(run);
    }
}

bool free_ranks_exchange(struct free_run *run, const struct ek_rank_peer *peer, const double *out, double *in)
{
    const struct ek_ranks *link = run->ranks.link;
    if (free_ranks_speak(run) && !link->exchange(link->context, peer, run->ranks.crossings.peers, out, in)) {
        lose(run);
    }
    return free_ranks_speak(run);
}

#define BRINGS_WHOLE_WORDS(type)                                                                                       \
    _Static_assert(sizeof(type) % sizeof(double) == 0 && sizeof(type) / sizeof(double) <= MACHINE_RANKS_WORDS_FREE,    \
                   "whole words, as few as are said")
BRINGS_WHOLE_WORDS(struct free_snapshot);
BRINGS_WHOLE_WORDS(struct free_processor);
BRINGS_WHOLE_WORDS(struct free_port);
