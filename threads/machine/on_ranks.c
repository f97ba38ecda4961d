// SPDX-License-Identifier: MIT
// Machines whose workers are ranks.
#include "threads/machine/on_ranks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "threads/api/report.h"
#include "threads/machine/loads.h"
#include "topologies/rows.h"
#include "topologies/window.h"

bool machine_ranks_settle(struct machine_plan *plan, struct ek_error *error)
{
    const struct ek_ranks *ranks = plan->experiment->ranks;
    if (!plan->carrier->ranks) {
        return true;
    }
    if (!ranks) {
        return base_fail_at(
            error, "carrier", 0,
            "mpi needs ranks that mpirun starts, as in mpirun -n 4 evenkeel run --carrier mpi, or in a sweep the "
            "carrier mpi:4; without them use carrier pool");
    }
    if (plan->workers_asked > 0 && plan->workers_asked != ranks->count) {
        return base_fail_at(error, "carrier", 0, "the experiment wants %u ranks, but %u %s started: use mpirun -n %u",
                            plan->workers_asked, ranks->count, ranks->count == 1 ? "was" : "were", plan->workers_asked);
    }
    plan->ranks = ranks;
    plan->experiment->large_stacks = true; // the ranks' functions call other libraries
    plan->workers_asked = ranks->count;
    return true;
}

static bool refuse(const char *axis, const char *sentence, struct ek_error *error)
{
    return base_fail(error, EK_BAD_INPUT, axis, "%s", sentence);
}

// Checks that there is a processor for each rank, and that a step sends no more words over links than MPI can count.
static bool check_size(const struct machine_plan *plan, struct ek_error *error)
{
    const struct ek_topology *topology = plan->topology;
    if (topology->processors < plan->ranks->count) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "%u ranks cannot carry %u processor%s: start at most as many ranks", plan->ranks->count,
                         topology->processors, topology->processors == 1 ? "" : "s");
    }
    int most = INT_MAX / (plan->engine->overlapping ? MACHINE_RANKS_WORDS_FREE : MACHINE_RANKS_WORDS);
    return !topo_is_stored(topology) || topology->ports <= (uint32_t)most ||
           base_fail(error, EK_BAD_INPUT, "topology",
                     "mpi carries at most %d ends of links, and this topology has %u: use a smaller one", most,
                     topology->ports);
}

// Checks that the experiment needs no feature of rounds or turns that ranks do not support.
static bool check_rounds(const struct machine_plan *plan, struct ek_error *error)
{
    if (plan->mailbox->put) {
        return refuse("mailbox", "ranks exchange messages through MPI: use mailbox slot, or carrier pool", error);
    }
    if (plan->barrier != MAIL_BARRIER_AUTO) {
        return refuse("barrier", "ranks wait for one another by messages: leave barrier out, or use carrier pool",
                      error);
    }
    if (plan->experiment->overlaps) {
        return refuse("overlaps", "mpi does not measure domains: leave overlaps out, or use carrier pool", error);
    }
    return check_size(plan, error);
}

bool machine_ranks_check(const struct machine_plan *plan, struct ek_error *error)
{
    if (!plan->ranks) {
        return true;
    }
    if (plan->experiment->recorder && !plan->engine->computed) {
        return refuse("carrier", "only one process can be recorded: use carrier threads or pool", error);
    }
    return plan->engine->overlapping ? check_size(plan, error) : check_rounds(plan, error);
}

// In virtual time each rank has one block. In rounds and turns with delays, the load in flight is summed in the order
// of ports, so each span adds to the sum of the span before it. This sum is fast only if each rank has one span. If
// processors act in the order of their numbers, ranks take over from one another at the end of each span. So the blocks
// are then placed in order. So are those of ranks that store only the rows of their own processors.
bool machine_ranks_place(struct machine_plan *plan, struct ek_error *error)
{
    const struct machine_engine *engine = plan->engine;
    bool in_order = (core_links_delay(&plan->links) && !engine->overlapping) || engine->computed || engine->ascending ||
                    plan->topology->window;
    return !plan->ranks || rank_placement_make(&plan->placement, plan->topology, plan->ranks, in_order, error);
}

// Counts the links between ranks if each rank stores only its own links. Returns false if a rank does not answer.
static bool count_cut(struct machine_plan *plan)
{
    const struct topo_window *window = plan->topology->window;
    const struct ek_ranks *ranks = plan->ranks;
    if (!window) {
        return true;
    }
    uint64_t *leaving = calloc(ranks->count, sizeof *leaving);
    bool good = leaving && ranks->gather(ranks->context, &window->leaving, leaving, sizeof *leaving);
    uint64_t ends = 0;
    for (unsigned r = 0; good && r < ranks->count; r++) {
        ends += leaving[r];
    }
    plan->placement.cut = plan->placement.in_order = ends / 2;
    free(leaving);
    return good;
}

bool machine_ranks_draw(struct machine_plan *plan, struct ek_error *error)
{
    bool distance = machine_loads_need_distance_only(plan);
    return !plan->ranks ||
           (count_cut(plan) && (!distance || machine_loads_distance(plan, plan->experiment->seed, &plan->distance))) ||
           refuse("carrier", "another rank does not answer: it has ended or died", error);
}

// Adds bytes to a hash and returns the new hash: FNV-1a of 64 bits (Fowler, Noll and Vo).
static uint64_t mix(uint64_t print, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        print = (print ^ byte[i]) * 0x100000001b3u;
    }
    return print;
}

uint64_t machine_ranks_print(const struct ek_machine *machine)
{
    const struct machine_plan *plan = &machine->plan;
    if (!plan->ranks) {
        return 0;
    }
    const struct ek_experiment *experiment = plan->experiment;
    const uint64_t kept[] = {experiment->keep_loads,       experiment->keep_trace,
                             experiment->trace_rows,       experiment->observer.look != NULL,
                             experiment->recorder != NULL, experiment->show_tasks != NULL};
    uint64_t print = mix(0xcbf29ce484222325u, kept, sizeof kept);
    for (size_t i = 0; i < EK_AXES_MAX && machine->value[i]; i++) {
        print = mix(print, machine->value[i], strlen(machine->value[i]));
    }
    const struct rank_placement *placement = &plan->placement;
    print = mix(print, placement->begin, placement->spans * sizeof *placement->begin);
    print = mix(print, placement->rank, placement->spans * sizeof *placement->rank);
    const struct topo_window *window = plan->topology->window;
    if (window) {
        return mix(print, &window->print, sizeof window->print);
    }
    const uint32_t *neighbour = plan->topology->neighbour; // NULL: the links follow from the spec
    return mix(print, neighbour, neighbour ? plan->topology->ports * sizeof *neighbour : 0);
}

void machine_ranks_report(const struct machine_plan *plan, struct ek_report *report)
{
    report->has_ranks = plan->ranks != NULL;
    report->blocks = plan->placement.blocks;
    report->cut = plan->placement.cut;
    report->cut_in_order = plan->placement.in_order;
}

unsigned machine_ranks_threads(const struct machine_plan *plan)
{
    return plan->ranks ? 1 : plan->workers;
}
