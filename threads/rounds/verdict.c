// SPDX-License-Identifier: MIT
// Verdicts on a run in rounds.
#include "threads/rounds/verdict.h"

#include <math.h>
#include <string.h>

#include "threads/api/experiment.h"
#include "threads/rounds/rounds_measure.h"
#include "threads/rounds/transport.h"

static double seconds_since(const struct timespec *from)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - from->tv_sec) + 1e-9 * (double)(now.tv_nsec - from->tv_nsec);
}

void rounds_end(struct rounds_run *rounds, enum ek_ended ended)
{
    rounds->now.over = true;
    rounds->now.ended = ended;
    rounds->now.elapsed_s = seconds_since(&rounds->now.began) - rounds->now.observed_s;
}

bool rounds_is_autonomous(const struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    return machine->method->links != EK_LINKS_MATCHING && !machine->method->draws &&
           machine->rounding != CORE_ROUNDING_RANDOM && !core_invoke_recurs(&machine->invoke) &&
           machine->work.kind == CORE_WORKLOAD_NONE && !core_links_delay(&rounds->machine->links) &&
           !rounds->turns.random && !rounds_has_faults(rounds);
}

// Returns whether the announcements that rules compare are the present loads: each one made before the last move has
// been replaced since. For links that take part only in some steps, this is not known.
static bool announcements_are_new(const struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    bool every_step = machine->method->links == EK_LINKS_ALL && !rounds->invokes && machine->ports == EK_ALL_PORTS;
    return !core_links_delay(&machine->links) ||
           (every_step && rounds->now.time > rounds->now.moved_at + core_links_delay_most(&machine->links) + 1);
}

// Returns whether a part of an amount is kept in any process.
static bool objects_keep(struct rounds_run *rounds)
{
    struct ek_error none = {0};
    return !rounds_agree(rounds, !cargo_objects_keep(&rounds->objects), &none);
}

// Returns whether no object can move in any process.
static bool objects_rest(struct rounds_run *rounds)
{
    struct ek_error none = {0};
    return rounds_agree(rounds, cargo_objects_rest(&rounds->objects, rounds_loads_settled(rounds)), &none);
}

// Returns whether it is certain that nothing will move again, given that nothing moved in the last operation. It is
// certain if the state determines all that follows and consists of the loads alone. Otherwise the rule must confirm for
// the present loads that nothing moves.
static bool stands_still(struct rounds_run *rounds, const struct core_measure *measure)
{
    const struct machine_plan *machine = rounds->machine;
    bool keeps = machine->method_plan.port_doubles > 0 || machine->method_plan.state_doubles > 0 ||
                 (machine_moves_objects(machine) && objects_keep(rounds));
    if (rounds_is_autonomous(rounds) && !keeps) {
        return true;
    }
    if (!rounds->rest.announced || measure->in_flight > 0.0 || rounds->now.rest_denied == rounds->now.moved_at ||
        !announcements_are_new(rounds)) {
        return false;
    }
    rounds->rest.usable =
        rounds_faults_mend(rounds) ? NULL : rounds->faults.usable; // links that will be repaired must rest too
    rounds->rest.held = rounds_loads_settled(rounds);
    bool holds = core_rest_holds(&rounds->rest);
    rounds->now.rest_denied = rounds->now.moved_at; // the answer for these loads cannot change
    return holds;
}

// Returns the length of the cycle that the state has closed, or 0. The loads have been measured.
static uint64_t look_for_cycle(struct rounds_run *rounds, bool still)
{
    const struct ek_plan *plan = &rounds->machine->method_plan;
    struct core_repeat *repeat = &rounds->now.repeat;
    for (unsigned b = 0; rounds->by_block && b < rounds->blocks; b++) {
        repeat->part[b] = rounds->loads.held + rounds->worker[b].begin;
    }
    if (rounds->by_block) { // each process has kept its own part
        struct ek_error none = {0};
        return core_repeat_look(repeat, rounds_agree(rounds, core_repeat_is_kept(repeat), &none), still);
    }
    rounds_collect(rounds, rounds->state, plan->state_doubles);
    rounds_collect_ports(rounds, rounds->memory, plan->port_doubles);
    repeat->part[0] = rounds_loads_settled(rounds);
    return core_repeat_look(repeat, core_repeat_is_kept(repeat), still);
}

