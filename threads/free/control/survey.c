// SPDX-License-Identifier: MIT
// What follows from the state of all processors at one moment:
//
//   1. whether the ledger is right: initial + generated = held + in flight + consumed;
//   2. whether the stop criterion holds;
//   3. whether the run has terminated: no processor is in an operation or wants one, and no message is under way. This
//      is a stable property: once true it stays true. So if a snapshot shows it, it holds now (Chandy & Lamport 1985,
//      section 4).
#include "threads/free/control/survey.h"

#include <math.h>
#include <string.h>

#include "threads/api/experiment.h"
#include "threads/free/control/end.h"
#include "threads/free/control/transport.h"
#include "threads/free/finish.h"
#include "threads/watch/ledger.h"

// Adds the part of processor p.
static void add(struct free_control *control, struct free_totals *totals, uint32_t p, const struct free_snapshot *part)
{
    const struct free_run *run = &control->run;
    struct free_attendant *attendant = &control->attendant;
    if (!run->by_block) {
        attendant->held[p] = part->held;
    }
    if (run->moves_objects) {
        attendant->lightest[p] = part->lightest;
        totals->objects.count += part->objects.count;
        totals->objects.print += part->objects.print;
    }
    totals->held += part->held;
    totals->in_flight += part->in_flight;
    totals->generated += part->generated;
    totals->consumed += part->consumed;
    totals->moved += part->moved;
    totals->stayed += part->stayed;
    totals->messages += part->messages;
    totals->ticks += part->ticks;
    totals->operations += part->ended;
    totals->active += !part->idle;
    totals->asking += part->asks;
    totals->blocked += part->asks && part->blocked;
    totals->held_back = totals->held_back || part->held_back;
    bool lost = free_faults(run->machine) && part->cut_off && !attendant->repairs_pending; // for ever
    totals->works = totals->works || (part->works && !lost);
    totals->recurs = totals->recurs || (part->recurs && !lost);
    if (part->asks && !part->blocked) {
        totals->tried = part->tried < totals->tried ? part->tried : totals->tried;
        totals->tries = part->tries < totals->tries ? part->tries : totals->tries;
        totals->ended = part->ended < totals->ended ? part->ended : totals->ended;
    }
    totals->fingerprint += part->held * (1.0 + (double)(p % 8191) / 8192.0);
}

RANK_PASSES(struct free_snapshot);

// The sum of all parts.
struct sum {
    struct free_control *control;
    free_survey_part *part_of;
    void *context; // of part_of
    struct free_totals totals;
};

static void put_part(void *context, uint32_t p, double *words)
{
    const struct sum *sum = context;
    struct free_attendant *attendant = &sum->control->attendant;
    struct free_snapshot part = sum->part_of(sum->context, p);
    part.tries = part.tried - attendant->tried[p];
    attendant->held[p] = part.held;
    memcpy(words, &part, sizeof part);
}

static void add_part(void *context, uint32_t p, const double *words)
{
    struct sum *sum = context;
    struct free_snapshot part;
    memcpy(&part, words, sizeof part);
    add(sum->control, &sum->totals, p, &part);
}

