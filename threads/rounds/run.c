// SPDX-License-Identifier: MIT
// A run in rounds: its memory, all taken before it starts, and its report.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "threads/rounds/turns.h"
#include "topologies/scan.h"

static bool lane_create(struct rounds_lane *lane, struct rounds_run *rounds, double nothing)
{
    const struct ek_machine *machine = rounds->machine;
    uint32_t ports = rounds->topology->ports;
    lane->nothing = nothing;
    lane->inbox = malloc((ports + 1u) * sizeof *lane->inbox);
    lane->boxes = (struct mail_boxes){.kind = machine->mailbox,
                                      .count = ports,
                                      .twin = rounds->topology->twin,
                                      .capacity = 1,
                                      .apart = machine->carrier->padded};
    bool rings = machine->plan.sleeps;
    if (!lane->inbox || (rings && !rounds_bells_create(&lane->bells, rounds->topology->processors))) {
        return false;
    }
    for (uint32_t port = 0; port < ports; port++) {
        lane->inbox[port] = nothing;
    }
    if (!machine->mailbox->create) {
        lane->outbox = lane->inbox;
        lane->place = rounds->topology->twin;
        return true;
    }
    lane->outbox = calloc(ports + 1u, sizeof *lane->outbox);
    lane->place = rounds->straight;
    return lane->outbox && machine->mailbox->create(&lane->boxes);
}

static void lane_destroy(struct rounds_lane *lane)
{
    if (lane->boxes.store) {
        lane->boxes.kind->destroy(&lane->boxes);
    }
    if (lane->outbox != lane->inbox) {
        free(lane->outbox);
    }
    free(lane->inbox);
    rounds_bells_destroy(&lane->bells);
}

// Whether words may be missing, so that silence must be heard as such.
static bool words_can_be_missing(const struct ek_machine *machine)
{
    return machine->method->say || machine->method->links == EK_LINKS_CHOSEN;
}

// Whether a rule compares something else than the held load, or what was held at the step's start while that changes.
static bool needs_level(const struct ek_machine *machine)
{
    bool program = machine->method->act; // it looks before it sends, once a step
    bool several = machine->method->links == EK_LINKS_ALL || machine->method->links == EK_LINKS_SCHEDULED;
    return machine->capacity || machine->method->links == EK_LINKS_CHOSEN ||
           (several && (machine->ports == EK_ONE_PORT || (machine->method->links == EK_LINKS_SCHEDULED && !program)));
}

// Whether a block's ports must be gathered: chosen by the rule, or of several colours.
static bool needs_gathering(const struct ek_machine *machine)
{
    return machine->method->links == EK_LINKS_CHOSEN || machine->method->links == EK_LINKS_SCHEDULED;
}

static bool worker_create(struct rounds_worker *worker, struct rounds_run *rounds, unsigned index)
{
    const struct ek_machine *machine = rounds->machine;
    const struct ek_topology *topology = rounds->topology;
    worker->rounds = rounds;
    worker->begin = machine_carrier_begin(topology->processors, machine->workers, index);
    worker->end = machine_carrier_begin(topology->processors, machine->workers, index + 1);
    worker->minimum = INFINITY;
    worker->every = (struct rounds_active){.from = topology->first[worker->begin], .to = topology->first[worker->end]};
    worker->before = worker->every;
    if (needs_gathering(machine)) {
        worker->room_ends = malloc((worker->every.to - worker->every.from + 1u) * sizeof *worker->room_ends);
    }
    bool room = machine->method->act || machine->turns != MACHINE_TURNS_NONE;
    if (room) {
        worker->room = calloc(topology->degree_max + 1u, sizeof *worker->room);
    }
    bool sleeps = machine->plan.sleeps;
    if (sleeps) {
        worker->turns = malloc((worker->end - worker->begin) * sizeof *worker->turns);
        worker->turns_ends = malloc((worker->every.to - worker->every.from + 1u) * sizeof *worker->turns_ends);
    }
    return (!needs_gathering(machine) || worker->room_ends) && (!room || worker->room) &&
           (!sleeps || (worker->turns && worker->turns_ends));
}

static bool workers_create(struct rounds_run *rounds)
{
    unsigned workers = rounds->machine->workers;
    rounds->worker = aligned_alloc(128, workers * sizeof *rounds->worker);
    if (!rounds->worker) {
        return false;
    }
    memset(rounds->worker, 0, workers * sizeof *rounds->worker);
    bool good = true;
    for (unsigned w = 0; good && w < workers; w++) {
        good = worker_create(&rounds->worker[w], rounds, w);
    }
    return good;
}

// An array of doubles that is there only if it is wanted.
static bool take(double **array, bool wanted, uint64_t count)
{
    *array = wanted ? calloc(count + 1, sizeof **array) : NULL;
    return !wanted || *array;
}

