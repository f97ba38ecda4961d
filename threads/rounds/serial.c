// SPDX-License-Identifier: MIT
// Serial sections of rounds: what one worker does for all while they wait at the barrier. Sums are taken in processor
// order, by one.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/schedule.h"
#include "threads/rounds/state.h"
#include "topologies/scan.h"

static double seconds_since(const struct timespec *from)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - from->tv_sec) + 1e-9 * (double)(now.tv_nsec - from->tv_nsec);
}

static uint64_t parcels_so_far(const struct rounds_run *rounds)
{
    uint64_t parcels = 0;
    for (unsigned w = 0; w < rounds->machine->workers; w++) {
        parcels += rounds->worker[w].parcels;
    }
    return parcels;
}

double rounds_in_flight(const struct rounds_run *rounds)
{
    return mail_delay_in_flight(&rounds->lines, rounds->topology->ports);
}

void rounds_check_ledger(struct rounds_run *rounds, double total)
{
    uint32_t processors = rounds->topology->processors;
    double generated = rounds->generated ? core_measure_sum(rounds->generated, processors) : 0.0;
    double consumed = rounds->consumed ? core_measure_sum(rounds->consumed, processors) : 0.0;
    double gap = fabs(rounds->total_initial + generated - consumed - total - rounds_in_flight(rounds));
    if (gap == 0.0) {
        return;
    }
    double handled = rounds->total_initial + generated + core_measure_sum(rounds->moved, processors);
    double allowed = core_measure_tolerance(handled, rounds->machine->units == EK_TOKENS);
    if (!(gap <= allowed) && isfinite(total)) {
        struct ek_error violation;
        topo_fail(&violation, EK_VIOLATION, "", -1,
                  "%.17g of load was lost or made by step %llu, of %.17g handled so far", gap,
                  (unsigned long long)rounds->step, handled);
        rounds_violate(rounds, &violation);
    }
}

static void finish(struct rounds_run *rounds, enum ek_reason reason)
{
    rounds->over = true;
    rounds->reason = reason;
    rounds->elapsed_s = seconds_since(&rounds->began);
}

static void trace(struct rounds_run *rounds, const struct core_measure *measure)
{
    struct watch_trace *trace = &rounds->trace;
    if (trace->count > 0 && trace->rows[trace->count - 1].step == rounds->step) {
        trace->count--; // steps apart do not count: the last state of a step is the step's
    }
    struct ek_trace_row row = watch_trace_row_of(measure);
    row.step = rounds->step;
    row.moved = core_measure_sum(rounds->moved, rounds->topology->processors);
    row.invokers = rounds->invokers;
    if (!watch_trace_add(trace, &row)) {
        struct ek_error violation;
        topo_fail(&violation, EK_BAD_INPUT, "every", -1, "no memory for a longer trace: take every so many-th step");
        rounds_violate(rounds, &violation);
    }
}

bool rounds_autonomous(const struct rounds_run *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    return machine->method->links != EK_LINKS_MATCHING && !machine->method->lots &&
           machine->invoke.kind != CORE_INVOKE_PROBABILITY && machine->work.kind == CORE_WORKLOAD_NONE &&
           !rounds->lines.delay && machine->turns != MACHINE_TURNS_RANDOM;
}

// A run must end. Nothing moved in a whole operation of a rule that draws no lots: it never will.
static bool stands_still(struct rounds_run *rounds)
{
    if (!rounds_autonomous(rounds)) {
        return false;
    }
    uint64_t parcels = parcels_so_far(rounds);
    bool still = rounds->operation > 0 && parcels == rounds->parcels_before;
    rounds->parcels_before = parcels;
    return still;
}

// The least distance from balance did not fall while the number of operations doubled, beyond any transient: it is at
// its floor, swings, or grows.
static bool gets_no_better(struct rounds_run *rounds, double distance)
{
    const struct ek_topology *topology = rounds->topology;
    uint64_t transient = 4 * (topology->diameter >= 0 ? (uint64_t)topology->diameter : topology->processors);
    rounds->distance_least = distance < rounds->distance_least ? distance : rounds->distance_least;
    bool doubled = (rounds->operation & (rounds->operation - 1)) == 0; // a power of two
    if (rounds->operation < 512 || rounds->operation < transient || !doubled) {
        return false;
    }
    bool no_better = !(rounds->distance_least < rounds->distance_before * (1.0 - 1e-9));
    rounds->distance_before = rounds->distance_least;
    rounds->distance_least = INFINITY;
    return no_better;
}

static bool hopeless(struct rounds_run *rounds, double distance)
{
    if (stands_still(rounds)) {
        return true;
    }
    if (rounds->repeat.parts > 0) {
        rounds->cycle = core_repeat_look(&rounds->repeat);
        return rounds->cycle > 0;
    }
    return rounds->machine->work.kind == CORE_WORKLOAD_NONE && gets_no_better(rounds, distance);
}

