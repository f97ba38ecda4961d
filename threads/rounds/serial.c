// SPDX-License-Identifier: MIT
// Serial sections of rounds: what one worker does for all while they wait at the barrier. Sums are taken in processor
// order, by one.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/steps/schedule.h"
#include "threads/rounds/round_overlaps.h"
#include "threads/rounds/transport.h"
#include "base/cursor.h"

static double seconds_since(const struct timespec *from)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - from->tv_sec) + 1e-9 * (double)(now.tv_nsec - from->tv_nsec);
}

static uint64_t parcels_so_far(const struct rounds_run *rounds)
{
    uint64_t parcels = 0;
    for (unsigned w = 0; w < rounds->workers; w++) {
        parcels += rounds->worker[w].parcels;
    }
    return parcels;
}

static double lowest_so_far(const struct rounds_run *rounds)
{
    double lowest = INFINITY;
    for (unsigned w = 0; w < rounds->workers; w++) {
        lowest = fmin(lowest, rounds->worker[w].minimum);
    }
    return lowest;
}

void rounds_measure(struct rounds_run *rounds, bool all, struct core_measure *measure)
{
    double in_flight = rounds->transport ? rounds->transport->in_flight(rounds)
                                         : mail_delay_in_flight(&rounds->lines, rounds->topology->ports);
    rounds_collect(rounds, rounds->loads.held, 1);
    (all ? core_measure_loads : core_measure_balance)(rounds_loads_settled(rounds), rounds->machine->capacity,
                                                      rounds->topology->processors, in_flight, measure);
}

static void finish(struct rounds_run *rounds, enum ek_ended ended)
{
    rounds->now.over = true;
    rounds->now.ended = ended;
    rounds->now.elapsed_s = seconds_since(&rounds->now.began);
}

// In a step a load is added to at most once for each parcel that comes and goes, and twice for work.
enum watch_verdict rounds_check_ledger(struct rounds_run *rounds, const struct core_measure *measure)
{
    uint32_t processors = rounds->topology->processors;
    const struct rounds_loads *loads = &rounds->loads;
    rounds_collect(rounds, loads->generated, 1);
    rounds_collect(rounds, loads->consumed, 1);
    struct watch_ledger ledger = {
        .initial = rounds->start.total,
        .initial_size = rounds->start.size,
        .generated = loads->generated ? core_measure_sum(loads->generated, processors) : 0.0,
        .consumed = loads->consumed ? core_measure_sum(loads->consumed, processors) : 0.0,
        .held = measure->total,
        .in_flight = measure->in_flight,
        .lowest = lowest_so_far(rounds),
        .additions =
            2.0 * rounds->topology->degree_max * (double)(rounds->now.time + 1) + 2.0 * (double)rounds->now.ticks,
    };
    char when[40];
    struct ek_error violation;
    snprintf(when, sizeof when, " by step %llu", (unsigned long long)rounds->now.step);
    enum watch_verdict verdict = watch_ledger_look(&ledger, processors, rounds->machine->units, when, &violation);
    if (verdict == WATCH_VIOLATED) {
        rounds_violate(rounds, &violation);
    }
    return verdict;
}

double rounds_moved(struct rounds_run *rounds)
{
    rounds_collect(rounds, rounds->loads.moved, 1);
    double moved = core_measure_sum(rounds->loads.moved, rounds->topology->processors);
    for (unsigned w = 0; w < rounds->workers; w++) {
        moved += rounds->worker[w].swapped;
    }
    return moved;
}

double rounds_stayed(struct rounds_run *rounds)
{
    double *native = rounds->loads.native;
    rounds_collect(rounds, native, 1);
    double stayed = native ? core_measure_sum(native, rounds->topology->processors) : NAN;
    for (unsigned w = 0; w < rounds->workers; w++) {
        stayed += rounds->worker[w].consumed_at_home;
    }
    return stayed;
}

uint64_t rounds_messages(const struct rounds_run *rounds)
{
    uint64_t messages = 0;
    for (unsigned w = 0; w < rounds->workers; w++) {
        messages += rounds->worker[w].messages;
    }
    return messages;
}

static struct ek_trace_row row_of(struct rounds_run *rounds, const struct core_measure *measure)
{
    uint32_t processors = rounds->topology->processors;
    const double *generated = rounds->loads.generated;
    struct watch_passed passed = {.moved = rounds_moved(rounds),
                                  .there = rounds->start.total,
                                  .stayed = rounds_stayed(rounds),
                                  .invokers = rounds->now.invokers,
                                  .invocations = rounds->now.invocations,
                                  .messages = rounds_messages(rounds)};
    passed.there += generated ? core_measure_sum(generated, processors) : 0.0;
    struct ek_trace_row row = watch_trace_row_of(measure, processors, &passed);
    row.step = rounds->now.step;
    return row;
}

