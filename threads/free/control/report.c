// SPDX-License-Identifier: MIT
// The report of a run in free timing, when all workers have ended.
#include "threads/free/control/report.h"

#include <math.h>
#include <string.h>

#include "base/cursor.h"
#include "threads/api/experiment.h"
#include "threads/api/report.h"
#include "threads/free/control/left.h"
#include "threads/free/detect.h"
#include "threads/free/control/survey.h"
#include "threads/free/control/transport.h"
#include "threads/free/fetch.h"
#include "threads/free/finish.h"
#include "threads/free/look.h"
#include "threads/free/processor.h"
#include "threads/machine/effects.h"

// Acquire: pairs with the release of the thread that found the violation.
static bool violated(const struct free_run *run)
{
    return atomic_load_explicit(&run->shared.violated, memory_order_acquire);
}

// The end of the run at a processor.
struct end {
    double held, moved, generated, consumed, stayed;
    double in_letters;    // tasks in its letters that have not left,
    uint64_t ports;       // and the ports over which these are to leave
    uint64_t ticks;       // of work
    uint64_t waited_ns;   // for the operation that it waits for
    uint64_t is_occupied; // whether it is in an operation
};

RANK_PASSES(struct end);

// The ends of all processors.
struct ends {
    struct free_control *control;
    struct ek_report *report;
    uint64_t ended_ns;
    double native, in_letters;
    uint64_t ticks, messages, waited_ns;
    uint32_t occupied; // the first processor in an operation; UINT32_MAX if there is none
};

static void put_end(void *context, uint32_t p, double *words)
{
    const struct ends *ends = context;
    const struct free_run *run = &ends->control->run;
    const struct free_processor *processor = &run->processor[p];
    struct end end = {.held = processor->held,
                      .moved = processor->moved,
                      .generated = processor->generated,
                      .consumed = processor->consumed,
                      .stayed = free_stayed(run, p),
                      .ticks = processor->ticks,
                      .is_occupied = processor->phase != FREE_PHASE_IDLE || processor->engaged > 0};
    if (processor->wanted_at > 0 && processor->wanted_at < ends->ended_ns && !processor->any_joined) {
        end.waited_ns = ends->ended_ns - processor->wanted_at;
    }
    if (free_has_letters(run)) {
        end.in_letters = run->letters.processor[p].tasks;
        end.ports = run->letters.processor[p].ports;
    }
    ends->control->attendant.held[p] = end.held;
    memcpy(words, &end, sizeof end);
}

static void add_end(void *context, uint32_t p, const double *words)
{
    struct ends *ends = context;
    struct end end;
    memcpy(&end, words, sizeof end);
    if (!ends->control->run.by_block) {
        ends->control->attendant.held[p] = end.held;
    }
    ends->report->moved += end.moved;
    ends->report->generated += end.generated;
    ends->report->consumed += end.consumed;
    ends->native += end.stayed;
    ends->in_letters += end.in_letters;
    ends->messages += end.ports;
    ends->ticks += end.ticks;
    ends->waited_ns = end.waited_ns > ends->waited_ns ? end.waited_ns : ends->waited_ns;
    ends->occupied = end.is_occupied && ends->occupied == UINT32_MAX ? p : ends->occupied;
}

static struct ends ends_of(struct free_control *control, struct ek_report *report, uint64_t ended_ns)
{
    struct ends ends = {.control = control, .report = report, .ended_ns = ended_ns, .occupied = UINT32_MAX};
    control->transport->pass(
        control->transport, control,
        &(struct rank_pass){
            .context = &ends, .words = sizeof(struct end) / sizeof(double), .put = put_end, .take = add_end});
    return ends;
}

// Checks that a run that has drained has no message under way, and no processor in an operation, which would wait for
// a message that was never sent.
static void check_drained(struct free_control *control, const struct ek_report *report, const struct ends *ends)
{
    struct free_run *run = &control->run;
    if (report->ended == EK_ENDED_STUCK || violated(run) || control->attendant.cut) {
        return;
    }
    if (ends->messages > 0) {
        free_violate(run, "the run ended with %llu messages under way", (unsigned long long)ends->messages);
    }
    if (ends->occupied < UINT32_MAX) {
        free_violate(run, "the run ended while processor %u was in an operation", ends->occupied);
    }
}

