// SPDX-License-Identifier: MIT
// The end of a window.
//
//   1. If a criterion can be tested here, the state of the whole machine is surveyed, but only if that is worth it: the
//      stop criterion may hold, a limit is reached, many turns have been made since the last survey, or nothing is left
//      to do.
//   2. The next window is the one in which the next event happens; windows without any turn are passed over. A failure
//      or a repair happens between two windows, so it ends a window early.
//
// A message from another worker may arrive in a window while its receiver's turn goes on beyond the window. If no other
// event happens, this window has no turn. It does not count and nothing is tested at its end, since with one worker
// there is no such window.
#include "threads/drivers/virtual/window_end.h"

#include "base/error.h"
#include "threads/api/experiment.h"
#include "threads/drivers/virtual/criterion.h"
#include "threads/drivers/virtual/virtual_ranks.h"
#include "threads/drivers/virtual/wires.h"
#include "threads/free/control/end.h"
#include "threads/free/control/fault_injection.h"
#include "threads/free/control/survey.h"
#include "threads/free/detect.h"
#include "threads/free/finish.h"
#include "threads/free/operation.h"
#include "threads/free/post.h"
#include "threads/free/snapshot.h"

// A survey costs about as much as two turns of each processor. After 32 turns of each it takes a sixteenth of the time.
enum { TURNS_BETWEEN_SURVEYS = 32 };

// ---- sums over the workers ----

static unsigned workers(const struct virtual_machine *machine)
{
    return machine->run->machine->workers;
}

static uint64_t operations_begun(const struct virtual_machine *machine)
{
    uint64_t begun = 0;
    for (unsigned w = 0; w < workers(machine); w++) {
        begun += machine->worker[w].begun;
    }
    return begun;
}

// Returns whether a processor of this process keeps a message.
static bool keeps_messages(const struct virtual_machine *machine)
{
    const struct free_run *run = machine->run;
    bool stalled = false;
    for (unsigned w = machine->first; w < machine->last; w++) {
        stalled = stalled || run->worker[w].counts.stalls > 0;
    }
    for (uint64_t port = run->block.ports.begin; stalled && port < run->block.ports.end; port++) {
        if (run->port[port].kept.count > 0) {
            return true;
        }
    }
    return false;
}

// Returns whether no message is under way, and no processor takes part in an operation.
static bool is_quiet(const struct virtual_machine *machine)
{
    uint64_t under_way = 0;
    int64_t in_operation = 0;
    for (unsigned w = 0; w < workers(machine); w++) {
        under_way += machine->worker[w].departed - machine->worker[w].arrived;
        in_operation += machine->worker[w].in_operation;
    }
    bool keeps = under_way == 0 && in_operation == 0 && keeps_messages(machine);
    return under_way == 0 && in_operation == 0 && !(machine->ranks ? virtual_ranks_any(machine->ranks, keeps) : keeps);
}

// Returns the time of the next turn of any processor, VIRTUAL_NEVER if no processor has one.
static uint64_t next_turn(struct virtual_machine *machine)
{
    struct virtual_ranks *ranks = machine->ranks;
    if (ranks && !ranks->stale) {
        return ranks->next;
    }
    uint64_t next = VIRTUAL_NEVER;
    for (unsigned w = machine->first; w < machine->last; w++) {
        uint64_t first = virtual_agenda_first(&machine->worker[w].agenda);
        uint64_t arrival = virtual_wires_first(&machine->worker[w], machine->window.parity);
        next = first < next ? first : next;
        next = arrival < next ? arrival : next;
    }
    if (ranks) {
        ranks->next = virtual_ranks_least(ranks, next);
        ranks->stale = false;
    }
    return ranks ? ranks->next : next;
}

// ---- surveys ----

static void add_message(void *context, const struct mail_message *message)
{
    struct free_snapshot *part = context;
    part->messages++;
    part->in_flight += free_message_carries(message) ? message->amount : 0.0;
}

// Adds the parcels from a port, and those on the way to it that have come from another process.
static void add_parcels(const struct virtual_machine *machine, uint32_t port, struct cargo_objects_sum *sum)
{
    const struct free_run *run = machine->run;
    uint32_t other = run->topology->neighbour[port];
    cargo_objects_sum_under_way(&run->objects, port, sum);
    if (other < machine->begin || other >= machine->end) {
        cargo_objects_sum_under_way(&run->objects, run->topology->twin[port], sum);
    }
}