static bool is_traced(const struct rounds_run *rounds)
{
    return rounds->machine->experiment.keep_trace && rounds->now.step % rounds->now.trace.every == 0;
}

static bool is_in_window(const struct rounds_run *rounds)
{
    return watch_window_has(&rounds->now.window, (double)rounds->now.step);
}

// Whether anybody is to know what the loads are now.
static bool is_shown(const struct rounds_run *rounds)
{
    return is_traced(rounds) || is_in_window(rounds) || rounds->now.observed;
}

static void trace(struct rounds_run *rounds, const struct ek_trace_row *row)
{
    struct watch_trace *trace = &rounds->now.trace;
    if (trace->count > 0 && trace->rows[trace->count - 1].step == row->step) {
        trace->count--;
    }
    struct ek_error violation;
    bool grows = trace->count == trace->room; // in all ranks at once
    bool good = watch_trace_add(trace, row) || base_fail(&violation, EK_BAD_INPUT, "every",
                                                         "no memory for a longer trace: take every so many-th step");
    if (grows && !rounds_agree(rounds, good, &violation)) {
        rounds_violate(rounds, &violation);
    }
}

static void show_row(struct rounds_run *rounds, const struct core_measure *measure)
{
    const struct ek_observer *observer = &rounds->machine->experiment.observer;
    struct ek_trace_row *last = &rounds->now.shown;
    struct ek_trace_row row = row_of(rounds, measure);
    if (rounds->now.has_shown && last->step == row.step) {
        // Steps apart do not count: the last state of a step is the step's, as long as it is not left.
        row.invokers = last->invokers;
        row.invocations = last->invocations;
    }
    rounds->now.has_shown = true;
    *last = row;
    if (is_traced(rounds)) {
        trace(rounds, &row);
    }
    if (rounds->now.observed) {
        observer->look(observer->context, &row, rounds_loads_settled(rounds), rounds->topology->processors);
    }
    if (is_in_window(rounds)) {
        watch_window_add(&rounds->now.window, (double)row.step, &row);
    }
}

bool rounds_autonomous(const struct rounds_run *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    return machine->method->links != EK_LINKS_MATCHING && !machine->method->draws &&
           !core_invoke_recurs(&machine->invoke) && machine->work.kind == CORE_WORKLOAD_NONE &&
           !core_links_delay(&rounds->machine->links) && !rounds->turns.random && !rounds_has_faults(rounds);
}

// Whether what is announced is the load of now: what was said before anything moved last has been heard since. Where a
// link takes part now and then only, it may hear then what was said long ago.
static bool announcements_are_new(const struct rounds_run *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    bool every_step = machine->method->links == EK_LINKS_ALL && !rounds->invokes && machine->ports == EK_ALL_PORTS;
    return !core_links_delay(&machine->links) ||
           (every_step && rounds->now.time > rounds->now.moved_at + core_links_delay_most(&machine->links) + 1);
}

// Whether it is certain that nothing moves any more, though nothing has for an operation only. Where the state
// determines all that follows and is the loads alone, that is enough; else the rule itself is asked.
static bool stands_still(struct rounds_run *rounds, const struct core_measure *measure)
{
    const struct ek_machine *machine = rounds->machine;
    bool keeps = machine->plan.port_doubles > 0 || machine->plan.state_doubles > 0;
    if (rounds_autonomous(rounds) && !keeps) {
        return true;
    }
    if (!rounds->rest.announced || measure->in_flight > 0.0 || rounds->now.rest_denied == rounds->now.moved_at ||
        !announcements_are_new(rounds)) {
        return false;
    }
    rounds->rest.usable = rounds_faults_mend(rounds) ? NULL : rounds->faults.usable; // what comes back must rest too
    rounds->rest.held = rounds_loads_settled(rounds);
    bool holds = core_rest_holds(&rounds->rest);
    rounds->now.rest_denied = rounds->now.moved_at; // what it says of these loads, it would say again
    return holds;
}

