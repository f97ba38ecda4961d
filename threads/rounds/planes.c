// SPDX-License-Identifier: MIT
// Parcels in planes. A *plane* holds the parcels that all processors send in one direction, in the order of processors.
// Along a stretch (core/methods/kernels/uniform_run.h) a worker then reads and writes all memory in order, without
// lists of neighbours, four processors at a time. Steps on a torus become several times faster (bench/README.md). The
// additions and their order are the same as without planes.
#include <math.h>
#include <string.h>

#include "threads/rounds/step.h"

size_t rounds_plane_size(const struct ek_topology *topology)
{
    enum { LINE = 8 };
    return (topology->processors + LINE - 1) / LINE * (size_t)LINE + LINE;
}

size_t rounds_planes_places(const struct ek_topology *topology)
{
    return rounds_plane_size(topology) * (core_planes(topology) - 1) + topology->processors;
}

rounds_loop *rounds_wide_loop(const struct machine_plan *machine)
{
    return rounds_loop_for(machine, machine->method->rounds->block_wide, machine->method->rounds->block_wide_tokens);
}

bool rounds_has_wide_amounts(const struct machine_plan *machine)
{
    return machine->rounding == CORE_ROUNDING_DOWN && !machine->program && core_links_carry_all(&machine->links) &&
           ek_cpu_is_wide();
}

bool rounds_planes_pay(struct rounds_run *rounds, struct base_arena *memory)
{
    const struct machine_plan *machine = rounds->machine;
    const struct ek_topology *topology = rounds->topology;
    struct ek_vicinity vicinity[CORE_VICINITIES_MAX];
    unsigned vicinities;
    if (!rounds->simple || rounds->foresees || !rounds_wide_loop(machine) || !rounds_has_wide_amounts(machine) ||
        (!topology->first && !topology->rows)) {
        return false;
    }
    size_t runs = core_uniform_runs(topology, rounds_plane_size(topology), NULL, vicinity, &vicinities);
    base_arena_plan(memory, &rounds->uniform_run, runs, sizeof *rounds->uniform_run);
    base_arena_plan(memory, &rounds->vicinity, runs ? vicinities : 0, sizeof *rounds->vicinity);
    return runs > 0;
}

void rounds_planes_begin(struct rounds_run *rounds)
{
    struct ek_vicinity vicinity[CORE_VICINITIES_MAX];
    unsigned vicinities;
    if (!rounds->planes) {
        return;
    }
    core_uniform_runs(rounds->topology, rounds->parcels.plane, rounds->uniform_run, vicinity, &vicinities);
    memcpy(rounds->vicinity, vicinity, vicinities * sizeof *vicinity);
    for (unsigned w = 0; w < rounds->workers; w++) {
        struct rounds_worker *worker = &rounds->worker[w];
        bool some = worker->begin < worker->end;
        worker->uniform_run = some ? ek_uniform_run_at(rounds->uniform_run, worker->begin) : rounds->uniform_run;
    }
}

static inline __attribute__((always_inline)) double lower(double a, double b)
{
    return a < b ? a : b;
}

// The arrays of the receiving processors.
struct taking {
    double *held, *level;
    const double *inbox;
    ek_lanes lowest;
};

static inline __attribute__((always_inline)) EK_WIDE void put_load(struct taking *taking, size_t p, ek_lanes load)
{
    ek_lanes_put(taking->held + p, load);
    ek_lanes_put(taking->level + p, load);
    taking->lowest = ek_lanes_lower(taking->lowest, load);
}

// Receives for the processors begin..end-1, whole lanes that have the same vicinity. `ports` is constant, so that the
// compiler unrolls the loops.
static inline __attribute__((always_inline)) EK_WIDE void
take_alike(struct taking *taking, const struct ek_vicinity *vicinity, size_t begin, size_t end, unsigned ports)
{
    const double *found[EK_VICINITY_PORTS];
    for (unsigned port = 0; port < ports; port++) {
        found[port] = taking->inbox + vicinity->found[port];
    }
    for (size_t p = begin; p < end; p += EK_LANES) {
        ek_lanes load = ek_lanes_at(taking->held + p);
        for (unsigned port = 0; port < ports; port++) {
            load += ek_lanes_at(found[port] + p);
        }
        put_load(taking, p, load);
    }
}

