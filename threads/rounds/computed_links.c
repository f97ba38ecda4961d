// SPDX-License-Identifier: MIT
// Chooses how a run computes its links, if it does: along uniform runs (planes.c), which stored links can have too, by
// colour (paired.c), or by bundle (bundled.c).
#include "threads/api/experiment.h"
#include "threads/rounds/step.h"

// Returns whether the links of a grid can be computed: nothing reads more of them than a mutual rule does, and the
// topology has no arrays.
static bool can_compute_links(const struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    const struct ek_topology *topology = rounds->topology;
    return rounds->plain && !rounds->foresees && machine->units == EK_REAL && core_links_carry_all(&machine->links) &&
           !topo_is_stored(topology) && topology->rows && topology->links > 0 && !rounds->transport &&
           !machine->experiment->frame_flows && ek_cpu_is_wide();
}

void rounds_links_choose(struct rounds_run *rounds)
{
    enum { FEW = 8192 }; // processors: stored links are as fast while they lie in the caches (bench/README.md)
    const struct ek_topology *topology = rounds->topology;
    const struct ek_rounds_part *part = rounds->machine->method->rounds;
    struct topo_bundle bundle[TOPO_BUNDLES_MAX];
    rounds->planes = rounds_planes_pay(rounds, &rounds->plan);
    bool can = !rounds->planes && can_compute_links(rounds);
    rounds->paired = can && part->block_paired;
    rounds->bundled = can && part->block_bundled && rounds->simple && topology->processors >= FEW;
    rounds->bundles = rounds->bundled ? topology->rows->bundles(topology, bundle) : 0;
    rounds->sent_plane = rounds->paired || rounds->bundled ? rounds_plane_size(topology) : 0;
    base_arena_plan(&rounds->plan, &rounds->bundle, rounds->bundles, sizeof *rounds->bundle);
}

void rounds_links_begin(struct rounds_run *rounds)
{
    rounds_planes_begin(rounds);
    if (rounds->bundled) {
        rounds->topology->rows->bundles(rounds->topology, rounds->bundle);
    }
}

// Returns the number of planes of computed links (topo_plane).
static uint64_t planes_of(const struct rounds_run *rounds)
{
    return topo_plane(rounds->topology, rounds->topology->dimensions);
}

uint64_t rounds_parcel_places(const struct rounds_run *rounds)
{
    const struct ek_topology *topology = rounds->topology;
    return rounds->planes    ? rounds_planes_places(topology)
           : rounds->bundled ? planes_of(rounds) * rounds_plane_size(topology)
           : rounds->paired  ? topology->processors
                             : topology->ports;
}

uint64_t rounds_sent_places(const struct rounds_run *rounds)
{
    return planes_of(rounds) * rounds->sent_plane;
}
