// SPDX-License-Identifier: MIT
// The report of a run in free timing, when all workers have ended.
#include <math.h>
#include <stdlib.h>

#include "threads/async/state.h"
#include "topologies/scan.h"

void async_progress(struct async_run *run, struct ek_progress *progress)
{
    progress->operations = async_operations(run);
    progress->steps = 0;
    progress->variance = atomic_load_explicit(&run->variance, memory_order_relaxed); // a lone value
}

// Counts a message that is left in the direction to this port.
static void count_left(struct async_run *run, uint32_t port, const struct mail_message *message)
{
    // What comes back was sent over the link the other way.
    uint32_t over = async_message_kind(message) == ASYNC_RETURN ? run->topology->twin[port] : port;
    run->left_load[over] += async_message_carries(message) ? message->amount : 0.0;
    run->left[port]++;
}

static void count_shelf(struct async_run *run, uint32_t port, const struct async_shelf *shelf,
                        const struct mail_message *place)
{
    for (unsigned k = 0; k < shelf->count; k++) {
        count_left(run, port, &place[(shelf->first + k) % ASYNC_SHELF]);
    }
}

// What is still kept, in mailboxes or delayed when the workers have ended: nothing, after a drain. How much load.
static double left_under_way(struct async_run *run, uint64_t *messages)
{
    double amount = 0.0;
    struct mail_message message;
    for (uint32_t port = 0; port < run->topology->ports; port++) {
        count_shelf(run, run->topology->twin[port], &run->port[port].kept, run->kept + (size_t)port * ASYNC_SHELF);
        if (run->line) {
            count_shelf(run, port, &run->line[port], run->due + (size_t)port * ASYNC_SHELF);
        }
        while (run->boxes.kind->take(&run->boxes, port, &message)) {
            count_left(run, port, &message);
        }
    }
    for (uint32_t port = 0; port < run->topology->ports; port++) {
        amount += run->left_load[port];
        *messages += run->left[port];
    }
    return amount;
}

static void report_loads(struct async_run *run, struct ek_report *report)
{
    uint32_t processors = run->topology->processors;
    struct core_measure measure;
    double native = 0.0;
    report->minimum_ever = INFINITY;
    for (uint32_t p = 0; p < processors; p++) {
        const struct async_processor *processor = &run->processor[p];
        run->held[p] = processor->held;
        report->moved += processor->moved;
        report->generated += processor->generated;
        report->consumed += processor->consumed;
        native += processor->native;
        report->minimum_ever = fmin(report->minimum_ever, processor->minimum);
    }
    core_measure_loads(run->held, processors, &measure);
    uint64_t messages = 0;
    report->in_flight = left_under_way(run, &messages);
    bool drained = report->reason != EK_WATCHDOG && !atomic_load_explicit(&run->violated, memory_order_acquire);
    if (drained && messages > 0) {
        struct ek_error violation;
        topo_fail(&violation, EK_VIOLATION, "", -1, "the run ended with %llu messages under way",
                  (unsigned long long)messages);
        async_violate(run, &violation);
    }
    async_ledger(run, measure.total, report->in_flight, report->generated, report->consumed, report->moved);
    report->variance_initial = run->variance_initial;
    report->variance_final = measure.variance;
    report->spread_final = measure.maximum - measure.minimum;
    report->minimum = measure.minimum;
    report->maximum = measure.maximum;
    report->total_initial = run->total_initial;
    report->total_final = measure.total;
    report->idle = measure.idle;
    report->has_stayed = run->machine->units == EK_TOKENS;
    report->stayed = report->has_stayed ? native : 0.0;
    const struct core_stop *stop = &run->machine->stop;
    double distance = core_measure_distance(run->held, run->machine->capacity, processors, &measure);
    bool violated = atomic_load_explicit(&run->violated, memory_order_acquire);
    bool shown = stop->kind != CORE_STOP_ITSELF && stop->kind != CORE_STOP_NEVER &&
                 core_stop_reached(stop, run->topology, run->held, &measure, distance, report->in_flight);
    bool by_itself = stop->kind == CORE_STOP_ITSELF &&
                     (report->reason == EK_QUIET || (report->reason == EK_FROZEN && ek_machine_direct(run->machine)));
    bool reached = !violated && (shown || by_itself);
    report->converged = reached;
}

// What each worker counted, added up.
static void report_workers(struct async_run *run, struct ek_report *report, uint64_t ended)
{
    struct ek_async_report *total = &report->async;
    uint64_t longest_wait = 0;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        const struct async_worker *worker = &run->worker[w];
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
    for (uint32_t p = 0; p < run->topology->processors; p++) { // those who still wait
        uint64_t wanted_at = run->processor[p].wanted_at;
        bool waits = wanted_at > 0 && wanted_at < ended && !run->processor[p].told_by_any;
        longest_wait = waits && ended - wanted_at > longest_wait ? ended - wanted_at : longest_wait;
    }
    total->longest_wait = 1e-9 * (double)longest_wait;
}

