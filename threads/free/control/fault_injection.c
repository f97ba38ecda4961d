// SPDX-License-Identifier: MIT
// The injection of faults.
#include "threads/free/control/fault_injection.h"

// Rings the workers of all processors whose links have failed or come back.
static void ring_ends(struct free_run *run, const struct core_fault *fault)
{
    const struct ek_topology *topology = run->topology;
    uint32_t p = fault->processor ? fault->which : topology->neighbour[topology->twin[fault->which]];
    mail_bell_ring(free_bell(run, p));
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        mail_bell_ring(free_bell(run, topology->neighbour[port]));
    }
}

// Finds the next fault or repair, and notes whether any failed link or processor will come back.
static void look_ahead(struct free_faults_injected *faults)
{
    faults->waits = core_fault_next(&faults->faults, &faults->next);
    bool repairs_pending = core_faults_repairs_pending(&faults->faults) || (faults->waits && faults->next.repair);
    // Release: pairs with the acquire where a snapshot begins. All workers have seen the repairs so far.
    atomic_store_explicit(&faults->repairs_pending, repairs_pending, memory_order_release);
}

bool free_faults_apply(struct free_control *control, uint64_t now_ns)
{
    struct free_faults_injected *faults = &control->faults;
    if (!faults->waits || faults->next.at_ns > now_ns) {
        return false;
    }
    struct core_fault fault = faults->next;
    uint64_t late_ns = now_ns - fault.at_ns;
    faults->lag_ns = late_ns > faults->lag_ns ? late_ns : faults->lag_ns;
    free_links_change(&control->run.links, &fault);
    faults->repairs += fault.repair;
    faults->link_failures += !fault.repair && !fault.processor;
    faults->processor_failures += !fault.repair && fault.processor;
    ring_ends(&control->run, &fault);
    look_ahead(faults);
    return true;
}

void free_faults_begin(struct free_control *control)
{
    free_links_begin(&control->run.links);
    core_fault_source_begin(&control->faults.faults);
    look_ahead(&control->faults);
    while (free_faults_apply(control, 0)) {
    }
}
