// SPDX-License-Identifier: MIT
// The report of a run in free timing, when all workers have ended.
#include <math.h>
#include <stdlib.h>

#include "threads/free_state.h"
#include "topologies/scan.h"

void ek_free_progress(struct ek_free *free, struct ek_progress *progress)
{
    progress->operations = ek_free_operations(free);
    progress->steps = 0;
    progress->variance = atomic_load_explicit(&free->variance, memory_order_relaxed); // a lone value
}

// Counts a message that is left in the direction to this port.
static void count_left(struct ek_free *free, uint32_t port, const struct ek_message *message)
{
    // What comes back was sent over the link the other way.
    uint32_t over = ek_message_kind(message) == EK_RETURN ? free->topology->twin[port] : port;
    free->left_load[over] += ek_message_carries(message) ? message->amount : 0.0;
    free->left[port]++;
}

static void count_shelf(struct ek_free *free, uint32_t port, const struct ek_shelf *shelf,
                        const struct ek_message *place)
{
    for (unsigned k = 0; k < shelf->count; k++) {
        count_left(free, port, &place[(shelf->first + k) % EK_SHELF]);
    }
}

// What is still kept, in mailboxes or delayed when the workers have ended: nothing, after a drain. How much load.
static double left_under_way(struct ek_free *free, uint64_t *messages)
{
    double amount = 0.0;
    struct ek_message message;
    for (uint32_t port = 0; port < free->topology->ports; port++) {
        count_shelf(free, free->topology->twin[port], &free->port[port].kept, free->kept + (size_t)port * EK_SHELF);
        if (free->line) {
            count_shelf(free, port, &free->line[port], free->due + (size_t)port * EK_SHELF);
        }
        while (free->boxes.kind->take(&free->boxes, port, &message)) {
            count_left(free, port, &message);
        }
    }
    for (uint32_t port = 0; port < free->topology->ports; port++) {
        amount += free->left_load[port];
        *messages += free->left[port];
    }
    return amount;
}

static void report_loads(struct ek_free *free, struct ek_report *report)
{
    uint32_t processors = free->topology->processors;
    struct ek_measure measure;
    double native = 0.0;
    report->minimum_ever = INFINITY;
    for (uint32_t p = 0; p < processors; p++) {
        const struct ek_free_processor *processor = &free->processor[p];
        free->held[p] = processor->held;
        report->moved += processor->moved;
        report->generated += processor->generated;
        report->consumed += processor->consumed;
        native += processor->native;
        report->minimum_ever = fmin(report->minimum_ever, processor->minimum);
    }
    ek_measure_loads(free->held, processors, &measure);
    uint64_t messages = 0;
    report->in_flight = left_under_way(free, &messages);
    bool drained = report->reason != EK_WATCHDOG && !atomic_load_explicit(&free->violated, memory_order_acquire);
    if (drained && messages > 0) {
        struct ek_error violation;
        ek_fail(&violation, EK_VIOLATION, "", -1, "the run ended with %llu messages under way",
                (unsigned long long)messages);
        ek_free_violate(free, &violation);
    }
    ek_free_ledger(free, measure.total, report->in_flight, report->generated, report->consumed, report->moved);
    report->variance_initial = free->variance_initial;
    report->variance_final = measure.variance;
    report->spread_final = measure.maximum - measure.minimum;
    report->minimum = measure.minimum;
    report->maximum = measure.maximum;
    report->total_initial = free->total_initial;
    report->total_final = measure.total;
    report->idle = measure.idle;
    report->has_stayed = free->machine->units == EK_TOKENS;
    report->stayed = report->has_stayed ? native : 0.0;
    const struct ek_stop *stop = &free->machine->stop;
    double distance = ek_measure_distance(free->held, free->machine->capacity, processors, &measure);
    bool violated = atomic_load_explicit(&free->violated, memory_order_acquire);
    bool shown = stop->kind != EK_STOP_ITSELF && stop->kind != EK_STOP_NEVER &&
                 ek_stop_reached(stop, free->topology, free->held, &measure, distance, report->in_flight);
    bool by_itself = stop->kind == EK_STOP_ITSELF &&
                     (report->reason == EK_QUIET || (report->reason == EK_FROZEN && ek_machine_direct(free->machine)));
    bool reached = !violated && (shown || by_itself);
    report->converged = reached;
}

