// SPDX-License-Identifier: MIT
// Free timing: what the attendant reads from a complete snapshot (snapshot.h). The ledger: initial + generated = held +
// in flight + consumed. The stop criteria. And termination, a stable property: nobody is in an operation or wants one,
// and nothing is under way; once true it stays so, and a snapshot that shows it was no accident (Chandy & Lamport 1985,
// section 4).
#include "threads/free/control/audit.h"

#include <math.h>

#include "threads/free/control/end.h"
#include "threads/free/finish.h"
#include "threads/free/load_sums.h"
#include "threads/watch/ledger.h"

// Between two snapshots lies so many times what the last one took, so that they take at most a tenth of the time; but
// not more than that many nanoseconds, since the first one may wait for threads that have not begun.
enum { REST = 9, REST_MAX_NS = 200 * 1000 * 1000 };

// An interval is this part of the run so far, up to --audit.
enum { GROWTH = 4 };

static void begin(struct free_control *control, uint64_t now_ns)
{
    struct free_run *run = &control->run;
    struct free_attendant *attendant = &control->attendant;
    // Acquire: pairs with the release in fault_injection.c. If nothing comes back any more, the snapshot is of
    // processors that have seen all repairs.
    attendant->repairs_pending =
        atomic_load_explicit(&control->faults.repairs_pending, memory_order_acquire) || attendant->repairs_elsewhere;
    attendant->auditing = true;
    attendant->audit_began_ns = now_ns;
    // Relaxed: before the epoch, whose release orders it.
    atomic_store_explicit(&run->shared.complete, 0, memory_order_relaxed);
    // Release: pairs with the acquire of the epoch in a look.
    atomic_fetch_add_explicit(&run->shared.epoch, 1, memory_order_release);
    free_ring_all(run);
}

// What a snapshot says of the machine as a whole.
struct whole {
    double in_flight, generated, consumed, moved, stayed;
    uint64_t messages;
    uint64_t ticks;      // of work
    uint64_t operations; // ended so far
    uint32_t active;     // in an operation
    uint32_t asking;     // would invoke
    uint32_t blocked;    // of those
    bool held_back;      // somebody would announce or give over a failed link
    bool works;          // work is to come
    bool recurs;         // a lot, or its time, may make somebody invoke
    double fingerprint;
    uint64_t tried; // the fewest operations of anybody who would invoke and can: so far,
    uint64_t tries; // and since something changed
};

static struct whole sum_up(struct free_control *control)
{
    const struct free_run *run = &control->run;
    struct free_attendant *attendant = &control->attendant;
    struct whole whole = {.tried = UINT64_MAX, .tries = UINT64_MAX};
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        const struct free_snapshot *part = &run->snapshot[p];
        attendant->held[p] = part->held;
        whole.in_flight += part->in_flight;
        whole.generated += part->generated;
        whole.consumed += part->consumed;
        whole.moved += part->moved;
        whole.stayed += part->stayed;
        whole.messages += part->messages;
        whole.ticks += part->ticks;
        whole.operations += part->ended;
        whole.active += !part->idle;
        whole.asking += part->asks;
        whole.blocked += part->asks && part->blocked;
        whole.held_back = whole.held_back || part->held_back;
        bool lost =
            free_faults(run->machine) && part->cut_off && !attendant->repairs_pending; // it stands still for ever
        whole.works = whole.works || (part->works && !lost);
        whole.recurs = whole.recurs || (core_invoke_recurs(&run->machine->invoke) && !lost);
        if (part->asks && !part->blocked) {
            uint64_t tries = part->tried - attendant->tried[p];
            whole.tried = part->tried < whole.tried ? part->tried : whole.tried;
            whole.tries = tries < whole.tries ? tries : whole.tries;
        }
        whole.fingerprint += part->held * (1.0 + (double)(p % 8191) / 8192.0);
    }
    if (run->pushed) { // who has nothing to give for now begins no operation: the mean of all
        whole.tried = whole.operations / run->topology->processors;
    }
    return whole;
}

// Relaxed: counts, of now or later.
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
    // A message adds to a load where it is sent and where it is taken; a tick of work twice to its processor's, and
    // once each to what that generated and consumed; and the shares of all processors are added up.
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

// Whether nothing has changed since an earlier snapshot, though everybody who wants to has ended two operations since:
// those under way began after it, and know no other loads than those of now.
static bool stands_still(struct free_control *control, const struct whole *whole)
{
    const struct free_run *run = &control->run;
    enum { TRIES = 2 };
    struct free_attendant *attendant = &control->attendant;
    if (whole->fingerprint != attendant->fingerprint || whole->moved != attendant->moved_before) {
        attendant->fingerprint = whole->fingerprint;
        attendant->moved_before = whole->moved;
        for (uint32_t p = 0; p < run->topology->processors; p++) {
            attendant->tried[p] = run->snapshot[p].tried;
        }
        return false;
    }
    return whole->in_flight == 0.0 && whole->tries >= TRIES;
}

// Where loads are pushed: whether all that any processor would say has been said and heard, and those who invoke would
// give nothing by it. Then nobody has a reason to do anything more, unless a link that failed comes back. Where a
// condition on the whole has just begun or ceased to hold, not everybody knows it yet: the next snapshot does.
static bool all_is_said(const struct free_control *control, const struct whole *whole)
{
    const struct free_run *run = &control->run;
    bool global = run->machine->invoke.kind == CORE_INVOKE_GLOBAL;
    bool triggered = atomic_load_explicit(&run->shared.triggered, memory_order_relaxed); // this thread's own
    bool invokes = global ? triggered && whole->asking == run->topology->processors : whole->asking > 0;
    return invokes && whole->active == 0 && whole->messages == 0 && whole->asking == whole->blocked &&
           !(whole->held_back && control->attendant.repairs_pending);
}