// The length of the cycle that the state has closed, or 0. The loads have been measured.
static uint64_t look_for_cycle(struct rounds_run *rounds, bool still)
{
    const struct ek_plan *plan = &rounds->machine->plan;
    rounds_collect(rounds, rounds->state, plan->state_doubles);
    rounds_collect_ports(rounds, rounds->memory, plan->port_doubles);
    rounds->now.repeat.part[0] = rounds_loads_settled(rounds);
    return core_repeat_look(&rounds->now.repeat, still);
}

// Whether it is proven that the criterion will not be reached: nothing moves any more, or a state comes back that
// determines all that follows.
static bool proven_hopeless(struct rounds_run *rounds, const struct core_measure *measure)
{
    uint64_t parcels = parcels_so_far(rounds);
    bool still = rounds->now.operation > 0 && parcels == rounds->now.parcels_before;
    rounds->now.moved_at = still ? rounds->now.moved_at : rounds->now.time;
    rounds->now.parcels_before = parcels;
    uint64_t cycle = rounds->now.repeat.parts > 0 ? look_for_cycle(rounds, still) : 0;
    if (still && (cycle == 1 || stands_still(rounds, measure))) {
        finish(rounds, EK_ENDED_FROZEN);
    } else if (cycle > 0) {
        rounds->now.cycle = cycle;
        finish(rounds, EK_ENDED_REPEATS);
    }
    return rounds->now.over;
}

// Whether it gets no nearer to balance: a suspicion. It ends a run that was given no limit; work may always help, and
// so may a repair that is known to come.
static void give_up_hope(struct rounds_run *rounds, double distance)
{
    bool mends = rounds->machine->faults.kind == CORE_FAULTS_FILE && rounds_faults_mend(rounds);
    watch_hope_look(&rounds->now.hope, distance, rounds->now.operation);
    if (rounds->now.hope.lost && !mends && !machine_limited(rounds->machine)) {
        finish(rounds, EK_ENDED_GIVEN_UP);
    }
}

// What ends a run from outside.
static void look_out(struct rounds_run *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    double most_s = machine->experiment.seconds_max;
    rounds->now.late = most_s > 0.0 && seconds_since(&rounds->now.began) >= most_s;
    rounds->now.interrupted = machine_interrupts(machine) != rounds->interrupts_before;
}

static bool limits_reached(struct rounds_run *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    if (!rounds->transport) { // else they looked when they met, each for itself
        look_out(rounds);
    }
    if (machine->experiment.steps_max && rounds->now.step >= machine->experiment.steps_max) {
        finish(rounds, EK_ENDED_STEPS);
    } else if (machine->experiment.operations_max && rounds->now.operation >= machine->experiment.operations_max) {
        finish(rounds, EK_ENDED_OPERATIONS);
    } else if (rounds->now.late) {
        finish(rounds, EK_ENDED_TIME);
    } else if (rounds->now.interrupted) {
        finish(rounds, EK_ENDED_INTERRUPT);
    }
    return rounds->now.over;
}

// What the workers counted in the operation that is complete.
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

// Splitting ends before the operation in which nothing would move: that one was none.
static bool take_back(struct rounds_run *rounds)
{
    if (!rounds->machine->plan.ends_when_still) {
        return false;
    }
    uint64_t parcels = parcels_so_far(rounds);
    bool still = rounds->now.operation > 0 && parcels == rounds->now.parcels_before;
    rounds->now.parcels_before = parcels;
    if (still) {
        rounds->now.operation--;
        rounds->now.step -= rounds->now.count[EK_COUNT_STEP] - rounds->now.count_before[EK_COUNT_STEP];
        rounds->now.invocations -= rounds->now.invokers;
        struct watch_trace *trace = &rounds->now.trace;
        while (trace->count > 0 && trace->rows[trace->count - 1].step > rounds->now.step) {
            trace->count--;
        }
        rounds->now.window = rounds->now.window_before;
        rounds->now.shown = rounds->now.shown_before;
        memcpy(rounds->now.count, rounds->now.count_before, sizeof rounds->now.count);
    }
    return still;
}

// A direct method ends by itself; the stop criterion, if there is one, is then tested.
static void end_direct(struct rounds_run *rounds)
{
    const struct core_stop *stop = &rounds->machine->stop;
    struct core_measure measure;
    rounds_measure(rounds, true, &measure);
    bool reached = core_stop_reached(stop, rounds->machine->topology, rounds_loads_settled(rounds), &measure);
    finish(rounds, reached ? EK_ENDED_CRITERION : EK_ENDED_ITSELF);
}

