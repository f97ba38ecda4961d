// SPDX-License-Identifier: MIT
// A run in free timing: its memory, all planned and taken before it starts.
#include "threads/free/control/free_run.h"

#include <math.h>
#include <string.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "core/program.h"
#include "threads/api/experiment.h"
#include "threads/api/report.h"
#include "threads/free/control/left.h"
#include "threads/free/control/survey.h"
#include "threads/free/detect.h"
#include "threads/free/control/fault_injection.h"
#include "threads/free/look.h"
#include "threads/ranks/blocks.h"
#include "base/random.h"

// Returns the number of groups of workers. Workers that share a core are a group and share their histograms. In virtual
// time there are few workers, and each has its own.
static unsigned groups_of(const struct machine_plan *machine, const struct free_transport *transport)
{
    unsigned cores = host_places_count(machine->places);
    bool own = transport->separate || machine->engine->computed || machine->workers < cores;
    return own ? machine->workers : cores;
}

// Returns whether operations are about amounts of load and nothing else, and may overlap.
static bool has_plain_operations(const struct machine_plan *machine)
{
    return machine->ports == EK_ALL_PORTS && machine->domains == MACHINE_DOMAINS_OVERLAP && !machine->pushed &&
           !machine->program && !machine->objects && !machine->capacity && !machine->to_target &&
           !free_faults(machine) && core_links_carry_all(&machine->links);
}

static enum free_path path_of(const struct machine_plan *machine)
{
    bool mail = machine->mailbox == &mail_spsc && !free_delays(machine) && !(machine->experiment->perturb > 0.0);
    bool values = machine->program && machine->program->result == EK_RESULT_LEAST; // messages bring best values
    return machine->experiment->keep_links || values ? FREE_PATH_ANY
           : machine->engine->computed               ? FREE_PATH_WIRED
           : !mail                                   ? FREE_PATH_ANY
           : has_plain_operations(machine)           ? FREE_PATH_PLAIN
                                                     : FREE_PATH_MAIL;
}

// Returns whether an operation asks all neighbours at once: with a rule over all links, and all ports.
static bool all_together(const struct machine_plan *machine)
{
    return machine->method->links != EK_LINKS_COLOUR && machine->ports == EK_ALL_PORTS;
}

// Returns the largest degree of a worker's processors. In a separate process, the largest degree of all processors
// counts, because a worker may have any of them.
static uint32_t degree_of(const struct free_control *control, unsigned worker)
{
    const struct ek_topology *topology = control->run.topology;
    if (control->transport->separate) {
        return free_is_here(control->transport, worker) ? topology->degree_max : 0;
    }
    return rank_block_degree(topology, control->run.machine->workers, worker);
}

// Returns how many doubles a worker needs for `announced`, `amounts` and `arrived` of a processor of this degree, in
// full cache lines.
static uint64_t room_of(uint32_t degree)
{
    enum { LINE = BASE_ARENA_ISOLATION / sizeof(double) };
    return (3u * (uint64_t)degree + LINE - 1) / LINE * LINE;
}

// Returns the sum over all workers, or 0 if the topology is not built yet and its degrees are unknown.
static uint64_t rooms_of(const struct free_control *control)
{
    const struct machine_plan *machine = control->run.machine;
    uint64_t rooms = 0;
    for (unsigned w = 0; machine->topology->first && w < machine->workers; w++) {
        rooms += room_of(degree_of(control, w));
    }
    return rooms;
}

// Returns whether operations are logged: always in free timing, if the experiment asks for it in virtual time.
static bool logs_operations(const struct machine_plan *machine)
{
    return !machine->engine->computed || machine->experiment->overlaps;
}

// Returns whether parts in operations are logged. They are not if balanced loads may have a variance, or if operations
// have no members.
static bool logs_parts(const struct machine_plan *machine)
{
    return logs_operations(machine) && !machine->capacity && !machine->to_target && !machine->pushed;
}

// Returns whether ports keep their parts in the neighbours' operations. Witnesses need them too, and in free timing
// every run can have one.
static bool keeps_engagements(const struct machine_plan *machine)
{
    return !machine->engine->computed || machine->experiment->by_caller || logs_parts(machine);
}

