// SPDX-License-Identifier: MIT
// Parcels in planes: those that all processors send in one direction, then those in the next. Along a stretch
// (core/stretch.h) a worker then reads and writes all memory in order, without lists of neighbours, four processors at
// a time: a step on a torus takes a third to two thirds of the time (bench/README.md). The same additions in the same
// order.
#include <math.h>
#include <string.h>

#include "threads/rounds/step.h"

static bool processor_is_wide(void)
{
#if defined __x86_64__
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

size_t rounds_planes_apart(const struct ek_topology *topology)
{
    enum { LINE = 8 };
    return (topology->processors + LINE - 1) / LINE * (size_t)LINE + LINE;
}

size_t rounds_planes_places(const struct ek_topology *topology)
{
    return rounds_planes_apart(topology) * (core_planes(topology) - 1) + topology->processors;
}

bool rounds_planes_pay(struct rounds_run *rounds, struct core_memory *memory)
{
    const struct ek_machine *machine = rounds->machine;
    const struct ek_topology *topology = rounds->topology;
    struct ek_vicinity vicinity[CORE_VICINITIES_MAX];
    unsigned vicinities;
    if (!rounds->simple || rounds->foresees || !machine->method->block_wide || machine->units != EK_REAL ||
        machine->link_limit < INFINITY || !topology->first || !processor_is_wide()) {
        return false;
    }
    size_t stretches = core_stretches(topology, rounds_planes_apart(topology), NULL, vicinity, &vicinities);
    core_memory_plan(memory, &rounds->stretch, stretches, sizeof *rounds->stretch);
    core_memory_plan(memory, &rounds->vicinity, stretches ? vicinities : 0, sizeof *rounds->vicinity);
    return stretches > 0;
}

void rounds_planes_begin(struct rounds_run *rounds)
{
    struct ek_vicinity vicinity[CORE_VICINITIES_MAX];
    unsigned vicinities;
    if (!rounds->planes) {
        return;
    }
    core_stretches(rounds->topology, rounds->parcels.plane, rounds->stretch, vicinity, &vicinities);
    memcpy(rounds->vicinity, vicinity, vicinities * sizeof *vicinity);
    for (unsigned w = 0; w < rounds->workers; w++) {
        struct rounds_worker *worker = &rounds->worker[w];
        worker->stretch = rounds->stretch;
        while (worker->begin < worker->end && worker->stretch[1].begin <= worker->begin) {
            worker->stretch++;
        }
    }
}

static inline __attribute__((always_inline)) double lower(double a, double b)
{
    return a < b ? a : b;
}

// Takes in the parcels of the processors p .. p + EK_LANES - 1, which lie in `inbox` as their loads do, for those that
// are `fresh`: the others have their turn later, and keep what they hold.
static inline __attribute__((always_inline)) EK_WIDE void take_lanes(double *held, double *level,
                                                                     const double *const *inbox, uint32_t degree,
                                                                     size_t p, ek_lanes_mask fresh, ek_lanes *lowest)
{
    ek_lanes before = ek_lanes_at(held + p);
    ek_lanes load = before;
    for (unsigned port = 0; port < degree; port++) {
        load += ek_lanes_at(inbox[port] + p);
    }
    load = (ek_lanes)(((ek_lanes_mask)load & fresh) | ((ek_lanes_mask)before & ~fresh));
    ek_lanes_put(held + p, load);
    ek_lanes_put(level + p, load);
    ek_lanes_mask below = (load < *lowest) & fresh;
    *lowest = (ek_lanes)(((ek_lanes_mask)load & below) | ((ek_lanes_mask)*lowest & ~below));
}

// Those of the processors begin..end-1, which have the same vicinity, of a degree that the compiler knows.
static inline __attribute__((always_inline)) EK_WIDE double take(struct rounds_run *rounds,
                                                                 const struct ek_vicinity *vicinity, size_t begin,
                                                                 size_t end, double minimum, uint32_t degree)
{
    const ek_lanes_mask all = {-1, -1, -1, -1};
    double *held = rounds->loads.held;
    double *level = rounds->loads.level;
    const double *inbox[EK_VICINITY_PORTS];
    size_t p = begin;
    for (unsigned port = 0; port < degree; port++) {
        inbox[port] = rounds->parcels.inbox + vicinity->found[port];
    }
    ek_lanes lowest = {minimum, minimum, minimum, minimum};
    if (end - begin >= EK_LONG && (end - begin) % EK_LANES > 0) {
        size_t rest = (end - begin) % EK_LANES;
        take_lanes(held, level, inbox, degree, end - EK_LANES, ek_lanes_last(rest), &lowest);
        end -= rest;
    }
    for (; p + EK_LANES <= end; p += EK_LANES) {
        take_lanes(held, level, inbox, degree, p, all, &lowest);
    }
    minimum = lower(lower(lowest[0], lowest[1]), lower(lowest[2], lowest[3]));
    for (; p < end; p++) {
        double load = held[p];
        for (unsigned port = 0; port < degree; port++) {
            load += inbox[port][p];
        }
        held[p] = level[p] = load;
        minimum = lower(load, minimum);
    }
    return minimum;
}

EK_WIDE void rounds_planes_pass_on(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_stretch *stretch = worker->stretch;
    double minimum = worker->minimum;
    for (uint32_t p = worker->begin, end; p < worker->end; p = end, stretch++) {
        const struct ek_vicinity *vicinity = &rounds->vicinity[stretch->vicinity];
        end = stretch[1].begin < worker->end ? stretch[1].begin : worker->end;
        switch (vicinity->degree) {
        case 2:
            minimum = take(rounds, vicinity, p, end, minimum, 2);
            break;
        case 4:
            minimum = take(rounds, vicinity, p, end, minimum, 4);
            break;
        case 6:
            minimum = take(rounds, vicinity, p, end, minimum, 6);
            break;
        default:
            minimum = take(rounds, vicinity, p, end, minimum, vicinity->degree);
        }
    }
    worker->minimum = minimum;
    worker->said = rounds_active_count(&worker->now);
}