struct free_totals free_survey_add(struct free_control *control, free_survey_part *part_of, void *context)
{
    struct sum sum = {.control = control,
                      .part_of = part_of,
                      .context = context,
                      .totals = {.tried = UINT64_MAX, .tries = UINT64_MAX, .ended = UINT64_MAX}};
    struct rank_pass pass = {
        .context = &sum, .words = sizeof(struct free_snapshot) / sizeof(double), .put = put_part, .take = add_part};
    control->transport->pass(control->transport, control, &pass);
    return sum.totals;
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
                 uint64_t ticks, uint64_t under_way)
{
    struct free_run *run = &control->run;
    // Each addition may round. A message changes one load at its sender, and one at its receiver or the sum in flight.
    // A tick of work changes its processor's load twice, and `generated` and `consumed` once each. Finally, the sum
    // over all processors takes an addition for each.
    double messages = (double)(messages_by_now(run) + under_way);
    struct watch_ledger ledger = {.initial = run->start.total,
                                  .initial_size = run->start.total,
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

void free_survey_note_tried(struct free_control *control)
{
    const struct free_run *run = &control->run;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        const struct free_worker *worker = &run->worker[w];
        for (uint32_t place = worker->begin; free_is_here(control->transport, w) && place < worker->end; place++) {
            uint32_t p = free_processor_at(run, place);
            control->attendant.tried[p] = run->snapshot ? run->snapshot[p].tried : run->processor[p].operation;
        }
    }
}

// Returns whether nothing has changed since an earlier snapshot although every processor that invokes has ended two
// operations since. The second operation of each processor began after that snapshot, so it used the present loads.
static bool stands_still(struct free_control *control, const struct free_totals *totals)
{
    enum { TRIES = 2 };
    struct free_attendant *attendant = &control->attendant;
    if (totals->fingerprint != attendant->fingerprint || totals->moved != attendant->moved_before) {
        attendant->fingerprint = totals->fingerprint;
        attendant->moved_before = totals->moved;
        // Relaxed: this thread begins snapshots.
        attendant->changed_epoch = atomic_load_explicit(&control->run.shared.epoch, memory_order_relaxed);
        free_survey_note_tried(control);
        return false;
    }
    return totals->in_flight == 0.0 && totals->tries >= TRIES;
}

// With pushed announcements: returns whether all announcements have been received, and no processor that invokes would
// give anything by them. Then no processor acts any more, unless a failed link comes back. If the condition on all
// loads has just changed, some processors do not know the change yet. Then the next snapshot decides.
static bool all_is_announced(const struct free_control *control, const struct free_totals *totals)
{
    const struct free_run *run = &control->run;
    bool global = run->machine->invoke.kind == CORE_INVOKE_GLOBAL;
    bool triggered = atomic_load_explicit(&run->shared.triggered, memory_order_relaxed); // written by this thread
    bool invokes = global ? triggered && totals->asking == run->topology->processors : totals->asking > 0;
    return invokes && totals->active == 0 && totals->messages == 0 && totals->asking == totals->blocked &&
           !(totals->held_back && control->attendant.repairs_pending);
}

// Returns whether no object is lighter than the difference of the loads over any link of its processor.
static bool objects_rest(const struct free_control *control)
{
    const struct free_attendant *attendant = &control->attendant;
    const struct ek_topology *topology = control->run.topology;
    for (uint32_t port = 0; port < topology->ports; port++) {
        uint32_t p = topology->neighbour[topology->twin[port]], other = topology->neighbour[port];
        if (cargo_objects_may_go(&control->run.objects, attendant->lightest[p], attendant->held[p],
                                 attendant->held[other])) {
            return false;
        }
    }
    return true;
}

// Returns whether it is certain that no load will ever move again: by the method's rule no load moves over any link, no
// object may go over any link, or all processors that would balance are cut off for good.
static bool is_frozen(struct free_control *control, const struct free_totals *totals)
{
    if (totals->works) {
        return false;
    }
    if (control->run.pushed) {
        return all_is_announced(control, totals);
    }
    bool rests = stands_still(control, totals) &&
                 (control->run.moves_objects ? objects_rest(control)
                                             : control->rest.announced && core_rest_holds(&control->rest));
    bool cut_off =
        totals->active == 0 && totals->messages == 0 && totals->asking > 0 && totals->asking == totals->blocked;
    return rests || (cut_off && !totals->recurs && !control->attendant.repairs_pending);
}

// Returns whether objects go to and fro: for long the loads have come no nearer to balance, although every processor
// has ended operations. `ended` is the fewest that a processor has ended, UINT64_MAX if none has to.
static bool objects_wane(struct free_control *control, double distance, uint64_t ended)
{
    struct free_attendant *attendant = &control->attendant;
    if (distance < attendant->nearest || ended == UINT64_MAX) {
        attendant->nearest = distance;
        attendant->nearest_at = ended == UINT64_MAX ? 0 : ended;
    }
    uint64_t patience = cargo_objects_patience(control->run.machine, control->run.topology->diameter);
    return ended < UINT64_MAX && ended - attendant->nearest_at >= patience;
}

// Notes whether the loads come nearer to balance. If they do not, the run probably never reaches its criterion; a run
// without limits then ends. While work or listed repairs are still to come they may unbalance the loads, so the count
// begins anew. Drawn faults go on for ever and do not count.
static void note_progress(struct free_control *control, const struct free_totals *totals, double distance)
{
    const struct machine_plan *machine = control->run.machine;
    struct free_attendant *attendant = &control->attendant;
    bool repairs_pending = attendant->repairs_pending && machine->faults.kind == CORE_FAULTS_FILE;
    // With pushed announcements, a processor that has nothing to give begins no operation: the mean of all is taken.
    uint64_t fewest = control->run.pushed ? totals->operations / control->run.topology->processors : totals->tried;
    uint64_t tried = fewest < UINT64_MAX ? fewest : attendant->no_progress.doubled;
    if (repairs_pending || totals->works) {
        watch_no_progress_begin(&attendant->no_progress, INFINITY, tried, attendant->no_progress.first);
        attendant->nearest = INFINITY;
        return;
    }
    watch_no_progress_note(&attendant->no_progress, distance, tried);
    uint64_t ended = control->run.pushed ? fewest : totals->ended;
    bool wanes = control->run.moves_objects && objects_wane(control, distance, ended);
    attendant->no_progress.suspected = attendant->no_progress.suspected || wanes;
    if (attendant->no_progress.suspected && !machine_limited(machine)) {
        free_drain(control, EK_ENDED_GIVEN_UP);
    }
}

void free_survey_record(struct free_control *control, const struct free_totals *totals,
                        const struct core_measure *measure)
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
    row.step = attendant->rows++;
    row.time = 1e-9 * (double)attendant->audit_began_ns;
    const struct ek_experiment *experiment = run->machine->experiment;
    if (experiment->keep_trace) {
        watch_trace_add(&attendant->trace, &row);
    }
    if (watch_trace_observed(experiment, row.step)) {
        const double *tasks = cargo_tasks_had(&control->run.tasks, attendant->held, attendant->audit_began_ns);
        attendant->observed_s += watch_trace_show(experiment, &row, attendant->held, tasks, run->topology->processors);
    }
    watch_frames_add(&attendant->frames, (struct ek_frame){.step = attendant->rows, .time = row.time}, attendant->held,
                     run->sent);
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
static void note_reached(struct free_attendant *attendant, bool reached, const struct free_totals *totals)
{
    if (!reached) {
        attendant->missed_ns = attendant->audit_began_ns;
    } else if (!attendant->reached) {
        attendant->reached_ns = attendant->audit_began_ns;
        attendant->reached_operations = totals->operations;
    }
    attendant->reached = reached;
}

// Ends a run whose tasks are all executed, or lie on processors that are cut off for good.
static void judge_tasks(struct free_control *control, const struct free_totals *totals)
{
    if (!control->run.detector && !totals->works && totals->in_flight == 0.0) {
        free_drain(control, totals->held > 0.0 ? EK_ENDED_FROZEN : EK_ENDED_DONE);
    }
}

// Returns the reason to end if no load will ever move again: some methods end so by design, and without a criterion
// objects are to come to rest.
static enum ek_ended end_of_movement(const struct free_run *run)
{
    bool aim = run->moves_objects && run->machine->stop.kind == CORE_STOP_ITSELF;
    return run->machine->method_plan.ends_when_still || aim ? EK_ENDED_ITSELF : EK_ENDED_FROZEN;
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

void free_survey_measure(struct free_control *control, const struct free_totals *totals, struct core_measure *measure)
{
    free_measure(control, totals->in_flight, measure);
    atomic_store_explicit(&control->variance, measure->variance, memory_order_relaxed); // a lone value, for progress
}

// Returns whether the objects are those of the start. If not, it ends the run.
static bool objects_are_all(struct free_control *control, const struct free_totals *totals)
{
    struct free_run *run = &control->run;
    struct ek_error lost;
    bool all = !run->moves_objects || (totals->objects.count == run->objects.movable.count &&
                                       totals->objects.print == run->objects.movable.print);
    if (!all) {
        cargo_objects_refuse(&lost);
        free_violate_with(run, &lost);
    }
    return all;
}

void free_survey_judge(struct free_control *control, const struct free_totals *totals,
                       const struct core_measure *measure)
{
    const struct free_run *run = &control->run;
    const struct machine_plan *machine = run->machine;
    struct free_attendant *attendant = &control->attendant;
    if (!free_ledger(control, measure, totals->generated, totals->consumed, totals->ticks, totals->messages) ||
        !objects_are_all(control, totals)) {
        return;
    }
    bool triggered = free_trigger(control, measure);
    attendant->none_waits = totals->active == 0 && totals->asking == totals->blocked;
    bool quiet = totals->active == 0 && totals->messages == 0;
    bool reached = core_stop_reached(&machine->stop, run->topology, attendant->held, measure);
    note_reached(attendant, reached, totals);
    if (attendant->stopping) { // an operation may still begin after a snapshot before `drained_epoch`
        if (quiet && atomic_load_explicit(&run->shared.epoch, memory_order_relaxed) >= attendant->drained_epoch) {
            end_drained(control, reached);
        }
    } else if (free_has_tasks(run)) {
        judge_tasks(control, totals);
    } else if (quiet && totals->asking == 0 && !totals->works && !totals->recurs && !triggered) {
        end_without_invokers(control);
    } else if (reached) {
        free_drain(control, EK_ENDED_CRITERION);
    } else if ((machine->stop.kind != CORE_STOP_NEVER || run->pushed) && is_frozen(control, totals)) {
        free_drain(control, end_of_movement(run));
    } else if (machine->stop.kind != CORE_STOP_NEVER || !machine_limited(machine)) {
        note_progress(control, totals, measure->distance);
    }
}
