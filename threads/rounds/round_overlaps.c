// SPDX-License-Identifier: MIT
// What operations do to the variance of their domains in rounds. All operations begin and end together, so the
// operations of a sphere are those whose domains share processors.
#include "threads/rounds/round_overlaps.h"

#include "core/methods/kernels/block.h"
#include "threads/api/experiment.h"

// Returns the method's test of which neighbours an operation includes, or NULL if it includes all.
static bool (*includes_of(const struct ek_method *method))(const struct ek_turn *turn, unsigned port)
{
    return method->rounds->act && method->free ? method->free->includes : NULL;
}

void rounds_overlaps_plan(struct rounds_run *rounds, struct base_arena *memory)
{
    bool asked = rounds->machine->experiment->overlaps;
    uint64_t processors = asked ? rounds->topology->processors : 0;
    uint64_t parts = asked ? processors + rounds->topology->ports
                           : 0; // each processor has a part in its own operation and in each neighbour's
    struct rounds_overlaps *overlaps = &rounds->overlaps;
    base_arena_plan(memory, &overlaps->effects, asked ? 1 : 0, sizeof *overlaps->effects);
    base_arena_plan(memory, &overlaps->before, processors, sizeof *overlaps->before);
    base_arena_plan(memory, &overlaps->after, processors, sizeof *overlaps->after);
    base_arena_plan(memory, &overlaps->invoked, processors, sizeof *overlaps->invoked);
    base_arena_plan(memory, &overlaps->excluded, asked ? rounds->topology->ports : 0, sizeof *overlaps->excluded);
    core_overlaps_plan(&overlaps->room, parts, processors, memory);
}

// Notes which neighbours the operation of p includes. An operation that includes none does not take place.
static void note_domain(struct rounds_overlaps *overlaps, const struct ek_block *block, uint32_t p,
                        bool (*includes)(const struct ek_turn *turn, unsigned port))
{
    struct ek_turn turn = ek_block_turn(block, p);
    bool any = false;
    for (unsigned k = 0; k < turn.view.degree; k++) {
        bool included = includes(&turn, k);
        overlaps->excluded[block->first[p] + k] = !included;
        any = any || included;
    }
    overlaps->invoked[p] = overlaps->invoked[p] && any;
}

void rounds_overlaps_begin(struct rounds_worker *worker, const struct ek_block *block)
{
    struct rounds_run *rounds = worker->rounds;
    struct rounds_overlaps *overlaps = &rounds->overlaps;
    bool (*includes)(const struct ek_turn *, unsigned) = includes_of(rounds->machine->method);
    for (uint32_t p = worker->begin; overlaps->before && p < worker->end; p++) {
        overlaps->before[p] = rounds->loads.held[p];
        overlaps->invoked[p] = !rounds->invokes || rounds->invokes[p];
        if (includes) {
            note_domain(overlaps, block, p, includes);
        }
    }
}

void rounds_overlaps_end(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    struct rounds_overlaps *overlaps = &rounds->overlaps;
    for (uint32_t p = worker->begin; overlaps->after && p < worker->end; p++) {
        overlaps->after[p] = rounds->loads.held[p];
    }
}

static void add_part(struct rounds_overlaps *overlaps, uint32_t operation, uint32_t p)
{
    core_overlaps_part(&overlaps->room, (struct core_part){.begin = 0,
                                                           .end = 1,
                                                           .before = overlaps->before[p],
                                                           .after = overlaps->after[p],
                                                           .processor = p,
                                                           .operation = operation});
}

void rounds_overlaps_measure(struct rounds_run *rounds)
{
    struct rounds_overlaps *overlaps = &rounds->overlaps;
    const struct ek_topology *topology = rounds->topology;
    uint32_t processors = topology->processors;
    if (!overlaps->before) {
        return;
    }
    for (uint32_t p = 0; p < processors; p++) {
        if (!overlaps->invoked[p]) {
            continue;
        }
        uint32_t operation = core_overlaps_operation(&overlaps->room, p);
        add_part(overlaps, operation, p);
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            if (!overlaps->excluded[port]) {
                add_part(overlaps, operation, topology->neighbour[port]);
            }
        }
    }
    double mean = core_measure_sum(overlaps->before, processors) / processors;
    core_overlaps_measure(&overlaps->room, mean, overlaps->effects);
}