// Receives for whole lanes of which some have vicinities of their own. Their values replace those that the usual
// vicinity finds.
static inline __attribute__((always_inline)) EK_WIDE void take_mixed(struct taking *taking,
                                                                     const struct ek_vicinity *vicinity,
                                                                     const struct ek_uniform_run *run, size_t begin,
                                                                     size_t end, unsigned ports)
{
    const struct ek_vicinity *usual = ek_uniform_run_vicinity(vicinity, run, run->usual);
    for (size_t p = begin; p < end; p += EK_LANES) {
        ek_lanes load = ek_lanes_at(taking->held + p);
        ek_lanes found[EK_VICINITY_PORTS];
        EK_UNROLL
        for (unsigned port = 0; port < ports; port++) {
            found[port] = ek_lanes_at(taking->inbox + (ptrdiff_t)p + usual->found[port]);
        }
        for (uint32_t odd = run->odd; odd; odd &= odd - 1) {
            unsigned lane = (unsigned)__builtin_ctz(odd);
            const struct ek_vicinity *other = ek_uniform_run_vicinity(vicinity, run, lane);
            EK_UNROLL
            for (unsigned port = 0; port < ports; port++) {
                found[port] =
                    ek_lanes_with(found[port], lane, taking->inbox[(ptrdiff_t)(p + lane) + other->found[port]]);
            }
        }
        EK_UNROLL
        for (unsigned port = 0; port < ports; port++) {
            load += found[port];
        }
        put_load(taking, p, load);
    }
}

static inline __attribute__((always_inline)) EK_WIDE void take_single(struct taking *taking,
                                                                      const struct ek_vicinity *vicinity,
                                                                      const struct ek_uniform_run *run, size_t begin,
                                                                      size_t end)
{
    for (size_t p = begin; p < end; p++) {
        run = ek_uniform_run_at(run, p);
        const struct ek_vicinity *around = ek_uniform_run_vicinity(vicinity, run, ek_lane(p));
        double load = taking->held[p];
        for (unsigned port = 0; port < around->degree; port++) {
            load += taking->inbox[(ptrdiff_t)p + around->found[port]];
        }
        taking->held[p] = taking->level[p] = load;
        taking->lowest[0] = lower(load, taking->lowest[0]);
    }
}

static inline __attribute__((always_inline)) EK_WIDE void take(struct rounds_worker *worker, unsigned ports)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_vicinity *vicinity = rounds->vicinity;
    const struct ek_uniform_run *run = worker->uniform_run;
    double minimum = worker->minimum;
    struct taking taking = {.held = rounds->loads.held,
                            .level = rounds->loads.level,
                            .inbox = rounds->parcels.inbox,
                            .lowest = {minimum, minimum, minimum, minimum}};
    struct ek_whole whole = ek_whole_of(worker->begin, worker->end);
    take_single(&taking, vicinity, run, worker->begin, whole.begin);
    for (size_t p = whole.begin, end; p < whole.end; p = end) {
        run = ek_uniform_run_at(run, p);
        end = run[1].begin < whole.end ? run[1].begin : whole.end;
        if (run->odd) {
            take_mixed(&taking, vicinity, run, p, end, ports);
        } else {
            take_alike(&taking, ek_uniform_run_vicinity(vicinity, run, 0), p, end, ports);
        }
    }
    take_single(&taking, vicinity, run, whole.end, worker->end);
    worker->minimum = lower(lower(taking.lowest[0], taking.lowest[1]), lower(taking.lowest[2], taking.lowest[3]));
}

EK_WIDE void rounds_planes_pass_on(struct rounds_worker *worker)
{
    switch (core_planes(worker->rounds->topology)) { // the number is a constant for the compiler
    case 2:
        take(worker, 2);
        break;
    case 4:
        take(worker, 4);
        break;
    default:
        take(worker, 6);
    }
    worker->announced = rounds_active_count(&worker->now);
}
