// SPDX-License-Identifier: MIT
// A run in free timing: its memory, all taken before it starts, and its report.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "threads/free_state.h"
#include "topologies/scan.h"

enum { HISTOGRAMS = 3, DELAY_HISTOGRAMS = 2, LINE = 64 };

static bool has_delays(const struct ek_machine *machine)
{
    return machine->delay.kind != EK_DELAY_NONE;
}

static unsigned histograms_of(const struct ek_machine *machine)
{
    return HISTOGRAMS + (has_delays(machine) ? DELAY_HISTOGRAMS : 0);
}

static unsigned groups_of(const struct ek_machine *machine)
{
    unsigned cores = ek_places_count(machine->places);
    return machine->workers < cores ? machine->workers : cores;
}

// An operation asks all neighbours at once: a rule over all links, with all ports.
static bool all_together(const struct ek_machine *machine)
{
    return machine->method->links != EK_LINKS_COLOUR && machine->ports == EK_ALL_PORTS;
}

uint64_t ek_free_bytes(const struct ek_machine *machine)
{
    const struct ek_topology *topology = machine->topology;
    uint64_t by_processor = sizeof(struct ek_free_processor) + sizeof(struct ek_snapshot) + sizeof(uint32_t) +
                            sizeof(double) * (3u + machine->plan.state_words);
    uint64_t by_port = sizeof(struct ek_free_port) +
                       sizeof(struct ek_message) * EK_SHELF * (has_delays(machine) ? 2u : 1u) +
                       sizeof(double) * (2u + machine->plan.port_words) + sizeof(uint32_t) + 2u * LINE +
                       sizeof(struct ek_message) * machine->mailbox_capacity;
    by_port += machine->keep_links ? sizeof(struct ek_link_use) : 0;
    uint64_t by_worker = sizeof(struct ek_free_worker) + sizeof(struct ek_bell);
    return by_processor * topology->processors + by_port * topology->ports + by_worker * machine->workers +
           ek_operation_log_bytes(machine->workers, EK_OPERATION_LOG_RECORDS, topology->processors) +
           groups_of(machine) * histograms_of(machine) * sizeof(struct ek_histogram);
}

// An array of zeros that is there only if it is wanted.
static bool take(void *place, bool wanted, uint64_t count, size_t size)
{
    void *array = wanted ? calloc(count + 1, size) : NULL;
    memcpy(place, &array, sizeof array);
    return !wanted || array;
}

static bool arrays_create(struct ek_free *free)
{
    const struct ek_machine *machine = free->machine;
    uint64_t processors = free->topology->processors;
    uint64_t ports = free->topology->ports;
    return take(&free->processor, true, processors, sizeof *free->processor) &&
           take(&free->snapshot, true, processors, sizeof *free->snapshot) &&
           take(&free->owner, machine->workers != processors, processors, sizeof *free->owner) &&
           take(&free->bell, true, machine->workers, sizeof *free->bell) &&
           take(&free->held, true, processors, sizeof *free->held) &&
           take(&free->left, true, ports, sizeof *free->left) &&
           take(&free->left_load, true, ports, sizeof *free->left_load) &&
           take(&free->initial, machine->keep_loads, processors, sizeof *free->initial) &&
           take(&free->target, machine->to_target, processors, sizeof *free->target) &&
           take(&free->state, true, processors * machine->plan.state_words, sizeof *free->state) &&
           take(&free->memory, true, ports * machine->plan.port_words, sizeof *free->memory) &&
           take(&free->sent, machine->keep_flows, ports, sizeof *free->sent) &&
           take(&free->received, machine->keep_flows, ports, sizeof *free->received) &&
           take(&free->use, machine->keep_links, ports, sizeof *free->use) &&
           take(&free->port, true, ports, sizeof *free->port) &&
           take(&free->kept, true, ports * EK_SHELF, sizeof *free->kept) &&
           take(&free->line, has_delays(machine), ports, sizeof *free->line) &&
           take(&free->due, has_delays(machine), ports * EK_SHELF, sizeof *free->due) &&
           take(&free->order, !free->together, ports, sizeof *free->order) &&
           take(&free->histograms, true, (uint64_t)free->groups * histograms_of(machine), sizeof *free->histograms);
}

