// SPDX-License-Identifier: MIT
// Steps in one pass. If a rule is mutual and nothing lies between the steps, a processor's next load follows from its
// load and those of its neighbours, because both ends of a link compute what goes over it. So parcels need no memory. A
// worker reads the present loads of all workers, writes the next ones of its own processors, and meets the others once.
// The additions and their order are the same as in two phases.
//
// The loops need no lists of neighbours, and work on four processors at a time: along uniform runs
// (core/methods/kernels/wide.h), or on grids of more dimensions by bundle (core/methods/kernels/bundled.h).
#include <string.h>

#include "threads/rounds/step.h"

bool rounds_has_uniform_runs(struct rounds_run *rounds, struct base_arena *memory)
{
    const struct machine_plan *machine = rounds->machine;
    const struct ek_topology *topology = rounds->topology;
    struct ek_vicinity vicinity[CORE_VICINITIES_MAX];
    unsigned vicinities;
    if (!rounds->simple || rounds->foresees || !machine->method->rounds->block_wide || machine->units != EK_REAL ||
        !core_links_carry_all(&machine->links) || core_costs_weigh(&machine->links.costs) ||
        (!topology->first && !topology->rows) || topology->window || !ek_cpu_is_wide()) {
        return false;
    }
    size_t runs = core_uniform_runs(topology, NULL, vicinity, &vicinities);
    base_arena_plan(memory, &rounds->uniform_run, runs, sizeof *rounds->uniform_run);
    base_arena_plan(memory, &rounds->vicinity, runs ? vicinities : 0, sizeof *rounds->vicinity);
    return runs > 0;
}

void rounds_one_pass_begin(struct rounds_run *rounds)
{
    struct ek_vicinity vicinity[CORE_VICINITIES_MAX];
    unsigned vicinities;
    rounds->loads.level = rounds->loads.held;
    if (!rounds->uniform_run) {
        return;
    }
    core_uniform_runs(rounds->topology, rounds->uniform_run, vicinity, &vicinities);
    memcpy(rounds->vicinity, vicinity, vicinities * sizeof *vicinity);
    for (unsigned w = 0; w < rounds->workers; w++) {
        struct rounds_worker *worker = &rounds->worker[w];
        bool some = worker->begin < worker->end;
        worker->uniform_run = some ? ek_uniform_run_at(rounds->uniform_run, worker->begin) : rounds->uniform_run;
    }
}

void rounds_one_pass(struct rounds_worker *worker)
{
    struct ek_block block = rounds_block_of(worker);
    rounds_run_method(worker, &block);
    worker->minimum = block.lowest;
    worker->parcels += block.parcels;
    worker->messages += rounds_active_count(&worker->every) + block.parcels;
}