static bool limits_reached(struct rounds_run *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    if ((machine->steps_max && rounds->step >= machine->steps_max) ||
        (machine->operations_max && rounds->operation >= machine->operations_max)) {
        finish(rounds, EK_STEPS);
    } else if (machine->seconds_max > 0.0 && seconds_since(&rounds->began) >= machine->seconds_max) {
        finish(rounds, EK_TIME);
    } else if (atomic_load_explicit(&machine->interrupted, memory_order_relaxed)) {
        finish(rounds, EK_INTERRUPT);
    }
    return rounds->over;
}

// What the workers counted in the operation that is complete.
static void sum_operation(struct rounds_run *rounds)
{
    double shift[2] = {0.0, 0.0};
    for (unsigned w = 0; w < rounds->machine->workers; w++) {
        struct rounds_worker *worker = &rounds->worker[w];
        for (int side = 0; side < 2; side++) {
            shift[side] = fmax(shift[side], worker->shift[side]);
            worker->shift[side] = 0.0;
        }
    }
    rounds->shifts += shift[0] + shift[1];
}

// Splitting ends before the operation in which nothing would move: that one was none.
static bool take_back(struct rounds_run *rounds)
{
    if (!rounds->machine->plan.ends_when_still) {
        return false;
    }
    uint64_t parcels = parcels_so_far(rounds);
    bool still = rounds->operation > 0 && parcels == rounds->parcels_before;
    rounds->parcels_before = parcels;
    if (still) {
        rounds->operation--;
        rounds->step -= rounds->count[EK_COUNT_STEP] - rounds->count_before[EK_COUNT_STEP];
        memcpy(rounds->count, rounds->count_before, sizeof rounds->count);
    }
    return still;
}

// A direct method ends by itself; the stop criterion, if there is one, is then tested.
static void end_direct(struct rounds_run *rounds)
{
    const struct core_stop *stop = &rounds->machine->stop;
    struct core_measure measure;
    core_measure_loads(rounds->held, rounds->topology->processors, &measure);
    double distance =
        core_measure_distance(rounds->held, rounds->machine->capacity, rounds->topology->processors, &measure);
    bool reached = stop->kind == CORE_STOP_ITSELF || core_stop_reached(stop, rounds->machine->topology, rounds->held,
                                                                       &measure, distance, rounds_in_flight(rounds));
    finish(rounds, reached ? EK_CRITERION : EK_ENDED);
}

// Measures where asked, and tests what is to be tested between operations.
static void test(struct rounds_run *rounds, bool criterion, bool show)
{
    const struct ek_machine *machine = rounds->machine;
    struct core_measure measure;
    if (show || machine->stop.kind != CORE_STOP_VARIANCE) {
        core_measure_loads(rounds->held, rounds->topology->processors, &measure);
    } else {
        core_measure_balance(rounds->held, rounds->topology->processors, &measure);
    }
    rounds_check_ledger(rounds, measure.total);
    atomic_store_explicit(&rounds->shown_variance, measure.variance, memory_order_relaxed);
    if (show) {
        trace(rounds, &measure);
    }
    if (!criterion) {
        return;
    }
    double distance = core_measure_distance(rounds->held, machine->capacity, rounds->topology->processors, &measure);
    if (core_stop_reached(&machine->stop, machine->topology, rounds->held, &measure, distance,
                          rounds_in_flight(rounds))) {
        finish(rounds, EK_CRITERION);
    } else if (hopeless(rounds, distance)) {
        finish(rounds, EK_FROZEN);
    }
}

// After the announce phase, with all parcels taken in: measure where asked, then go on or end.
void rounds_decide(void *context)
{
    struct rounds_run *rounds = context;
    const struct ek_machine *machine = rounds->machine;
    bool between = rounds->operation_begins && rounds->fresh;
    bool criterion = between && !ek_machine_direct(machine) && machine->stop.kind != CORE_STOP_NEVER;
    bool show = machine->keep_trace && rounds->step % rounds->trace.every == 0;
    if (between && rounds->operation > 0 && (machine->method->counts & EK_COUNTS_SHIFTS)) {
        sum_operation(rounds);
    }
    if (criterion || show) {
        test(rounds, criterion, show);
    }
    if (!rounds->over && between && (take_back(rounds) || rounds->run_ends)) {
        end_direct(rounds);
    }
    if (atomic_load_explicit(&rounds->violated, memory_order_relaxed)) {
        finish(rounds, EK_STEPS);
    }
    if (!rounds->over && !limits_reached(rounds)) {
        atomic_store_explicit(&rounds->shown_step, rounds->step, memory_order_relaxed);
        atomic_store_explicit(&rounds->shown_operation, rounds->operation, memory_order_relaxed);
    }
}

