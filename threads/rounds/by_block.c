// SPDX-License-Identifier: MIT
// Decides whether a rank holds its block, and counts what it touches.
#include "threads/rounds/by_block.h"

#include "threads/api/experiment.h"
#include "threads/rounds/verdict.h"
#include "topologies/window.h"

// Returns whether anyone sees all loads, in frames, a report or a picture.
static bool shows_loads(const struct machine_plan *machine)
{
    const struct ek_experiment *experiment = machine->experiment;
    return experiment->observer.look || experiment->keep_loads || experiment->frames > 0;
}

// Returns whether turns change nothing but the loads, and compare nothing else.
static bool turns_only_balance(const struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    const struct ek_plan *plan = &machine->method_plan;
    bool plain = !machine->program && !machine->objects && machine->work.kind == CORE_WORKLOAD_NONE &&
                 machine->faults.kind == CORE_FAULTS_NONE && !core_links_delay(&machine->links) &&
                 !machine->experiment->keep_links;
    // Otherwise the test for rest may need the loads of all processors.
    bool rest = machine->stop.kind == CORE_STOP_NEVER || rounds_is_autonomous(rounds);
    return rounds->in_turns && plain && rest && plan->state_doubles == 0 && plan->port_doubles == 0;
}

bool rounds_holds_block(const struct rounds_run *rounds)
{
    const struct ek_topology *topology = rounds->topology;
    bool fits = topology->window || turns_only_balance(rounds) || (rounds->one_pass && !topo_is_stored(topology));
    return rounds->transport && fits && !shows_loads(rounds->machine);
}

// The amounts must be real, because tokens count those that never left, and all links must take part in each step,
// because the links of a window have no colours.
bool rounds_needs_own_rows(const struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    return rounds->transport && rounds->simple && machine->units == EK_REAL && core_links_carry_all(&machine->links) &&
           machine->method->supports.own_rows && !shows_loads(machine);
}

// An array by processor takes the pages of the own processors and of those next to them, and a page for each other
// neighbour at most.
uint64_t rounds_touched(const struct rounds_run *rounds)
{
    enum { PAGE = 4096 / sizeof(double) };
    const struct machine_plan *machine = rounds->machine;
    const struct rank_placement *placement = &machine->placement;
    const struct topo_window *window = rounds->topology->window;
    uint64_t processors = rounds->topology->processors, touched = 0, last = 0;
    if (!rounds->by_block) {
        return processors;
    }
    if (placement->spans == 0) { // not placed yet: a lower bound
        return processors / machine->ranks->count;
    }
    for (uint32_t i = 0; i < placement->spans; i++) {
        if (placement->rank[i] == machine->ranks->rank) {
            uint64_t begin = placement->begin[i] / PAGE * PAGE;
            uint64_t end = (placement->begin[i + 1] + (uint64_t)PAGE) / PAGE * PAGE;
            touched += end - (begin > last ? begin : last);
            last = end;
        }
    }
    touched += window ? window->leaving * PAGE : placement->cut;
    return touched < processors ? touched : processors;
}

uint64_t rounds_touched_ports(const struct rounds_run *rounds)
{
    const struct ek_topology *topology = rounds->topology;
    const struct topo_window *window = topology->window;
    if (!rounds->by_block) {
        return topology->ports;
    }
    if (!window) {
        return rounds_touched(rounds) * topology->degree_max;
    }
    return topo_is_stored(topology) ? topology->first[window->end] - topology->first[window->begin] + window->leaving
                                    : topology->ports / rounds->machine->ranks->count;
}