// Returns whether frames have the flows over links. In free timing workers write them at any moment, and a rank knows
// those of its own ports only.
static bool has_frame_flows(const struct machine_plan *machine)
{
    return machine->experiment->frame_flows && machine->engine->computed && !machine->experiment->ranks;
}

bool free_brings_sent(const struct free_run *run)
{
    return run->topology->processors <= CORE_MEASURE_IN_ORDER || run->machine->migrates_last;
}

// Returns whether each rank needs the loads of its own processors only. Its loads must be many, because only sums of
// many loads do not depend on the order in which parts are added. A criterion may need the loads of neighbours.
static bool goes_by_block(const struct machine_plan *machine)
{
    const struct ek_experiment *experiment = machine->experiment;
    return machine->ranks && machine->topology->processors > CORE_MEASURE_IN_ORDER &&
           machine->stop.kind == CORE_STOP_NEVER && !machine->capacity && !machine->to_target && !machine->program &&
           !machine->objects && !experiment->observer.look && !experiment->keep_loads && experiment->frames == 0;
}

static bool consumes_tokens(const struct machine_plan *machine)
{
    return machine->units == EK_TOKENS && core_workload_continues(&machine->work, 0);
}

static void plan_processors(struct free_control *control, struct base_arena *memory)
{
    struct free_run *run = &control->run;
    const struct machine_plan *machine = run->machine;
    const struct machine_block *own = &run->block;
    uint64_t processors = run->topology->processors;
    bool keep = machine->experiment->keep_loads;
    bool shared = control->transport->separate || machine->workers != processors;
    bool scattered = machine->placement.spans > machine->workers;
    bool logs = logs_operations(machine) || keeps_engagements(machine);
    machine_block_plan(own, memory, &run->processor, 1, sizeof *run->processor);
    machine_block_plan(own, memory, &run->alone, run->one_port || run->exclusive, sizeof *run->alone);
    machine_block_plan(own, memory, &run->own_part, logs, sizeof *run->own_part);
    machine_block_plan(own, memory, &run->consumed_at_home, consumes_tokens(machine), sizeof *run->consumed_at_home);
    machine_block_plan(own, memory, &run->snapshot, !machine->engine->computed, sizeof *run->snapshot);
    if (machine->method_plan.state_doubles > 0) {
        machine_block_plan(own, memory, &run->state, machine->method_plan.state_doubles, sizeof *run->state);
    } else { // one double, here and below: methods receive an address, which must not be NULL
        base_arena_plan(memory, &run->state, 1, sizeof *run->state);
    }
    base_arena_plan(memory, &run->owner, shared ? processors : 0, sizeof *run->owner);
    base_arena_plan(memory, &run->placed, scattered ? processors : 0, sizeof *run->placed);
    base_arena_plan(memory, &run->target, machine->to_target ? processors : 0, sizeof *run->target);
    base_arena_plan(memory, &control->initial, keep ? processors : 0, sizeof *control->initial);
    if (run->by_block) {
        machine_block_plan(own, memory, &control->attendant.held, 1, sizeof *control->attendant.held);
    } else {
        base_arena_plan(memory, &control->attendant.held, processors, sizeof *control->attendant.held);
    }
    watch_frames_plan(&control->attendant.frames, machine->experiment->frames, has_frame_flows(machine), run->topology,
                      memory);
    machine_rest_plan(&control->rest, machine, memory);
    machine_block_plan(own, memory, &control->attendant.tried, 1, sizeof *control->attendant.tried);
    base_arena_plan(memory, &control->attendant.lightest, run->moves_objects ? processors : 0,
                    sizeof *control->attendant.lightest);
}