// Returns the longest time in seconds that a processor waited for an operation, or still waits.
static double longest_wait(const struct free_run *run, uint64_t still_ns)
{
    uint64_t longest = still_ns;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        uint64_t waited = run->worker[w].counts.longest_wait;
        longest = waited > longest ? waited : longest;
    }
    return 1e-9 * (double)longest;
}

static void report_loads(struct free_control *control, struct ek_report *report, uint64_t ended_ns)
{
    struct free_run *run = &control->run;
    const double *held = control->attendant.held;
    struct ends ends = ends_of(control, report, ended_ns);
    struct core_measure measure;
    double left = free_left_count(control, &ends.messages);
    double in_flight = run->machine->migrates_last ? 0.0 : left; // objects then have moved instead of numbers
    free_measure(control, in_flight + ends.in_letters, &measure);
    check_drained(control, report, &ends);
    free_ledger(control, &measure, report->generated, report->consumed, ends.ticks, ends.messages);
    bool converged = core_stop_reached(&run->machine->stop, run->topology, held, &measure);
    machine_loads_report(run->machine, converged, &run->start, &measure, report);
    report->free.longest_wait = longest_wait(run, ends.waited_ns);
    report->has_stayed = (run->machine->units == EK_TOKENS && !free_has_tasks(run)) || run->machine->objects;
    report->stayed = !report->has_stayed     ? 0.0
                     : run->machine->objects ? (double)cargo_objects_stayed(&run->objects)
                                             : ends.native;
}

static void add_counts(const struct free_counts *counts, struct ek_free_report *total)
{
    total->refusals += counts->refusals;
    total->abandoned += counts->abandoned;
    total->engagements += counts->engagements;
    total->overlaps += counts->overlaps;
    total->overlap_most = counts->overlap_most > total->overlap_most ? counts->overlap_most : total->overlap_most;
    total->stale += counts->stale;
    for (int k = 0; k < EK_DEPTHS; k++) {
        total->depth[k] += counts->depth[k];
    }
    total->depth_most = counts->depth_most > total->depth_most ? counts->depth_most : total->depth_most;
    total->stalls += counts->stalls;
    total->empty_turns += counts->empty_turns;
    total->sleeps += counts->sleeps;
    total->wakes += counts->wakes;
    for (int k = 0; k < EK_WAITS; k++) {
        total->waited[k] += counts->waited_ns[k];
    }
    total->faults.returned += counts->returned;
}

// Returns a sum of load over all workers.
static double sum_of(const struct free_run *run, enum free_sum which)
{
    double sum = 0.0;
    double lost = 0.0;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        const struct free_counts *counts = &run->worker[w].counts;
        core_measure_add(&sum, &lost, counts->sum[which]);
        lost += counts->lost[which];
    }
    return sum + lost;
}

// Reports the sums of all workers' counts.
static void report_workers(const struct free_run *run, struct ek_report *report)
{
    report->minimum_ever = INFINITY;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        const struct free_worker *worker = &run->worker[w];
        report->messages += worker->messages;
        report->operations += worker->operations;
        report->parcels += worker->counts.parcels;
        report->free.turns += worker->turns;
        add_counts(&worker->counts, &report->free);
        report->minimum_ever = fmin(report->minimum_ever, worker->counts.minimum);
    }
    for (int k = 0; k < EK_WAITS; k++) {
        report->free.waited[k] *= 1e-9;
    }
    report->free.asked = sum_of(run, FREE_SUM_ASKED);
    report->free.got = sum_of(run, FREE_SUM_GOT);
    report->free.faults.load_returned = sum_of(run, FREE_SUM_RETURNED);
    report->unmet = sum_of(run, FREE_SUM_UNMET);
    report->invocations = report->operations; // each operation has one invoker
}

// Returns the quantiles of histogram `which` over all groups, in seconds. If the run does not keep this histogram,
// returns the quantiles of an empty one.
static struct ek_quantiles quantiles_of(const struct free_control *control, unsigned which)
{
    unsigned each = free_histograms(control->run.machine);
    struct watch_histogram all = {0};
    for (unsigned group = 0; which < each && group < control->groups; group++) {
        watch_histogram_merge(&all, &control->histograms[group * each + which]);
    }
    return watch_histogram_quantiles(&all, 1e-9);
}

static void report_times(const struct free_control *control, struct ek_free_report *total)
{
    total->latency = quantiles_of(control, FREE_LATENCIES);
    total->operation_time = quantiles_of(control, FREE_OPERATION_TIMES);
    total->stale_age = quantiles_of(control, FREE_STALE_AGES);
    total->announced_age = quantiles_of(control, FREE_ANNOUNCED_AGES);
    total->delay_asked = quantiles_of(control, FREE_DELAYS_ASKED);
    total->delay_realised = quantiles_of(control, FREE_DELAYS_REALISED);
}