static bool arrays_create(struct rounds_run *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    uint64_t processors = rounds->topology->processors;
    uint64_t ports = rounds->topology->ports;
    bool works = machine->work.kind != CORE_WORKLOAD_NONE;
    rounds->invokes = machine->invoke.kind == CORE_INVOKE_ALWAYS ? NULL : calloc(processors, 1);
    rounds->asks = machine->plan.sleeps ? calloc(processors, 1) : NULL;
    return take(&rounds->held, true, processors) && take(&rounds->moved, true, processors) &&
           take(&rounds->level, needs_level(machine), processors) &&
           take(&rounds->target, machine->to_target, processors) &&
           take(&rounds->initial, machine->keep_loads, processors) &&
           take(&rounds->native, machine->units == EK_TOKENS, processors) &&
           take(&rounds->generated, works, processors) && take(&rounds->consumed, works, processors) &&
           take(&rounds->state, machine->plan.state_words > 0, processors * machine->plan.state_words) &&
           take(&rounds->memory, machine->plan.port_words > 0, ports * machine->plan.port_words) &&
           take(&rounds->arrived, machine->method->arrivals, ports) &&
           take(&rounds->sent, machine->keep_flows, ports) &&
           (machine->invoke.kind == CORE_INVOKE_ALWAYS || rounds->invokes) && (!machine->plan.sleeps || rounds->asks);
}

static void loads_draw(struct rounds_run *rounds)
{
    uint32_t processors = rounds->topology->processors;
    core_load_draw(&rounds->machine->load, rounds->seed, processors, rounds->held);
    if (rounds->initial) {
        memcpy(rounds->initial, rounds->held, processors * sizeof(double));
    }
    if (rounds->native) {
        memcpy(rounds->native, rounds->held, processors * sizeof(double));
    }
    struct core_measure measure;
    core_measure_loads(rounds->held, processors, &measure);
    rounds->total_initial = measure.total;
    rounds->variance_initial = measure.variance;
    rounds->distance_least = INFINITY;
    rounds->distance_before = core_measure_distance(rounds->held, rounds->machine->capacity, processors, &measure);
    if (rounds->target) {
        core_capacity_shares(rounds->machine->capacity, processors, measure.total, rounds->target);
    }
}

// Before its first announcement is heard, a neighbour is known by its first load.
static void delays_begin(struct rounds_run *rounds)
{
    for (uint32_t port = 0; port < rounds->topology->ports; port++) {
        uint32_t p = rounds->topology->neighbour[port];
        double capacity = rounds->machine->capacity ? rounds->machine->capacity[p] : 1.0;
        rounds->lines.heard[port] = rounds->target ? rounds->held[p] - rounds->target[p] : rounds->held[p] / capacity;
    }
}

static bool transport_create(struct rounds_run *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    uint32_t ports = rounds->topology->ports;
    if (machine->mailbox->create) {
        rounds->straight = malloc((ports + 1u) * sizeof *rounds->straight);
        for (uint32_t port = 0; rounds->straight && port < ports; port++) {
            rounds->straight[port] = port;
        }
    }
    bool good = (!machine->mailbox->create || rounds->straight) &&
                lane_create(&rounds->announcements, rounds, words_can_be_missing(machine) ? NAN : INFINITY) &&
                lane_create(&rounds->parcels, rounds, 0.0) &&
                (!rounds->invokes || lane_create(&rounds->invitations, rounds, INFINITY));
    if (good && machine->delay.kind != CORE_DELAY_NONE) {
        good = mail_delay_lines_create(&rounds->lines, &machine->delay, rounds->seed, ports);
    }
    return good;
}

// What makes up the state of a run: loads, and what processors keep.
static bool repeat_create(struct rounds_run *rounds)
{
    const struct ek_plan *plan = &rounds->machine->plan;
    const double *part[CORE_REPEAT_PARTS] = {rounds->held};
    size_t count[CORE_REPEAT_PARTS] = {rounds->topology->processors};
    unsigned parts = 1;
    if (rounds->state) {
        part[parts] = rounds->state;
        count[parts++] = (size_t)rounds->topology->processors * plan->state_words;
    }
    if (rounds->memory) {
        part[parts] = rounds->memory;
        count[parts++] = (size_t)rounds->topology->ports * plan->port_words;
    }
    return core_repeat_create(&rounds->repeat, part, count, parts);
}

static bool no_memory(const struct rounds_run *rounds, struct ek_error *error)
{
    return topo_fail(error, EK_BAD_INPUT, "topology", -1,
                     "no memory for a run of %u processors and %u links: use a smaller topology",
                     rounds->topology->processors, rounds->topology->links);
}