// Plans the loads sent and received over each port. If ranks do not bring the loads sent together, a rank touches only
// those of its own ports, and of the other ends of its links to other ranks.
static void plan_flows(struct free_control *control, struct base_arena *memory)
{
    struct free_run *run = &control->run;
    const struct machine_plan *machine = run->machine;
    uint64_t ports = run->topology->ports;
    bool links = machine->experiment->keep_links;
    bool keeps = !machine->experiment->no_flows || has_frame_flows(machine) || machine->migrates_last;
    bool receives = keeps && (!machine->engine->computed || links);
    uint64_t touched =
        control->transport->separate && !free_brings_sent(run) ? run->block.own_ports + machine->placement.cut : ports;
    uint64_t flows = keeps ? ports + 1 : 0; // also where there are no links
    base_arena_plan(memory, &run->sent, flows, sizeof *run->sent);
    base_arena_touch(memory, flows, touched + 1);
    if (links) {
        base_arena_plan(memory, &run->received, receives ? ports + 1 : 0, sizeof *run->received);
    } else {
        machine_block_plan_ports(&run->block, memory, &run->received, receives, sizeof *run->received);
    }
    base_arena_plan(memory, &run->use, links ? ports : 0, sizeof *run->use);
    base_arena_plan(memory, &control->link_report, links ? ports : 0, sizeof *control->link_report);
}

static void plan_ports(struct free_control *control, struct base_arena *memory)
{
    struct free_run *run = &control->run;
    const struct machine_plan *machine = run->machine;
    const struct machine_block *own = &run->block;
    bool delays = free_delays(machine);
    machine_block_plan_ports(own, memory, &run->port, 1, sizeof *run->port);
    machine_block_plan_ports(own, memory, &run->kept_message, FREE_SHELF, sizeof *run->kept_message);
    machine_block_plan_ports(own, memory, &run->engagement, keeps_engagements(machine), sizeof *run->engagement);
    machine_block_plan_ports(own, memory, &run->delayed, delays, sizeof *run->delayed);
    machine_block_plan_ports(own, memory, &run->delayed_message, delays ? FREE_SHELF : 0, sizeof *run->delayed_message);
    if (machine->method_plan.port_doubles > 0) {
        machine_block_plan_ports(own, memory, &run->memory, machine->method_plan.port_doubles, sizeof *run->memory);
    } else {
        base_arena_plan(memory, &run->memory, 1, sizeof *run->memory);
    }
    machine_block_plan_ports(own, memory, &run->order, !run->together, sizeof *run->order);
    plan_flows(control, memory);
    free_left_plan(control, memory);
    if (!machine->engine->computed) {
        mail_boxes_plan(&run->boxes, memory);
    }
}

static void plan_logs(struct free_run *run, struct base_arena *memory)
{
    const struct machine_plan *machine = run->machine;
    bool grow = machine->engine->computed;
    if (logs_operations(machine) && grow) {
        watch_operation_log_plan_growing(&run->log, machine->workers, run->topology, memory);
    } else if (logs_operations(machine)) {
        watch_operation_log_plan(&run->log, machine->workers, WATCH_OPERATION_LOG_RECORDS, run->topology, memory);
    }
    if (logs_parts(machine) && grow) {
        watch_part_log_plan_growing(&run->parts, machine->workers, memory);
    } else if (logs_parts(machine)) {
        watch_part_log_plan(&run->parts, machine->workers, WATCH_PART_LOG_RECORDS, memory);
    }
}

static void plan_workers(struct free_control *control, struct base_arena *memory)
{
    struct free_run *run = &control->run;
    const struct machine_plan *machine = run->machine;
    unsigned workers = machine->workers;
    base_arena_plan_isolated(memory, &run->worker, workers, sizeof *run->worker);
    base_arena_plan_isolated(memory, &run->bell, workers + 1u, sizeof *run->bell);
    base_arena_plan_isolated(memory, &control->room, rooms_of(control), sizeof *control->room);
    base_arena_plan(memory, &control->histograms, (uint64_t)control->groups * free_histograms(machine),
                    sizeof *control->histograms);
    base_arena_plan(memory, &control->attendant.slept, workers, sizeof *control->attendant.slept);
    plan_logs(run, memory);
}

static void plan_objects(struct free_run *run, struct base_arena *memory)
{
    const struct machine_plan *machine = run->machine;
    bool departs = machine->engine->computed && machine->links.costs.of[CORE_COST_BYTE_TIME] > 0.0;
    cargo_objects_plan(&run->objects, machine, run->topology, memory);
    if (run->moves_objects) {
        cargo_objects_under_way_plan(&run->objects, departs, memory);
    }
}