// What each worker counted, added up.
static void report_workers(struct ek_free *free, struct ek_report *report, uint64_t ended)
{
    struct ek_free_report *total = &report->free;
    uint64_t longest_wait = 0;
    for (unsigned w = 0; w < free->machine->workers; w++) {
        const struct ek_free_worker *worker = &free->worker[w];
        report->messages += worker->messages;
        report->operations += worker->operations;
        report->parcels += worker->parcels;
        total->refusals += worker->refusals;
        total->abandoned += worker->abandoned;
        total->engagements += worker->engagements;
        total->overlaps += worker->overlaps;
        total->overlap_most = worker->overlap_most > total->overlap_most ? worker->overlap_most : total->overlap_most;
        total->asked += worker->asked;
        total->got += worker->got;
        total->stale += worker->stale;
        for (int k = 0; k < EK_DEPTHS; k++) {
            total->depth[k] += worker->depth[k];
        }
        total->depth_most = worker->depth_most > total->depth_most ? worker->depth_most : total->depth_most;
        total->stalls += worker->stalls;
        total->turns += worker->turns;
        total->empty_turns += worker->empty_turns;
        total->sleeps += worker->sleeps;
        total->wakes += worker->wakes;
        for (int k = 0; k < EK_WAITS; k++) {
            total->waited[k] += 1e-9 * worker->waited[k];
        }
        total->returned += worker->returned;
        total->load_returned += worker->load_returned;
        longest_wait = worker->longest_wait > longest_wait ? worker->longest_wait : longest_wait;
    }
    for (uint32_t p = 0; p < free->topology->processors; p++) { // those who still wait
        uint64_t wanted_at = free->processor[p].wanted_at;
        bool waits = wanted_at > 0 && wanted_at < ended && !free->processor[p].told_by_any;
        longest_wait = waits && ended - wanted_at > longest_wait ? ended - wanted_at : longest_wait;
    }
    total->longest_wait = 1e-9 * (double)longest_wait;
}

static struct ek_effect effect_of(const struct ek_free *free, int kind)
{
    struct ek_effect effect = {0};
    double square = 0.0;
    for (unsigned w = 0; w < free->machine->workers; w++) {
        effect.count += free->worker[w].effect[kind].count;
        effect.before += free->worker[w].effect[kind].before;
        effect.after += free->worker[w].effect[kind].after;
        square += free->worker[w].effect[kind].square;
    }
    double count = (double)effect.count;
    effect.before = effect.count > 0 ? effect.before / count : NAN;
    effect.after = effect.count > 0 ? effect.after / count : NAN;
    effect.after_error =
        effect.count > 1 ? sqrt(fmax(0.0, square / count - effect.after * effect.after) / (count - 1.0)) : NAN;
    return effect;
}

// Histogram `which` of all groups together, in seconds.
static struct ek_quantiles quantiles_of(struct ek_free *free, unsigned which)
{
    unsigned each = ek_free_histograms(free->machine);
    struct ek_histogram *all = &free->histograms[which];
    for (unsigned group = 1; group < free->groups; group++) {
        ek_histogram_merge(all, &free->histograms[group * each + which]);
    }
    return ek_histogram_quantiles(all, 1e-9);
}