// Ends the run if it is proven that the criterion cannot be reached: nothing will move again, or a state that
// determines all that follows has come back. Returns whether the run is over.
static bool end_if_proven(struct rounds_run *rounds, const struct core_measure *measure)
{
    bool objects = machine_moves_objects(rounds->machine); // without a criterion they are to come to rest
    bool aim = objects && rounds->machine->stop.kind == CORE_STOP_ITSELF;
    enum ek_ended frozen = aim ? EK_ENDED_ITSELF : EK_ENDED_FROZEN;
    uint64_t parcels = rounds_parcels(rounds);
    bool still = rounds->now.operation > 0 && parcels == rounds->now.parcels_before;
    rounds->now.moved_at = still ? rounds->now.moved_at : rounds->now.time;
    rounds->now.parcels_before = parcels;
    uint64_t cycle = rounds->now.repeat.parts > 0 ? look_for_cycle(rounds, still) : 0;
    bool unchecked = rounds->samples && !rounds->now.still; // an amount may have been no number, and so not sent
    rounds->now.still = still;
    if (still && unchecked) {
        return false;
    }
    if (objects && objects_rest(rounds)) {
        rounds_end(rounds, frozen);
    } else if (still && (cycle == 1 || stands_still(rounds, measure))) {
        rounds_end(rounds, frozen);
    } else if (cycle > 0) {
        rounds->now.cycle = cycle;
        rounds_end(rounds, EK_ENDED_REPEATS);
    }
    return rounds->now.over;
}

// Ends a run without limits whose objects probably go to and fro: for long the loads have come no nearer to balance.
static void end_if_restless(struct rounds_run *rounds, double distance)
{
    bool wanes = rounds_objects_wane(rounds, distance);
    rounds->now.no_progress.suspected = wanes;
    if (wanes && !machine_limited(rounds->machine)) {
        rounds_end(rounds, EK_ENDED_GIVEN_UP);
    }
}

// Ends a run without limits if it is suspected of not approaching balance. A workload may change that, and so may a
// repair that is certain to come.
static void end_if_suspected(struct rounds_run *rounds, double distance)
{
    bool mends = rounds->machine->faults.kind == CORE_FAULTS_FILE && rounds_faults_mend(rounds);
    if (machine_moves_objects(rounds->machine)) {
        end_if_restless(rounds, distance);
        return;
    }
    watch_no_progress_note(&rounds->now.no_progress, distance, rounds->now.operation);
    if (rounds->now.no_progress.suspected && !mends && !machine_limited(rounds->machine)) {
        rounds_end(rounds, EK_ENDED_GIVEN_UP);
    }
}

void rounds_check_clock(struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    double most_s = machine->experiment->seconds_max;
    rounds->now.late = most_s > 0.0 && seconds_since(&rounds->now.began) >= most_s;
    rounds->now.interrupted = machine_interrupts(machine) != rounds->interrupts_before;
}

bool rounds_check_limits(struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    if (!rounds->transport) { // with a transport, processes do this when they meet
        rounds_check_clock(rounds);
    }
    if (machine->experiment->steps_max && rounds->now.step >= machine->experiment->steps_max) {
        rounds_end(rounds, EK_ENDED_STEPS);
    } else if (machine->experiment->operations_max && rounds->now.operation >= machine->experiment->operations_max) {
        rounds_end(rounds, EK_ENDED_OPERATIONS);
    } else if (rounds->now.late) {
        rounds_end(rounds, EK_ENDED_TIME);
    } else if (rounds->now.interrupted) {
        rounds_end(rounds, EK_ENDED_INTERRUPT);
    }
    return rounds->now.over;
}

bool rounds_take_back(struct rounds_run *rounds)
{
    if (!rounds->machine->method_plan.ends_when_still) {
        return false;
    }
    uint64_t parcels = rounds_parcels(rounds);
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
        rounds->clock.now_ns = rounds->clock.before_ns;
        memcpy(rounds->now.count, rounds->now.count_before, sizeof rounds->now.count);
    }
    return still;
}

void rounds_end_method(struct rounds_run *rounds)
{
    struct core_measure measure;
    rounds_measure(rounds, true, &measure);
    rounds_end(rounds, rounds_stop_reached(rounds, &measure) ? EK_ENDED_CRITERION : EK_ENDED_ITSELF);
}

void rounds_test(struct rounds_run *rounds, bool criterion, bool show)
{
    const struct machine_plan *machine = rounds->machine;
    struct core_measure measure;
    rounds_measure(rounds, show || machine->stop.kind != CORE_STOP_VARIANCE, &measure);
    enum watch_verdict verdict = rounds_check_ledger(rounds, &measure);
    atomic_store_explicit(&rounds->now.shown_variance, measure.variance, memory_order_relaxed);
    if (show) {
        rounds_show_step(rounds, &measure);
    }
    if (!criterion || verdict == WATCH_VIOLATED) {
        return; // a row that is only shown ends no run: tracing must not change where a run ends
    }
    if (verdict == WATCH_MEANINGLESS) {
        rounds_end(rounds, EK_ENDED_DIVERGES);
    } else if (rounds_stop_reached(rounds, &measure)) {
        rounds_end(rounds, EK_ENDED_CRITERION);
    } else if (!end_if_proven(rounds, &measure) && machine->work.kind == CORE_WORKLOAD_NONE) {
        end_if_suspected(rounds, measure.distance);
    }
}
