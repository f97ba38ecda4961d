// SPDX-License-Identifier: MIT
// The announce phase: processors receive parcels, a tick of the workload may follow, and they announce.
#include <math.h>

#include "core/cargo/tick.h"
#include "threads/rounds/round_overlaps.h"
#include "threads/rounds/step.h"

enum { AHEAD = 8 }; // processors whose tasks are prefetched: those of a large machine do not fit the caches

// Receives the parcels of the step before, without delays.
static void take_parcels(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    const double *inbox = rounds->parcels.inbox;
    const uint32_t *found = rounds->parcels.found;
    double minimum = worker->minimum;
    if (worker->before.ends) {
        for (size_t k = 0; k < worker->before.count; k++) {
            struct ek_end end = worker->before.ends[k];
            double load = rounds->loads.held[end.processor] += inbox[found[end.port]];
            bool last = k + 1 == worker->before.count || end.processor != worker->before.ends[k + 1].processor;
            minimum = last && load < minimum ? load : minimum;
        }
    } else {
        for (uint32_t p = worker->begin; p < worker->end; p++) {
            double load = rounds->loads.held[p];
            for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
                load += inbox[found[port]];
            }
            rounds->loads.held[p] = load;
            minimum = load < minimum ? load : minimum;
        }
    }
    worker->minimum = minimum;
}

// Receives the parcels that are due, with delays.
static void take_due(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    size_t k = 0;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            bool sent = !worker->before.ends || (k < worker->before.count && worker->before.ends[k].port == port);
            k += worker->before.ends && sent;
            double amount = sent ? rounds->parcels.inbox[rounds->parcels.found[port]] : 0.0;
            rounds->loads.held[p] += mail_delay_parcel(&rounds->lines, port, rounds->now.time - 1, amount);
        }
    }
}

// Records what arrived on each port, for programs that read it.
static void note_arrived(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    for (size_t k = 0; k < rounds_active_count(&worker->before); k++) {
        uint32_t port = rounds_active_port(&worker->before, k);
        rounds->arrived[port] = rounds->parcels.inbox[rounds->parcels.found[port]];
    }
}

// Lets a tick act on a processor.
static struct core_ticked tick(struct rounds_worker *worker, uint32_t p)
{
    struct rounds_run *rounds = worker->rounds;
    double *held = &rounds->loads.held[p];
    if (rounds_has_tasks(rounds)) {
        if (p + AHEAD < worker->end) {
            __builtin_prefetch(rounds->tasks.processor[p + AHEAD].held.newest, 1);
        }
        return cargo_tick(&rounds->tasks.worker[worker - rounds->worker], p, held);
    }
    double *native = rounds->loads.native ? &rounds->loads.native[p] : NULL;
    return core_cargo_tick(&rounds->machine->work, rounds->seed, p, rounds->now.ticks - 1, held, native);
}

// Lets both ends of a link have the same error again: the end that did not send adds what it receives.
static void settle_errors(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    for (size_t k = 0; k < rounds_active_count(&worker->before); k++) {
        uint32_t port = rounds_active_port(&worker->before, k);
        rounds->memory[port] += rounds->parcels.inbox[rounds->parcels.found[port]];
    }
}

static void apply_workload(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    if (rounds_has_tasks(rounds)) {
        cargo_begin_tick(&rounds->tasks.worker[worker - rounds->worker]);
    }
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        if (rounds->took_part && rounds->took_part[p]) { // the operation suspends the processor's workload
            rounds->took_part[p] = 0;
            if (rounds_has_tasks(rounds)) {
                cargo_rest(&rounds->tasks.worker[worker - rounds->worker], p);
            }
            continue;
        }
        if ((rounds_has_tasks(rounds) && cargo_is_idle(&rounds->tasks, p)) || rounds_cut_off(rounds, p)) {
            continue;
        }
        struct core_ticked ticked = tick(worker, p);
        rounds->loads.generated[p] += ticked.generated;
        rounds->loads.consumed[p] += ticked.consumed;
        rounds->loads.unmet[p] += ticked.unmet;
        worker->consumed_at_home += ticked.at_home;
    }
}

