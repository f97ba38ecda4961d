// SPDX-License-Identifier: MIT
// A run in free timing: its memory, all taken before it starts.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "threads/free_state.h"
#include "topologies/scan.h"

enum { LINE = 64 };

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

// Of a port. Where the ends belong to different workers they are padded.
static uint64_t mailbox_bytes(const struct ek_machine *machine)
{
    uint64_t bytes = sizeof(struct ek_message) * machine->mailbox_capacity;
    return machine->carrier->padded ? (bytes + LINE - 1) / LINE * LINE : bytes + 2 * sizeof(uint16_t);
}

uint64_t ek_free_bytes(const struct ek_machine *machine)
{
    const struct ek_topology *topology = machine->topology;
    uint64_t by_processor = sizeof(struct ek_free_processor) + sizeof(struct ek_snapshot) + sizeof(uint32_t) +
                            sizeof(double) * (3u + machine->plan.state_words);
    uint64_t by_port = sizeof(struct ek_free_port) +
                       sizeof(struct ek_message) * EK_SHELF * (ek_free_delays(machine) ? 2u : 1u) +
                       sizeof(double) * (2u + machine->plan.port_words) + sizeof(uint32_t) + mailbox_bytes(machine);
    by_port += machine->keep_links ? sizeof(struct ek_link_use) : 0;
    uint64_t by_worker = sizeof(struct ek_free_worker) + sizeof(struct ek_bell);
    return by_processor * topology->processors + by_port * topology->ports + by_worker * machine->workers +
           ek_operation_log_bytes(machine->workers, EK_OPERATION_LOG_RECORDS, topology->processors) +
           groups_of(machine) * ek_free_histograms(machine) * sizeof(struct ek_histogram);
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
           take(&free->tried, true, processors, sizeof *free->tried) &&
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
           take(&free->line, ek_free_delays(machine), ports, sizeof *free->line) &&
           take(&free->due, ek_free_delays(machine), ports * EK_SHELF, sizeof *free->due) &&
           take(&free->order, !free->together, ports, sizeof *free->order) &&
           take(&free->histograms, true, (uint64_t)free->groups * ek_free_histograms(machine),
                sizeof *free->histograms);
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
        free->histograms + (uint64_t)index * free->groups / machine->workers * ek_free_histograms(machine);
    worker->latency = &histograms[EK_LATENCIES];
    worker->operation_time = &histograms[EK_OPERATION_TIMES];
    worker->stale_age = &histograms[EK_STALE_AGES];
    worker->delay_asked = ek_free_delays(machine) ? &histograms[EK_DELAYS_ASKED] : NULL;
    worker->delay_realised = ek_free_delays(machine) ? &histograms[EK_DELAYS_REALISED] : NULL;
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
    void *arrays[] = {run->worker,   run->processor, run->snapshot, run->owner,      run->bell,      run->held,
                      run->tried,    run->initial,   run->target,   run->state,      run->memory,    run->sent,
                      run->received, run->use,       run->left,     run->left_load,  run->port,      run->kept,
                      run->due,      run->line,      run->order,    run->trace.rows, run->histograms};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
    free(run);
}
