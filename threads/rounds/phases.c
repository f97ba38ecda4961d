// SPDX-License-Identifier: MIT
// The engine of rounds: what a worker does. A step has two phases, each closed by the barrier:
//
//   announce  take in the parcels of the step before, say the own load (or a program's words) on the links that take
//   part migrate   hear what was said, ask the method how much goes where, debit it, put the parcels
//
// Between the phases, all have their parcels: there the last to arrive measures, tests the stop criterion and decides
// (a serial section of the barrier), so a test costs no barrier of its own. A worker runs the phases of its block of
// processors; nothing that is computed depends on how the blocks are cut.
#include <math.h>
#include <string.h>

#include "core/block.h"
#include "threads/rounds/engine.h"
#include "threads/rounds/overlaps.h"
#include "threads/rounds/ranks.h"
#include "threads/ranks.h"
#include "threads/slice.h"
#include "topologies/scan.h"

// Queue kinds: what the block wrote at its ports' places goes into the mailboxes at the other ends. There is room: a
// link carries one message a phase, and the barrier lies between.
static void post(struct rounds_lane *lane, const struct rounds_active *active)
{
    if (!lane->boxes.kind->put) {
        return;
    }
    for (size_t k = 0; k < rounds_active_count(active); k++) {
        uint32_t port = rounds_active_port(active, k);
        // A method that breaks the contract may have left one there; the run ends at the next barrier.
        if (!rounds_is_nothing(lane, lane->outbox[port]) && lane->boxes.kind->room(&lane->boxes, port) > 0) {
            lane->boxes.kind->put(&lane->boxes, port, (struct mail_message){.amount = lane->outbox[port], .stamp = 1});
        }
    }
}

static void fetch(struct rounds_lane *lane, const struct rounds_active *active)
{
    if (!lane->boxes.kind->take) {
        return;
    }
    for (size_t k = 0; k < rounds_active_count(active); k++) {
        uint32_t port = rounds_active_port(active, k);
        struct mail_message message = {.amount = lane->nothing};
        if (lane->boxes.kind->waiting(&lane->boxes, port) > 0) {
            lane->boxes.kind->take(&lane->boxes, port, &message);
        }
        lane->inbox[port] = message.amount;
    }
}

// Where processors sleep: who has been sent something on this lane has a turn.
static void answer(struct rounds_worker *worker, struct rounds_lane *lane)
{
    worker->turns_count = rounds_bells_answer(&lane->bells, worker->begin, worker->end, worker->turns);
}

// The parcels of the step before, where they came at once.
static void take_parcels(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    const double *inbox = rounds->parcels.inbox;
    double minimum = worker->minimum;
    if (worker->before.ends) {
        for (size_t k = 0; k < worker->before.count; k++) {
            struct ek_end end = worker->before.ends[k];
            double load = rounds->loads.held[end.processor] += inbox[end.port];
            bool last = k + 1 == worker->before.count || end.processor != worker->before.ends[k + 1].processor;
            minimum = last && load < minimum ? load : minimum;
        }
    } else {
        for (uint32_t p = worker->begin; p < worker->end; p++) {
            double load = rounds->loads.held[p];
            for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
                load += inbox[port];
            }
            rounds->loads.held[p] = load;
            minimum = load < minimum ? load : minimum;
        }
    }
    worker->minimum = minimum;
}

// The parcels that are due, where there are delays.
static void take_due(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    size_t k = 0;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            bool sent = !worker->before.ends || (k < worker->before.count && worker->before.ends[k].port == port);
            k += worker->before.ends && sent;
            double amount = sent ? rounds->parcels.inbox[port] : 0.0;
            rounds->loads.held[p] += mail_delay_take(&rounds->lines, port, rounds->now.time - 1, amount);
        }
    }
}

// What came in on each port, for a program to look at.
static void note_arrived(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    for (size_t k = 0; k < rounds_active_count(&worker->before); k++) {
        uint32_t port = rounds_active_port(&worker->before, k);
        rounds->arrived[port] = rounds->parcels.inbox[port];
    }
}