// Returns the part of p, with the messages on the way to it, and those that it keeps.
static struct free_snapshot part_of(void *context, uint32_t p)
{
    struct virtual_machine *machine = context;
    struct free_run *run = machine->run;
    struct free_worker *worker = &run->worker[free_worker_of(run, p)];
    worker->look.pass = machine->turns[p];
    struct free_snapshot part = free_snapshot_of(worker, p);
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        run->wires->each(run, port, add_message, &part);
        free_post_each_kept(run, port, add_message, &part);
        if (run->moves_objects) {
            add_parcels(machine, port, &part.objects);
        }
    }
    return part;
}

// Brings the messages of all batches to their receivers.
static void deliver_all(struct virtual_machine *machine)
{
    for (unsigned w = machine->first; w < machine->last; w++) {
        virtual_wires_deliver(&machine->worker[w], machine->window.parity);
    }
}

// Gives processor p a turn now, or when its last turn has ended.
static void wake(struct virtual_machine *machine, uint32_t p)
{
    if (machine->ranks) {
        machine->ranks->stale = true;
    }
    if (p >= machine->begin && p < machine->end) {
        struct virtual_worker *own = &machine->worker[free_worker_of(machine->run, p)];
        virtual_agenda_wake(&own->agenda, p - own->worker->begin, machine->now_ns);
    }
}

static void wake_all(struct virtual_machine *machine)
{
    for (uint32_t p = 0; p < machine->run->topology->processors; p++) {
        wake(machine, p);
    }
}

// Surveys the machine: adds a row to the trace, if `records`; decides whether the run ends, if `judges`.
static void survey(struct virtual_machine *machine, bool records, bool judges)
{
    struct free_control *control = machine->control;
    struct free_attendant *attendant = &control->attendant;
    struct core_measure measure;
    deliver_all(machine);
    attendant->audit_began_ns = machine->now_ns;
    attendant->repairs_pending = atomic_load_explicit(&control->faults.repairs_pending, memory_order_relaxed);
    struct free_totals totals = free_survey_add(control, part_of, machine);
    if (machine->ranks) {
        virtual_ranks_collect_ends(machine->ranks);
    }
    free_survey_measure(control, &totals, &measure);
    if (records) {
        free_survey_record(control, &totals, &measure);
        machine->recorded = virtual_turns_so_far(machine);
    }
    if (!judges) {
        return;
    }
    machine->surveyed = virtual_turns_so_far(machine);
    attendant->audits++;
    if (!free_drains(control)) {
        attendant->audits_before_end = attendant->audits;
        attendant->audited_until_ns = machine->now_ns;
    }
    atomic_fetch_add_explicit(&machine->run->shared.epoch, 1, memory_order_relaxed); // no worker runs
    free_survey_judge(control, &totals, &measure);
}

// Returns whether a row of the trace is due.
static bool records_now(struct virtual_machine *machine)
{
    const struct machine_plan *plan = machine->run->machine;
    const struct ek_experiment *experiment = plan->experiment;
    if (!experiment->keep_trace && !experiment->observer.look && experiment->frames == 0 && !plan->window.asked) {
        return false;
    }
    if (machine->sample_ns > 0) {
        bool due = machine->now_ns >= machine->next_sample_ns;
        machine->next_sample_ns =
            due ? (machine->now_ns / machine->sample_ns + 1) * machine->sample_ns : machine->next_sample_ns;
        return due;
    }
    return virtual_turns_so_far(machine) - machine->recorded >= machine->run->topology->processors;
}

// Returns whether the machine is worth a survey that decides about the run's end.
static bool judges_now(struct virtual_machine *machine)
{
    const struct machine_plan *plan = machine->run->machine;
    uint64_t turns = virtual_turns_so_far(machine) - machine->surveyed;
    return turns >= (uint64_t)TURNS_BETWEEN_SURVEYS * machine->run->topology->processors ||
           plan->invoke.kind == CORE_INVOKE_GLOBAL || (plan->program && cargo_left(&machine->run->tasks) == 0) ||
           !virtual_criterion_fails(machine);
}

