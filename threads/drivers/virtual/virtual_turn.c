// SPDX-License-Identifier: MIT
// One turn.
#include "threads/drivers/virtual/virtual_turn.h"

#include <math.h>

#include "threads/drivers/virtual/wires.h"
#include "threads/free/processor.h"
#include "threads/free/turn.h"
#include "threads/free/witness.h"

static bool is_in_operation(const struct free_processor *processor)
{
    return processor->phase != FREE_PHASE_IDLE || processor->engaged > 0;
}

// Returns how many operations of the processor have begun, without those that were abandoned.
static uint64_t begun_by(const struct free_processor *processor)
{
    return processor->operation - processor->abandoned + (processor->phase != FREE_PHASE_IDLE);
}

// Returns when the next turn of p begins, after a turn that ended at `ended`.
static uint64_t next_turn(const struct virtual_worker *own, uint32_t p, uint64_t ended)
{
    const struct free_worker *worker = own->worker;
    const struct free_processor *processor = &worker->run->processor[p];
    if (worker->stays_awake || (processor->pause > 0 && !worker->look.draining)) {
        return ended;
    }
    uint64_t next = virtual_wires_next(worker->run, p);
    next = worker->due < next ? worker->due : next;
    if (worker->counts.stalls > 0) { // else no message is kept
        uint64_t room_at = virtual_wires_room_at(own, p);
        next = room_at < next ? room_at : next;
    }
    return next > ended ? next : ended;
}

// Gives the worker the look with which processor p makes a turn at this time.
static void look(struct free_worker *worker, uint32_t turns, uint64_t time)
{
    worker->look.now = time;
    worker->look.pass = turns;
    worker->worked = 0;
    worker->stays_awake = false;
    worker->due = VIRTUAL_NEVER;
}

// The costs of a turn.
struct turn_costs {
    uint64_t turn, receive, send; // of the turn, and of each message
};

// Draws the costs of this turn of processor p. No turn takes no time.
static __attribute__((noinline)) struct turn_costs draw_costs(const struct virtual_machine *machine, uint32_t p,
                                                              uint32_t turn)
{
    struct core_within_draws draws =
        core_within_begin(machine->within, machine->run->seed, BASE_STREAM_TURN_COSTS, p, turn);
    struct turn_costs costs = {.turn = core_within_draw(&draws, machine->turn_ns)};
    costs.turn = costs.turn > 0 ? costs.turn : 1;
    costs.receive = core_within_draw(&draws, machine->overhead_ns);
    costs.send = core_within_draw(&draws, machine->overhead_ns);
    return costs;
}

// Returns for how long p works on the tasks that the turn has executed, and notes when the work ends.
static __attribute__((noinline)) uint64_t work_time(const struct virtual_machine *machine, uint32_t p, uint64_t from)
{
    struct free_run *run = machine->run;
    struct cargo_worker *cargo = free_cargo(&run->worker[free_worker_of(run, p)]);
    double capacity = run->machine->capacity ? run->machine->capacity[p] : 1.0;
    double cost = (double)run->worker[free_worker_of(run, p)].worked;
    double ns = floor(cost * machine->task_ns * (double)virtual_slowness(machine, p) / capacity + 0.5);
    uint64_t time = ns < (double)VIRTUAL_CLOCK_MAX ? (uint64_t)ns : VIRTUAL_CLOCK_MAX;
    uint64_t ended = from + time;
    uint64_t until = ended < machine->end_ns ? ended : machine->end_ns;
    cargo->done_ns = ended > cargo->done_ns ? ended : cargo->done_ns;
    if (run->tasks.works_until) {
        run->tasks.works_until[p] = ended;
    }
    if (until > from) {
        cargo->work_ns += (double)(until - from);
        run->tasks.busy[p] += (double)(until - from);
    }
    return time;
}

// Adds a turn from `time` to `until` to the profile. The work begins at `from` and takes `work_ns`; the rest is
// overhead.
static __attribute__((noinline)) void note_profile(struct watch_profile *profile, uint32_t p, uint64_t time,
                                                   uint64_t from, uint64_t work_ns, uint64_t until)
{
    uint64_t begins = from < until ? from : until;
    uint64_t ends = from + work_ns < until ? from + work_ns : until;
    watch_profile_add(profile, p, EK_PROFILE_OVERHEAD, time, begins);
    watch_profile_add(profile, p, EK_PROFILE_WORK, begins, ends);
    watch_profile_add(profile, p, EK_PROFILE_OVERHEAD, ends, until);
}

void virtual_turn(struct virtual_worker *own, uint32_t p)
{
    struct virtual_machine *machine = own->machine;
    own->place = p - own->worker->begin;
    struct virtual_leaf *leaf = &own->agenda.leaf[own->place];
    uint64_t time = leaf->next;
    struct free_worker *worker = own->worker;
    struct free_processor *processor = &worker->run->processor[p];
    bool was_in_operation = is_in_operation(processor);
    uint64_t had_begun = begun_by(processor);
    worker->counts.waited_ns[free_waiting_for(worker, p)] += (double)(time - leaf->ended);
    uint32_t turn = machine->turns[p]++;
    look(worker, turn, time);
    own->received = 0;
    bool any = free_turn(worker, p);
    free_note_turn(worker, p);
    free_count(&worker->turns, 1);
    worker->counts.empty_turns += !any;
    own->arrived += own->received;
    own->in_operation += is_in_operation(processor) - was_in_operation;
    own->begun += begun_by(processor) - had_begun;

    struct turn_costs costs = {machine->turn_ns, machine->overhead_ns, machine->overhead_ns};
    if (machine->within) {
        costs = draw_costs(machine, p, turn);
    }
    uint64_t slowness = virtual_slowness(machine, p);
    uint64_t each = slowness * costs.send;
    uint64_t receiving_from = time + slowness * costs.turn;
    uint64_t sending_from = receiving_from + own->received * slowness * costs.receive;
    uint64_t work_ns = worker->worked > 0 ? work_time(machine, p, sending_from) : 0;
    sending_from += work_ns;
    uint64_t ended = sending_from + own->sent_count * each;
    uint64_t until = ended < machine->end_ns ? ended : machine->end_ns; // the rest of the turn comes after the run
    own->busy_ns += until - time;
    if (worker->run->tasks.profile.most > 0) {
        note_profile(&worker->run->tasks.profile, p, time, sending_from - work_ns, work_ns, until);
    }
    own->overhead_ns += until > receiving_from + work_ns ? until - receiving_from - work_ns : 0;
    if (own->received > 0 || own->sent_count > 0 || worker->worked > 0) {
        own->last_ns = until > own->last_ns ? until : own->last_ns;
    }
    leaf->ended = ended;
    own->too_late = own->too_late || ended > VIRTUAL_CLOCK_MAX;
    virtual_wires_depart(own, p, sending_from, each, ended);
    leaf->next = next_turn(own, p, ended);
}