static void report_attendant(const struct free_attendant *attendant, struct ek_free_report *total)
{
    uint64_t intervals = attendant->audits_before_end - (attendant->audits_before_end > 0);
    total->audits = attendant->audits;
    total->audit_interval = intervals > 0 ? 1e-9 * (double)attendant->audited_until_ns / (double)intervals : NAN;
    total->reached_s = attendant->reached ? 1e-9 * (double)attendant->reached_ns : NAN;
    total->reached_window_s = attendant->reached ? 1e-9 * (double)(attendant->reached_ns - attendant->missed_ns) : NAN;
    total->reached_operations = attendant->reached ? (double)attendant->reached_operations : NAN;
}

static void report_faults(const struct free_faults_injected *faults, struct ek_free_report *total)
{
    total->faults.link_failures = faults->link_failures;
    total->faults.processor_failures = faults->processor_failures;
    total->faults.repairs = faults->repairs;
    total->fault_lag = 1e-9 * (double)faults->lag_ns;
}

static void report_system(const struct free_run *run, struct ek_free_report *total)
{
    struct host_counters counters = {0};
    for (unsigned w = 0; w < run->machine->workers; w++) {
        host_counters_add(&counters, &run->worker[w].counters);
    }
    total->switches_voluntary = counters.voluntary;
    total->switches_forced = counters.forced;
    total->migrations = counters.migrations;
    total->has_counters = counters.has_hardware;
    total->cycles = counters.cycles;
    total->instructions = counters.instructions;
    total->cache_misses = counters.cache_misses;
}

// Reports on each direction of each link, if the experiment keeps that.
static void report_links(struct free_control *control, struct ek_free_report *total)
{
    const struct free_run *run = &control->run;
    const struct ek_topology *topology = run->topology;
    for (uint32_t port = 0; run->use && port < topology->ports; port++) {
        const struct free_link_use *use = &run->use[port];
        control->link_report[port] = (struct ek_link_report){.from = topology->neighbour[port],
                                                             .to = topology->neighbour[topology->twin[port]],
                                                             .messages = use->messages,
                                                             .stalls = use->stalls,
                                                             .depth_most = use->depth_most,
                                                             .load = run->received ? run->received[port] : NAN,
                                                             .latency = watch_histogram_quantiles(&use->latency, 1e-9)};
        total->link_count = port + 1u;
    }
    total->link = base_arena_detach(&control->plan, &control->link_report);
}

// Reports the effects of operations. The log may have lost operations; these count as unknown.
static void report_effects(struct free_run *run, struct ek_report *report)
{
    struct core_effects effects;
    if (watch_part_log_measure(&run->parts, run->start.mean, &effects)) {
        effects.unknown =
            report->operations - effects.of[CORE_EFFECT_ALONE].count - effects.of[CORE_EFFECT_OVERLAPPED].count;
        machine_effects_report(&effects, report);
    }
}

static enum ek_status describe_stuck(const struct free_run *run, struct ek_error *error)
{
    if (run->machine->engine->computed) {
        base_fail(
            error, EK_STUCK, "",
            "no event will come, but some processor takes part in an operation: the list of processors shows what "
            "each waits for");
    } else {
        base_fail(
            error, EK_STUCK, "",
            "no operation made progress for %g s, and no snapshot showed a machine at rest: the list of processors "
            "shows what each waits for",
            run->machine->experiment->watchdog_s);
    }
    return EK_STUCK;
}

// Returns EK_OK, or with `error` a violation or EK_STUCK.
static enum ek_status status_of(const struct free_run *run, const struct ek_report *report, struct ek_error *error)
{
    if (violated(run)) {
        *error = run->shared.violation;
        return error->status;
    }
    if (report->ended == EK_ENDED_STUCK) {
        return describe_stuck(run, error);
    }
    return EK_OK;
}

// Checks that nothing went wrong with the tasks. If it did, the run has ended at once, and nothing else is to be said.
static void check_tasks(struct free_run *run, const struct ek_report *report)
{
    struct ek_error wrong;
    if (free_has_tasks(run) && !cargo_good(&run->tasks, report->ended == EK_ENDED_DONE, &wrong)) {
        free_violate_with(run, &wrong);
    }
}

