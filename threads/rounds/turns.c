// SPDX-License-Identifier: MIT
// Turns: the in-place form of the delay paper. Processors act one after another. A processor goes through its
// neighbours in ascending order, compares its running load with x_j(t - tau), or with the neighbour's running load r_j
// if tau is 0, and sends at once. Load that is due at t + 1 can be used within the step.
//
// Memory order. `baton` is the place in the order of turns of the next processor. A worker whose processor is next may
// touch every processor's load, and then increments the baton (release); the next worker reads it (acquire). So each
// turn happens before the next one. Ranks pass no baton: the transport says whose turn it is.
#include "threads/rounds/rounds_engine.h"

#include <math.h>
#include <sched.h>
#include <string.h>

#include "base/random.h"
#include "core/cargo/cargo.h"
#include "threads/rounds/transport.h"

void rounds_turns_plan(struct rounds_run *rounds, struct base_arena *memory)
{
    uint64_t processors = rounds->topology->processors;
    struct rounds_turns *turns = &rounds->turns;
    turns->depth = (uint32_t)core_links_delay_most(&rounds->machine->links) + 1;
    bool delays = core_links_delay(&rounds->machine->links);
    base_arena_plan(memory, &turns->order, turns->random ? processors : 0, sizeof *turns->order);
    base_arena_plan(memory, &turns->history, delays ? turns->depth * processors : 0, sizeof *turns->history);
}

// Writes the order of turns of this step.
static void draw_order(struct rounds_run *rounds)
{
    uint32_t processors = rounds->topology->processors;
    uint32_t *order = rounds->turns.order;
    for (uint32_t p = 0; p < processors; p++) {
        order[p] = p;
    }
    struct base_random random = base_random_start(rounds->seed, rounds->now.time, BASE_STREAM_TURNS);
    for (uint32_t left = processors; left > 1; left--) { // Fisher and Yates' shuffle
        uint32_t pick = (uint32_t)base_random_below(&random, left);
        uint32_t last = order[left - 1];
        order[left - 1] = order[pick];
        order[pick] = last;
    }
}

// Of a run with delays: stores the loads before the first turn of a step, and receives earlier parcels that are due.
static void store_loads(struct rounds_run *rounds)
{
    const struct ek_topology *topology = rounds->topology;
    double *now = rounds->turns.history + rounds->now.time % rounds->turns.depth * topology->processors;
    if (rounds->transport) { // neighbours will compare these loads
        rounds->transport->cross_loads(rounds, rounds->loads.held);
    }
    memcpy(now, rounds->loads.held, topology->processors * sizeof *now);
    for (uint32_t port = 0; port < topology->ports; port++) {
        rounds->loads.held[topology->neighbour[topology->twin[port]]] +=
            mail_delay_parcel(&rounds->lines, port, rounds->now.time, 0.0);
    }
}

static void begin_step(struct rounds_run *rounds)
{
    if (rounds->turns.history) {
        store_loads(rounds);
    }
    if (rounds->turns.order) {
        draw_order(rounds);
    }
    atomic_store_explicit(&rounds->turns.baton, 0, memory_order_relaxed); // relaxed: the barrier follows
}

// Returns the load of the neighbour at this port, as far as the processor knows it; NAN: unknown. Before step 0 all
// loads were those of step 0.
static double known(const struct rounds_run *rounds, uint32_t port)
{
    uint32_t neighbour = rounds->topology->neighbour[port];
    uint64_t now = rounds->now.time;
    uint64_t delay = core_link_arrives(&rounds->machine->links, false, rounds->seed, port, now, now) - now;
    if (delay == 0) {
        return rounds->loads.held[neighbour];
    }
    uint64_t then = rounds->now.time > delay ? rounds->now.time - delay : 0;
    if (rounds->faults.since && then < rounds->faults.since[port]) { // the link was down then
        return NAN;
    }
    return rounds->turns.history[then % rounds->turns.depth * rounds->topology->processors + neighbour];
}

void rounds_turn_add(struct rounds_run *rounds, uint32_t port, double amount)
{
    uint32_t twin = rounds->topology->twin[port];
    rounds->loads.held[rounds->topology->neighbour[port]] +=
        rounds->lines.links ? mail_delay_parcel(&rounds->lines, twin, rounds->now.time, amount) : amount;
}

// A receiver of another process has its new load at once, because the next turns compare it. Its tasks or objects stay
// in the parcel, which the transport carries.
static void send(struct rounds_worker *worker, uint32_t p, uint32_t port, double amount)
{
    struct rounds_run *rounds = worker->rounds;
    uint32_t receiver = rounds->topology->neighbour[port];
    bool near = rounds_turn_is_near(rounds, receiver);
    if (rounds_has_tasks(rounds)) {
        struct cargo_worker *cargo = &rounds->tasks.worker[worker - rounds->worker];
        amount = (double)cargo_send(cargo, p, port, (uint64_t)amount);
        if (near) {
            cargo_receive(cargo, receiver, port);
        }
        cargo_tell(&rounds->tasks, p, receiver);
    }
    ek_cargo_take(&rounds->loads.held[p], rounds->loads.native ? &rounds->loads.native[p] : NULL, amount);
    rounds->loads.moved[p] += amount;
    if (rounds->sent) {
        rounds->sent[port] += amount;
    }
    rounds_turn_add(rounds, port, amount);
    if (!near) {
        rounds->parcels.outbox[rounds_place(&rounds->parcels, port)] = amount;
    }
    worker->parcels++;
    worker->messages++;
    if (machine_moves_objects(rounds->machine)) {
        rounds_objects_loads(rounds, p, p + 1);
        rounds_objects_loads(rounds, receiver, receiver + 1);
    }
}

