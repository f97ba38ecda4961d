// SPDX-License-Identifier: MIT
// The attendant evaluates each complete snapshot (snapshot.h):
//
//   1. the ledger: initial + generated = held + in flight + consumed;
//   2. the stop criterion;
//   3. termination: no processor is in an operation or wants one, and no message is under way. This is a stable
//      property: once true it stays true. So if the snapshot shows it, it holds now (Chandy & Lamport 1985, section 4).
#include "threads/free/control/audit.h"

#include <math.h>

#include "threads/free/control/end.h"
#include "threads/free/finish.h"
#include "threads/free/look.h"
#include "threads/free/load_sums.h"
#include "threads/watch/ledger.h"

enum {
    REST = 9, // the pause after a snapshot, as a multiple of its duration: snapshots take a tenth of the time
    REST_MAX_NS = 200 * 1000 * 1000, // the longest pause: the first snapshot may wait for threads that have not begun
    GROWTH = 4                       // an interval is the GROWTH-th part of the run so far, up to --audit
};

static void begin(struct free_control *control, uint64_t now_ns)
{
    struct free_run *run = &control->run;
    struct free_attendant *attendant = &control->attendant;
    // Acquire: pairs with the release in fault_injection.c. If no repair is pending, the processors in the snapshot
    // have seen all repairs.
    attendant->repairs_pending =
        atomic_load_explicit(&control->faults.repairs_pending, memory_order_acquire) || attendant->repairs_elsewhere;
    attendant->auditing = true;
    attendant->audit_began_ns = now_ns;
    // Relaxed: before the epoch, whose release orders it.
    atomic_store_explicit(&run->shared.complete, 0, memory_order_relaxed);
    if (run->perturbed) {
        free_perturb_at_random(run, &attendant->random);
    }
    // Release: pairs with the acquire of the epoch in a look.
    atomic_fetch_add_explicit(&run->shared.epoch, 1, memory_order_release);
    free_ring_all(run);
}

// Sums over all parts of a snapshot.
struct totals {
    double in_flight, generated, consumed, moved, stayed;
    uint64_t messages;
    uint64_t ticks;      // of work
    uint64_t operations; // ended so far
    uint32_t active;     // processors in an operation
    uint32_t asking;     // processors that would invoke
    uint32_t blocked;    // processors that would invoke and cannot
    bool held_back;      // some processor would announce or give over a failed link
    bool works;          // some processor has work to come
    bool recurs;         // some processor may invoke later, by a draw or at its time
    double fingerprint;  // of the loads
    uint64_t tried;      // the fewest operations of any processor that would invoke and can: so far,
    uint64_t tries;      // and since a snapshot showed a change
};

static struct totals sum_up(struct free_control *control)
{
    const struct free_run *run = &control->run;
    struct free_attendant *attendant = &control->attendant;
    struct totals totals = {.tried = UINT64_MAX, .tries = UINT64_MAX};
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        const struct free_snapshot *part = &run->snapshot[p];
        attendant->held[p] = part->held;
        totals.in_flight += part->in_flight;
        totals.generated += part->generated;
        totals.consumed += part->consumed;
        totals.moved += part->moved;
        totals.stayed += part->stayed;
        totals.messages += part->messages;
        totals.ticks += part->ticks;
        totals.operations += part->ended;
        totals.active += !part->idle;
        totals.asking += part->asks;
        totals.blocked += part->asks && part->blocked;
        totals.held_back = totals.held_back || part->held_back;
        bool lost = free_faults(run->machine) && part->cut_off && !attendant->repairs_pending; // for ever
        totals.works = totals.works || (part->works && !lost);
        totals.recurs = totals.recurs || (core_invoke_recurs(&run->machine->invoke) && !lost);
        if (part->asks && !part->blocked) {
            uint64_t tries = part->tried - attendant->tried[p];
            totals.tried = part->tried < totals.tried ? part->tried : totals.tried;
            totals.tries = tries < totals.tries ? tries : totals.tries;
        }
        totals.fingerprint += part->held * (1.0 + (double)(p % 8191) / 8192.0);
    }
    if (run->pushed) { // a processor that has nothing to give begins no operation, so the mean of all is taken
        totals.tried = totals.operations / run->topology->processors;
    }
    return totals;
}

