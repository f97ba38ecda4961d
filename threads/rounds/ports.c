// SPDX-License-Identifier: MIT
// The ports that take part in a step, and what the machine enforces for every method: a processor with one port uses
// one link in a step, and both ends of a link agree that it takes part.
#include <math.h>

#include "threads/rounds/rounds_state.h"
#include "base/cursor.h"

void rounds_violate(struct rounds_run *rounds, const struct ek_error *violation)
{
    if (!atomic_exchange_explicit(&rounds->shared.violated, true, memory_order_relaxed)) {
        rounds->shared.violation = *violation; // read after the next barrier
    }
}

// Returns the part of `ends`, which is in the order of processors, that belongs to processors begin..end-1.
static struct rounds_active active_part(const struct ek_end *ends, size_t count, uint32_t begin, uint32_t end)
{
    size_t bound[2];
    uint32_t limit[2] = {begin, end};
    for (int side = 0; side < 2; side++) {
        size_t low = 0;
        size_t high = count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (ends[middle].processor < limit[side]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        bound[side] = low;
    }
    return (struct rounds_active){.ends = ends + bound[0], .count = bound[1] - bound[0]};
}

struct ek_view rounds_view(const struct rounds_run *rounds, uint32_t p)
{
    const struct ek_topology *topology = rounds->topology;
    uint32_t first = topology->first[p];
    return (struct ek_view){.plan = &rounds->machine->method_plan,
                            .step = &rounds->now.at,
                            .processor = p,
                            .degree = topology->first[p + 1] - first,
                            .load = rounds->loads.level ? rounds->loads.level[p] : rounds->loads.held[p],
                            .held = rounds->loads.held[p],
                            .capacity = rounds->machine->capacity ? rounds->machine->capacity[p] : 1.0,
                            .seed = rounds->seed,
                            .dimension = topology->dimension + first,
                            .direction = topology->direction + first,
                            .memory = rounds->memory + (size_t)first * rounds->machine->method_plan.port_doubles};
}

// Returns whether the rule chooses a port. The rule sees only the load of processor p, because announcements come later
// in the step.
static bool chosen(const struct rounds_run *rounds, uint32_t p, uint32_t port)
{
    struct ek_view view = rounds_view(rounds, p);
    return rounds->machine->method->rounds->takes_part(&view, port - rounds->topology->first[p]);
}

// Gathers the ends of the block that the rule chooses, or whose colour is one of the step's. They are stored from `at`
// on in the worker's room.
static struct rounds_active gather(struct rounds_worker *worker, size_t at)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    bool choose = rounds->machine->method->links == EK_LINKS_CHOSEN;
    struct ek_end *ends = worker->room_ends + at;
    size_t count = 0;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            uint32_t colour = topology->colour[port];
            if (choose ? chosen(rounds, p, port)
                       : colour >= rounds->now.colour_from && colour < rounds->now.colour_end) {
                ends[count++] = (struct ek_end){p, port};
            }
        }
    }
    return (struct rounds_active){.ends = ends, .count = count};
}

// Returns the ends of the step's colours. A method uses the same colours again and again, and these ranges of colours
// seldom overlap (they are the dimensions of a product). So gathered ends are kept while there is room.
static struct rounds_active gather_colours(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    if (!worker->gathered) { // a colour past the last: the run has ended, or there are no links
        return gather(worker, 0);
    }
    for (unsigned i = 0; i < worker->gathered_count; i++) {
        const struct rounds_gathered *kept = &worker->gathered[i];
        if (kept->colour_from == rounds->now.colour_from && kept->colour_end == rounds->now.colour_end) {
            return kept->active;
        }
    }
    size_t left = worker->every.to - worker->every.from - worker->ends_used;
    size_t most = (size_t)(worker->end - worker->begin) * (rounds->now.colour_end - rounds->now.colour_from);
    if (worker->gathered_count == ROUNDS_GATHERED_MAX || (most > left && worker->ends_used > 0)) {
        worker->gathered_count = 0;
        worker->ends_used = 0;
    }
    struct rounds_active active = gather(worker, worker->ends_used);
    worker->ends_used += active.count;
    worker->gathered[worker->gathered_count++] =
        (struct rounds_gathered){rounds->now.colour_from, rounds->now.colour_end, active};
    return active;
}

void rounds_draw_links(struct rounds_run *rounds, uint64_t step)
{
    bool single = rounds->machine->method_plan.single_link;
    (single ? core_matching_draw_link : core_matching_draw)(&rounds->matching, rounds->topology, rounds->seed, step);
}

struct rounds_active rounds_active_ports(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    if (rounds->machine->method->links == EK_LINKS_MATCHING) {
        return active_part(rounds->matching.ends, rounds->matching.count, worker->begin, worker->end);
    }
    if (rounds->machine->method->links == EK_LINKS_CHOSEN) {
        return gather(worker, 0);
    }
    if (rounds->now.colour_from == 0 && rounds->now.colour_end == topology->colours) {
        return worker->every;
    }
    if (rounds->now.colour_end == rounds->now.colour_from + 1 && rounds->now.colour_end <= topology->colours) {
        uint32_t from = topology->colour_first[rounds->now.colour_from];
        return active_part(topology->ends + from, topology->colour_first[rounds->now.colour_end] - from, worker->begin,
                           worker->end);
    }
    return gather_colours(worker);
}

struct rounds_active rounds_active_of_turns(struct rounds_worker *worker, uint32_t colour_from, uint32_t colour_end)
{
    const struct ek_topology *topology = worker->rounds->topology;
    size_t count = 0;
    for (uint32_t i = 0; i < worker->turns_count; i++) {
        uint32_t p = worker->turns[i];
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            if (topology->colour[port] >= colour_from && topology->colour[port] < colour_end) {
                worker->turns_ends[count++] = (struct ek_end){p, port};
            }
        }
    }
    return (struct rounds_active){.ends = worker->turns_ends, .count = count};
}

// Reports a violation if a processor with one port uses two links in a step.
void rounds_check_ports(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    if (rounds->machine->ports != EK_ONE_PORT || !worker->now.ends) {
        return;
    }
    for (size_t k = 1; k < worker->now.count; k++) {
        const struct ek_end *end = &worker->now.ends[k];
        if (end->processor == end[-1].processor) {
            struct ek_error violation;
            base_fail(&violation, EK_VIOLATION, "ports",
                      "%s uses two links of one-port processor %u in step %llu: to %u and to %u",
                      rounds->machine->method->name, end->processor, (unsigned long long)rounds->now.step,
                      topology->neighbour[end[-1].port], topology->neighbour[end->port]);
            rounds_violate(rounds, &violation);
            return;
        }
    }
}

// Reports a violation if only one end of a link takes part. Then the method is wrong: the other end announced nothing.
void rounds_check_ends_agree(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    size_t k = 0;
    for (uint32_t port = worker->every.from; port < worker->every.to; port++) {
        bool here = k < worker->now.count && worker->now.ends[k].port == port;
        k += here;
        bool there = !isnan(rounds->announcements.inbox[port]);
        if (here != there) {
            struct ek_error violation;
            base_fail(&violation, EK_VIOLATION, "ports",
                      "in step %llu only one end of the link between %u and %u takes part: takes_part must return the "
                      "same at both ends",
                      (unsigned long long)rounds->now.step, topology->neighbour[topology->twin[port]],
                      topology->neighbour[port]);
            rounds_violate(rounds, &violation);
        }
    }
}