// A processor's ports in the order of their colours. By insertion: degrees are small, and a hub's ports are in order.
static void sort_by_colour(struct ek_free *free, uint32_t p)
{
    const struct ek_topology *topology = free->topology;
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        uint32_t at = port;
        for (; at > topology->first[p] && topology->colour[free->order[at - 1]] > topology->colour[port]; at--) {
            free->order[at] = free->order[at - 1];
        }
        free->order[at] = port;
    }
}

static bool worker_create(struct ek_free *free, unsigned index)
{
    const struct ek_machine *machine = free->machine;
    struct ek_free_worker *worker = &free->worker[index];
    worker->free = free;
    worker->begin = ek_carrier_begin(free->topology->processors, machine->workers, index);
    worker->end = ek_carrier_begin(free->topology->processors, machine->workers, index + 1);
    worker->lots = ek_random_start(free->seed, index, EK_STREAM_PERTURB);
    struct ek_histogram *histograms =
        free->histograms + (uint64_t)index * free->groups / machine->workers * histograms_of(machine);
    worker->latency = histograms;
    worker->operation_time = histograms + 1;
    worker->stale_age = histograms + 2;
    worker->delay_asked = has_delays(machine) ? histograms + HISTOGRAMS : NULL;
    worker->delay_realised = has_delays(machine) ? histograms + HISTOGRAMS + 1 : NULL;
    uint32_t degree = 0;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        if (free->owner) {
            free->owner[p] = index;
        }
        uint32_t own = free->topology->first[p + 1] - free->topology->first[p];
        degree = own > degree ? own : degree;
        if (free->order) {
            sort_by_colour(free, p);
        }
    }
    worker->bell = &free->bell[index];
    bool good = take(&worker->announced, true, 3u * degree, sizeof(double));
    worker->amounts = worker->announced + degree;
    worker->arrived = worker->amounts + degree;
    return good;
}

static bool workers_create(struct ek_free *free)
{
    unsigned workers = free->machine->workers;
    free->worker = aligned_alloc(128, workers * sizeof *free->worker);
    if (!free->worker) {
        return false;
    }
    memset(free->worker, 0, workers * sizeof *free->worker);
    bool good = true;
    for (unsigned w = 0; good && w < workers; w++) {
        good = worker_create(free, w);
    }
    return good;
}

static void loads_draw(struct ek_free *free)
{
    const struct ek_machine *machine = free->machine;
    uint32_t processors = free->topology->processors;
    ek_load_draw(&machine->load, free->seed, processors, free->held);
    struct ek_measure measure;
    ek_measure_loads(free->held, processors, &measure);
    free->total_initial = measure.total;
    free->variance_initial = measure.variance;
    free->variance = measure.variance;
    free->mean = measure.total / processors;
    free->distance_least = INFINITY;
    free->distance_before = ek_measure_distance(free->held, machine->capacity, processors, &measure);
    if (free->target) {
        ek_capacity_shares(machine->capacity, processors, measure.total, free->target);
    }
    for (uint32_t p = 0; p < processors; p++) {
        struct ek_free_processor *processor = &free->processor[p];
        processor->held = processor->native = processor->minimum = free->held[p];
    }
    for (uint32_t port = 0; port < free->topology->ports; port++) {
        free->port[port].told = NAN;
    }
    if (free->initial) {
        memcpy(free->initial, free->held, processors * sizeof(double));
    }
}

static bool faults_create(struct ek_free *free)
{
    const struct ek_machine *machine = free->machine;
    if (machine->faults.kind == EK_FAULTS_NONE) {
        return true;
    }
    free->links = ek_links_create(free->topology);
    free->faults = ek_fault_source_create(&machine->faults, free->topology, free->seed);
    free->fault_waits = free->faults && ek_fault_next(free->faults, &free->fault);
    return free->links && free->faults;
}

static bool run_create(struct ek_free *free)
{
    const struct ek_machine *machine = free->machine;
    free->boxes = (struct ek_mailboxes){.kind = machine->mailbox,
                                        .count = free->topology->ports,
                                        .twin = free->topology->twin,
                                        .capacity = machine->mailbox_capacity,
                                        .apart = machine->carrier->padded};
    ek_counters_why(); // starts PAPI here, where the stack is large
    free->log = ek_operation_log_create(machine->workers, EK_OPERATION_LOG_RECORDS, free->topology);
    bool good = arrays_create(free) && workers_create(free) && free->log && machine->mailbox->create(&free->boxes) &&
                faults_create(free);
    if (good) {
        loads_draw(free);
    }
    return good;
}