static void note_lowest(struct rounds_worker *worker)
{
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        double load = worker->rounds->loads.held[p];
        worker->minimum = load < worker->minimum ? load : worker->minimum;
    }
}

void rounds_work_after(struct rounds_worker *worker)
{
    if (worker->rounds->now.tick && !rounds_works_first(worker->rounds)) {
        apply_workload(worker);
    }
    note_lowest(worker);
}

void rounds_work_first(struct rounds_worker *worker)
{
    if (rounds_works_first(worker->rounds)) {
        apply_workload(worker);
        note_lowest(worker);
    }
}

void rounds_take(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    if (rounds->now.time == 0) {
        rounds_work_after(worker);
        return;
    }
    if (rounds->requests) {
        rounds_lane_answer(worker, &rounds->parcels);
        worker->before = rounds_active_of_turns(worker, rounds->now.before_from, rounds->now.before_end);
    }
    rounds_lane_fetch(&rounds->parcels, &worker->before);
    if (rounds->arrived && !rounds->now.at.loads) {
        note_arrived(worker);
    }
    if (rounds->carries) {
        settle_errors(worker);
    }
    rounds_clock_take(worker);
    double before = worker->minimum;
    if (rounds->lines.links) {
        take_due(worker);
    } else {
        take_parcels(worker);
    }
    if (rounds_has_tasks(rounds)) {
        rounds_tasks_receive(worker);
    }
    if (rounds_has_letters(rounds)) {
        rounds_letters_take(worker);
    }
    if (machine_moves_objects(rounds->machine)) {
        rounds_objects_receive(worker);
    }
    if (rounds->now.operation_begins) { // the last operation has ended
        rounds_overlaps_end(worker);
    }
    for (size_t k = 0; rounds->requests && k < worker->before.count;
         k++) { // processors that sleep do not send zeros themselves
        rounds->parcels.inbox[rounds->parcels.found[worker->before.ends[k].port]] = 0.0;
    }
    bool again = rounds->now.tick || rounds->lines.links || machine_moves_objects(rounds->machine);
    if (again) { // `minimum` counts loads after all parcels and the workload
        worker->minimum = before;
        rounds_work_after(worker);
    }
}

// Computes what a rule compares, at the start of the method's step.
static void take_levels(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        rounds->loads.level[p] = rounds_level_of(rounds, p, rounds->loads.held[p]);
    }
}

static void test_invocations(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    worker->invokers = 0;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        rounds->invokes[p] =
            core_invoke_test(&rounds->machine->invoke, rounds->seed, p, rounds->now.operation, rounds->loads.held[p]);
        worker->invokers += rounds->invokes[p] != 0;
    }
}

// Announces loads on each port that takes part. With delays every port takes part: the announcement may be due in a
// later step, in which its link is used.
static void announce_loads(struct rounds_worker *worker, const struct rounds_active *active)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    const struct rounds_lane *lane = &rounds->announcements;
    const double *seen = rounds->loads.level ? rounds->loads.level : rounds->loads.held;
    if (active->ends) {
        for (size_t k = 0; k < active->count; k++) {
            lane->outbox[rounds_place(lane, active->ends[k].port)] = seen[active->ends[k].processor];
        }
        return;
    }
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            lane->outbox[rounds_place(lane, port)] = seen[p];
        }
    }
}

static void announce_invitations(struct rounds_worker *worker, const struct rounds_active *active)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    const struct rounds_lane *lane = &rounds->invitations;
    for (size_t k = 0; k < rounds_active_count(active); k++) {
        uint32_t port = rounds_active_port(active, k);
        lane->outbox[rounds_place(lane, port)] = rounds->invokes[topology->neighbour[topology->twin[port]]];
    }
}

