// SPDX-License-Identifier: MIT
// Faults in rounds and turns. One worker applies them for all, between two steps. Nothing is announced or sent over a
// link that is down, so a rule treats the neighbour as one with the same load. Parcels in flight on a link that fails
// return to their sender. Without delays no parcels are in flight between steps, because a parcel arrives before the
// next step.
#include <math.h>

#include "threads/rounds/transport.h"

void rounds_faults_plan(struct rounds_run *rounds, struct base_arena *memory)
{
    struct rounds_faults *faults = &rounds->faults;
    const struct ek_topology *topology = rounds->topology;
    bool asked = rounds->in_turns && core_links_delay(&rounds->machine->links);
    core_fault_source_plan(&faults->source, &rounds->machine->faults, topology, rounds->seed, memory);
    core_outages_plan(&faults->outages, topology, memory);
    base_arena_plan(memory, &faults->usable, topology->ports, sizeof *faults->usable);
    base_arena_plan(memory, &faults->since, asked ? topology->ports : 0, sizeof *faults->since);
    base_arena_plan(memory, &rounds->usable_ends, 2 * (uint64_t)topology->ports, sizeof *rounds->usable_ends);
}

void rounds_faults_begin(struct rounds_run *rounds)
{
    struct rounds_faults *faults = &rounds->faults;
    core_fault_source_begin(&faults->source);
    faults->waits = core_fault_next(&faults->source, &faults->next);
    for (uint32_t port = 0; port < rounds->topology->ports; port++) {
        faults->usable[port] = 1;
    }
}

// Returns the parcels in flight to a port to their sender. They do not count as moved.
static void return_parcels(struct rounds_run *rounds, uint32_t port)
{
    struct ek_faults_report *report = &rounds->faults.report;
    uint32_t sender = rounds->topology->neighbour[port];
    uint64_t parcels = 0;
    double load = mail_delay_cut(&rounds->lines, port, &parcels);
    if (rounds->transport) {
        rounds->transport->share_returned(rounds, port, &parcels, &load);
    }
    report->returned += parcels;
    report->load_returned += load;
    rounds->loads.held[sender] += load;
    rounds->loads.moved[sender] -= load;
    if (rounds->sent) {
        rounds->sent[rounds->topology->twin[port]] -= load;
    }
}

static void settle_port(struct rounds_run *rounds, uint32_t port)
{
    struct rounds_faults *faults = &rounds->faults;
    bool usable = core_outages_usable(&faults->outages, port);
    if (usable == faults->usable[port]) {
        return;
    }
    faults->usable[port] = usable;
    if (usable && faults->since) {
        faults->since[port] = rounds->now.time;
    }
    if (!usable && rounds->lines.links) {
        return_parcels(rounds, port);
    }
}

static void count(struct ek_faults_report *report, const struct core_fault *fault)
{
    report->repairs += fault->repair;
    report->link_failures += !fault->repair && !fault->processor;
    report->processor_failures += !fault->repair && fault->processor;
}

// After a fault or repair, load can move again, so the watch for progress begins anew. Drawn faults never end. If they
// restarted the watch, the run would not end, so with drawn faults the watch goes on.
static void watch_anew(struct rounds_run *rounds)
{
    rounds->now.moved_at = rounds->now.time;
    if (rounds->machine->faults.kind == CORE_FAULTS_FILE) {
        watch_no_progress_begin(&rounds->now.no_progress, INFINITY, rounds->now.operation,
                                rounds->now.no_progress.first);
    }
}

void rounds_faults_act(struct rounds_run *rounds)
{
    struct rounds_faults *faults = &rounds->faults;
    const struct ek_topology *topology = rounds->topology;
    while (faults->waits && core_fault_step(&faults->next) <= rounds->now.step) {
        struct core_fault_ports touched = core_fault_ports(&faults->next, topology);
        core_outages_change(&faults->outages, &faults->next);
        for (uint32_t port = touched.begin; port < touched.end; port++) {
            settle_port(rounds, port);
            settle_port(rounds, topology->twin[port]);
        }
        count(&faults->report, &faults->next);
        watch_anew(rounds);
        faults->waits = core_fault_next(&faults->source, &faults->next);
    }
}

bool rounds_cut_off(const struct rounds_run *rounds, uint32_t p)
{
    const struct ek_topology *topology = rounds->topology;
    bool cut_off = rounds->faults.outages.count > 0;
    for (uint32_t port = topology->first[p]; cut_off && port < topology->first[p + 1]; port++) {
        cut_off = !rounds->faults.usable[port];
    }
    return cut_off;
}

bool rounds_faults_mend(const struct rounds_run *rounds)
{
    const struct rounds_faults *faults = &rounds->faults;
    return rounds_has_faults(rounds) &&
           (core_faults_repairs_pending(&faults->source) || (faults->waits && faults->next.repair));
}

struct rounds_active rounds_usable(const struct rounds_worker *worker, struct rounds_active active, struct ek_end *room)
{
    const struct rounds_faults *faults = &worker->rounds->faults;
    const struct ek_topology *topology = worker->rounds->topology;
    if (faults->outages.count == 0) {
        return active;
    }
    size_t usable = 0;
    for (size_t k = 0; k < rounds_active_count(&active); k++) {
        uint32_t port = rounds_active_port(&active, k);
        if (faults->usable[port]) {
            room[usable++] = (struct ek_end){topology->neighbour[topology->twin[port]], port};
        }
    }
    return (struct rounds_active){.ends = room, .count = usable};
}