static struct ek_effect effect_of(const struct async_run *run, int kind)
{
    struct ek_effect effect = {0};
    double square = 0.0;
    for (unsigned w = 0; w < run->machine->workers; w++) {
        effect.count += run->worker[w].effect[kind].count;
        effect.before += run->worker[w].effect[kind].before;
        effect.after += run->worker[w].effect[kind].after;
        square += run->worker[w].effect[kind].square;
    }
    double count = (double)effect.count;
    effect.before = effect.count > 0 ? effect.before / count : NAN;
    effect.after = effect.count > 0 ? effect.after / count : NAN;
    effect.after_error =
        effect.count > 1 ? sqrt(fmax(0.0, square / count - effect.after * effect.after) / (count - 1.0)) : NAN;
    return effect;
}

// Histogram `which` of all groups together, in seconds.
static struct ek_quantiles quantiles_of(struct async_run *run, unsigned which)
{
    unsigned each = async_histograms(run->machine);
    struct watch_histogram *all = &run->histograms[which];
    for (unsigned group = 1; group < run->groups; group++) {
        watch_histogram_merge(all, &run->histograms[group * each + which]);
    }
    return watch_histogram_quantiles(all, 1e-9);
}

static void report_links(const struct async_run *run, struct ek_async_report *total)
{
    const struct ek_topology *topology = run->topology;
    total->link = calloc(topology->ports + 1u, sizeof *total->link);
    for (uint32_t port = 0; total->link && port < topology->ports; port++) {
        const struct async_link_use *use = &run->use[port];
        total->link[total->link_count++] =
            (struct ek_link_report){.from = topology->neighbour[port],
                                    .to = topology->neighbour[topology->twin[port]],
                                    .messages = use->messages,
                                    .stalls = use->stalls,
                                    .depth_most = use->depth_most,
                                    .load = run->received ? run->received[port] : NAN,
                                    .latency = watch_histogram_quantiles(&use->latency, 1e-9)};
    }
}

static void report_free(struct async_run *run, struct ek_report *report, uint64_t ended)
{
    struct ek_async_report *total = &report->async;
    report->has_async = true;
    report_workers(run, report, ended);
    total->audits = run->audits;
    total->audit_interval =
        run->audits_before_end > 1 ? 1e-9 * (double)run->audited_until / (double)(run->audits_before_end - 1) : NAN;
    total->latency = quantiles_of(run, ASYNC_LATENCIES);
    total->operation_time = quantiles_of(run, ASYNC_OPERATION_TIMES);
    total->stale_age = quantiles_of(run, ASYNC_STALE_AGES);
    struct watch_histogram none = {0};
    total->delay_asked =
        async_delays(run->machine) ? quantiles_of(run, ASYNC_DELAYS_ASKED) : watch_histogram_quantiles(&none, 1.0);
    total->delay_realised =
        async_delays(run->machine) ? quantiles_of(run, ASYNC_DELAYS_REALISED) : watch_histogram_quantiles(&none, 1.0);
    total->alone = effect_of(run, 0);
    total->overlapped = effect_of(run, 1);
    watch_operation_log_spheres(run->log, 0, ended, run->seed, total);
    total->mailbox_capacity = run->machine->mailbox_capacity;
    struct watch_counters counters = {0};
    for (unsigned w = 0; w < run->machine->workers; w++) {
        watch_counters_add(&counters, &run->worker[w].counters);
    }
    total->switches_voluntary = counters.voluntary;
    total->switches_forced = counters.forced;
    total->migrations = counters.migrations;
    total->has_counters = counters.has_hardware;
    total->cycles = counters.cycles;
    total->instructions = counters.instructions;
    total->cache_misses = counters.cache_misses;
    total->link_failures = run->link_failures;
    total->processor_failures = run->processor_failures;
    total->repairs = run->repairs;
    if (run->use) {
        report_links(run, total);
    }
}

static enum ek_status status_of(const struct async_run *run, const struct ek_report *report, struct ek_error *error)
{
    if (atomic_load_explicit(&run->violated, memory_order_acquire)) {
        *error = run->violation;
        return error->status;
    }
    if (report->reason == EK_WATCHDOG) {
        topo_fail(
            error, EK_STUCK, "", -1,
            "no operation ended for %g s and somebody waits: this is where each processor is and what it waits for",
            run->machine->watchdog_s);
        return EK_STUCK;
    }
    bool never = run->machine->stop.kind == CORE_STOP_NEVER && report->reason != EK_INTERRUPT;
    return report->converged || never ? EK_OK : EK_UNREACHED;
}

enum ek_status async_report(struct async_run *run, struct ek_report *report, struct ek_error *error)
{
    uint64_t ended = run->ended > 0 ? run->ended : async_now(run); // a violation ends at once
    report->seed = run->seed;
    report->reason = run->reason;
    report_loads(run, report);
    core_measure_flows(run->topology, run->sent, &report->flow_l1, &report->flow_l2);
    report_free(run, report, ended);
    report->elapsed_s = 1e-9 * (double)ended;
    report->workers = run->machine->workers;
    report->barrier = "none";
    report->initial = run->initial;
    report->final = run->machine->keep_loads ? run->held : NULL;
    watch_trace_give(&run->trace, report);
    run->initial = NULL; // the report's now
    run->held = report->final ? NULL : run->held;
    enum ek_status status = status_of(run, report, error);
    if (status == EK_VIOLATION || status == EK_STUCK) {
        report->async.dump = async_dump(run);
    }
    return status;
}