// Plans a run of this machine, and its memory, which is not taken yet.
static void plan(struct free_control *control, const struct machine_plan *machine, uint64_t number,
                 struct free_transport *transport)
{
    const struct ek_topology *topology = machine->topology;
    struct machine_block block = machine_block_of(machine);
    *control = (struct free_control){.transport = transport,
                                     .interrupts_before = machine_interrupts(machine),
                                     .groups = groups_of(machine, transport)};
    control->run = (struct free_run){.machine = machine,
                                     .topology = topology,
                                     .block = block,
                                     .by_block = goes_by_block(machine),
                                     .seed = machine->experiment->seed + number,
                                     .together = all_together(machine),
                                     .one_port = machine->ports == EK_ONE_PORT,
                                     .link_once = machine->domains == MACHINE_DOMAINS_ONCE,
                                     .exclusive = machine->domains == MACHINE_DOMAINS_EXCLUSIVE,
                                     .pushed = machine->pushed,
                                     .moves_objects = machine_moves_objects(machine),
                                     .perturbed = machine->experiment->perturb > 0.0,
                                     .path = path_of(machine),
                                     .detector = free_detector_of(machine),
                                     .boxes = {.kind = machine->mailbox,
                                               .count = topology->ports,
                                               .twin = topology->twin,
                                               .here = block.ports,
                                               .capacity = machine->mailbox_capacity,
                                               .apart = machine->carrier->padded}};
    plan_processors(control, &control->plan);
    plan_ports(control, &control->plan);
    plan_workers(control, &control->plan);
    if (machine->program) {
        cargo_tasks_plan(&control->run.tasks, machine, machine->workers, &control->plan);
        control->run.tasks.first_worker = transport->own;
        cargo_under_way_plan(&control->run.tasks, topology->ports, &control->plan);
        cargo_letters_plan(&control->run.letters, machine, machine->workers, &control->plan);
        cargo_letters_plan_under_way(&control->run.letters, machine, &control->plan);
        base_arena_plan(&control->plan, &control->run.probe, control->run.detector ? topology->processors : 0,
                        sizeof *control->run.probe);
    }
    if (machine->objects) {
        plan_objects(&control->run, &control->plan);
    }
    if (free_faults(machine)) {
        free_links_plan(&control->run.links, topology, &control->plan);
        core_fault_source_plan(&control->faults.faults, &machine->faults, topology, control->run.seed, &control->plan);
    }
}

uint64_t free_bytes(const struct machine_plan *machine, struct free_transport *transport)
{
    struct free_control control;
    plan(&control, machine, 0, transport);
    return sizeof control + base_arena_bytes(&control.plan);
}

// Sorts a processor's ports by their colours. By insertion: degrees are small, and the ports of a hub are in order.
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
        run->port[port].neighbour_level = NAN;
        run->port[port].announced = NAN;
        run->port[port].room = run->machine->engine->computed ? 0 : (uint16_t)run->boxes.capacity;
        run->port[port].local =
            run->machine->engine->computed || free_bell(run, topology->neighbour[port]) == worker->bell;
        run->processor[p].has_remote = run->processor[p].has_remote || !run->port[port].local;
    }
}

// Gives each worker a block of processors.
static void place_blocks(struct free_run *run)
{
    unsigned workers = run->machine->workers;
    for (unsigned w = 0; w < workers; w++) {
        struct free_worker *worker = &run->worker[w];
        worker->begin = rank_block_begin(run->topology->processors, workers, w);
        worker->end = rank_block_begin(run->topology->processors, workers, w + 1);
        for (uint32_t p = worker->begin; run->owner && p < worker->end; p++) {
            run->owner[p] = w;
        }
    }
}