// Measures where asked, and tests what is to be tested between operations.
static void test(struct rounds_run *rounds, bool criterion, bool show)
{
    const struct ek_machine *machine = rounds->machine;
    struct core_measure measure;
    rounds_measure(rounds, show || machine->stop.kind != CORE_STOP_VARIANCE, &measure);
    enum watch_verdict verdict = rounds_check_ledger(rounds, &measure);
    atomic_store_explicit(&rounds->now.shown_variance, measure.variance, memory_order_relaxed);
    if (show) {
        show_row(rounds, &measure);
    }
    if (!criterion || verdict == WATCH_VIOLATED) {
        return; // what is only shown ends no run: one that is traced goes as far as one that is not
    }
    if (verdict == WATCH_MEANINGLESS) {
        finish(rounds, EK_ENDED_DIVERGES);
    } else if (core_stop_reached(&machine->stop, machine->topology, rounds_loads_settled(rounds), &measure)) {
        finish(rounds, EK_ENDED_CRITERION);
    } else if (!proven_hopeless(rounds, &measure) && machine->work.kind == CORE_WORKLOAD_NONE) {
        give_up_hope(rounds, measure.distance);
    }
}

static void add_frame(struct rounds_run *rounds)
{
    if (rounds->frames.most > 0) {
        rounds_collect(rounds, rounds->loads.held, 1);
    }
    watch_frames_add(&rounds->frames, (struct ek_frame){.step = rounds->now.step}, rounds_loads_settled(rounds));
}

// Whether the step's state was left before: by its operation's end, or by the work of the next tick. Steps apart that
// come then belong to what follows, though the step's number is still the same.
static bool is_left(const struct rounds_run *rounds)
{
    return rounds->now.left && rounds->now.left_step == rounds->now.step;
}

// After the announce phase, with all parcels taken in: measure where asked, then go on or end.
void rounds_decide(void *context)
{
    struct rounds_run *rounds = context;
    const struct ek_machine *machine = rounds->machine;
    bool between = rounds->now.operation_begins && rounds->now.fresh;
    bool criterion = between && !ek_machine_direct(machine) && machine->stop.kind != CORE_STOP_NEVER;
    if (rounds->transport) {
        look_out(rounds);
        rounds_meet(rounds);
    }
    bool still = between && take_back(rounds);
    bool left = is_left(rounds);
    rounds->now.observed = !left && watch_trace_observed(&machine->experiment, rounds->now.step);
    bool show = !left && is_shown(rounds);
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
        test(rounds, criterion, show);
    }
    if (!rounds->now.over && between && (still || rounds->now.run_ends)) {
        end_direct(rounds);
    }
    if (atomic_load_explicit(&rounds->shared.violated, memory_order_relaxed)) {
        finish(rounds, EK_ENDED_VIOLATION);
    }
    if (!rounds->now.over && !limits_reached(rounds)) {
        rounds_faults_act(rounds);
        atomic_store_explicit(&rounds->now.shown_step, rounds->now.step, memory_order_relaxed);
        atomic_store_explicit(&rounds->now.shown_operation, rounds->now.operation, memory_order_relaxed);
    }
}

// Asks the method's schedule what comes next.
static void next_step(struct rounds_run *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    rounds->now.moment.workload_continues = core_workload_comes(&machine->work, rounds->now.ticks);
    enum ek_next next =
        core_schedule_next(machine->method, &machine->plan, rounds->topology, &rounds->now.moment, &rounds->now.at);
    rounds->now.operation_begins = rounds->now.moment.index == 0;
    if (next == EK_NEXT_OPERATION_ENDS) {
        rounds->now.moment.operation++;
        rounds->now.moment.index = 0;
        rounds->now.moment.busy = false;
        rounds->now.operation = rounds->now.moment.operation;
        next =
            core_schedule_next(machine->method, &machine->plan, rounds->topology, &rounds->now.moment, &rounds->now.at);
        rounds->now.operation_begins = true;
    }
    assert(!rounds->asks || !rounds->now.at.loads || rounds->now.at.wakes); // core/method.h
    rounds->now.run_ends = next == EK_NEXT_RUN_ENDS;
    rounds->now.operation_begins = rounds->now.operation_begins || rounds->now.run_ends;
    rounds->now.fresh = true;
    rounds->now.moment.index++;
    rounds->now.colour_from = rounds->now.at.colour_from;
    bool together = machine->ports == EK_ALL_PORTS || machine->method->links == EK_LINKS_MATCHING ||
                    machine->method->links == EK_LINKS_CHOSEN ||
                    rounds->now.at.colour_end <= rounds->now.at.colour_from + 1;
    rounds->now.colour_end = together ? rounds->now.at.colour_end : rounds->now.at.colour_from + 1;
}

