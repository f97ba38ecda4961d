// SPDX-License-Identifier: MIT
// A run in free timing: its memory, all taken before it starts.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "threads/async/state.h"
#include "topologies/scan.h"

enum { LINE = 64 };

static unsigned groups_of(const struct ek_machine *machine)
{
    unsigned cores = machine_places_count(machine->places);
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
    uint64_t bytes = sizeof(struct mail_message) * machine->mailbox_capacity;
    return machine->carrier->padded ? (bytes + LINE - 1) / LINE * LINE : bytes + 2 * sizeof(uint16_t);
}

uint64_t async_bytes(const struct ek_machine *machine)
{
    const struct ek_topology *topology = machine->topology;
    uint64_t by_processor = sizeof(struct async_processor) + sizeof(struct async_snapshot) + sizeof(uint32_t) +
                            sizeof(double) * (3u + machine->plan.state_words);
    uint64_t by_port = sizeof(struct async_port) +
                       sizeof(struct mail_message) * ASYNC_SHELF * (async_delays(machine) ? 2u : 1u) +
                       sizeof(double) * (2u + machine->plan.port_words) + sizeof(uint32_t) + mailbox_bytes(machine);
    by_port += machine->keep_links ? sizeof(struct async_link_use) : 0;
    uint64_t by_worker = sizeof(struct async_worker) + sizeof(struct mail_bell);
    return by_processor * topology->processors + by_port * topology->ports + by_worker * machine->workers +
           watch_operation_log_bytes(machine->workers, WATCH_OPERATION_LOG_RECORDS, topology->processors) +
           groups_of(machine) * async_histograms(machine) * sizeof(struct watch_histogram);
}

// An array of zeros that is there only if it is wanted.
static bool take(void *place, bool wanted, uint64_t count, size_t size)
{
    void *array = wanted ? calloc(count + 1, size) : NULL;
    memcpy(place, &array, sizeof array);
    return !wanted || array;
}

static bool arrays_create(struct async_run *run)
{
    const struct ek_machine *machine = run->machine;
    uint64_t processors = run->topology->processors;
    uint64_t ports = run->topology->ports;
    return take(&run->processor, true, processors, sizeof *run->processor) &&
           take(&run->snapshot, true, processors, sizeof *run->snapshot) &&
           take(&run->owner, machine->workers != processors, processors, sizeof *run->owner) &&
           take(&run->bell, true, machine->workers, sizeof *run->bell) &&
           take(&run->held, true, processors, sizeof *run->held) &&
           take(&run->tried, true, processors, sizeof *run->tried) &&
           take(&run->left, true, ports, sizeof *run->left) &&
           take(&run->left_load, true, ports, sizeof *run->left_load) &&
           take(&run->initial, machine->keep_loads, processors, sizeof *run->initial) &&
           take(&run->target, machine->to_target, processors, sizeof *run->target) &&
           take(&run->state, true, processors * machine->plan.state_words, sizeof *run->state) &&
           take(&run->memory, true, ports * machine->plan.port_words, sizeof *run->memory) &&
           take(&run->sent, machine->keep_flows, ports, sizeof *run->sent) &&
           take(&run->received, machine->keep_flows, ports, sizeof *run->received) &&
           take(&run->use, machine->keep_links, ports, sizeof *run->use) &&
           take(&run->port, true, ports, sizeof *run->port) &&
           take(&run->kept, true, ports * ASYNC_SHELF, sizeof *run->kept) &&
           take(&run->line, async_delays(machine), ports, sizeof *run->line) &&
           take(&run->due, async_delays(machine), ports * ASYNC_SHELF, sizeof *run->due) &&
           take(&run->order, !run->together, ports, sizeof *run->order) &&
           take(&run->histograms, true, (uint64_t)run->groups * async_histograms(machine), sizeof *run->histograms);
}

// A processor's ports in the order of their colours. By insertion: degrees are small, and a hub's ports are in order.
static void sort_by_colour(struct async_run *run, uint32_t p)
{
    const struct ek_topology *topology = run->topology;
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        uint32_t at = port;
        for (; at > topology->first[p] && topology->colour[run->order[at - 1]] > topology->colour[port]; at--) {
            run->order[at] = run->order[at - 1];
        }
        run->order[at] = port;
    }
}

static bool worker_create(struct async_run *run, unsigned index)
{
    const struct ek_machine *machine = run->machine;
    struct async_worker *worker = &run->worker[index];
    worker->run = run;
    worker->begin = machine_carrier_begin(run->topology->processors, machine->workers, index);
    worker->end = machine_carrier_begin(run->topology->processors, machine->workers, index + 1);
    worker->lots = topo_random_start(run->seed, index, TOPO_STREAM_PERTURB);
    struct watch_histogram *histograms =
        run->histograms + (uint64_t)index * run->groups / machine->workers * async_histograms(machine);
    worker->latency = &histograms[ASYNC_LATENCIES];
    worker->operation_time = &histograms[ASYNC_OPERATION_TIMES];
    worker->stale_age = &histograms[ASYNC_STALE_AGES];
    worker->delay_asked = async_delays(machine) ? &histograms[ASYNC_DELAYS_ASKED] : NULL;
    worker->delay_realised = async_delays(machine) ? &histograms[ASYNC_DELAYS_REALISED] : NULL;
    uint32_t degree = 0;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        if (run->owner) {
            run->owner[p] = index;
        }
        uint32_t own = run->topology->first[p + 1] - run->topology->first[p];
        degree = own > degree ? own : degree;
        if (run->order) {
            sort_by_colour(run, p);
        }
    }
    worker->bell = &run->bell[index];
    bool good = take(&worker->announced, true, 3u * degree, sizeof(double));
    worker->amounts = worker->announced + degree;
    worker->arrived = worker->amounts + degree;
    return good;
}