// Returns how many messages were received. Relaxed: counts, which may be newer than the snapshot.
static uint64_t messages_by_now(const struct free_run *run)
{
    uint64_t messages = 0;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        messages += atomic_load_explicit(&run->worker[w].messages, memory_order_relaxed);
    }
    return messages;
}

bool free_ledger(struct free_control *control, const struct core_measure *measure, double generated, double consumed,
                 uint64_t ticks)
{
    struct free_run *run = &control->run;
    // Each addition may round. A message changes one load at its sender and one at its receiver. A tick of work changes
    // its processor's load twice, and `generated` and `consumed` once each. Finally, the sum over all processors takes
    // an addition for each.
    double messages = (double)messages_by_now(run);
    struct watch_ledger ledger = {.initial = run->start.total,
                                  .initial_size = run->start.size,
                                  .generated = generated,
                                  .consumed = consumed,
                                  .held = measure->total,
                                  .in_flight = measure->in_flight,
                                  .additions = 2.0 * messages + 2.0 * (double)ticks + run->topology->processors};
    struct ek_error violation;
    enum watch_verdict verdict =
        watch_ledger_look(&ledger, run->topology->processors, run->machine->units, "", &violation);
    if (verdict == WATCH_VIOLATED) {
        free_violate_with(run, &violation);
    } else if (verdict == WATCH_MEANINGLESS) {
        free_drain(control, EK_ENDED_DIVERGES);
    }
    return verdict != WATCH_VIOLATED;
}

// Returns whether nothing has changed since an earlier snapshot although every processor that invokes has ended two
// operations since. The second operation of each processor began after that snapshot, so it used the present loads.
static bool stands_still(struct free_control *control, const struct totals *totals)
{
    const struct free_run *run = &control->run;
    enum { TRIES = 2 };
    struct free_attendant *attendant = &control->attendant;
    if (totals->fingerprint != attendant->fingerprint || totals->moved != attendant->moved_before) {
        attendant->fingerprint = totals->fingerprint;
        attendant->moved_before = totals->moved;
        for (uint32_t p = 0; p < run->topology->processors; p++) {
            attendant->tried[p] = run->snapshot[p].tried;
        }
        return false;
    }
    return totals->in_flight == 0.0 && totals->tries >= TRIES;
}

// With pushed announcements: returns whether all announcements have been received, and no processor that invokes would
// give anything by them. Then no processor acts any more, unless a failed link comes back. If the condition on all
// loads has just changed, some processors do not know the change yet. Then the next snapshot decides.
static bool all_is_announced(const struct free_control *control, const struct totals *totals)
{
    const struct free_run *run = &control->run;
    bool global = run->machine->invoke.kind == CORE_INVOKE_GLOBAL;
    bool triggered = atomic_load_explicit(&run->shared.triggered, memory_order_relaxed); // written by this thread
    bool invokes = global ? triggered && totals->asking == run->topology->processors : totals->asking > 0;
    return invokes && totals->active == 0 && totals->messages == 0 && totals->asking == totals->blocked &&
           !(totals->held_back && control->attendant.repairs_pending);
}

// Returns whether it is certain that no load will ever move again: by the method's rule no load moves over any link, or
// all processors that would balance are cut off for good.
static bool is_frozen(struct free_control *control, const struct totals *totals)
{
    if (totals->works) {
        return false;
    }
    if (control->run.pushed) {
        return all_is_announced(control, totals);
    }
    bool rests = stands_still(control, totals) && control->rest.announced && core_rest_holds(&control->rest);
    bool cut_off =
        totals->active == 0 && totals->messages == 0 && totals->asking > 0 && totals->asking == totals->blocked;
    return rests || (cut_off && !totals->recurs && !control->attendant.repairs_pending);
}

