// SPDX-License-Identifier: MIT
// A run in free timing: its memory, all planned and taken before it starts.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "threads/free/control/audit.h"
#include "threads/free/free_engine.h"
#include "threads/ranks/gather.h"
#include "threads/free/look.h"
#include "threads/ranks/porter.h"
#include "threads/ranks/free_ranks.h"
#include "threads/ranks/agree.h"
#include "threads/ranks/blocks.h"
#include "base/cursor.h"

// Workers that share a core have their histograms together.
static unsigned groups_of(const struct ek_machine *machine)
{
    unsigned cores = machine_places_count(machine->places);
    return machine->ranks || machine->workers < cores ? machine->workers : cores;
}

// Whether a turn is followed by a yield. A rank's worker may have to share a core with its porter.
static bool is_crowded(const struct ek_machine *machine)
{
    return machine->ranks || machine->workers > machine_places_count(machine->places);
}

// Whether its messages need nothing but their mailboxes.
static bool is_plain(const struct ek_machine *machine)
{
    return machine->mailbox == &mail_spsc && !free_delays(machine) && !machine->experiment.keep_links &&
           !(machine->experiment.perturb > 0.0);
}

// Whether a worker is one of this process: of ranks each has one.
static bool is_here(const struct ek_machine *machine, unsigned worker)
{
    return !machine->ranks || worker == machine->ranks->rank;
}

// An operation asks all neighbours at once: a rule over all links, with all ports.
static bool all_together(const struct ek_machine *machine)
{
    return machine->method->links != EK_LINKS_COLOUR && machine->ports == EK_ALL_PORTS;
}

// The largest degree among a worker's processors; with ranks, whose need not follow each other, among all.
static uint32_t degree_of(const struct ek_machine *machine, unsigned worker)
{
    const struct ek_topology *topology = machine->topology;
    if (machine->ranks) {
        return is_here(machine, worker) ? topology->degree_max : 0;
    }
    return rank_block_degree(topology, machine->workers, worker);
}

// A worker's room for one processor's announced, amounts and arrived, in doubles: whole cache lines of its own.
static uint64_t room_of(uint32_t degree)
{
    enum { LINE = BASE_ARENA_ISOLATION / sizeof(double) };
    return (3u * (uint64_t)degree + LINE - 1) / LINE * LINE;
}

// Of all workers; nothing while the topology is not made, and its degrees are not known.
static uint64_t rooms_of(const struct ek_machine *machine)
{
    uint64_t rooms = 0;
    for (unsigned w = 0; machine->topology->first && w < machine->workers; w++) {
        rooms += room_of(degree_of(machine, w));
    }
    return rooms;
}

static void plan_processors(struct free_run *run, struct base_arena *memory)
{
    const struct ek_machine *machine = run->machine;
    uint64_t processors = run->topology->processors;
    bool keep = machine->experiment.keep_loads;
    bool shared = machine->ranks || machine->workers != processors;
    base_arena_plan_isolated(memory, &run->processor, processors, sizeof *run->processor);
    base_arena_plan(memory, &run->snapshot, processors, sizeof *run->snapshot);
    base_arena_plan(memory, &run->state, processors * machine->plan.state_doubles, sizeof *run->state);
    base_arena_plan(memory, &run->owner, shared ? processors : 0, sizeof *run->owner);
    base_arena_plan(memory, &run->target, machine->to_target ? processors : 0, sizeof *run->target);
    base_arena_plan(memory, &run->initial, keep ? processors : 0, sizeof *run->initial);
    base_arena_plan(memory, &run->attendant.held, processors, sizeof *run->attendant.held);
    watch_frames_plan(&run->attendant.frames, machine->experiment.frames, run->topology->processors, memory);
    machine_rest_plan(&run->rest, machine, memory);
    base_arena_plan(memory, &run->attendant.tried, processors, sizeof *run->attendant.tried);
}

static void plan_ports(struct free_run *run, struct base_arena *memory)
{
    const struct ek_machine *machine = run->machine;
    uint64_t ports = run->topology->ports;
    uint64_t flows = machine->experiment.no_flows ? 0 : ports + 1; // also where there are no links
    uint64_t used = machine->experiment.keep_links ? ports : 0;
    uint64_t delayed = free_delays(machine) ? ports : 0;
    base_arena_plan_isolated(memory, &run->port, ports, sizeof *run->port);
    base_arena_plan(memory, &run->kept, ports * FREE_SHELF, sizeof *run->kept);
    base_arena_plan(memory, &run->engagement, ports, sizeof *run->engagement);
    base_arena_plan(memory, &run->line, delayed, sizeof *run->line);
    base_arena_plan(memory, &run->due, delayed * FREE_SHELF, sizeof *run->due);
    base_arena_plan(memory, &run->memory, ports * machine->plan.port_doubles, sizeof *run->memory);
    base_arena_plan(memory, &run->order, run->together ? 0 : ports, sizeof *run->order);
    base_arena_plan(memory, &run->sent, flows, sizeof *run->sent);
    base_arena_plan(memory, &run->received, flows, sizeof *run->received);
    base_arena_plan(memory, &run->use, used, sizeof *run->use);
    base_arena_plan(memory, &run->link_report, used, sizeof *run->link_report);
    base_arena_plan(memory, &run->attendant.left, ports, sizeof *run->attendant.left);
    mail_boxes_plan(&run->boxes, memory);
}