// Those who invoked the operation under way.
static uint64_t count_invokers(const struct rounds_run *rounds)
{
    bool some = rounds->invokes || rounds->machine->method->rounds->reads_invokes;
    uint64_t invokers = some ? 0 : rounds->topology->processors;
    for (unsigned w = 0; some && w < rounds->workers; w++) {
        invokers += rounds->worker[w].invokers;
    }
    return invokers;
}

// What was put and foreseen in this step is taken in and compared in the next.
static void turn_over(struct rounds_run *rounds)
{
    struct rounds_loads *loads = &rounds->loads;
    struct rounds_lane *parcels = &rounds->parcels;
    double *level = loads->level, *inbox = parcels->inbox;
    loads->level = loads->foreseen;
    loads->foreseen = level;
    parcels->inbox = parcels->outbox;
    parcels->outbox = inbox;
}

// After the migrate phase: the step is complete.
void rounds_step_done(void *context)
{
    struct rounds_run *rounds = context;
    const struct ek_machine *machine = rounds->machine;
    if (rounds->invokes || machine->method->rounds->act) { // else there is nothing to know yet
        rounds_meet(rounds);
    }
    if (rounds->now.fresh && rounds->now.operation_begins) {
        memcpy(rounds->now.count_before, rounds->now.count, sizeof rounds->now.count);
        rounds->now.window_before = rounds->now.window;
        rounds->now.shown_before = rounds->now.shown;
        rounds->now.invokers = count_invokers(rounds);
        rounds->now.invocations += rounds->now.invokers;
    }
    bool counts = rounds->now.at.count != EK_COUNT_REDUCTION;
    rounds->now.time++;
    if (rounds->foresees) {
        turn_over(rounds);
    }
    rounds->now.count[rounds->now.at.count]++;
    rounds->now.step += counts;
    if (machine->method->links == EK_LINKS_MATCHING) {
        core_matching_draw(&rounds->matching, rounds->topology, rounds->seed, rounds->now.step);
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

// Where a condition on the whole invokes, everybody invokes the operation that begins, or nobody.
static void trigger(struct rounds_run *rounds)
{
    const struct core_invoke *invoke = &rounds->machine->invoke;
    if (invoke->kind != CORE_INVOKE_GLOBAL || !rounds->now.operation_begins || !rounds->now.fresh) {
        return;
    }
    struct core_measure measure;
    rounds_measure(rounds, true, &measure);
    bool all = core_invoke_whole(invoke, &measure);
    memset(rounds->invokes, all, rounds->topology->processors);
    for (unsigned w = 0; w < rounds->workers; w++) {
        rounds->worker[w].invokers = all ? rounds->worker[w].end - rounds->worker[w].begin : 0;
    }
}

// Whether everybody has something to do in the phase that comes: those who sleep too must be let go.
static bool concerns_all(const struct rounds_run *rounds)
{
    bool announces = !rounds->now.migrates;
    return rounds->now.over || rounds->now.at.wakes || (announces && (rounds->now.tick || rounds_takes_levels(rounds)));
}

// Where processors sleep, only the workers of those go on whose bell was rung; one at least.
static void leave_out_idle(struct rounds_run *rounds)
{
    if (!rounds->chosen || concerns_all(rounds)) {
        return;
    }
    const struct rounds_lane *lane = rounds->now.migrates ? &rounds->announcements : &rounds->parcels;
    uint32_t rung = rounds_bells_look(&lane->bells, rounds->topology->processors, rounds->chosen);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rung; i++) { // in place, from processors to workers
        uint32_t worker = rounds->worker_of[rounds->chosen[i]];
        if (count == 0 || rounds->chosen[count - 1] != worker) {
            rounds->chosen[count++] = worker;
        }
    }
    if (count == 0) {
        rounds->chosen[count++] = 0;
    }
    mail_barrier_call(&rounds->barrier, rounds->chosen, count);
}

void rounds_phase_done(void *context)
{
    struct rounds_run *rounds = context;
    if (rounds->now.migrates) {
        rounds_step_done(rounds);
    }
    if (!rounds->now.migrates || rounds->foresees) {
        if (!rounds_meets_between(rounds)) { // else that came before anything was said
            rounds_decide(rounds);
        }
        trigger(rounds);
    }
    rounds->now.migrates = rounds->foresees || !rounds->now.migrates;
    leave_out_idle(rounds);
}