// Gives each worker the spans of processors that were placed on it.
static void place_spans(struct free_run *run)
{
    const struct rank_placement *placement = &run->machine->placement;
    for (uint32_t i = 0; i < placement->spans; i++) {
        run->worker[placement->rank[i]].end += placement->begin[i + 1] - placement->begin[i];
    }
    uint32_t begin = 0;
    for (unsigned w = 0; w < run->machine->workers; w++) { // `end` is the number of the worker's processors so far
        struct free_worker *worker = &run->worker[w];
        worker->begin = begin;
        begin += worker->end;
        worker->end = worker->begin;
    }
    for (uint32_t i = 0; i < placement->spans; i++) {
        struct free_worker *worker = &run->worker[placement->rank[i]];
        for (uint32_t p = placement->begin[i]; p < placement->begin[i + 1]; p++, worker->end++) {
            run->owner[p] = placement->rank[i];
            if (run->placed) {
                run->placed[worker->end] = p;
            }
        }
    }
}

// Initializes a worker. `room` is the free part of the workers' room. Returns the part that this worker leaves free.
static double *begin_worker(struct free_control *control, unsigned index, double *room)
{
    struct free_run *run = &control->run;
    const struct machine_plan *machine = run->machine;
    struct free_worker *worker = &run->worker[index];
    uint32_t degree = degree_of(control, index);
    uint64_t group = (uint64_t)index * control->groups / machine->workers;
    worker->run = run;
    worker->index = index;
    worker->random = base_random_start(run->seed, index, BASE_STREAM_PERTURB);
    worker->bell = &run->bell[index];
    worker->histogram = control->histograms + group * free_histograms(machine);
    worker->announced = room;
    worker->amounts = room + degree;
    worker->arrived = room + 2u * degree;
    if (!free_is_here(control->transport, index)) { // its memory is never touched, so it takes no page
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

static void begin_measures(struct free_control *control)
{
    enum { BUDGET = 1 << 17 }; // about a second
    struct free_run *run = &control->run;
    struct core_measure measure;
    free_measure(control, 0.0, &measure);
    if (run->by_block) {
        run->start = machine_start_of(&measure, run->topology->processors);
    }
    free_trigger(control, &measure);
    watch_no_progress_begin(&control->attendant.no_progress, run->start.distance, 0,
                            watch_no_progress_patience(BUDGET, run->topology->processors, run->topology->diameter));
    atomic_store_explicit(&control->variance, run->start.variance, memory_order_relaxed); // no threads yet
}

void free_begin_over_ranks(struct free_control *control)
{
    if (control->run.by_block) {
        begin_measures(control);
    }
}

static void begin_loads(struct free_control *control)
{
    struct free_run *run = &control->run;
    struct free_attendant *attendant = &control->attendant;
    if (run->by_block) {
        machine_loads_draw_own(run->machine, run->seed, attendant->held);
    } else {
        machine_loads_draw(run->machine, run->seed, attendant->held, control->initial, run->target, &run->start);
        watch_frames_add(&attendant->frames, (struct ek_frame){.step = 0}, attendant->held, run->sent);
        begin_measures(control);
    }
    for (unsigned w = 0; w < run->machine->workers; w++) {
        struct free_worker *worker = &run->worker[w];
        worker->counts.minimum = INFINITY;
        for (uint32_t place = worker->begin; free_is_here(control->transport, w) && place < worker->end; place++) {
            uint32_t p = free_processor_at(run, place);
            struct free_processor *processor = &run->processor[p];
            processor->held = processor->native = attendant->held[p];
            worker->counts.minimum = fmin(worker->counts.minimum, processor->held);
        }
    }
}

static bool has_invoker(const struct free_run *run, uint32_t p)
{
    const struct ek_topology *topology = run->topology;
    bool any = run->machine->invoke.at[p];
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        any = any || run->machine->invoke.at[topology->neighbour[port]];
    }
    return any;
}

// Begins the logs. If only listed processors invoke, their workers and those of their neighbours have all the room.
static void begin_logs(struct free_control *control)
{
    struct free_run *run = &control->run;
    const bool *at = control->transport->separate ? NULL : run->machine->invoke.at;
    for (unsigned w = 0; at && w < run->machine->workers; w++) {
        bool invokes = false, takes_part = false;
        for (uint32_t p = run->worker[w].begin; p < run->worker[w].end; p++) {
            invokes = invokes || at[p];
            takes_part = takes_part || has_invoker(run, p);
        }
        if (run->log.ring) {
            run->log.ring[w].unused = !invokes;
        }
        if (run->parts.ring) {
            run->parts.ring[w].unused = !takes_part;
        }
    }
    watch_operation_log_begin(&run->log);
    watch_part_log_begin(&run->parts);
}

static void begin_objects(struct free_control *control)
{
    cargo_objects_begin(&control->run.objects);
    if (control->run.moves_objects) {
        cargo_objects_under_way_begin(&control->run.objects);
    }
    control->attendant.nearest = control->run.start.distance;
}

static bool begin(struct free_control *control)
{
    struct free_run *run = &control->run;
    const struct machine_plan *machine = run->machine;
    if (!machine->engine->computed && !mail_boxes_begin(&run->boxes)) {
        return false;
    }
    host_counters_why(); // initializes PAPI in this thread, whose stack is large
    (machine->placement.spans > 0 ? place_spans : place_blocks)(run);
    begin_logs(control);
    double *room = control->room;
    for (unsigned w = 0; w < machine->workers; w++) {
        room = begin_worker(control, w, room);
    }
    begin_loads(control);
    if (machine->objects) {
        begin_objects(control);
    }
    control->rest.held = control->attendant.held;
    control->rest.target = run->target;
    if (free_faults(machine)) {
        free_faults_begin(control);
    }
    control->attendant.trace = watch_trace_of(machine->experiment);
    control->attendant.window = machine->window;
    control->attendant.random = base_random_start(run->seed, machine->workers, BASE_STREAM_PERTURB);
    // Relaxed: no threads yet. Of several processes the first one has all permits, and lends them.
    int64_t permits = free_is_here(control->transport, 0) ? (int64_t)machine->experiment->operations_max : 0;
    atomic_store_explicit(&run->shared.permits, permits, memory_order_relaxed);
    return true;
}

bool free_restart_tasks(struct free_control *control, struct ek_error *error)
{
    struct free_run *run = &control->run;
    cargo_under_way_begin(&run->tasks);
    if (free_has_letters(run)) {
        cargo_letters_begin(&run->letters, &run->tasks, run->machine, run->seed, run->state, run->memory);
        cargo_letters_begin_under_way(&run->letters);
    }
    if (control->run.detector && !free_detect_begin(&control->run)) {
        return base_fail_at(error, "detect", 0,
                            "the graph has several parts, so no message reaches all processors: use detect snapshot");
    }
    return cargo_tasks_begin(&control->run.tasks, control->attendant.held, error);
}

struct free_control *free_create(const struct machine_plan *machine, uint64_t number, struct free_transport *transport,
                                 struct ek_error *error)
{
    struct free_control *control = aligned_alloc(_Alignof(struct free_control), sizeof *control);
    if (control) {
        plan(control, machine, number, transport);
        bool begun = base_arena_take(&control->plan) && begin(control);
        bool good = begun && (!machine->program || free_restart_tasks(control, error));
        if (good) {
            return control;
        }
        free_destroy(control);
        if (begun) {
            return NULL;
        }
    }
    base_fail(error, EK_BAD_INPUT, "topology",
              "no memory for a run of %u processors and %u links: use a smaller topology",
              machine->topology->processors, machine->topology->links);
    return NULL;
}

uint64_t free_print(const struct free_run *run)
{
    uint64_t print;
    memcpy(&print, &run->start.distance, sizeof print);
    return run->by_block ? machine_loads_print(run->machine) : print;
}

void free_destroy(struct free_control *control)
{
    mail_boxes_end(&control->run.boxes);
    watch_operation_log_end(&control->run.log);
    watch_part_log_end(&control->run.parts);
    cargo_letters_end_under_way(&control->run.letters);
    cargo_under_way_end(&control->run.tasks);
    cargo_tasks_end(&control->run.tasks);
    base_arena_destroy(&control->plan);
    free(control->attendant.trace.rows);
    free(control);
}