// Lets the method's program announce.
static void announce_by_program(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    struct ek_block block = rounds_block_of(worker);
    block.announces = true;
    rounds_run_method(worker, &block);
    worker->announced = block.announcements;
    worker->pace.announces = (uint32_t)block.most;
    if (rounds_some_have_turns(rounds)) {
        rounds_lane_ring(worker, &rounds->announcements);
        for (uint32_t i = 0; i < block.turns_count; i++) {
            rounds_bells_ring(&rounds->announcements.bells, block.turns[i]);
        }
    }
}

// Runs the phase where processors send letters only: no port takes part in the step.
static void announce_by_letters(struct rounds_worker *worker)
{
    worker->now = worker->before = (struct rounds_active){.ends = worker->rounds->topology->ends, .count = 0};
    rounds_tasks_say(worker);
    rounds_letters_ask(worker);
}

void rounds_announce(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    if (rounds_only_letters(rounds)) {
        announce_by_letters(worker);
        return;
    }
    if (rounds_takes_levels(rounds)) {
        take_levels(worker);
    }
    if (rounds->invokes && rounds->now.operation_begins) {
        test_invocations(worker);
    }
    worker->now = rounds_some_have_turns(rounds)
                      ? rounds_active_of_turns(worker, rounds->now.colour_from, rounds->now.colour_end)
                      : rounds_active_ports(worker);
    worker->now = rounds_usable(worker, worker->now, worker->usable_ends);
    rounds_check_ports(worker);
    worker->announced_on = worker->now;
    if (rounds->lines.links) {
        worker->announced_on =
            rounds_usable(worker, worker->every, worker->usable_ends + (worker->every.to - worker->every.from));
    }
    if (rounds_program_announces(rounds)) {
        announce_by_program(worker);
    } else {
        if (!rounds->reads_levels) {
            announce_loads(worker, &worker->announced_on);
        }
        worker->announced = rounds_active_count(&worker->announced_on); // fewer may be needed (count_needed)
    }
    rounds_lane_post(&rounds->announcements, &worker->announced_on);
    if (rounds_has_tasks(rounds)) {
        rounds_tasks_say(worker);
    }
    if (rounds_has_letters(rounds)) {
        rounds_letters_ask(worker);
    }
    if (machine_moves_objects(rounds->machine)) {
        rounds_objects_say(worker);
    }
    if (rounds->invokes) {
        announce_invitations(worker, &worker->now);
        rounds_lane_post(&rounds->invitations, &worker->now);
    }
}

// Runs both halves of the announce phase in one pass, for the most common step: all links take part in this step and in
// the last one, and nothing lies between the halves. `regular` is as in core/methods/kernels/block.h: a degree that the
// compiler knows halves the number of instructions.
static inline __attribute__((always_inline)) void pass_on(struct rounds_worker *worker, unsigned regular)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    const double *inbox = rounds->parcels.inbox;
    const uint32_t *found = rounds->parcels.found;
    double minimum = worker->minimum;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        uint32_t first = regular ? p * regular : topology->first[p];
        unsigned degree = regular ? regular : topology->first[p + 1] - first;
        const uint32_t *at = found + first;
        double load = rounds->loads.held[p];
        for (unsigned port = 0; port < degree; port++) {
            load += inbox[at[port]];
        }
        rounds->loads.held[p] = load;
        rounds->loads.level[p] = load;
        minimum = load < minimum ? load : minimum;
    }
    worker->minimum = minimum;
}

bool rounds_can_pass_on(const struct rounds_run *rounds)
{
    return rounds->simple && rounds->now.time > 0 && rounds->now.colour_from == 0 &&
           rounds->now.colour_end == rounds->topology->colours;
}

void rounds_pass_on(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    switch (topology->degree_min == topology->degree_max ? topology->degree_max : 0) {
    case 2:
        pass_on(worker, 2);
        break;
    case 4:
        pass_on(worker, 4);
        break;
    case 6:
        pass_on(worker, 6);
        break;
    default:
        pass_on(worker, 0);
    }
    worker->announced = rounds_active_count(&worker->now);
}