struct ek_free *ek_free_create(struct ek_machine *machine, uint64_t run, struct ek_error *error)
{
    struct ek_free *free = aligned_alloc(128, sizeof *free);
    if (!free) {
        ek_fail(error, EK_BAD_INPUT, "", -1, "no memory for a run");
        return NULL;
    }
    memset(free, 0, sizeof *free);
    free->machine = machine;
    free->topology = machine->topology;
    free->seed = machine->seed + run;
    free->together = all_together(machine);
    free->exclusive = machine->exclusive;
    free->one_port = machine->ports == EK_ONE_PORT;
    free->weighted = machine->capacity || machine->to_target;
    free->crowded = machine->workers > ek_places_count(machine->places);
    free->trace = (struct ek_trace){.every = machine->every, .rows_max = machine->trace_rows};
    free->groups = groups_of(machine);
    atomic_store_explicit(&free->permits, (int64_t)machine->operations_max, memory_order_relaxed); // no threads yet
    if (!run_create(free)) {
        ek_fail(error, EK_BAD_INPUT, "topology", -1,
                "no memory for a run of %u processors and %u links: use a smaller topology", free->topology->processors,
                free->topology->links);
        ek_free_destroy(free);
        return NULL;
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    free->began = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return free;
}

void ek_free_destroy(struct ek_free *run)
{
    for (unsigned w = 0; run->worker && w < run->machine->workers; w++) {
        free(run->worker[w].announced);
    }
    if (run->boxes.store) {
        run->boxes.kind->destroy(&run->boxes);
    }
    if (run->links) {
        ek_links_free(run->links);
    }
    if (run->faults) {
        ek_fault_source_free(run->faults);
    }
    ek_operation_log_free(run->log);
    void *arrays[] = {run->worker,  run->processor, run->snapshot,   run->owner,     run->bell, run->held,
                      run->initial, run->target,    run->state,      run->memory,    run->sent, run->received,
                      run->use,     run->left,      run->left_load,  run->port,      run->kept, run->due,
                      run->line,    run->order,     run->trace.rows, run->histograms};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
    free(run);
}

void ek_free_progress(struct ek_free *free, struct ek_progress *progress)
{
    progress->operations = ek_free_operations(free);
    progress->steps = 0;
    progress->variance = atomic_load_explicit(&free->variance, memory_order_relaxed); // a lone value
}

// Counts a message that is left in the direction to this port.
static void count_left(struct ek_free *free, uint32_t port, const struct ek_message *message)
{
    free->left_load[port] += ek_message_carries(message) ? message->amount : 0.0;
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
    // What a snapshot has shown counts, and what the drained machine shows.
    bool shown = stop->kind != EK_STOP_ITSELF && stop->kind != EK_STOP_NEVER &&
                 ek_stop_reached(stop, free->topology, free->held, &measure, distance, report->in_flight);
    bool by_itself = stop->kind == EK_STOP_ITSELF &&
                     (report->reason == EK_QUIET || (report->reason == EK_FROZEN && ek_machine_direct(free->machine)));
    bool reached = report->reason == EK_CRITERION || shown || by_itself;
    report->converged = reached;
}

// What each worker counted, added up.
static void report_workers(struct ek_free *free, struct ek_report *report)
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
    unsigned each = histograms_of(free->machine);
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
    report_workers(free, report);
    total->audits = free->audits;
    total->audit_interval = free->audits > 0 ? 1e-9 * (double)ended / (double)free->audits : NAN;
    total->latency = quantiles_of(free, 0);
    total->operation_time = quantiles_of(free, 1);
    total->stale_age = quantiles_of(free, 2);
    struct ek_histogram none = {0};
    total->delay_asked =
        has_delays(free->machine) ? quantiles_of(free, HISTOGRAMS) : ek_histogram_quantiles(&none, 1.0);
    total->delay_realised =
        has_delays(free->machine) ? quantiles_of(free, HISTOGRAMS + 1) : ek_histogram_quantiles(&none, 1.0);
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
    uint64_t ended = ek_free_now(free);
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