// Notes whether the loads come nearer to balance. If they do not, the run probably never reaches its criterion; a run
// without limits then ends. While work or listed repairs are still to come they may unbalance the loads, so the count
// begins anew. Drawn faults go on for ever and do not count.
static void note_progress(struct free_control *control, const struct totals *totals, double distance)
{
    const struct machine_plan *machine = control->run.machine;
    struct free_attendant *attendant = &control->attendant;
    bool repairs_pending = attendant->repairs_pending && machine->faults.kind == CORE_FAULTS_FILE;
    uint64_t tried = totals->tried < UINT64_MAX ? totals->tried : attendant->no_progress.doubled;
    if (repairs_pending || totals->works) {
        watch_no_progress_begin(&attendant->no_progress, INFINITY, tried, attendant->no_progress.first);
        return;
    }
    watch_no_progress_note(&attendant->no_progress, distance, tried);
    if (attendant->no_progress.suspected && !machine_limited(machine)) {
        free_drain(control, EK_ENDED_GIVEN_UP);
    }
}

// Adds the snapshot to the trace, the frames and the window, and shows it to the observer. If there is no memory for
// the trace, the trace ends and the run goes on.
static void record(struct free_control *control, const struct core_measure *measure, const struct totals *totals)
{
    const struct free_run *run = &control->run;
    struct free_attendant *attendant = &control->attendant;
    struct watch_passed passed = {.moved = totals->moved,
                                  .there = run->start.total + totals->generated,
                                  .stayed = run->machine->units == EK_TOKENS ? totals->stayed : NAN,
                                  .invokers = totals->active,
                                  .invocations = totals->operations,
                                  .messages = messages_by_now(run)};
    struct ek_trace_row row = watch_trace_row_of(measure, run->topology->processors, &passed);
    row.step = attendant->audits - 1;
    row.time = 1e-9 * (double)attendant->audit_began_ns;
    const struct ek_experiment *experiment = &run->machine->experiment;
    if (experiment->keep_trace) {
        watch_trace_add(&attendant->trace, &row);
    }
    if (watch_trace_observed(experiment, row.step)) {
        experiment->observer.look(experiment->observer.context, &row, attendant->held, run->topology->processors);
    }
    watch_frames_add(&attendant->frames, (struct ek_frame){.step = attendant->audits, .time = row.time},
                     attendant->held);
    if (watch_window_has(&attendant->window, row.time)) {
        watch_window_add(&attendant->window, row.time, &row);
    }
}

// Ends the run, when all messages have arrived. If the run drained because its criterion held, and the criterion no
// longer holds, the run goes on instead.
static void end_drained(struct free_control *control, bool reached)
{
    struct free_run *run = &control->run;
    if (control->attendant.ended != EK_ENDED_CRITERION || reached) {
        free_end_now(control, control->attendant.ended);
        return;
    }
    control->attendant.stopping = false;
    atomic_store_explicit(&run->shared.draining, false, memory_order_relaxed); // a lone flag
    free_ring_all(run);
}

// Notes the first snapshot since which the criterion has held, and the last snapshot in which it did not hold.
static void note_reached(struct free_attendant *attendant, bool reached, const struct totals *totals)
{
    if (!reached) {
        attendant->missed_ns = attendant->audit_began_ns;
    } else if (!attendant->reached) {
        attendant->reached_ns = attendant->audit_began_ns;
        attendant->reached_operations = totals->operations;
    }
    attendant->reached = reached;
}

// Returns the reason to end if no load will ever move again: some methods end so by design.
static enum ek_ended end_of_movement(const struct free_run *run)
{
    return run->machine->method_plan.ends_when_still ? EK_ENDED_ITSELF : EK_ENDED_FROZEN;
}

// Ends a run in which no processor invokes. With pushed announcements a link that comes back would still cause
// announcements, so the run drains first.
static void end_without_invokers(struct free_control *control)
{
    if (control->run.pushed) {
        free_drain(control, EK_ENDED_ITSELF);
    } else {
        free_end_now(control, EK_ENDED_ITSELF);
    }
}

bool free_trigger(struct free_control *control, const struct core_measure *measure)
{
    struct free_run *run = &control->run;
    bool triggered = core_invoke_global(&run->machine->invoke, measure);
    // Relaxed: a lone flag.
    bool before = atomic_exchange_explicit(&run->shared.triggered, triggered, memory_order_relaxed);
    if (triggered && !before) {
        free_ring_all(run);
    }
    return triggered;
}