// ---- the end of a window ----

static bool is_over(const struct virtual_machine *machine)
{
    return atomic_load_explicit(&machine->run->shared.over, memory_order_relaxed); // no worker runs
}

// Returns whether a worker could not go on; `error` says why.
static bool failed(const struct virtual_machine *machine, unsigned w, struct ek_error *error)
{
    const struct free_run *run = machine->run;
    const struct virtual_worker *own = &machine->worker[w];
    if (virtual_log_no_memory(run, w)) {
        base_fail(error, EK_BAD_INPUT, "overlaps",
                  "no memory for the log of operations: choose a limit with --operations or --for, or no --overlaps");
    } else if (own->no_memory) {
        base_fail(error, EK_BAD_INPUT, "topology", "no memory for the messages under way: use a smaller topology");
    } else if (own->too_late) {
        base_fail(
            error, EK_BAD_INPUT, "byte-time",
            "a message would arrive, or a turn end, after 2^62 ns (146 years): choose smaller costs, or fewer bytes");
    } else {
        return false;
    }
    return true;
}

// Ends the run if a worker could not go on.
static void check_workers(struct virtual_machine *machine)
{
    struct ek_error error;
    for (unsigned w = 0; w < workers(machine); w++) {
        if (failed(machine, w, &error)) {
            free_violate_with(machine->run, &error);
        }
    }
}

void virtual_window_close_logs(struct virtual_machine *machine)
{
    struct free_run *run = machine->run;
    if (run->log.closed) {
        return;
    }
    for (uint32_t p = machine->begin; run->log.ring && p < machine->end; p++) {
        struct free_worker *worker = &run->worker[free_worker_of(run, p)];
        worker->look.now = machine->now_ns;
        free_log_open(worker, p);
    }
    watch_operation_log_close(&run->log, machine->now_ns);
    run->parts.closed = true;
}

// Closes the logs of operations if they have become too long.
static void check_logs(struct virtual_machine *machine)
{
    struct free_run *run = machine->run;
    if (watch_operation_log_count(&run->log) >= WATCH_OPERATION_LOG_MOST ||
        watch_part_log_count(&run->parts) >= WATCH_PART_LOG_MOST) {
        virtual_window_close_logs(machine);
    }
}

// Lets the run drain if someone asks for its end, or a limit is reached.
static void check_limits(struct virtual_machine *machine)
{
    const struct machine_plan *plan = machine->run->machine;
    enum ek_ended ended;
    if (virtual_marks_test(machine, &ended)) {
        free_drain(machine->control, ended);
    } else if (plan->experiment->operations_max > 0 && operations_begun(machine) >= plan->experiment->operations_max) {
        free_drain(machine->control, EK_ENDED_OPERATIONS);
    } else if (free_has_detected(machine->run)) {
        free_drain(machine->control, EK_ENDED_DONE);
    }
}

// Ends the run at its limit of time.
static void end_in_time(struct virtual_machine *machine)
{
    machine->now_ns = machine->end_ns;
    machine->control->attendant.cut = true;
    survey(machine, false, true);
    bool reached = machine->control->attendant.reached;
    if (!is_over(machine)) {
        free_end_now(machine->control, reached ? EK_ENDED_CRITERION : EK_ENDED_TIME);
    }
}

// Ends a run in which no event will come. A processor that takes part in an operation waits for a message that nobody
// sends.
static void end_waiting(struct virtual_machine *machine)
{
    free_end_now(machine->control, is_quiet(machine) ? EK_ENDED_FROZEN : EK_ENDED_STUCK);
}

// Tests all that can end the run, at the latest if nothing is left to do. If the run begins to drain here, it may end
// here too.
static void test(struct virtual_machine *machine, bool nothing_left)
{
    struct free_control *control = machine->control;
    bool records = records_now(machine);
    bool triggered = atomic_load_explicit(&machine->run->shared.triggered, memory_order_relaxed); // no worker runs
    check_limits(machine);
    bool drains = free_drains(control);
    bool judges = drains ? is_quiet(machine) : nothing_left || judges_now(machine);
    if (records || judges) {
        survey(machine, records, judges);
    }
    if (!is_over(machine) && !drains && free_drains(control) && is_quiet(machine)) {
        survey(machine, false, true);
    }
    bool goes_on = drains && !free_drains(control);
    bool begins = !triggered && atomic_load_explicit(&machine->run->shared.triggered, memory_order_relaxed);
    if (!is_over(machine) && (goes_on || begins)) {
        wake_all(machine);
    }
}