static bool workers_create(struct async_run *run)
{
    unsigned workers = run->machine->workers;
    run->worker = aligned_alloc(128, workers * sizeof *run->worker);
    if (!run->worker) {
        return false;
    }
    memset(run->worker, 0, workers * sizeof *run->worker);
    bool good = true;
    for (unsigned w = 0; good && w < workers; w++) {
        good = worker_create(run, w);
    }
    return good;
}

static void loads_draw(struct async_run *run)
{
    const struct ek_machine *machine = run->machine;
    uint32_t processors = run->topology->processors;
    core_load_draw(&machine->load, run->seed, processors, run->held);
    struct core_measure measure;
    core_measure_loads(run->held, processors, &measure);
    run->total_initial = measure.total;
    run->variance_initial = measure.variance;
    run->variance = measure.variance;
    run->mean = measure.total / processors;
    run->distance_least = INFINITY;
    run->distance_before = core_measure_distance(run->held, machine->capacity, processors, &measure);
    if (run->target) {
        core_capacity_shares(machine->capacity, processors, measure.total, run->target);
    }
    for (uint32_t p = 0; p < processors; p++) {
        struct async_processor *processor = &run->processor[p];
        processor->held = processor->native = processor->minimum = run->held[p];
    }
    for (uint32_t port = 0; port < run->topology->ports; port++) {
        run->port[port].told = NAN;
    }
    if (run->initial) {
        memcpy(run->initial, run->held, processors * sizeof(double));
    }
}

static bool faults_create(struct async_run *run)
{
    const struct ek_machine *machine = run->machine;
    if (machine->faults.kind == CORE_FAULTS_NONE) {
        return true;
    }
    run->links = async_links_create(run->topology);
    run->faults = core_fault_source_create(&machine->faults, run->topology, run->seed);
    run->fault_waits = run->faults && core_fault_next(run->faults, &run->fault);
    return run->links && run->faults;
}

static bool run_create(struct async_run *run)
{
    const struct ek_machine *machine = run->machine;
    run->boxes = (struct mail_boxes){.kind = machine->mailbox,
                                     .count = run->topology->ports,
                                     .twin = run->topology->twin,
                                     .capacity = machine->mailbox_capacity,
                                     .apart = machine->carrier->padded};
    watch_counters_why(); // starts PAPI here, where the stack is large
    run->log = watch_operation_log_create(machine->workers, WATCH_OPERATION_LOG_RECORDS, run->topology);
    bool good = arrays_create(run) && workers_create(run) && run->log && machine->mailbox->create(&run->boxes) &&
                faults_create(run);
    if (good) {
        loads_draw(run);
    }
    return good;
}

struct async_run *async_create(struct ek_machine *machine, uint64_t number, struct ek_error *error)
{
    struct async_run *run = aligned_alloc(128, sizeof *run);
    if (!run) {
        topo_fail(error, EK_BAD_INPUT, "", -1, "no memory for a run");
        return NULL;
    }
    memset(run, 0, sizeof *run);
    run->machine = machine;
    run->topology = machine->topology;
    run->seed = machine->seed + number;
    run->together = all_together(machine);
    run->exclusive = machine->exclusive;
    run->one_port = machine->ports == EK_ONE_PORT;
    run->weighted = machine->capacity || machine->to_target;
    run->crowded = machine->workers > machine_places_count(machine->places);
    run->trace = (struct watch_trace){.every = machine->every, .rows_max = machine->trace_rows};
    run->groups = groups_of(machine);
    atomic_store_explicit(&run->permits, (int64_t)machine->operations_max, memory_order_relaxed); // no threads yet
    if (!run_create(run)) {
        topo_fail(error, EK_BAD_INPUT, "topology", -1,
                  "no memory for a run of %u processors and %u links: use a smaller topology",
                  run->topology->processors, run->topology->links);
        async_destroy(run);
        return NULL;
    }
    return run;
}

void async_destroy(struct async_run *run)
{
    for (unsigned w = 0; run->worker && w < run->machine->workers; w++) {
        free(run->worker[w].announced);
    }
    if (run->boxes.store) {
        run->boxes.kind->destroy(&run->boxes);
    }
    if (run->links) {
        async_links_destroy(run->links);
    }
    if (run->faults) {
        core_fault_source_destroy(run->faults);
    }
    watch_operation_log_destroy(run->log);
    void *arrays[] = {run->worker,   run->processor, run->snapshot, run->owner,      run->bell,      run->held,
                      run->tried,    run->initial,   run->target,   run->state,      run->memory,    run->sent,
                      run->received, run->use,       run->left,     run->left_load,  run->port,      run->kept,
                      run->due,      run->line,      run->order,    run->trace.rows, run->histograms};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
    free(run);
}
