// SPDX-License-Identifier: MIT
// A run in rounds: its memory, all taken before it starts, and its report.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "threads/rounds_state.h"
#include "topologies/scan.h"

static bool lane_create(struct ek_lane *lane, struct ek_rounds *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    uint32_t ports = rounds->topology->ports;
    lane->inbox = calloc(ports + 1u, sizeof *lane->inbox);
    lane->boxes = (struct ek_mailboxes){.kind = machine->mailbox, .count = ports, .capacity = 1,
                                        .apart = machine->carrier->padded};
    if (!lane->inbox) {
        return false;
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

static void lane_free(struct ek_lane *lane)
{
    if (lane->boxes.store) {
        lane->boxes.kind->destroy(&lane->boxes);
    }
    if (lane->outbox != lane->inbox) {
        free(lane->outbox);
    }
    free(lane->inbox);
}

// Whether the rule computes with the load at the operation's (or step's) start while the held load changes.
static bool needs_start(const struct ek_machine *machine)
{
    return machine->method->links == EK_LINKS_CHOSEN ||
           (machine->method->links == EK_LINKS_ALL && machine->ports == EK_ONE_PORT);
}

static bool workers_create(struct ek_rounds *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    const struct ek_topology *topology = rounds->topology;
    rounds->worker = aligned_alloc(128, machine->workers * sizeof *rounds->worker);
    if (!rounds->worker) {
        return false;
    }
    memset(rounds->worker, 0, machine->workers * sizeof *rounds->worker);
    for (unsigned w = 0; w < machine->workers; w++) {
        struct ek_worker *worker = &rounds->worker[w];
        worker->rounds = rounds;
        worker->begin = ek_carrier_begin(topology->processors, machine->workers, w);
        worker->end = ek_carrier_begin(topology->processors, machine->workers, w + 1);
        worker->minimum = INFINITY;
        worker->before = (struct ek_active){.from = topology->first[worker->begin], .to = topology->first[worker->end]};
        if (machine->method->links == EK_LINKS_CHOSEN) {
            worker->chosen = calloc(worker->before.to - worker->before.from + 1u, sizeof *worker->chosen);
            if (!worker->chosen) {
                return false;
            }
        }
    }
    return true;
}

static bool loads_create(struct ek_rounds *rounds)
{
    const struct ek_machine *machine = rounds->machine;
    uint32_t processors = rounds->topology->processors;
    bool good = (rounds->held = malloc(processors * sizeof(double))) != NULL;
    good = good && (rounds->moved = calloc(processors, sizeof(double))) != NULL;
    good = good && (!needs_start(machine) || (rounds->start = malloc(processors * sizeof(double))) != NULL);
    good = good && (!machine->keep_loads || (rounds->initial = malloc(processors * sizeof(double))) != NULL);
    good = good && (machine->units != EK_TOKENS || (rounds->native = malloc(processors * sizeof(double))) != NULL);
    good = good && (!machine->keep_flows || (rounds->sent = calloc(rounds->topology->ports + 1u, sizeof(double))) != NULL);
    if (!good) {
        return false;
    }
    ek_load_draw(&machine->load, rounds->seed, processors, rounds->held);
    if (rounds->initial) {
        memcpy(rounds->initial, rounds->held, processors * sizeof(double));
    }
    if (rounds->native) {
        memcpy(rounds->native, rounds->held, processors * sizeof(double));
    }
    struct ek_measure measure;
    ek_measure_loads(rounds->held, processors, &measure);
    rounds->total_initial = measure.total;
    rounds->variance_initial = rounds->variance_before = measure.variance;
    return true;
}

static bool rounds_create(struct ek_rounds *rounds, struct ek_error *error)
{
    const struct ek_machine *machine = rounds->machine;
    const struct ek_topology *topology = rounds->topology;
    if (machine->mailbox->create) {
        rounds->straight = malloc((topology->ports + 1u) * sizeof *rounds->straight);
        for (uint32_t port = 0; rounds->straight && port < topology->ports; port++) {
            rounds->straight[port] = port;
        }
    }
    rounds->barrier = ek_barrier_create(machine->barrier, machine->workers, ek_places_count(machine->places));
    bool good = (!machine->mailbox->create || rounds->straight) && rounds->barrier && loads_create(rounds) &&
                lane_create(&rounds->announcements, rounds) && lane_create(&rounds->parcels, rounds) &&
                workers_create(rounds);
    if (good && machine->method->links == EK_LINKS_MATCHING) {
        good = ek_matching_create(&rounds->matching, topology, error);
        if (good) {
            ek_matching_draw(&rounds->matching, topology, rounds->seed, 0);
        }
    }
    for (uint32_t port = 0; good && machine->method->links == EK_LINKS_CHOSEN && port < topology->ports; port++) {
        rounds->announcements.inbox[port] = NAN;
    }
    return good || ek_fail(error, EK_BAD_INPUT, "topology", -1,
                           "no memory for a run of %u processors and %u links: use a smaller topology",
                           topology->processors, topology->links);
}

static unsigned steps_per_operation(const struct ek_rounds *rounds)
{
    const struct ek_method *method = rounds->machine->method;
    unsigned steps = method->links == EK_LINKS_CHOSEN ? rounds->machine->plan.steps
                     : ek_rounds_by_colour(rounds)        ? rounds->topology->colours
                                                      : 1;
    return steps > 0 ? steps : 1; // a machine without links still has operations
}

struct ek_rounds *ek_rounds_create(struct ek_machine *machine, uint64_t run, struct ek_error *error)
{
    struct ek_rounds *rounds = calloc(1, sizeof *rounds);
    if (!rounds) {
        ek_fail(error, EK_BAD_INPUT, "", -1, "no memory for a run");
        return NULL;
    }
    rounds->machine = machine;
    rounds->topology = machine->topology;
    rounds->seed = machine->seed + run;
    rounds->every = machine->every;
    rounds->steps_per_operation = steps_per_operation(rounds);
    atomic_store_explicit(&rounds->shown_variance, NAN, memory_order_relaxed);
    if (!rounds_create(rounds, error)) {
        ek_rounds_free(rounds);
        return NULL;
    }
    return rounds;
}

void ek_rounds_free(struct ek_rounds *rounds)
{
    for (unsigned w = 0; rounds->worker && w < rounds->machine->workers; w++) {
        free(rounds->worker[w].chosen);
    }
    free(rounds->worker);
    lane_free(&rounds->announcements);
    lane_free(&rounds->parcels);
    ek_matching_release(&rounds->matching);
    ek_barrier_destroy(rounds->barrier);
    free(rounds->straight);
    free(rounds->held);
    free(rounds->start);
    free(rounds->native);
    free(rounds->moved);
    free(rounds->sent);
    free(rounds->initial);
    free(rounds->trace);
    free(rounds);
}

uint64_t ek_rounds_bytes(const struct ek_machine *machine)
{
    uint64_t processors = machine->topology->processors;
    uint64_t ports = machine->topology->ports;
    uint64_t bytes = processors * sizeof(double) *
                     (2u + needs_start(machine) + machine->keep_loads + (machine->units == EK_TOKENS));
    bytes += ports * sizeof(double) * (2u + machine->keep_flows);
    if (machine->mailbox->create) {
        bytes += ports * (2 * sizeof(double) + sizeof(uint32_t) + 2 * (machine->carrier->padded ? 64u : 112u));
    }
    return bytes + machine->workers * (sizeof(struct ek_worker) + 128);
}

// Norms of the net flow over each link.
static void report_flows(const struct ek_rounds *rounds, struct ek_report *report)
{
    const struct ek_topology *topology = rounds->topology;
    report->flow_l1 = report->flow_l2 = rounds->sent ? 0.0 : NAN;
    double squares = 0.0;
    for (uint32_t port = 0; rounds->sent && port < topology->ports; port++) {
        if (topology->twin[port] > port) {
            double net = rounds->sent[port] - rounds->sent[topology->twin[port]];
            report->flow_l1 += fabs(net);
            squares += net * net;
        }
    }
    if (rounds->sent) {
        report->flow_l2 = sqrt(squares);
    }
}

static void report_loads(struct ek_rounds *rounds, struct ek_report *report)
{
    uint32_t processors = rounds->topology->processors;
    struct ek_measure measure;
    ek_measure_loads(rounds->held, processors, &measure);
    ek_rounds_check_ledger(rounds, measure.total);
    report->variance_initial = rounds->variance_initial;
    report->variance_final = measure.variance;
    report->spread_final = measure.maximum - measure.minimum;
    report->minimum = measure.minimum;
    report->maximum = measure.maximum;
    report->total_initial = rounds->total_initial;
    report->total_final = measure.total;
    report->idle = measure.idle;
    report->moved = ek_measure_sum(rounds->moved, processors);
    report->has_stayed = rounds->native != NULL;
    report->stayed = rounds->native ? ek_measure_sum(rounds->native, processors) : 0.0;
}

static void report_workers(const struct ek_rounds *rounds, struct ek_report *report)
{
    report->minimum_ever = INFINITY;
    for (unsigned w = 0; w < rounds->machine->workers; w++) {
        const struct ek_worker *worker = &rounds->worker[w];
        report->minimum_ever = fmin(report->minimum_ever, worker->minimum);
        report->parcels += worker->parcels;
        report->messages += worker->messages;
    }
    report->workers = rounds->machine->workers;
    report->barrier = ek_barrier_name(rounds->barrier);
}

// Hands a buffer of the run over to the report.
static double *hand_over(double **buffer)
{
    double *handed = *buffer;
    *buffer = NULL;
    return handed;
}

enum ek_status ek_rounds_report(struct ek_rounds *rounds, struct ek_report *report, struct ek_error *error)
{
    const struct ek_machine *machine = rounds->machine;
    *report = (struct ek_report){.seed = rounds->seed, .reason = rounds->reason, .operations = rounds->operation,
                                 .steps = rounds->step, .elapsed_s = rounds->elapsed_s};
    report->converged = rounds->reason == EK_CRITERION;
    report_loads(rounds, report);
    report_flows(rounds, report);
    report_workers(rounds, report);
    if (atomic_load_explicit(&rounds->violated, memory_order_relaxed)) {
        *error = rounds->violation;
        return error->status;
    }
    report->trace = rounds->trace;
    report->trace_count = rounds->trace_count;
    rounds->trace = NULL;
    if (machine->keep_loads) {
        report->initial = hand_over(&rounds->initial);
        report->final = hand_over(&rounds->held);
    }
    bool done = report->converged || (machine->stop.kind == EK_STOP_NEVER && rounds->reason == EK_STEPS);
    return done ? EK_OK : EK_UNREACHED;
}