// Sends a positive flow over a port, rounded if the machine rounds, and at most what the link carries. Each direction
// of a link carries its own error.
static void send_flow(struct rounds_worker *worker, uint32_t p, uint32_t port, double flow)
{
    struct rounds_run *rounds = worker->rounds;
    const struct machine_plan *machine = rounds->machine;
    double *error = machine_carries(machine) ? &rounds->memory[port] : NULL;
    struct core_due due = {flow, flow};
    if (machine->rounding != CORE_ROUNDING_DOWN) {
        due = core_rounding_due(machine->rounding, flow, error ? *error : 0.0, rounds->seed, port, rounds->now.time);
        due.whole = fmin(due.whole, rounds->loads.held[p]);
    }
    double amount = due.whole > 0.0 ? core_link_passes(&machine->links, port, due.whole) : 0.0;
    if (error) {
        *error = due.amount - amount;
    }
    if (amount > 0.0) {
        send(worker, p, port, amount);
    }
}

// Lets a processor that writes letters have its turn. It knows its neighbours' loads if they announce them.
static void letters_turn(struct rounds_worker *worker, uint32_t p)
{
    const struct rounds_run *rounds = worker->rounds;
    bool announces = !rounds_only_letters(rounds);
    uint32_t first = rounds->topology->first[p];
    for (uint32_t port = first; announces && port < rounds->topology->first[p + 1]; port++) {
        worker->room[port - first] = known(rounds, port);
        cargo_tell(&worker->rounds->tasks, rounds->topology->neighbour[port], p);
        worker->messages++;
    }
    rounds_letters_turn(worker, p, announces ? worker->room : NULL);
}

static void balance(struct rounds_worker *worker, uint32_t p)
{
    struct rounds_run *rounds = worker->rounds;
    const struct machine_plan *machine = rounds->machine;
    uint32_t first = rounds->topology->first[p];
    ek_flow *flow = machine_flow(machine);
    struct ek_view view = {.plan = &machine->method_plan,
                           .step = &rounds->now.at,
                           .processor = p,
                           .capacity = 1.0,
                           .degree = rounds->topology->first[p + 1] - first,
                           .announced = worker->room,
                           .seed = rounds->seed};
    for (unsigned port = 0; port < view.degree; port++) {
        if (rounds->faults.usable && !rounds->faults.usable[first + port]) {
            continue;
        }
        view.load = view.held = rounds->loads.held[p];
        worker->room[port] = known(rounds, first + port);
        if (rounds_has_tasks(rounds)) {
            cargo_tell(&rounds->tasks, rounds->topology->neighbour[first + port], p);
        }
        worker->messages++;
        double amount = isnan(worker->room[port]) ? 0.0 : flow(&view, port);
        if (machine->checked) {
            rounds_check_amount(rounds, &view, port, amount);
        }
        if (machine_moves_objects(machine)) {
            amount = rounds_objects_cross(rounds, p, first + port, amount);
        }
        if (amount > 0.0) {
            send_flow(worker, p, first + port, amount);
        }
    }
}

void rounds_turn(struct rounds_worker *worker, uint32_t p)
{
    (rounds_has_letters(worker->rounds) ? letters_turn : balance)(worker, p);
}

// Does what lies between two steps: applies a tick, runs the tests of a serial section, and begins the next step.
static void between_steps(struct rounds_run *rounds)
{
    for (unsigned w = 0; rounds_has_letters(rounds) && w < rounds->workers; w++) {
        rounds_letters_take(&rounds->worker[w]);
    }
    for (unsigned w = 0; w < rounds->workers; w++) {
        rounds_work_after(&rounds->worker[w]);
    }
    rounds_decide(rounds);
    for (unsigned w = 0; !rounds->now.over && w < rounds->workers; w++) {
        rounds_work_first(&rounds->worker[w]);
    }
    if (!rounds->now.over && rounds_works_first(rounds)) {
        rounds_tasks_done(rounds);
    }
    if (!rounds->now.over) {
        begin_step(rounds);
    }
}

// Ends a step after its last turn.
static void end_step(void *context)
{
    struct rounds_run *rounds = context;
    rounds_step_done(rounds);
    between_steps(rounds);
}

static void begin(void *context)
{
    struct rounds_run *rounds = context;
    rounds_begin(rounds);
    between_steps(rounds);
}

// Runs the turns of this worker's processors, each when the baton reaches it, until all processors have had their turn.
static void take_turns(struct rounds_worker *worker)
{
    struct rounds_run *rounds = worker->rounds;
    for (;;) {
        // Acquire: pairs with the release below. The reader sees the effects of all earlier turns.
        uint32_t place = atomic_load_explicit(&rounds->turns.baton, memory_order_acquire);
        if (place == rounds->topology->processors) {
            return;
        }
        uint32_t p = rounds_turn_at(rounds, place);
        if (p >= worker->begin && p < worker->end) {
            rounds_turn(worker, p);
            atomic_store_explicit(&rounds->turns.baton, place + 1, memory_order_release);
        } else {
            sched_yield();
        }
    }
}

void rounds_run_turns(void *context, unsigned index)
{
    struct rounds_run *rounds = context;
    mail_barrier_wait(&rounds->barrier, index, begin, rounds);
    while (!rounds->now.over) {
        if (rounds->transport) {
            rounds->transport->take_turns(rounds);
        } else {
            take_turns(&rounds->worker[index]);
        }
        mail_barrier_wait(&rounds->barrier, index, end_step, rounds);
    }
}