static void report_links(const struct ek_free *free, struct ek_free_report *total)
{
    const struct ek_topology *topology = free->topology;
    total->link = calloc(topology->ports + 1u, sizeof *total->link);
    for (uint32_t port = 0; total->link && port < topology->ports; port++) {
        const struct ek_link_use *use = &free->use[port];
        total->link[total->link_count++] =
            (struct ek_link_report){.from = topology->neighbour[port],
                                    .to = topology->neighbour[topology->twin[port]],
                                    .messages = use->messages,
                                    .stalls = use->stalls,
                                    .depth_most = use->depth_most,
                                    .load = free->received ? free->received[port] : NAN,
                                    .latency = ek_histogram_quantiles(&use->latency, 1e-9)};
    }
}

static void report_free(struct ek_free *free, struct ek_report *report, uint64_t ended)
{
    struct ek_free_report *total = &report->free;
    report->has_free = true;
    report_workers(free, report, ended);
    total->audits = free->audits;
    total->audit_interval =
        free->audits_before_end > 1 ? 1e-9 * (double)free->audited_until / (double)(free->audits_before_end - 1) : NAN;
    total->latency = quantiles_of(free, EK_LATENCIES);
    total->operation_time = quantiles_of(free, EK_OPERATION_TIMES);
    total->stale_age = quantiles_of(free, EK_STALE_AGES);
    struct ek_histogram none = {0};
    total->delay_asked =
        ek_free_delays(free->machine) ? quantiles_of(free, EK_DELAYS_ASKED) : ek_histogram_quantiles(&none, 1.0);
    total->delay_realised =
        ek_free_delays(free->machine) ? quantiles_of(free, EK_DELAYS_REALISED) : ek_histogram_quantiles(&none, 1.0);
    total->alone = effect_of(free, 0);
    total->overlapped = effect_of(free, 1);
    ek_operation_log_spheres(free->log, 0, ended, free->seed, total);
    total->mailbox_capacity = free->machine->mailbox_capacity;
    struct ek_counters counters = {0};
    for (unsigned w = 0; w < free->machine->workers; w++) {
        ek_counters_add(&counters, &free->worker[w].counters);
    }
    total->switches_voluntary = counters.voluntary;
    total->switches_forced = counters.forced;
    total->migrations = counters.migrations;
    total->has_counters = counters.has_hardware;
    total->cycles = counters.cycles;
    total->instructions = counters.instructions;
    total->cache_misses = counters.cache_misses;
    total->link_failures = free->link_failures;
    total->processor_failures = free->processor_failures;
    total->repairs = free->repairs;
    if (free->use) {
        report_links(free, total);
    }
}

static enum ek_status status_of(const struct ek_free *free, const struct ek_report *report, struct ek_error *error)
{
    if (atomic_load_explicit(&free->violated, memory_order_acquire)) {
        *error = free->violation;
        return error->status;
    }
    if (report->reason == EK_WATCHDOG) {
        ek_fail(error, EK_STUCK, "", -1,
                "no operation ended for %g s and somebody waits: this is where each processor is and what it waits for",
                free->machine->watchdog);
        return EK_STUCK;
    }
    bool never = free->machine->stop.kind == EK_STOP_NEVER && report->reason != EK_INTERRUPT;
    return report->converged || never ? EK_OK : EK_UNREACHED;
}

enum ek_status ek_free_report(struct ek_free *free, struct ek_report *report, struct ek_error *error)
{
    uint64_t ended = free->ended > 0 ? free->ended : ek_free_now(free); // a violation ends at once
    report->seed = free->seed;
    report->reason = free->reason;
    report_loads(free, report);
    ek_measure_flows(free->topology, free->sent, &report->flow_l1, &report->flow_l2);
    report_free(free, report, ended);
    report->elapsed_s = 1e-9 * (double)ended;
    report->workers = free->machine->workers;
    report->barrier = "none";
    report->initial = free->initial;
    report->final = free->machine->keep_loads ? free->held : NULL;
    ek_trace_give(&free->trace, report);
    free->initial = NULL; // the report's now
    free->held = report->final ? NULL : free->held;
    enum ek_status status = status_of(free, report, error);
    if (status == EK_VIOLATION || status == EK_STUCK) {
        report->free.dump = ek_free_dump(free);
    }
    return status;
}
