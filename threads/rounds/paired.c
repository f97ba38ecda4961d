// SPDX-License-Identifier: MIT
// Steps over the links of one colour of a grid, which are computed (core/methods/kernels/paired.h). Then a run of
// dimension exchange needs no memory for links, and for parcels one number of each processor instead of one of each
// port. The additions and their order are the same as with stored links.
#include <math.h>

#include "core/methods/kernels/paired.h"
#include "threads/rounds/step.h"

// The first step finds no parcels, and no levels of the step before.
static void begin_levels(struct rounds_worker *worker)
{
    const struct rounds_loads *loads = &worker->rounds->loads;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        loads->level[p] = loads->held[p];
    }
}

static inline __attribute__((always_inline)) EK_WIDE ek_lanes take_four(const struct rounds_run *rounds,
                                                                        const struct core_stretch *stretch, size_t p)
{
    const double *inbox = rounds->parcels.inbox;
    ek_lanes load = ek_lanes_at(rounds->loads.held + p);
    load += stretch->crosses ? core_lanes_crossed(ek_lanes_at(inbox + p), stretch->apart)
                             : ek_lanes_at(inbox + (ptrdiff_t)p + stretch->apart);
    ek_lanes_put(rounds->loads.held + p, load);
    ek_lanes_put(rounds->loads.level + p, load);
    return load;
}

// Receives the parcels of the step before. The other processors of the block keep their loads and levels.
static EK_WIDE void take(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct rounds_loads *loads = &rounds->loads;
    struct topo_pairing pairing = rounds->topology->rows->pairing(rounds->topology, rounds->now.before_from);
    struct core_stretches walk = core_stretches_of(&pairing, worker->begin, worker->end);
    struct core_stretch stretch;
    double minimum = worker->minimum;
    ek_lanes lowest = {minimum, minimum, minimum, minimum};
    while (core_stretches_next(&walk, &stretch)) {
        size_t p = stretch.begin;
        for (; p + EK_LANES <= stretch.end; p += EK_LANES) {
            lowest = ek_lanes_lower(take_four(rounds, &stretch, p), lowest);
        }
        for (; p < stretch.end; p++) {
            double load = loads->held[p] + rounds->parcels.inbox[(ptrdiff_t)p + stretch.apart];
            loads->held[p] = loads->level[p] = load;
            minimum = load < minimum ? load : minimum;
        }
    }
    for (unsigned lane = 0; lane < EK_LANES; lane++) {
        minimum = lowest[lane] < minimum ? lowest[lane] : minimum;
    }
    worker->minimum = minimum;
}

void rounds_pairs_pass_on(struct rounds_worker *worker)
{
    if (worker->rounds->now.time == 0) {
        rounds_take(worker);
        begin_levels(worker);
    } else {
        take(worker);
    }
}