static void plan_workers(struct free_run *run, struct base_arena *memory)
{
    const struct ek_machine *machine = run->machine;
    unsigned workers = machine->workers;
    base_arena_plan_isolated(memory, &run->worker, workers, sizeof *run->worker);
    base_arena_plan_isolated(memory, &run->bell, workers, sizeof *run->bell);
    base_arena_plan_isolated(memory, &run->room, rooms_of(machine), sizeof *run->room);
    base_arena_plan(memory, &run->histograms, (uint64_t)run->groups * free_histograms(machine),
                    sizeof *run->histograms);
    base_arena_plan(memory, &run->attendant.slept, workers, sizeof *run->attendant.slept);
    base_arena_plan(memory, &run->attendant.turns_seen, workers, sizeof *run->attendant.turns_seen);
    watch_operation_log_plan(&run->log, workers, WATCH_OPERATION_LOG_RECORDS, run->topology, memory);
    // Balanced loads have no variance 0 then, or operations have no members.
    bool none = machine->capacity || machine->to_target || machine->pushed;
    watch_part_log_plan(&run->parts, workers, none ? 0 : WATCH_PART_LOG_RECORDS, memory);
}

// All that a run of this machine takes. What it points to is not there yet.
static void plan(struct free_run *run, const struct ek_machine *machine, uint64_t number)
{
    const struct ek_topology *topology = machine->topology;
    *run = (struct free_run){.machine = machine,
                             .topology = topology,
                             .seed = machine->experiment.seed + number,
                             .interrupts_before = machine_interrupts(machine),
                             .world = machine->experiment.recorder ? &free_world_recorded : &free_world_threads,
                             .together = all_together(machine),
                             .one_port = machine->ports == EK_ONE_PORT,
                             .once = machine->domains == MACHINE_DOMAINS_ONCE,
                             .exclusive = machine->domains == MACHINE_DOMAINS_EXCLUSIVE,
                             .pushed = machine->pushed,
                             .perturbed = machine->experiment.perturb > 0.0,
                             .plain = is_plain(machine),
                             .crowded = is_crowded(machine),
                             .groups = groups_of(machine),
                             .boxes = {.kind = machine->mailbox,
                                       .count = topology->ports,
                                       .twin = topology->twin,
                                       .capacity = machine->mailbox_capacity,
                                       .apart = machine->carrier->padded}};
    plan_processors(run, &run->plan);
    plan_ports(run, &run->plan);
    plan_workers(run, &run->plan);
    free_ranks_plan(run, &run->plan);
    free_porter_plan(run, &run->plan);
    free_gather_plan(run, &run->plan);
    if (machine->experiment.recorder) {
        free_record_plan(run, &run->plan);
    }
    if (free_faults(machine)) {
        free_links_plan(&run->links, topology, &run->plan);
        core_fault_source_plan(&run->helper.faults, &machine->faults, topology, run->seed, &run->plan);
    }
}

uint64_t free_bytes(const struct ek_machine *machine)
{
    struct free_run run;
    plan(&run, machine, 0);
    return sizeof run + base_arena_bytes(&run.plan);
}

// A processor's ports in the order of their colours. By insertion: degrees are small, and a hub's ports are in order.
static void sort_by_colour(struct free_run *run, uint32_t p)
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

static void begin_ports(struct free_run *run, const struct free_worker *worker, uint32_t p)
{
    const struct ek_topology *topology = run->topology;
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        run->port[port].told = NAN;
        run->port[port].said = NAN;
        run->port[port].room = (uint16_t)run->boxes.capacity;
        run->port[port].inside = free_bell(run, topology->neighbour[port]) == worker->bell;
        run->processor[p].outside = run->processor[p].outside || !run->port[port].inside;
    }
}

// Which worker has which processors.
static void place_processors(struct free_run *run)
{
    const struct ek_machine *machine = run->machine;
    free_ranks_begin(run);
    for (unsigned w = 0; !machine->ranks && w < machine->workers; w++) {
        struct free_worker *worker = &run->worker[w];
        worker->begin = rank_block_begin(run->topology->processors, machine->workers, w);
        worker->end = rank_block_begin(run->topology->processors, machine->workers, w + 1);
        for (uint32_t p = worker->begin; run->owner && p < worker->end; p++) {
            run->owner[p] = w;
        }
    }
}