static void let_work(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        if (rounds->partook && rounds->partook[p]) { // its work is suspended
            rounds->partook[p] = 0;
            continue;
        }
        if (rounds_cut_off(rounds, p)) {
            continue;
        }
        double *native = rounds->loads.native ? &rounds->loads.native[p] : NULL;
        struct core_worked worked = core_workload_act(&rounds->machine->work, rounds->seed, p, rounds->now.ticks - 1,
                                                      &rounds->loads.held[p], native);
        rounds->loads.generated[p] += worked.generated;
        rounds->loads.consumed[p] += worked.consumed;
        rounds->loads.unmet[p] += worked.unmet;
        worker->consumed_at_home += worked.at_home;
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
        let_work(worker);
    }
    note_lowest(worker);
}

void rounds_work_first(struct rounds_worker *worker)
{
    if (rounds_works_first(worker->rounds)) {
        let_work(worker);
        note_lowest(worker);
    }
}

static void take(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    if (rounds->now.time == 0) {
        rounds_work_after(worker);
        return;
    }
    if (rounds->asks) {
        answer(worker, &rounds->parcels);
        worker->before = rounds_active_of_turns(worker, rounds->now.before_from, rounds->now.before_end);
    }
    fetch(&rounds->parcels, &worker->before);
    if (rounds->arrived && !rounds->now.at.loads) {
        note_arrived(worker);
    }
    double before = worker->minimum;
    if (rounds->lines.delay) {
        take_due(worker);
    } else {
        take_parcels(worker);
    }
    if (rounds->now.operation_begins) { // the one before has ended
        rounds_overlaps_end(worker);
    }
    for (size_t k = 0; rounds->asks && k < worker->before.count; k++) { // the sleeping do not put their nothing
        rounds->parcels.inbox[worker->before.ends[k].port] = 0.0;
    }
    if (rounds->now.tick || rounds->lines.delay) { // the step's loads are those with all arrivals and the work
        worker->minimum = before;
        rounds_work_after(worker);
    }
}

// What a rule compares: the load, or with capacities w/c or w - target, at the start of the method's step.
static void take_levels(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    const double *capacity = rounds->machine->capacity;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        rounds->loads.level[p] = rounds->loads.target ? rounds->loads.held[p] - rounds->loads.target[p]
                                 : capacity           ? rounds->loads.held[p] / capacity[p]
                                                      : rounds->loads.held[p];
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

// Every processor says its load on each port that takes part. With delays it does so on all ports: what is heard later
// is the load at the time also of a link that took no part then.
static void say_loads(struct rounds_worker *worker, const struct rounds_active *active)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    const struct rounds_lane *lane = &rounds->announcements;
    const double *seen = rounds->loads.level ? rounds->loads.level : rounds->loads.held;
    if (active->ends) {
        for (size_t k = 0; k < active->count; k++) {
            lane->outbox[lane->place[active->ends[k].port]] = seen[active->ends[k].processor];
        }
        return;
    }
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            lane->outbox[lane->place[port]] = seen[p];
        }
    }
}

static void say_invitations(struct rounds_worker *worker, const struct rounds_active *active)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    const struct rounds_lane *lane = &rounds->invitations;
    for (size_t k = 0; k < rounds_active_count(active); k++) {
        uint32_t port = rounds_active_port(active, k);
        lane->outbox[lane->place[port]] = rounds->invokes[topology->neighbour[topology->twin[port]]];
    }
}

// Where processors sleep, only some have a turn in this step.
static bool some_have_turns(const struct rounds_run *rounds)
{
    return rounds->asks && !rounds->now.at.wakes;
}