// Whether it is certain that nothing will ever move again: the rule itself says so of these loads, whichever links come
// and go; or who would balance is cut off for good.
static bool is_frozen(struct free_control *control, const struct whole *whole)
{
    if (whole->works) {
        return false;
    }
    if (control->run.pushed) {
        return all_is_said(control, whole);
    }
    bool rests = stands_still(control, whole) && control->rest.announced && core_rest_holds(&control->rest);
    bool cut_off = whole->active == 0 && whole->messages == 0 && whole->asking > 0 && whole->asking == whole->blocked;
    return rests || (cut_off && !whole->recurs && !control->attendant.repairs_pending);
}

// Whether it gets no nearer to balance: a suspicion. What comes, work or the repairs of a list, may take the loads from
// balance, and is to be balanced then: as long as it does, hope begins anew. Faults that are drawn go on for ever.
static void give_up_hope(struct free_control *control, const struct whole *whole, double distance)
{
    const struct machine_plan *machine = control->run.machine;
    struct free_attendant *attendant = &control->attendant;
    bool repairs_pending = attendant->repairs_pending && machine->faults.kind == CORE_FAULTS_FILE;
    uint64_t tried = whole->tried < UINT64_MAX ? whole->tried : attendant->no_progress.doubled;
    if (repairs_pending || whole->works) {
        watch_no_progress_begin(&attendant->no_progress, INFINITY, tried, attendant->no_progress.first);
        return;
    }
    watch_no_progress_note(&attendant->no_progress, distance, tried);
    if (attendant->no_progress.suspected && !machine_limited(machine)) {
        free_drain(control, EK_ENDED_GIVEN_UP);
    }
}

// By snapshot; where there is no memory for more, the trace ends and the run goes on.
static void show(struct free_control *control, const struct core_measure *measure, const struct whole *whole)
{
    const struct free_run *run = &control->run;
    struct free_attendant *attendant = &control->attendant;
    struct watch_passed passed = {.moved = whole->moved,
                                  .there = run->start.total + whole->generated,
                                  .stayed = run->machine->units == EK_TOKENS ? whole->stayed : NAN,
                                  .invokers = whole->active,
                                  .invocations = whole->operations,
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

// Everything has arrived. A criterion must hold now, too; else the machine goes on.
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

// Notes the first snapshot since which the criterion has held, and the last one before.
static void note_reached(struct free_attendant *attendant, bool reached, const struct whole *whole)
{
    if (!reached) {
        attendant->missed_ns = attendant->audit_began_ns;
    } else if (!attendant->reached) {
        attendant->reached_ns = attendant->audit_began_ns;
        attendant->reached_operations = whole->operations;
    }
    attendant->reached = reached;
}

// A method that ends where nothing moves any more has come to its end.
static enum ek_ended end_of_movement(const struct free_run *run)
{
    return run->machine->method_plan.ends_when_still ? EK_ENDED_ITSELF : EK_ENDED_FROZEN;
}

// Nobody invokes. Where loads are pushed a link that comes back still lets some be announced, but not while the run
// drains.
static void end_by_itself(struct free_control *control)
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

// Tests what is tested between operations in rounds, here on a snapshot.
static void test(struct free_control *control, const struct whole *whole)
{
    const struct free_run *run = &control->run;
    const struct machine_plan *machine = run->machine;
    struct free_attendant *attendant = &control->attendant;
    struct core_measure measure;
    core_measure_loads(attendant->held, machine->capacity, run->topology->processors, whole->in_flight, &measure);
    atomic_store_explicit(&control->variance, measure.variance, memory_order_relaxed); // a lone value, for progress
    show(control, &measure, whole);
    if (!free_ledger(control, &measure, whole->generated, whole->consumed, whole->ticks)) {
        return;
    }
    bool triggered = free_trigger(control, &measure);
    attendant->nobody_waits = whole->active == 0 && whole->asking == whole->blocked;
    bool quiet = whole->active == 0 && whole->messages == 0;
    bool reached = core_stop_reached(&machine->stop, run->topology, attendant->held, &measure);
    note_reached(attendant, reached, whole);
    if (attendant->stopping) { // one that began before may have missed an operation that was to begin
        if (quiet && atomic_load_explicit(&run->shared.epoch, memory_order_relaxed) >= attendant->drained_epoch) {
            end_drained(control, reached);
        }
    } else if (quiet && whole->asking == 0 && !whole->works && !whole->recurs && !triggered) {
        end_by_itself(control);
    } else if (reached) {
        free_drain(control, EK_ENDED_CRITERION);
    } else if ((machine->stop.kind != CORE_STOP_NEVER || run->pushed) && is_frozen(control, whole)) {
        free_drain(control, end_of_movement(run));
    } else if (machine->stop.kind != CORE_STOP_NEVER) {
        give_up_hope(control, whole, measure.distance);
    }
}

// When the next one may begin: where the workers' sums promise that the criterion holds, after this one's rest; else at
// its interval too, which is short at first and grows with the run.
static void plan_next(struct free_control *control, uint64_t now_ns)
{
    struct free_attendant *attendant = &control->attendant;
    uint64_t longest_ns = (uint64_t)(1e9 * control->run.machine->experiment.audit_s);
    uint64_t growing_ns = attendant->audit_began_ns / GROWTH;
    uint64_t interval_ns = attendant->stopping ? 0 : growing_ns < longest_ns ? growing_ns : longest_ns;
    uint64_t rest_ns = REST * (now_ns - attendant->audit_began_ns);
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
    struct whole whole = sum_up(control);
    test(control, &whole);
}