static void report_tasks(struct free_control *control, struct ek_report *report)
{
    struct free_run *run = &control->run;
    report->has_tasks = true;
    if (run->machine->engine->computed) { // the driver knows the times
        return;
    }
    unsigned cores = host_places_count(run->machine->places);
    struct cargo_times times = {.end_s = report->elapsed_s,
                                .done = report->ended == EK_ENDED_DONE,
                                .cores = run->machine->workers < cores ? run->machine->workers : cores};
    double detected_s = run->detector ? 1e-9 * (double)run->shared.detected_ns : report->elapsed_s;
    times.detection_s = detected_s - 1e-9 * (double)cargo_sum(&run->tasks).done_ns;
    cargo_report_times(&run->tasks, &times, &report->tasks);
    cargo_picture_report(&run->tasks, &control->plan, &report->tasks);
    cargo_profile_report(&run->tasks, 1e9 * report->elapsed_s, &control->plan, report);
    cargo_letters_report(&run->letters, &report->tasks);
    report->tasks.detection_messages = run->detector ? free_probes(run) : report->free.audits * run->topology->ports;
}

// Moves the objects at the end, by the flows of the numbers that the method has balanced.
static void settle_objects(struct free_run *run)
{
    cargo_objects_settle(&run->objects, run->sent);
    for (uint32_t p = (uint32_t)run->block.processors.begin; p < run->block.processors.end; p++) {
        run->processor[p].held = cargo_objects_load(&run->objects, p);
        run->processor[p].moved = core_object_load(run->objects.set, run->objects.moved[p]);
    }
}

static void report_objects(struct free_run *run, struct ek_report *report)
{
    const struct ek_experiment *experiment = run->machine->experiment;
    bool files = experiment->keep_placement && run->seed == experiment->seed;
    struct ek_error wrong;
    if (run->moves_objects) {
        cargo_objects_land(&run->objects);
    } else {
        cargo_objects_lowest(run->machine, run->topology->processors, report);
    }
    report->has_objects = true;
    if (!cargo_objects_good(&run->objects, &wrong) ||
        !cargo_objects_report(&run->objects, files, &report->objects, &wrong)) {
        free_violate_with(run, &wrong);
    }
}

enum ek_status free_report(struct free_control *control, struct ek_report *report, struct ek_error *error)
{
    struct free_run *run = &control->run;
    struct free_attendant *attendant = &control->attendant;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        free_flush_latencies(&run->worker[w]);
    }
    control->transport->gather(control->transport, control);
    uint64_t ended_ns = attendant->ended_ns > 0 ? attendant->ended_ns : free_now(run); // a violation ends at once
    report->seed = run->seed;
    report->ended = attendant->ended;
    report->hopeless = attendant->no_progress.suspected;
    report->elapsed_s = 1e-9 * (double)ended_ns;
    report->workers = run->machine->workers;
    report->timed = true;
    report->factor = NAN;
    report->free.mailbox_capacity = run->machine->mailbox_capacity;
    check_tasks(run, report);
    if (run->machine->migrates_last) {
        settle_objects(run);
    }
    report_loads(control, report, ended_ns);
    control->transport->measure_flows(control->transport, control, &report->flow_l1, &report->flow_l2);
    report_workers(run, report);
    report_times(control, &report->free);
    report_attendant(attendant, &report->free);
    report_faults(&control->faults, &report->free);
    report_system(run, &report->free);
    report_links(control, &report->free);
    report_effects(run, report);
    if (free_has_tasks(run)) {
        report_tasks(control, report);
    }
    if (run->machine->objects) {
        report_objects(run, report);
    }
    watch_operation_log_spheres(&run->log, 0, ended_ns, run->seed, &report->free);
    watch_trace_give(&attendant->trace, report);
    watch_window_report(&attendant->window, report);
    struct ek_frame end = {.step = attendant->rows + 1, .time = report->elapsed_s};
    watch_frames_give(&attendant->frames, end, attendant->held, run->sent, &control->plan, report);
    control->transport->agree(control->transport, control);
    enum ek_status status = status_of(run, report, error);
    if (status == EK_VIOLATION || status == EK_STUCK) {
        report->free.dump = free_dump(control);
    }
    if (run->machine->experiment->keep_loads) {
        report->initial = base_arena_detach(&control->plan, &control->initial);
        report->final = base_arena_detach(&control->plan, &attendant->held);
    }
    return status;
}