// Evaluates a snapshot: the ledger first, then whether the run ends.
static void test(struct free_control *control, const struct totals *totals)
{
    const struct free_run *run = &control->run;
    const struct machine_plan *machine = run->machine;
    struct free_attendant *attendant = &control->attendant;
    struct core_measure measure;
    core_measure_loads(attendant->held, machine->capacity, run->topology->processors, totals->in_flight, &measure);
    atomic_store_explicit(&control->variance, measure.variance, memory_order_relaxed); // a lone value, for progress
    record(control, &measure, totals);
    if (!free_ledger(control, &measure, totals->generated, totals->consumed, totals->ticks)) {
        return;
    }
    bool triggered = free_trigger(control, &measure);
    attendant->none_waits = totals->active == 0 && totals->asking == totals->blocked;
    bool quiet = totals->active == 0 && totals->messages == 0;
    bool reached = core_stop_reached(&machine->stop, run->topology, attendant->held, &measure);
    note_reached(attendant, reached, totals);
    if (attendant->stopping) { // an operation may still begin after a snapshot before `drained_epoch`
        if (quiet && atomic_load_explicit(&run->shared.epoch, memory_order_relaxed) >= attendant->drained_epoch) {
            end_drained(control, reached);
        }
    } else if (quiet && totals->asking == 0 && !totals->works && !totals->recurs && !triggered) {
        end_without_invokers(control);
    } else if (reached) {
        free_drain(control, EK_ENDED_CRITERION);
    } else if ((machine->stop.kind != CORE_STOP_NEVER || run->pushed) && is_frozen(control, totals)) {
        free_drain(control, end_of_movement(run));
    } else if (machine->stop.kind != CORE_STOP_NEVER) {
        note_progress(control, totals, measure.distance);
    }
}

// Plans the next snapshot: after a rest if the workers' sums show that the criterion may hold, else also after an
// interval, which is short at first and grows with the run. An interrupted run does not rest, because its process may
// be ended soon.
static void plan_next(struct free_control *control, uint64_t now_ns)
{
    struct free_attendant *attendant = &control->attendant;
    uint64_t longest_ns = (uint64_t)(1e9 * control->run.machine->experiment.audit_s);
    uint64_t growing_ns = attendant->audit_began_ns / GROWTH;
    uint64_t interval_ns = attendant->stopping ? 0 : growing_ns < longest_ns ? growing_ns : longest_ns;
    bool interrupted = attendant->stopping && attendant->ended == EK_ENDED_INTERRUPT;
    uint64_t rest_ns = interrupted ? 0 : REST * (now_ns - attendant->audit_began_ns);
    uint64_t due_ns = attendant->audit_began_ns + interval_ns;
    attendant->audit_rested_ns = now_ns + (rest_ns < REST_MAX_NS ? rest_ns : REST_MAX_NS);
    attendant->audit_next_ns = due_ns > attendant->audit_rested_ns ? due_ns : attendant->audit_rested_ns;
}

static bool is_time(const struct free_control *control, uint64_t now_ns)
{
    const struct free_attendant *attendant = &control->attendant;
    return now_ns >= attendant->audit_next_ns ||
           (now_ns >= attendant->audit_rested_ns && free_sums_reach_criterion(&control->run));
}

static bool is_complete(const struct free_run *run)
{
    // Acquire: pairs with the release of each processor that counted its part.
    return atomic_load_explicit(&run->shared.complete, memory_order_acquire) == run->topology->processors;
}

uint64_t free_audit_next_ns(const struct free_control *control)
{
    return control->attendant.auditing ? UINT64_MAX : control->attendant.audit_next_ns;
}

bool free_audit_due(const struct free_control *control, uint64_t now_ns)
{
    return control->attendant.auditing ? is_complete(&control->run) : is_time(control, now_ns);
}

void free_audit(struct free_control *control, uint64_t now_ns)
{
    struct free_attendant *attendant = &control->attendant;
    if (!attendant->auditing) {
        if (is_time(control, now_ns)) {
            begin(control, now_ns);
        }
        return;
    }
    if (!is_complete(&control->run)) {
        return;
    }
    attendant->auditing = false;
    attendant->audits++;
    if (!attendant->stopping) {
        attendant->audits_before_end = attendant->audits;
        attendant->audited_until_ns = attendant->audit_began_ns;
    }
    plan_next(control, now_ns);
    struct totals totals = sum_up(control);
    test(control, &totals);
}