// ---- the next window ----

// Applies the failures and repairs that are due, and gives a turn to the processors at both ends of their links.
static void apply_faults(struct virtual_machine *machine)
{
    const struct ek_topology *topology = machine->run->topology;
    while (free_faults_next_ns(machine->control) <= machine->now_ns) {
        struct core_fault_ports touched = core_fault_ports(&machine->control->faults.next, topology);
        for (uint32_t port = touched.begin; port < touched.end; port++) {
            wake(machine, topology->neighbour[port]);
            wake(machine, topology->neighbour[topology->twin[port]]);
        }
        free_faults_apply(machine->control, machine->now_ns);
    }
}

static uint64_t next_fault(const struct virtual_machine *machine)
{
    return free_faults(machine->run->machine) ? free_faults_next_ns(machine->control) : VIRTUAL_NEVER;
}

// Gives all workers the look that their turns of the next window have.
static void look_around(struct virtual_machine *machine)
{
    struct free_run *run = machine->run;
    for (unsigned w = 0; w < workers(machine); w++) {
        struct free_look *look = &run->worker[w].look;
        look->draining = free_drains(machine->control);
        look->triggered = atomic_load_explicit(&run->shared.triggered, memory_order_relaxed); // no worker runs
        look->usable = free_faults(run->machine) ? free_links_read(&run->links) : NULL;
    }
}

// Sets the window in which the next turn is made.
static void set_window(struct virtual_machine *machine, uint64_t next)
{
    struct virtual_window *window = &machine->window;
    uint64_t until = (next / machine->lookahead_ns + 1) * machine->lookahead_ns;
    uint64_t cut = next_fault(machine);
    if (machine->end_ns < cut) { // turns that begin at the end of the run still happen
        cut = machine->end_ns + 1;
    }
    window->whole = until <= cut && until <= machine->end_ns;
    window->until = until <= cut ? until : cut;
    window->parity ^= 1;
    machine->run->shared.violation_stays = false;
    look_around(machine);
}

// Sets the next window, or ends the run if there is none.
static void go_on(struct virtual_machine *machine)
{
    bool tested = false;
    while (!is_over(machine)) {
        uint64_t next = next_turn(machine);
        uint64_t fault = next_fault(machine);
        if (next == VIRTUAL_NEVER && !tested) {
            test(machine, true);
            tested = true;
        } else if (next > machine->end_ns && fault > machine->end_ns) {
            end_in_time(machine);
        } else if (next == VIRTUAL_NEVER && fault == VIRTUAL_NEVER) {
            end_waiting(machine);
        } else if (fault <= next) {
            machine->now_ns = fault;
            apply_faults(machine);
            tested = false;
        } else {
            set_window(machine, next);
            return;
        }
    }
}

void virtual_window_begin(struct virtual_machine *machine)
{
    set_window(machine, 0);
}

void virtual_window_end(struct virtual_machine *machine)
{
    uint64_t until = machine->window.until;
    if (machine->ranks) {
        virtual_ranks_meet(machine->ranks);
    }
    machine->interrupted = machine->ranks
                               ? machine->ranks->interrupted
                               : machine_interrupts(machine->run->machine) != machine->control->interrupts_before;
    uint64_t turns = virtual_turns_so_far(machine);
    machine->run->shared.violation_stays = true; // what the serial section finds, it finds in this order
    check_workers(machine);
    if (turns > machine->made) {
        machine->made = turns;
        machine->windows++;
        machine->now_ns = until < machine->end_ns ? until : machine->end_ns;
        check_logs(machine);
        if (!is_over(machine) && machine->window.whole) {
            test(machine, false);
        }
    }
    go_on(machine);
    machine->over = is_over(machine);
}
