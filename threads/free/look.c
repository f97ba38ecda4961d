// SPDX-License-Identifier: MIT
// Looks at the machine as it is.
#include "threads/free/look.h"

#include <sched.h>

#include "threads/api/experiment.h"
#include "threads/mail/mailbox_spsc.h"
#include "base/random.h"

void free_perturb_at_random(const struct free_run *run, struct base_random *random)
{
    if (base_random_unit(random) < run->machine->experiment->perturb) {
        sched_yield();
    }
}

// Relaxed: a count, no data goes with it.
uint32_t free_take_permits(atomic_int_fast64_t *permits, int64_t wanted)
{
    int_fast64_t left = atomic_load_explicit(permits, memory_order_relaxed);
    int_fast64_t taken;
    do {
        taken = left <= 0 ? 0 : left < wanted ? left : wanted;
    } while (taken > 0 && !atomic_compare_exchange_weak_explicit(permits, &left, left - taken, memory_order_relaxed,
                                                                 memory_order_relaxed));
    return (uint32_t)taken;
}

// Takes and gives back permits. A worker holds a stock, so that an operation can begin at once. No processor lacks a
// permit because of these stocks, as long as more permits are left than there are processors. After that, a worker
// gives back permits that it did not use since its last look, and takes those that its processors missed.
static void look_for_permits(struct free_worker *worker)
{
    atomic_int_fast64_t *permits = &worker->run->shared.permits;
    struct free_look *look = &worker->look;
    int_fast64_t left = atomic_load_explicit(permits, memory_order_relaxed);
    if (left > (int_fast64_t)worker->run->topology->processors) {
        uint32_t own = worker->end - worker->begin;
        uint32_t stock = own < FREE_STRETCH ? own : FREE_STRETCH;
        look->permits += look->permits < stock ? free_take_permits(permits, stock - look->permits) : 0;
    } else if (look->permits > 0 && !worker->permit_used) {
        atomic_fetch_add_explicit(permits, look->permits, memory_order_relaxed);
        look->permits = 0;
    } else if (worker->permits_missing > look->permits) {
        look->permits += free_take_permits(permits, worker->permits_missing - look->permits);
    }
    uint32_t lacking = worker->permits_missing > look->permits ? worker->permits_missing - look->permits : 0;
    atomic_store_explicit(&worker->permits_lacking, lacking, memory_order_relaxed); // a count
    look->permits_left = atomic_load_explicit(permits, memory_order_relaxed) > 0;
    worker->permit_used = false;
    worker->permits_missing = 0;
}

void free_see_around(struct free_worker *worker, uint64_t now_ns)
{
    struct free_run *run = worker->run;
    struct free_look *look = &worker->look;
    look->now = now_ns;
    // Acquire: pairs with the release in free_finish; the worker then sees the violation, if there is one.
    look->over = atomic_load_explicit(&run->shared.over, memory_order_acquire);
    // Acquire: pairs with the release that begins a snapshot (audit.c). `draining` must be read after it: if the
    // attendant had set `draining` before this snapshot, the worker sees it too, and begins no operation any more.
    look->epoch = atomic_load_explicit(&run->shared.epoch, memory_order_acquire);
    free_perturb(worker);
    look->draining = atomic_load_explicit(&run->shared.draining, memory_order_relaxed);
    look->triggered = atomic_load_explicit(&run->shared.triggered, memory_order_relaxed); // a lone flag
    if (free_faults(run->machine)) {
        look->usable = free_links_read(&run->links);
    }
    if (run->machine->experiment->operations_max > 0) {
        look_for_permits(worker);
    }
}

// Room that a look has seen stays free until the processor itself fills it. If all places are known to be free, they
// are not counted again.
void free_see_ports(struct free_worker *worker, uint32_t first, uint32_t end)
{
    const struct mail_boxes *boxes = &worker->run->boxes;
    for (uint32_t port = first; port < end; port++) {
        struct free_port *here = &worker->run->port[port];
        if (here->local) {
            continue;
        }
        here->waiting = (uint16_t)mail_waiting(boxes, port);
        if (here->room < boxes->capacity) {
            here->room = (uint16_t)mail_room(boxes, port);
        }
    }
}
