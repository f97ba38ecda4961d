// SPDX-License-Identifier: MIT
// A method's view of a block of processors, and the call of the method.
#include <string.h>

#include "threads/rounds/step.h"

struct ek_block rounds_block_of(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    return (struct ek_block){
        .plan = &rounds->machine->method_plan,
        .step = &rounds->now.at,
        .seed = rounds->seed,
        .first = topology->first,
        .neighbour = topology->neighbour,
        .colour = topology->colour,
        .dimension = topology->dimension,
        .direction = topology->direction,
        .begin = worker->begin,
        .end = worker->end,
        .regular = topology->degree_min == topology->degree_max ? topology->degree_max : 0,
        .colour_from = rounds->now.colour_from,
        .colour_end = rounds->now.colour_end,
        .ends = worker->now.ends,
        .ends_count = worker->now.count,
        .turns = rounds_some_have_turns(rounds) ? worker->turns : NULL,
        .turns_count = worker->turns_count,
        .level = rounds->loads.level ? rounds->loads.level : rounds->loads.held,
        .announced = rounds->lines.links ? rounds->lines.known : rounds->announcements.inbox, // NULL if reads_levels
        .capacity = rounds->machine->capacity,
        .memory = rounds->memory,
        .state = rounds->state,
        .arrived = rounds->arrived,
        .scratch = worker->room,
        .lowest = worker->minimum,
        .requests = rounds->requests,
        .held = rounds->loads.held,
        .next = rounds->loads.foreseen,
        .native = rounds->loads.native,
        .moved = rounds->loads.moved,
        .sent = rounds->sent,
        .announcement = rounds->announcements.outbox,
        .place = rounds->announcements.place,
        .parcel = rounds->parcels.outbox,
        .plane = rounds->sent_plane,
        .uniform_run = worker->uniform_run,
        .vicinity = rounds->vicinity,
        .bundle = rounds->bundle,
        .bundles = rounds->bundles,
        .ports = core_vicinity_ports(topology),
        .zero = 0.0,
        .port_from = worker->every.from,
        .links = core_links_carry_all(&rounds->machine->links) ? NULL : &rounds->machine->links,
        .carry = core_links_carry,
        .invokes = rounds->invokes,
        .invited = rounds->invitations.inbox,
        .stray_port = UINT32_MAX,
    };
}

// Returns whether the machine checks the amounts of this step. Samples are the steps 0, 1, 2, 4, 8 and so on, and the
// operation that repeats one in which nothing moved. Loops that check themselves need no samples.
static bool is_checked(const struct rounds_run *rounds)
{
    bool sampled = ((rounds->now.time & (rounds->now.time - 1)) == 0 || rounds->now.still) &&
                   !rounds->machine->method->rounds->block_checks;
    return rounds->machine->checked && (sampled || !rounds->samples);
}

void rounds_run_method(struct rounds_worker *worker, struct ek_block *block)
{
    const struct ek_method *method = worker->rounds->machine->method;
    bool as_rule = method->rounds->act && !rounds_runs_program(worker->rounds); // its loop may run the program
    rounds_loop *loop = as_rule ? NULL : worker->rounds->loop;
    if (rounds_runs_program(worker->rounds) && !block->announces) {
        memset(worker->room, 0, worker->degree * sizeof *worker->room);
    }
    if (is_checked(worker->rounds) && !block->announces && rounds_run_checked(worker, block)) {
        return;
    }
    if (worker->rounds->machine->rounding != CORE_ROUNDING_DOWN) {
        rounds_run_rounded(worker, block, method->rule->flow);
    } else if (loop) {
        loop(block);
    } else if (rounds_runs_program(worker->rounds)) {
        ek_block_program(block, method->rounds->announce, method->rounds->act);
    } else {
        ek_block_flows(block, machine_flow(worker->rounds->machine));
    }
}