// Asks the method's schedule what comes next.
static void next_step(struct rounds_run *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    enum ek_next next =
        core_schedule_next(machine->method, &machine->plan, rounds->topology, &rounds->moment, &rounds->at);
    rounds->operation_begins = rounds->moment.index == 0;
    if (next == EK_NEXT_OPERATION_ENDS) {
        rounds->moment.operation++;
        rounds->moment.index = 0;
        rounds->moment.busy = false;
        rounds->operation = rounds->moment.operation;
        next = core_schedule_next(machine->method, &machine->plan, rounds->topology, &rounds->moment, &rounds->at);
        rounds->operation_begins = true;
    }
    assert(!rounds->asks || !rounds->at.loads || rounds->at.wakes); // core/method.h
    rounds->run_ends = next == EK_NEXT_RUN_ENDS;
    rounds->operation_begins = rounds->operation_begins || rounds->run_ends;
    rounds->fresh = true;
    rounds->moment.index++;
    rounds->colour_from = rounds->at.colour_from;
    bool together = machine->ports == EK_ALL_PORTS || machine->method->links == EK_LINKS_MATCHING ||
                    machine->method->links == EK_LINKS_CHOSEN || rounds->at.colour_end <= rounds->at.colour_from + 1;
    rounds->colour_end = together ? rounds->at.colour_end : rounds->at.colour_from + 1;
}

// Those who invoked the operation under way.
static uint64_t count_invokers(const struct rounds_run *rounds)
{
    uint64_t invokers = rounds->invokes ? 0 : rounds->topology->processors;
    for (unsigned w = 0; rounds->invokes && w < rounds->machine->workers; w++) {
        invokers += rounds->worker[w].invokers;
    }
    return invokers;
}

// After the migrate phase: the step is complete.
void rounds_step_done(void *context)
{
    struct rounds_run *rounds = context;
    const struct ek_machine *machine = rounds->machine;
    if (rounds->fresh && rounds->operation_begins) {
        memcpy(rounds->count_before, rounds->count, sizeof rounds->count);
        rounds->invokers = count_invokers(rounds);
    }
    rounds->time++;
    rounds->count[rounds->at.count]++;
    rounds->step += rounds->at.count != EK_COUNT_APART;
    if (machine->method->links == EK_LINKS_MATCHING) {
        core_matching_draw(&rounds->matching, rounds->topology, rounds->seed, rounds->step);
    }
    rounds->before_from = rounds->colour_from;
    rounds->before_end = rounds->colour_end;
    if (rounds->colour_end < rounds->at.colour_end) { // one port: the next colour of the same step
        rounds->colour_from = rounds->colour_end++;
        rounds->fresh = false;
        rounds->operation_begins = false;
    } else {
        bool busy = atomic_exchange_explicit(&rounds->busy, false, memory_order_relaxed);
        rounds->moment.busy = busy || atomic_load_explicit(&rounds->waiting, memory_order_relaxed) > 0;
        next_step(rounds);
    }
    rounds->tick = machine->work.kind != CORE_WORKLOAD_NONE && (machine->clock_steps || rounds->operation_begins);
    rounds->ticks += rounds->tick;
}

void rounds_begin(void *context)
{
    struct rounds_run *rounds = context;
    clock_gettime(CLOCK_MONOTONIC, &rounds->began);
    rounds->moment.works = rounds->machine->work.kind != CORE_WORKLOAD_NONE;
    next_step(rounds);
}

// Whether everybody has something to do in the phase that comes: those who sleep too must be let go.
static bool concerns_all(const struct rounds_run *rounds)
{
    bool announces = !rounds->migrates;
    return rounds->over || rounds->at.wakes || (announces && (rounds->tick || rounds_takes_levels(rounds)));
}

// Where processors sleep, only the workers of those go on whose bell was rung; one at least.
static void leave_out_idle(struct rounds_run *rounds)
{
    if (!rounds->chosen || concerns_all(rounds)) {
        return;
    }
    const struct rounds_lane *lane = rounds->migrates ? &rounds->announcements : &rounds->parcels;
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
    mail_barrier_call(rounds->barrier, rounds->chosen, count);
}

void rounds_phase_done(void *context)
{
    struct rounds_run *rounds = context;
    if (rounds->migrates) {
        rounds_step_done(rounds);
    } else {
        rounds_decide(rounds);
    }
    rounds->migrates = !rounds->migrates;
    leave_out_idle(rounds);
}

void rounds_progress(struct rounds_run *rounds, struct ek_progress *progress)
{
    progress->steps = atomic_load_explicit(&rounds->shown_step, memory_order_relaxed);
    progress->operations = atomic_load_explicit(&rounds->shown_operation, memory_order_relaxed);
    progress->variance = atomic_load_explicit(&rounds->shown_variance, memory_order_relaxed);
}
