// SPDX-License-Identifier: MIT
// Steps over all links of a grid of any number of dimensions, which are computed (core/methods/kernels/bundled.h): a
// run needs no memory for links. The additions and their order are the same as with stored links.
#include "core/methods/kernels/bundled.h"
#include "threads/rounds/step.h"

// Receives the parcels that come over the links of a bundle.
static inline __attribute__((always_inline)) EK_WIDE void
take_bundle(struct rounds_run *rounds, const struct topo_bundle *bundle, size_t begin, size_t end)
{
    double *held = rounds->loads.held;
    const double *found = rounds->parcels.inbox + (ptrdiff_t)(bundle->twin * rounds->parcels.plane) + bundle->apart;
    struct core_bundled range = core_bundled_at(bundle, begin, end);
    for (; range.begin < end; range = core_bundled_next(bundle, range, end)) {
        size_t p = range.begin;
        for (; p + EK_LANES <= range.end; p += EK_LANES) {
            ek_lanes_put(held + p, ek_lanes_at(held + p) + ek_lanes_at(found + p));
        }
        for (; p < range.end; p++) {
            held[p] += found[p];
        }
    }
}

EK_WIDE void rounds_bundles_pass_on(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct rounds_loads *loads = &rounds->loads;
    double minimum = worker->minimum;
    for (size_t begin = worker->begin, end; begin < worker->end; begin = end) {
        end = begin + CORE_BUNDLED_PART < worker->end ? begin + CORE_BUNDLED_PART : worker->end;
        for (uint32_t i = 0; i < rounds->bundles; i++) {
            take_bundle(rounds, &rounds->bundle[i], begin, end);
        }
        for (size_t p = begin; p < end; p++) {
            loads->level[p] = loads->held[p];
            minimum = loads->held[p] < minimum ? loads->held[p] : minimum;
        }
    }
    worker->minimum = minimum;
    worker->announced = rounds_active_count(&worker->now);
}