// Where processors sleep and share cores, workers with nothing to do in a phase are left out of it.
static bool calls_create(struct rounds_run *rounds)
{
    uint32_t processors = rounds->topology->processors;
    if (!rounds->asks || !mail_barrier_can_call(rounds->barrier)) {
        return true;
    }
    rounds->chosen = malloc(processors * sizeof *rounds->chosen);
    rounds->worker_of = malloc(processors * sizeof *rounds->worker_of);
    for (unsigned w = 0; rounds->worker_of && w < rounds->machine->workers; w++) {
        for (uint32_t p = rounds->worker[w].begin; p < rounds->worker[w].end; p++) {
            rounds->worker_of[p] = w;
        }
    }
    return rounds->chosen && rounds->worker_of;
}

static bool fill(struct rounds_run *rounds, struct ek_error *error)
{
    const struct ek_machine *machine = rounds->machine;
    const struct ek_topology *topology = rounds->topology;
    rounds->barrier = mail_barrier_create(machine->barrier, machine->workers, machine_places_count(machine->places));
    bool good = rounds->barrier && arrays_create(rounds) && transport_create(rounds) && workers_create(rounds) &&
                calls_create(rounds);
    good = good && (machine->turns == MACHINE_TURNS_NONE || rounds_turns_create(rounds));
    if (good && machine->method->links == EK_LINKS_MATCHING) {
        good = core_matching_create(&rounds->matching, topology, error);
    }
    if (!good) {
        return no_memory(rounds, error);
    }
    loads_draw(rounds);
    if (machine->units == EK_TOKENS && rounds_autonomous(rounds) && !ek_machine_direct(machine) &&
        !repeat_create(rounds)) {
        return no_memory(rounds, error);
    }
    if (rounds->lines.delay) {
        delays_begin(rounds);
    }
    if (machine->method->links == EK_LINKS_MATCHING) {
        core_matching_draw(&rounds->matching, topology, rounds->seed, 0);
    }
    return true;
}

struct rounds_run *rounds_create(struct ek_machine *machine, uint64_t run, struct ek_error *error)
{
    struct rounds_run *rounds = calloc(1, sizeof *rounds);
    if (!rounds) {
        topo_fail(error, EK_BAD_INPUT, "", -1, "no memory for a run");
        return NULL;
    }
    rounds->machine = machine;
    rounds->topology = machine->plan.overlay ? machine->plan.overlay : machine->topology;
    rounds->seed = machine->seed + run;
    rounds->trace = (struct watch_trace){.every = machine->every, .rows_max = machine->trace_rows};
    rounds->simple = machine->method->links == EK_LINKS_ALL && machine->ports == EK_ALL_PORTS &&
                     !machine->method->act && !machine->capacity && machine->delay.kind == CORE_DELAY_NONE &&
                     machine->work.kind == CORE_WORKLOAD_NONE && machine->invoke.kind == CORE_INVOKE_ALWAYS;
    atomic_store_explicit(&rounds->shown_variance, NAN, memory_order_relaxed);
    if (!fill(rounds, error)) {
        rounds_destroy(rounds);
        return NULL;
    }
    return rounds;
}

void rounds_destroy(struct rounds_run *rounds)
{
    for (unsigned w = 0; rounds->worker && w < rounds->machine->workers; w++) {
        free(rounds->worker[w].room_ends);
        free(rounds->worker[w].turns);
        free(rounds->worker[w].turns_ends);
        free(rounds->worker[w].room);
    }
    free(rounds->worker);
    lane_destroy(&rounds->announcements);
    lane_destroy(&rounds->invitations);
    lane_destroy(&rounds->parcels);
    mail_delay_lines_destroy(&rounds->lines);
    core_repeat_destroy(&rounds->repeat);
    core_matching_destroy(&rounds->matching);
    rounds_turns_destroy(rounds);
    mail_barrier_destroy(rounds->barrier);
    free(rounds->straight);
    free(rounds->invokes);
    free(rounds->asks);
    free(rounds->chosen);
    free(rounds->worker_of);
    double *arrays[] = {rounds->held,  rounds->level,     rounds->target,   rounds->native,
                        rounds->moved, rounds->generated, rounds->consumed, rounds->state,
                        rounds->sent,  rounds->memory,    rounds->arrived,  rounds->initial};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
    free(rounds->trace.rows);
    free(rounds);
}

