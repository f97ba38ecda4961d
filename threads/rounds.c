// SPDX-License-Identifier: MIT
// The engine of rounds. A step has two phases, each closed by the barrier:
//
//   announce: take in the parcels of the step before, put the own load into the mailboxes of the links that take part;
//   migrate:  take the announcements, ask the rule how much goes where, debit it, put the parcels.
//
// Between the phases, all have their parcels: there the last to arrive measures, tests the stop criterion and decides (a serial
// section of the barrier), so a test costs no barrier of its own. A worker runs the phases of its block of processors; nothing that is
// computed depends on how the blocks are cut.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/block.h"
#include "threads/rounds_state.h"
#include "topologies/scan.h"

bool ek_rounds_by_colour(const struct ek_rounds *rounds)
{
    return rounds->machine->method->links == EK_LINKS_COLOUR ||
           (rounds->machine->method->links == EK_LINKS_ALL && rounds->machine->ports == EK_ONE_PORT);
}

// The part of `ends` (in the order of processors) that belongs to processors begin..end-1.
static struct ek_active active_part(const struct ek_end *ends, size_t count, uint32_t begin, uint32_t end)
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
    return (struct ek_active){.ends = ends + bound[0], .count = bound[1] - bound[0]};
}

void ek_rounds_violate(struct ek_rounds *rounds, const struct ek_error *violation)
{
    if (!atomic_exchange_explicit(&rounds->violated, true, memory_order_relaxed)) {
        rounds->violation = *violation; // read after the next barrier
    }
}

// Asks the rule for each port of the block. What it sees is its own load only: announcements come later in the step.
static struct ek_active choose(struct ek_worker *worker, unsigned step)
{
    const struct ek_rounds *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    size_t count = 0;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        uint32_t degree = topology->first[p + 1] - topology->first[p];
        struct ek_view view = {.plan = &rounds->machine->plan, .processor = p, .degree = degree,
                               .load = rounds->held[p], .step = step};
        for (unsigned port = 0; port < degree; port++) {
            if (rounds->machine->method->takes_part(&view, port)) {
                worker->chosen[count++] = (struct ek_end){p, topology->first[p] + port};
            }
        }
    }
    return (struct ek_active){.ends = worker->chosen, .count = count};
}

static struct ek_active active_ports(struct ek_worker *worker, unsigned step)
{
    const struct ek_rounds *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    if (rounds->machine->method->links == EK_LINKS_CHOSEN) {
        return choose(worker, step);
    }
    if (rounds->machine->method->links == EK_LINKS_MATCHING) {
        return active_part(rounds->matching.ends, rounds->matching.count, worker->begin, worker->end);
    }
    if (!ek_rounds_by_colour(rounds)) {
        return (struct ek_active){.from = topology->first[worker->begin], .to = topology->first[worker->end]};
    }
    if (step >= topology->colours) { // a machine without links
        return (struct ek_active){.ends = topology->ends};
    }
    uint32_t from = topology->colour_first[step];
    return active_part(topology->ends + from, topology->colour_first[step + 1] - from, worker->begin, worker->end);
}

// The machine enforces the ports, whatever the method: with one port, no processor may use two links in a step.
static void check_ports(struct ek_worker *worker)
{
    struct ek_rounds *rounds = worker->rounds;
    if (rounds->machine->ports != EK_ONE_PORT || !worker->now.ends) {
        return;
    }
    for (size_t k = 1; k < worker->now.count; k++) {
        const struct ek_end *end = &worker->now.ends[k];
        if (end->processor == end[-1].processor) {
            const struct ek_topology *topology = rounds->topology;
            struct ek_error violation;
            ek_fail(&violation, EK_VIOLATION, "ports", -1,
                    "%s uses two links of one-port processor %u in step %llu: to %u and to %u",
                    rounds->machine->method->name, end->processor, (unsigned long long)rounds->step,
                    topology->neighbour[end[-1].port], topology->neighbour[end->port]);
            ek_rounds_violate(rounds, &violation);
            return;
        }
    }
}

static size_t active_count(const struct ek_active *active)
{
    return active->ends ? active->count : active->to - active->from;
}

static uint32_t active_port(const struct ek_active *active, size_t k)
{
    return active->ends ? active->ends[k].port : active->from + (uint32_t)k;
}

// Queue kinds: what the block wrote at its ports' places goes into the mailboxes at the other ends.
static void post(const struct ek_rounds *rounds, struct ek_lane *lane, const struct ek_active *active, bool zeros)
{
    if (!lane->boxes.kind->put) {
        return;
    }
    for (size_t k = 0; k < active_count(active); k++) {
        uint32_t port = active_port(active, k);
        if (zeros || lane->outbox[port] > 0.0) {
            bool room = lane->boxes.kind->put(&lane->boxes, rounds->topology->twin[port], lane->outbox[port]);
            // A link carries one message a phase, and the barrier lies between; only a wrong method's are left untaken.
            assert(room || atomic_load_explicit(&rounds->violated, memory_order_relaxed));
            (void)room;
        }
    }
}

static void fetch(struct ek_lane *lane, const struct ek_active *active, double nothing)
{
    if (!lane->boxes.kind->take) {
        return;
    }
    for (size_t k = 0; k < active_count(active); k++) {
        uint32_t port = active_port(active, k);
        if (!lane->boxes.kind->take(&lane->boxes, port, &lane->inbox[port])) {
            lane->inbox[port] = nothing;
        }
    }
}