static struct ek_block block_of(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    return (struct ek_block){
        .plan = &rounds->machine->plan,
        .at = &rounds->now.at,
        .seed = rounds->seed,
        .first = topology->first,
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
        .turns = some_have_turns(rounds) ? worker->turns : NULL,
        .turns_count = worker->turns_count,
        .seen = rounds->loads.level ? rounds->loads.level : rounds->loads.held,
        .announced = rounds->lines.delay ? rounds->lines.heard : rounds->announcements.inbox,
        .capacity = rounds->machine->capacity,
        .memory = rounds->memory,
        .state = rounds->state,
        .arrived = rounds->arrived,
        .room = worker->room,
        .lowest = worker->minimum,
        .asks = rounds->asks,
        .held = rounds->loads.held,
        .native = rounds->loads.native,
        .moved = rounds->loads.moved,
        .sent = rounds->sent,
        .word = rounds->announcements.outbox,
        .parcel = rounds->parcels.outbox,
        .slot = rounds->parcels.place,
        .limit = rounds->machine->link_limit,
        .invokes = rounds->invokes,
        .invited = rounds->invitations.inbox,
        .astray = UINT32_MAX,
    };
}

static void run_method(struct rounds_worker *worker, struct ek_block *block)
{
    const struct ek_method *method = worker->rounds->machine->method;
    bool tokens = worker->rounds->machine->units == EK_TOKENS;
    void (*loop)(struct ek_block *) = tokens ? method->block_tokens : method->block;
    if (method->act && !block->announces) {
        memset(worker->room, 0, worker->rounds->topology->degree_max * sizeof *worker->room);
    }
    if (loop) {
        loop(block);
    } else if (method->act) {
        ek_block_program(block, method->say, method->act);
    } else {
        ek_block_flows(block, tokens ? method->flow_tokens : method->flow);
    }
}

// Rings for those who are sent something on this lane.
static void ring(struct rounds_worker *worker, struct rounds_lane *lane)
{
    const struct ek_topology *topology = worker->rounds->topology;
    for (size_t k = 0; k < rounds_active_count(&worker->now); k++) {
        uint32_t port = rounds_active_port(&worker->now, k);
        if (!rounds_is_nothing(lane, lane->outbox[lane->place[port]])) {
            rounds_bells_ring(&lane->bells, topology->neighbour[port]);
        }
    }
}

// A program's words.
static void say_words(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    struct ek_block block = block_of(worker);
    block.announces = true;
    run_method(worker, &block);
    worker->said = block.said;
    if (some_have_turns(rounds)) {
        ring(worker, &rounds->announcements);
        for (uint32_t i = 0; i < block.turns_count; i++) {
            rounds_bells_ring(&rounds->announcements.bells, block.turns[i]);
        }
    }
}

// Whether this step's announcements are a program's words, and not loads.
static bool says_words(const struct rounds_run *rounds)
{
    return rounds->machine->method->say && !rounds->now.at.loads;
}

static void announce(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    if (rounds_takes_levels(rounds)) {
        take_levels(worker);
    }
    if (rounds->invokes && rounds->now.operation_begins) {
        test_invocations(worker);
    }
    worker->now = some_have_turns(rounds)
                      ? rounds_active_of_turns(worker, rounds->now.colour_from, rounds->now.colour_end)
                      : rounds_active_ports(worker);
    worker->now = rounds_usable(worker, worker->now, worker->usable_ends);
    rounds_check_ports(worker);
    worker->heard = worker->now;
    if (rounds->lines.delay) {
        worker->heard =
            rounds_usable(worker, worker->every, worker->usable_ends + (worker->every.to - worker->every.from));
    }
    if (says_words(rounds)) {
        say_words(worker);
    } else {
        say_loads(worker, &worker->heard);
        worker->said = rounds_active_count(&worker->heard); // fewer may be needed: count_needed
    }
    post(&rounds->announcements, &worker->heard);
    if (rounds->invokes) {
        say_invitations(worker, &worker->now);
        post(&rounds->invitations, &worker->now);
    }
}

// What was put on links that lead to other ranks is brought there.
static void cross(struct rounds_run *rounds)
{
    if (rounds->now.migrates) {
        rounds_ranks_cross(rounds, &rounds->parcels, rounds->asks != NULL);
        return;
    }
    rounds_ranks_cross(rounds, &rounds->announcements, isnan(rounds->announcements.nothing));
    if (rounds->invokes) {
        rounds_ranks_cross(rounds, &rounds->invitations, false);
    }
}

