// SPDX-License-Identifier: MIT
// The serial sections of rounds: one worker runs them while all others wait at the barrier.
#include <assert.h>
#include <string.h>

#include "core/steps/schedule.h"
#include "threads/rounds/round_overlaps.h"
#include "threads/rounds/rounds_measure.h"
#include "threads/rounds/step.h"
#include "threads/rounds/transport.h"
#include "threads/rounds/verdict.h"

// Adds up what the workers counted in the operation that has ended.
static void sum_operation(struct rounds_run *rounds)
{
    double shift[2] = {0.0, 0.0};
    for (unsigned w = 0; w < rounds->workers; w++) {
        struct rounds_worker *worker = &rounds->worker[w];
        for (int side = 0; side < 2; side++) {
            shift[side] = fmax(shift[side], worker->shift[side]);
            worker->shift[side] = 0.0;
        }
    }
    rounds->now.shifts += shift[0] + shift[1];
}

static void add_frame(struct rounds_run *rounds)
{
    if (rounds->frames.most > 0) {
        rounds_collect(rounds, rounds->loads.held, 1);
    }
    watch_frames_add(&rounds->frames, (struct ek_frame){.step = rounds->now.step}, rounds_loads_settled(rounds),
                     rounds->sent);
}

// Returns whether the state of this step was shown before: its operation has ended, or the work of the next tick has
// come. Uncounted steps that follow have the same number, but their state belongs to the next operation.
static bool is_left(const struct rounds_run *rounds)
{
    return rounds->now.left && rounds->now.left_step == rounds->now.step;
}

// Measures the state if that is wanted, and lets the run go on or end. All parcels of the step before have been
// received.
void rounds_decide(void *context)
{
    struct rounds_run *rounds = context;
    const struct machine_plan *machine = rounds->machine;
    bool between = rounds->now.operation_begins && rounds->now.fresh;
    bool criterion = between && !machine_direct(machine) && machine->stop.kind != CORE_STOP_NEVER;
    if (rounds->transport) {
        rounds_check_clock(rounds);
        rounds_meet(rounds);
    }
    if (rounds->now.tick && !rounds_works_first(rounds)) {
        rounds_tasks_done(rounds);
    }
    rounds_clock_receive(rounds);
    bool still = between && rounds_take_back(rounds);
    bool left = is_left(rounds);
    rounds->now.observed = !left && watch_trace_observed(machine->experiment, rounds->now.step);
    bool show = !left && rounds_step_is_shown(rounds);
    if (!left) {
        add_frame(rounds);
    }
    rounds->now.left = between || rounds_works_first(rounds) || left;
    rounds->now.left_step = rounds->now.step;
    if (between && rounds->now.operation > 0 && (machine->method->rounds->counts & EK_COUNTS_SHIFTS)) {
        sum_operation(rounds);
    }
    if (between && rounds->now.operation > 0 && !still) {
        rounds_overlaps_measure(rounds);
    }
    if (criterion || show) {
        rounds_test(rounds, criterion, show);
    }
    if (!rounds->now.over && between && (still || rounds->now.run_ends)) {
        rounds_end_method(rounds);
    }
    if (atomic_load_explicit(&rounds->shared.violated, memory_order_relaxed)) {
        rounds_end(rounds, EK_ENDED_VIOLATION);
    }
    if (!rounds->now.over && !rounds_check_limits(rounds)) {
        rounds_faults_act(rounds);
        atomic_store_explicit(&rounds->now.shown_step, rounds->now.step, memory_order_relaxed);
        atomic_store_explicit(&rounds->now.shown_operation, rounds->now.operation, memory_order_relaxed);
    }
}

