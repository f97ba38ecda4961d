// SPDX-License-Identifier: MIT
// Free timing: what a thread beside the workers does where there are faults. It lets links and processors fail and come
// back. Each change waits until every worker has let go of the table before it (links.h), also one that gets no core:
// it is this thread that waits then, later events with it, and neither the other workers nor the caller's thread.
#include <sched.h>

#include "threads/free/free_engine.h"
#include "threads/free/look.h"

// Those at the ends of what failed or came back look at once whether they have something to do.
static void ring_ends(struct free_run *run, const struct core_fault *fault)
{
    const struct ek_topology *topology = run->topology;
    uint32_t p = fault->processor ? fault->which : topology->neighbour[topology->twin[fault->which]];
    mail_bell_ring(free_bell(run, p));
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        mail_bell_ring(free_bell(run, topology->neighbour[port]));
    }
}

// Asks for the next event, with which it is known whether anything that is down will come back.
static void look_ahead(struct free_run *run)
{
    struct free_helper *helper = &run->helper;
    helper->waits = core_fault_next(&helper->faults, &helper->next);
    bool mends = core_faults_repairs_pending(&helper->faults) || (helper->waits && helper->next.repair);
    // Release: pairs with the acquire where a snapshot begins. All workers have seen the repairs so far.
    atomic_store_explicit(&run->shared.mends, mends, memory_order_release);
}

bool free_help_let_fail(struct free_run *run, uint64_t now_ns)
{
    struct free_helper *helper = &run->helper;
    if (!helper->waits || helper->next.at_ns > now_ns) {
        return false;
    }
    struct core_fault fault = helper->next;
    uint64_t late_ns = now_ns - fault.at_ns;
    helper->lag_ns = late_ns > helper->lag_ns ? late_ns : helper->lag_ns;
    free_links_change(&run->links, &fault);
    helper->repairs += fault.repair;
    helper->link_failures += !fault.repair && !fault.processor;
    helper->processor_failures += !fault.repair && fault.processor;
    ring_ends(run, &fault);
    look_ahead(run);
    return true;
}

void free_help_begin(struct free_run *run)
{
    free_links_begin(&run->links);
    core_fault_source_begin(&run->helper.faults);
    look_ahead(run);
    while (free_help_let_fail(run, 0)) { // what is down from the start, before anybody can use it
    }
}

static bool is_over(const struct free_run *run)
{
    // Acquire: pairs with the release of whoever ends the run.
    return atomic_load_explicit(&run->shared.over, memory_order_acquire);
}

// Until the next event is due, or the run is over.
static void rest(struct free_run *run)
{
    const struct free_helper *helper = &run->helper;
    struct mail_bell *bell = &run->helper.bell;
    mail_bell_lie_down(bell);
    uint64_t now_ns = free_now(run);
    if (is_over(run) || (helper->waits && helper->next.at_ns <= now_ns)) {
        mail_bell_rise(bell);
        return;
    }
    mail_bell_sleep(bell, helper->waits ? helper->next.at_ns - now_ns : UINT64_MAX);
    mail_bell_rise(bell);
}

void free_help(void *context)
{
    struct free_run *run = context;
    // Acquire: pairs with the release of the last worker, which sets when time begins.
    while (!atomic_load_explicit(&run->shared.started, memory_order_acquire)) {
        sched_yield();
    }
    while (!is_over(run)) {
        if (!free_help_let_fail(run, free_now(run))) {
            rest(run);
        }
    }
}