// A worker's place at the barrier, where those of other ranks are not.
static unsigned member_of(const struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    return rounds->ranks.link ? 0 : (unsigned)(worker - rounds->worker);
}

// The two halves of the announce phase in one pass, for the commonest step: all links take part, before and now, and
// nothing lies between. `regular` as in core/block.h.
static inline __attribute__((always_inline)) void pass_on(struct rounds_worker *worker, unsigned regular)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    const double *inbox = rounds->parcels.inbox;
    double *outbox = rounds->announcements.outbox;
    const uint32_t *place = rounds->announcements.place;
    double minimum = worker->minimum;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        uint32_t first = topology->first[p];
        unsigned degree = regular ? regular : topology->first[p + 1] - first;
        double load = rounds->loads.held[p];
        for (unsigned port = 0; port < degree; port++) {
            load += inbox[first + port];
        }
        rounds->loads.held[p] = load;
        minimum = load < minimum ? load : minimum;
        for (unsigned port = 0; port < degree; port++) {
            outbox[place[first + port]] = load;
        }
    }
    worker->minimum = minimum;
}

static bool can_pass_on(const struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    return rounds->simple && rounds->now.time > 0 && rounds->now.colour_from == 0 &&
           rounds->now.colour_end == rounds->topology->colours;
}

static void take_and_announce(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    if (!can_pass_on(worker)) {
        take(worker);
        if (rounds_meets_between(rounds)) {
            mail_barrier_wait(&rounds->barrier, member_of(worker), rounds_decide, rounds);
            if (rounds->now.over) {
                return;
            }
            rounds_work_first(worker);
        }
        announce(worker);
        return;
    }
    fetch(&rounds->parcels, &worker->before);
    if (rounds->topology->degree_min == 4 && rounds->topology->degree_max == 4) {
        pass_on(worker, 4);
    } else {
        pass_on(worker, 0);
    }
    worker->said = rounds_active_count(&worker->now);
    post(&rounds->announcements, &worker->now);
}

static void hear(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    fetch(&rounds->announcements, rounds->lines.delay ? &worker->heard : &worker->now);
    for (size_t k = 0; rounds->lines.delay && k < rounds_active_count(&worker->heard); k++) {
        uint32_t port = rounds_active_port(&worker->heard, k);
        double announced = rounds->announcements.inbox[port];
        if (rounds->now.time == 0) { // before its first announcement is due, a neighbour is known by its first load
            rounds->lines.heard[port] = announced;
        }
        mail_delay_hear(&rounds->lines, port, rounds->now.time, announced);
    }
    if (rounds->invokes) {
        fetch(&rounds->invitations, &worker->now);
    }
    if (rounds->machine->method->links == EK_LINKS_CHOSEN) {
        rounds_check_ends_agree(worker);
    }
}

// Of the loads that were announced on the ports that take part, those that an operation needs: a rule's both ends must
// know, a program's invoker alone.
static uint64_t count_needed(const struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    bool rule = !rounds->machine->method->act;
    uint64_t needed = 0;
    for (size_t k = 0; k < rounds_active_count(&worker->now); k++) {
        uint32_t port = rounds_active_port(&worker->now, k);
        uint32_t p = topology->neighbour[topology->twin[port]];
        needed += rounds->invitations.inbox[port] != 0.0 || (rule && rounds->invokes[p]);
    }
    return needed;
}

// Notes who takes part in an operation: either end of a link invokes.
static void note_parts(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    const struct ek_topology *topology = rounds->topology;
    for (size_t k = 0; k < rounds_active_count(&worker->now); k++) {
        uint32_t port = rounds_active_port(&worker->now, k);
        uint32_t p = topology->neighbour[topology->twin[port]];
        bool part = !rounds->invokes || rounds->invokes[p] || rounds->invitations.inbox[port] != 0.0;
        rounds->partook[p] = rounds->partook[p] || part;
    }
}