// Gets the next step from the method's schedule.
static void next_step(struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    rounds->now.moment.workload_continues = core_workload_continues(&machine->work, rounds->now.ticks);
    enum ek_next next = core_schedule_next(machine->method, &machine->method_plan, rounds->topology,
                                           &rounds->now.moment, &rounds->now.at);
    rounds->now.operation_begins = rounds->now.moment.index == 0;
    if (next == EK_NEXT_OPERATION_ENDS) {
        rounds->now.moment.operation++;
        rounds->now.moment.index = 0;
        rounds->now.moment.busy = false;
        rounds->now.operation = rounds->now.moment.operation;
        next = core_schedule_next(machine->method, &machine->method_plan, rounds->topology, &rounds->now.moment,
                                  &rounds->now.at);
        rounds->now.operation_begins = true;
    }
    assert(!rounds->requests || !rounds->now.at.loads || rounds->now.at.wakes); // see core/method.h
    rounds->now.run_ends = next == EK_NEXT_RUN_ENDS;
    if (rounds->now.run_ends && rounds->now.moment.index > 0) { // the operation that began does not take place
        rounds->now.invocations -= rounds->now.invokers;
    }
    rounds->now.operation_begins = rounds->now.operation_begins || rounds->now.run_ends;
    rounds->now.fresh = true;
    rounds->now.moment.index++;
    rounds->now.colour_from = rounds->now.at.colour_from;
    bool together = machine->ports == EK_ALL_PORTS || machine->method->links == EK_LINKS_MATCHING ||
                    machine->method->links == EK_LINKS_CHOSEN ||
                    rounds->now.at.colour_end <= rounds->now.at.colour_from + 1;
    rounds->now.colour_end = together ? rounds->now.at.colour_end : rounds->now.at.colour_from + 1;
}

// Returns the number of processors that invoked the operation under way.
static uint64_t count_invokers(const struct rounds_run *rounds)
{
    bool some = rounds->invokes || rounds->machine->method->rounds->reads_invokes;
    uint64_t invokers = some ? 0 : rounds->topology->processors;
    for (unsigned w = 0; some && w < rounds->workers; w++) {
        invokers += rounds->worker[w].invokers;
    }
    return invokers;
}

// Swaps the roles of the arrays after a step of one phase: the parcels sent in this step are received in the next. The
// levels foreseen are compared then, unless it is another colour of the same step of the method. In one pass no parcels
// are under way, and processors hold what was foreseen.
static void turn_over(struct rounds_run *rounds)
{
    struct rounds_loads *loads = &rounds->loads;
    struct rounds_lane *parcels = &rounds->parcels;
    double *level = loads->level, *inbox = parcels->inbox;
    if (rounds->now.fresh) {
        loads->level = loads->foreseen;
        loads->foreseen = level;
    }
    loads->held = rounds->one_pass ? loads->level : loads->held;
    parcels->inbox = parcels->outbox;
    parcels->outbox = inbox;
}

// Returns the number of ports that take part in this step.
static uint64_t ports_of_step(const struct rounds_run *rounds)
{
    const struct ek_topology *topology = rounds->topology;
    return rounds->now.colour_end > topology->colours
               ? 0
               : topology->colour_first[rounds->now.colour_end] - topology->colour_first[rounds->now.colour_from];
}

// Counts the step, which is complete, and begins the next one.
void rounds_step_done(void *context)
{
    struct rounds_run *rounds = context;
    const struct machine_plan *machine = rounds->machine;
    if (rounds->invokes || machine->method->rounds->act || rounds_has_paces(rounds)) { // otherwise no counts are needed
        rounds_meet(rounds);
    }
    rounds_clock_add(rounds);
    if (rounds->now.fresh && rounds->now.operation_begins) {
        memcpy(rounds->now.count_before, rounds->now.count, sizeof rounds->now.count);
        rounds->now.window_before = rounds->now.window;
        rounds->now.shown_before = rounds->now.shown;
        rounds->now.invokers = count_invokers(rounds);
        rounds->now.invocations += rounds->now.invokers;
    }
    bool counts = rounds->now.at.count != EK_COUNT_REDUCTION;
    rounds->now.time++;
    if (rounds->rests && rounds->now.time > 1) { // workers that rest would announce what is known
        rounds->worker[0].messages += ports_of_step(rounds);
    }
    rounds->now.count[rounds->now.at.count]++;
    rounds->now.step += counts;
    if (machine->method->links == EK_LINKS_MATCHING) {
        rounds_draw_links(rounds, rounds->now.step);
    }
    rounds->now.before_from = rounds->now.colour_from;
    rounds->now.before_end = rounds->now.colour_end;
    if (rounds->now.colour_end < rounds->now.at.colour_end) { // one port: the next colour of the same step
        rounds->now.colour_from = rounds->now.colour_end++;
        rounds->now.fresh = false;
        rounds->now.operation_begins = false;
    } else {
        bool busy = atomic_exchange_explicit(&rounds->shared.busy, false, memory_order_relaxed);
        rounds->now.moment.busy = busy || atomic_load_explicit(&rounds->shared.waiting, memory_order_relaxed) > 0;
        next_step(rounds);
    }
    rounds->now.tick =
        machine->work.kind != CORE_WORKLOAD_NONE && (machine->clock_steps ? counts : rounds->now.operation_begins);
    rounds->now.ticks += rounds->now.tick;
    if (rounds_has_one_phase(rounds)) {
        turn_over(rounds);
    }
}