uint64_t rounds_bytes(const struct ek_machine *machine)
{
    const struct ek_topology *topology = machine->plan.overlay ? machine->plan.overlay : machine->topology;
    uint64_t ports = topology->ports;
    bool works = machine->work.kind != CORE_WORKLOAD_NONE;
    bool invokes = machine->invoke.kind != CORE_INVOKE_ALWAYS;
    uint64_t by_processor = 2u + needs_level(machine) + machine->to_target + machine->keep_loads +
                            2u * (machine->units == EK_TOKENS) + 2u * works + machine->plan.state_words;
    uint64_t by_port = 2u + invokes + machine->keep_flows + machine->plan.port_words + machine->method->arrivals +
                       needs_gathering(machine);
    uint64_t bytes =
        sizeof(double) * (by_processor * topology->processors + by_port * ports) + invokes * topology->processors;
    if (machine->plan.sleeps) {
        bytes += topology->processors * (3 * sizeof(uint32_t) + 1u) + topology->processors / 4 +
                 ports * sizeof(struct ek_end);
    }
    if (machine->mailbox->create) {
        bytes +=
            ports * (2 * sizeof(double) + sizeof(uint32_t) + (2u + invokes) * (machine->carrier->padded ? 64u : 112u));
    }
    if (machine->turns != MACHINE_TURNS_NONE) {
        bytes += topology->processors * (sizeof(uint32_t) + (core_delay_max(&machine->delay) + 1u) * sizeof(double));
    }
    if (machine->delay.kind != CORE_DELAY_NONE) {
        bytes += mail_delay_lines_bytes(&machine->delay, topology->ports);
    }
    return bytes + machine->workers * (sizeof(struct rounds_worker) + 128);
}

static void report_loads(struct rounds_run *rounds, struct ek_report *report)
{
    uint32_t processors = rounds->topology->processors;
    struct core_measure measure;
    core_measure_loads(rounds->held, processors, &measure);
    rounds_check_ledger(rounds, measure.total);
    report->variance_initial = rounds->variance_initial;
    report->variance_final = measure.variance;
    report->spread_final = measure.maximum - measure.minimum;
    report->minimum = measure.minimum;
    report->maximum = measure.maximum;
    report->total_initial = rounds->total_initial;
    report->total_final = measure.total;
    report->idle = measure.idle;
    report->moved = core_measure_sum(rounds->moved, processors);
    report->in_flight = rounds_in_flight(rounds);
    report->generated = rounds->generated ? core_measure_sum(rounds->generated, processors) : 0.0;
    report->consumed = rounds->consumed ? core_measure_sum(rounds->consumed, processors) : 0.0;
    report->has_stayed = rounds->native != NULL;
    report->stayed = rounds->native ? core_measure_sum(rounds->native, processors) : 0.0;
}

static void report_workers(const struct rounds_run *rounds, struct ek_report *report)
{
    report->minimum_ever = INFINITY;
    for (unsigned w = 0; w < rounds->machine->workers; w++) {
        const struct rounds_worker *worker = &rounds->worker[w];
        report->minimum_ever = fmin(report->minimum_ever, worker->minimum);
        report->parcels += worker->parcels;
        report->messages += worker->messages;
        report->moved += worker->swapped;
    }
    report->workers = rounds->machine->workers;
    report->barrier = mail_barrier_name(rounds->barrier);
}

// What only some methods have.
static void report_counts(const struct rounds_run *rounds, struct ek_report *report)
{
    report->scan_steps = rounds->count[EK_COUNT_SCAN];
    report->exchange_steps = rounds->count[EK_COUNT_EXCHANGE];
    report->reduction_steps = rounds->count[EK_COUNT_APART];
    report->has_scan = report->has_exchange = rounds->machine->method->counts & EK_COUNTS_SCAN;
    report->has_reduction = rounds->machine->method->counts & EK_COUNTS_APART;
    report->has_shifts = rounds->machine->method->counts & EK_COUNTS_SHIFTS;
    report->shifts = rounds->shifts;
    report->cycle = rounds->cycle;
}

// Hands a buffer of the run over to the report.
static double *hand_over(double **buffer)
{
    double *handed = *buffer;
    *buffer = NULL;
    return handed;
}

enum ek_status rounds_report(struct rounds_run *rounds, struct ek_report *report, struct ek_error *error)
{
    const struct ek_machine *machine = rounds->machine;
    *report = (struct ek_report){.seed = rounds->seed,
                                 .reason = rounds->reason,
                                 .operations = rounds->operation,
                                 .steps = rounds->step,
                                 .elapsed_s = rounds->elapsed_s};
    report->converged = rounds->reason == EK_CRITERION;
    report_loads(rounds, report);
    core_measure_flows(rounds->topology, rounds->sent, &report->flow_l1, &report->flow_l2);
    report_workers(rounds, report);
    report_counts(rounds, report);
    if (atomic_load_explicit(&rounds->violated, memory_order_relaxed)) {
        *error = rounds->violation;
        return error->status;
    }
    watch_trace_give(&rounds->trace, report);
    if (machine->keep_loads) {
        report->initial = hand_over(&rounds->initial);
        report->final = hand_over(&rounds->held);
    }
    bool done = report->converged ||
                (machine->stop.kind == CORE_STOP_NEVER && (rounds->reason == EK_STEPS || rounds->reason == EK_ENDED));
    return done ? EK_OK : EK_UNREACHED;
}
