// SPDX-License-Identifier: MIT
// Chooses how a run computes its links, if it does: along uniform runs, which stored links can have too, by bundle, or
// by colour. Such runs do a step in one pass (one_pass.c).
#include "threads/api/experiment.h"
#include "threads/rounds/step.h"

// Returns whether the links of a grid can be computed: nothing reads more of them than a mutual rule does, and the
// topology has no arrays.
static bool can_compute_links(const struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    const struct ek_topology *topology = rounds->topology;
    return rounds->plain && !rounds->foresees && rounds_has_wide_amounts(machine) && !topo_is_stored(topology) &&
           topology->rows && topology->links > 0 && !machine->experiment->frame_flows;
}

// Returns the distance of two planes of amounts sent (topo_plane) in doubles: one cache line more than a plane needs,
// because otherwise the same places of all planes would share one set of the cache.
static size_t plane_size(const struct ek_topology *topology)
{
    enum { LINE = 8 };
    return (topology->processors + LINE - 1) / LINE * (size_t)LINE + LINE;
}

void rounds_links_choose(struct rounds_run *rounds)
{
    enum { FEW = 8192 }; // processors: stored links are as fast while they lie in the caches (bench/README.md)
    const struct ek_topology *topology = rounds->topology;
    const struct machine_plan *machine = rounds->machine;
    const struct ek_rounds_part *part = machine->method->rounds;
    rounds_loop *paired = rounds_loop_for(machine, part->block_paired, part->block_paired_tokens);
    rounds_loop *bundled = rounds_loop_for(machine, part->block_bundled, part->block_bundled_tokens);
    struct topo_bundle bundle[TOPO_BUNDLES_MAX];
    bool runs = rounds_has_uniform_runs(rounds, &rounds->plan);
    bool can = !runs && can_compute_links(rounds);
    rounds->paired = can && paired;
    rounds->bundled = can && bundled && rounds->simple && topology->processors >= FEW;
    rounds->bundles = rounds->bundled ? topology->rows->bundles(topology, bundle) : 0;
    rounds->sent_plane = rounds->paired || rounds->bundled ? plane_size(topology) : 0;
    rounds->one_pass = runs || rounds->bundled || rounds->paired;
    rounds->loop = rounds->bundled  ? bundled
                   : runs           ? rounds_wide_loop(machine)
                   : rounds->paired ? paired
                                    : rounds_loop_for(machine, part->block, part->block_tokens);
    base_arena_plan(&rounds->plan, &rounds->bundle, rounds->bundles, sizeof *rounds->bundle);
}

void rounds_links_begin(struct rounds_run *rounds)
{
    if (rounds->bundled) {
        rounds->topology->rows->bundles(rounds->topology, rounds->bundle);
    }
    if (rounds->one_pass) {
        rounds_one_pass_begin(rounds);
    }
}

uint64_t rounds_sent_places(const struct rounds_run *rounds)
{
    return topo_plane(rounds->topology, rounds->topology->dimensions) * rounds->sent_plane;
}