void rounds_begin(void *context)
{
    struct rounds_run *rounds = context;
    clock_gettime(CLOCK_MONOTONIC, &rounds->now.began);
    rounds->now.moment.workload = rounds->machine->work.kind != CORE_WORKLOAD_NONE;
    next_step(rounds);
    rounds->now.tick = rounds->now.moment.workload && rounds->machine->work.working == CORE_WORKING_BEFORE;
    rounds->now.ticks = rounds->now.tick;
}

// Tests the condition on all loads, if `invoke` is one. Either every processor invokes the operation that begins, or
// none.
static void trigger(struct rounds_run *rounds)
{
    const struct core_invoke *invoke = &rounds->machine->invoke;
    if (invoke->kind != CORE_INVOKE_GLOBAL || !rounds->now.operation_begins || !rounds->now.fresh) {
        return;
    }
    struct core_measure measure;
    rounds_measure(rounds, true, &measure);
    bool all = core_invoke_global(invoke, &measure);
    memset(rounds->invokes, all, rounds->topology->processors);
    for (unsigned w = 0; w < rounds->workers; w++) {
        rounds->worker[w].invokers = all ? rounds->worker[w].end - rounds->worker[w].begin : 0;
    }
}

// Returns whether every processor acts in the next phase. Sleeping workers must then be woken too.
static bool concerns_all(const struct rounds_run *rounds)
{
    bool announces = !rounds->now.migrates;
    if (rounds->rests) {
        return rounds->now.over || rounds->now.time == 0;
    }
    return rounds->now.over || rounds->now.at.wakes || (announces && (rounds->now.tick || rounds_takes_levels(rounds)));
}

// Lists the processors that the next phase needs, and returns their number: if processors sleep, those whose bells were
// rung.
static uint32_t list_needed(struct rounds_run *rounds)
{
    if (rounds->rests) {
        return rounds_rest_list(rounds);
    }
    const struct rounds_lane *lane = rounds->now.migrates ? &rounds->announcements : &rounds->parcels;
    return rounds_bells_list(&lane->bells, NULL, rounds->topology->processors, rounds->chosen);
}

// If processors sleep or workers rest, releases only the workers that the next phase needs, but at least one worker.
static void leave_out_idle(struct rounds_run *rounds)
{
    if (!rounds->chosen || concerns_all(rounds)) {
        return;
    }
    uint32_t rung = list_needed(rounds);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rung; i++) { // in place: each worker replaces its processors
        uint32_t worker = rounds->worker_of[rounds->chosen[i]];
        if (count == 0 || rounds->chosen[count - 1] != worker) {
            rounds->chosen[count++] = worker;
        }
    }
    if (count == 0) {
        rounds->chosen[count++] = 0;
    }
    if (count == rounds->workers) {
        return;
    }
    mail_barrier_call(&rounds->barrier, rounds->chosen, count);
}

void rounds_phase_done(void *context)
{
    struct rounds_run *rounds = context;
    if (rounds->now.migrates) {
        rounds_step_done(rounds);
    }
    if (!rounds->now.migrates || rounds_has_one_phase(rounds)) {
        if (!rounds_meets_between(rounds)) { // otherwise rounds_decide ran before the announcements
            rounds_decide(rounds);
        } else if (rounds_works_first(rounds)) {
            rounds_tasks_done(rounds);
        }
        trigger(rounds);
    }
    rounds->now.migrates = rounds_has_one_phase(rounds) || !rounds->now.migrates;
    leave_out_idle(rounds);
}