// `room` is what is left of the workers' room; what is left after this one.
static double *begin_worker(struct free_run *run, unsigned index, double *room)
{
    const struct ek_machine *machine = run->machine;
    struct free_worker *worker = &run->worker[index];
    uint32_t degree = degree_of(machine, index);
    worker->run = run;
    worker->index = index;
    worker->lots = base_random_start(run->seed, index, BASE_STREAM_PERTURB);
    worker->bell = &run->bell[index];
    worker->histogram = run->histograms + (uint64_t)index * run->groups / machine->workers * free_histograms(machine);
    worker->announced = room;
    worker->amounts = room + degree;
    worker->arrived = room + 2u * degree;
    if (!is_here(machine, index)) { // what is never looked at takes no memory while it is not written
        return room;
    }
    for (uint32_t place = worker->begin; place < worker->end; place++) {
        uint32_t p = free_processor_at(run, place);
        if (run->order) {
            sort_by_colour(run, p);
        }
        begin_ports(run, worker, p);
    }
    return room + room_of(degree);
}

static void begin_loads(struct free_run *run)
{
    enum { BUDGET = 1 << 17 }; // about a second
    struct free_attendant *attendant = &run->attendant;
    machine_loads_draw(run->machine, run->seed, attendant->held, run->initial, run->target, &run->start);
    watch_frames_add(&attendant->frames, (struct ek_frame){.step = 0}, attendant->held);
    struct core_measure measure;
    core_measure_loads(attendant->held, run->machine->capacity, run->topology->processors, 0.0, &measure);
    free_trigger(run, &measure);
    watch_no_progress_begin(&attendant->no_progress, run->start.distance, 0,
                     watch_no_progress_patience(BUDGET, run->topology->processors, run->topology->diameter));
    atomic_store_explicit(&run->shared.variance, run->start.variance, memory_order_relaxed); // no threads yet
    for (unsigned w = 0; w < run->machine->workers; w++) {
        const struct free_worker *worker = &run->worker[w];
        for (uint32_t place = worker->begin; is_here(run->machine, w) && place < worker->end; place++) {
            uint32_t p = free_processor_at(run, place);
            struct free_processor *processor = &run->processor[p];
            processor->held = processor->native = processor->minimum = attendant->held[p];
        }
    }
}

static bool begin(struct free_run *run)
{
    const struct ek_machine *machine = run->machine;
    if (!mail_boxes_begin(&run->boxes)) {
        return false;
    }
    watch_counters_why(); // starts PAPI here, where the stack is large
    watch_operation_log_begin(&run->log);
    watch_part_log_begin(&run->parts);
    place_processors(run);
    double *room = run->room;
    for (unsigned w = 0; w < machine->workers; w++) {
        room = begin_worker(run, w, room);
    }
    begin_loads(run);
    free_porter_begin(run);
    run->rest.held = run->attendant.held;
    run->rest.target = run->target;
    if (free_faults(machine)) {
        free_help_begin(run);
    }
    run->attendant.trace = watch_trace_of(&machine->experiment);
    run->attendant.window = machine->window;
    // Relaxed: no threads yet. Of ranks the first one has them, and lends.
    int64_t permits = is_here(machine, 0) ? (int64_t)machine->experiment.operations_max : 0;
    atomic_store_explicit(&run->shared.permits, permits, memory_order_relaxed);
    return true;
}

// That ranks read the same files of loads and capacities.
static uint64_t print_of(const struct free_run *run)
{
    uint64_t print;
    memcpy(&print, &run->start.distance, sizeof print);
    return print;
}

void *free_create(struct ek_machine *machine, uint64_t number, struct ek_error *error)
{
    struct free_run *run = aligned_alloc(_Alignof(struct free_run), sizeof *run);
    bool good = run != NULL;
    if (good) {
        plan(run, machine, number);
        good = base_arena_take(&run->plan) && begin(run);
    }
    if (!good) {
        base_fail(error, EK_BAD_INPUT, "topology",
                  "no memory for a run of %u processors and %u links: use a smaller topology",
                  machine->topology->processors, machine->topology->links);
    }
    good = rank_agree(machine->ranks, good, good ? print_of(run) : 0, error);
    if (good && machine->experiment.recorder) {
        good = free_record_begin(run, error);
    }
    if (!good && run) {
        free_destroy(run);
    }
    return good ? run : NULL;
}

void free_destroy(void *context)
{
    struct free_run *run = context;
    free_record_end(run);
    mail_boxes_end(&run->boxes);
    base_arena_destroy(&run->plan);
    free(run->attendant.trace.rows);
    free(run);
}