// What a program said of itself.
static void note_turns(struct rounds_worker *worker, const struct ek_block *block)
{
    struct rounds_run *rounds = worker->rounds;
    // Relaxed: both are read after the barrier.
    if (block->busy > 0) {
        atomic_store_explicit(&rounds->shared.busy, true, memory_order_relaxed);
    }
    if (block->waiting != 0) {
        atomic_fetch_add_explicit(&rounds->shared.waiting, block->waiting, memory_order_relaxed);
    }
    for (int side = 0; side < 2; side++) {
        worker->shift[side] = fmax(worker->shift[side], block->shift[side]);
    }
    worker->swapped += block->swapped;
    if (rounds->machine->method->invoked && rounds->now.fresh && rounds->now.operation_begins) {
        worker->invokers = block->invokers;
    }
    if (block->astray != UINT32_MAX) {
        struct ek_error violation;
        topo_fail(&violation, EK_VIOLATION, "method", -1,
                  "in step %llu load was sent from %u to %u over a link that takes no part",
                  (unsigned long long)rounds->now.step,
                  rounds->topology->neighbour[rounds->topology->twin[block->astray]],
                  rounds->topology->neighbour[block->astray]);
        rounds_violate(rounds, &violation);
    }
}

// Those who want a turn in the next step.
static void ring_who_asked(struct rounds_worker *worker, const struct ek_block *block)
{
    struct rounds_run *rounds = worker->rounds;
    for (uint32_t i = 0; i < ek_block_turns(block); i++) {
        uint32_t p = ek_block_whose(block, i);
        if (rounds->asks[p] & EK_ASKS_TURN) {
            rounds_bells_ring(&rounds->parcels.bells, p);
        }
    }
}

static void migrate(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    if (some_have_turns(rounds)) {
        answer(worker, &rounds->announcements);
        worker->now = rounds_active_of_turns(worker, rounds->now.colour_from, rounds->now.colour_end);
    }
    if (rounds->now.operation_begins) {
        rounds_overlaps_begin(worker);
    }
    hear(worker);
    // With delays every load is announced in every step, since nobody knows yet which will be needed.
    if (rounds->invokes && !says_words(rounds) && !rounds->lines.delay) {
        worker->said = count_needed(worker);
    }
    if (rounds->partook) {
        note_parts(worker);
    }
    struct ek_block block = block_of(worker);
    run_method(worker, &block);
    note_turns(worker, &block);
    worker->parcels += block.parcels;
    worker->messages += worker->said + block.parcels;
    worker->said = 0; // it may be left out of the next announce phase, and not of this one

    if (isnan(rounds->announcements.nothing)) { // an empty inbox is how one knows that nobody spoke
        for (size_t k = 0; k < rounds_active_count(&worker->now); k++) {
            rounds->announcements.inbox[rounds_active_port(&worker->now, k)] = NAN;
        }
    }
    post(&rounds->parcels, &worker->now);
    worker->before = worker->now;
    if (rounds->asks) {
        ring(worker, &rounds->parcels);
        ring_who_asked(worker, &block);
    }
}

// A worker may be left out of phases in which it has nothing to do: it does what the phase asks for when it is let go.
void rounds_work(void *context, unsigned index)
{
    struct rounds_run *rounds = context;
    struct rounds_worker *worker = &rounds->worker[rounds->ranks.link ? rounds->ranks.link->rank : index];
    mail_barrier_wait(&rounds->barrier, index, rounds_begin, rounds);
    if (!rounds->chosen) { // else one wakes many among threads that yield, and lives of what they forfeit
        machine_slice_shorten(machine_ranks_threads(rounds->machine), machine_places_count(rounds->machine->places));
    }
    while (!rounds->now.over) {
        if (rounds->now.migrates) {
            migrate(worker);
        } else {
            take_and_announce(worker);
        }
        cross(rounds);
        mail_barrier_wait(&rounds->barrier, index, rounds_phase_done, rounds);
    }
}