static void take_parcels(struct ek_worker *worker)
{
    struct ek_rounds *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    const double *inbox = rounds->parcels.inbox;
    double minimum = worker->minimum;
    fetch(&rounds->parcels, &worker->before, 0.0);
    if (worker->before.ends) {
        for (size_t k = 0; k < worker->before.count; k++) {
            struct ek_end end = worker->before.ends[k];
            double load = rounds->held[end.processor] += inbox[end.port];
            minimum = load < minimum ? load : minimum;
        }
    } else {
        for (uint32_t p = worker->begin; p < worker->end; p++) {
            double load = rounds->held[p];
            for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
                load += inbox[port];
            }
            rounds->held[p] = load;
            minimum = load < minimum ? load : minimum;
        }
    }
    worker->minimum = minimum;
}

static void announce(struct ek_worker *worker, unsigned step)
{
    struct ek_rounds *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    struct ek_lane *lane = &rounds->announcements;
    if (rounds->start && (step == 0 || rounds->machine->method->links == EK_LINKS_CHOSEN)) {
        memcpy(rounds->start + worker->begin, rounds->held + worker->begin,
               (worker->end - worker->begin) * sizeof *rounds->start);
    }
    const double *seen = rounds->start ? rounds->start : rounds->held;
    worker->now = active_ports(worker, step);
    check_ports(worker);
    if (worker->now.ends) {
        for (size_t k = 0; k < worker->now.count; k++) {
            struct ek_end end = worker->now.ends[k];
            lane->outbox[lane->place[end.port]] = seen[end.processor];
        }
    } else {
        for (uint32_t p = worker->begin; p < worker->end; p++) {
            for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
                lane->outbox[lane->place[port]] = seen[p];
            }
        }
    }
    post(rounds, lane, &worker->now, true);
}

// A link of which only one end takes part is a wrong method: nobody announced there.
static void check_ends_agree(struct ek_worker *worker)
{
    struct ek_rounds *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    size_t k = 0;
    for (uint32_t port = topology->first[worker->begin]; port < topology->first[worker->end]; port++) {
        bool here = k < worker->now.count && worker->now.ends[k].port == port;
        k += here;
        bool there = !isnan(rounds->announcements.inbox[port]);
        if (here != there) {
            struct ek_error violation;
            ek_fail(&violation, EK_VIOLATION, "method", -1,
                    "in step %llu only one end of the link between %u and %u takes part: takes_part must answer alike",
                    (unsigned long long)rounds->step, topology->neighbour[topology->twin[port]],
                    topology->neighbour[port]);
            ek_rounds_violate(rounds, &violation);
        }
    }
}

static void migrate(struct ek_worker *worker, unsigned step)
{
    struct ek_rounds *rounds = worker->rounds;
    const struct ek_method *method = rounds->machine->method;
    bool tokens = rounds->machine->units == EK_TOKENS;
    bool chosen = method->links == EK_LINKS_CHOSEN;
    fetch(&rounds->announcements, &worker->now, NAN);
    if (chosen) {
        check_ends_agree(worker);
    }
    struct ek_block block = {
        .plan = &rounds->machine->plan,
        .first = rounds->topology->first,
        .begin = worker->begin,
        .end = worker->end,
        .regular = rounds->topology->degree_min == rounds->topology->degree_max ? rounds->topology->degree_max : 0,
        .ends = worker->now.ends,
        .ends_count = worker->now.count,
        .step = step,
        .seen = rounds->start ? rounds->start : rounds->held,
        .announced = rounds->announcements.inbox,
        .held = rounds->held,
        .native = rounds->native,
        .moved = rounds->moved,
        .sent = rounds->sent,
        .parcel = rounds->parcels.outbox,
        .slot = rounds->parcels.place,
    };
    void (*loop)(struct ek_block *) = tokens ? method->block_tokens : method->block;
    if (loop) {
        loop(&block);
    } else {
        ek_block_flows(&block, tokens ? method->flow_tokens : method->flow);
    }
    worker->parcels += block.parcels;
    worker->messages += active_count(&worker->now) + block.parcels;
    if (chosen) { // an empty inbox is how check_ends_agree knows that nobody spoke
        for (uint32_t port = block.first[block.begin]; port < block.first[block.end]; port++) {
            rounds->announcements.inbox[port] = NAN;
        }
    }
    post(rounds, &rounds->parcels, &worker->now, false);
    worker->before = worker->now;
}

void ek_rounds_work(void *context, unsigned index)
{
    struct ek_rounds *rounds = context;
    struct ek_worker *worker = &rounds->worker[index];
    ek_barrier_wait(rounds->barrier, index, ek_rounds_begin, rounds);
    for (unsigned step = 0;; step = (step + 1) % rounds->steps_per_operation) {
        take_parcels(worker);
        announce(worker, step);
        ek_barrier_wait(rounds->barrier, index, ek_rounds_decide, rounds);
        if (rounds->over) {
            return;
        }
        migrate(worker, step);
        ek_barrier_wait(rounds->barrier, index, ek_rounds_step_done, rounds);
    }
}
