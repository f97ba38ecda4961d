// SPDX-License-Identifier: MIT
// The thread that injects faults. Each change of the link table waits until no worker reads the old table
// (link_table.h), which takes long if a worker gets no core. Meanwhile this thread and later faults wait, but the
// workers and the attendant do not.
#include <sched.h>

#include "threads/drivers/threads/thread_driver.h"
#include "threads/free/control/fault_injection.h"
#include "threads/free/look.h"

static bool is_over(const struct free_run *run)
{
    // Acquire: pairs with the release in free_finish.
    return atomic_load_explicit(&run->shared.over, memory_order_acquire);
}

// Sleeps until the next fault is due, or the run is over.
static void rest(struct free_control *control)
{
    struct mail_bell *bell = free_fault_bell(&control->run);
    mail_bell_lie_down(bell);
    uint64_t now_ns = free_now(&control->run);
    uint64_t next_ns = free_faults_next_ns(control);
    if (is_over(&control->run) || next_ns <= now_ns) {
        mail_bell_rise(bell);
        return;
    }
    mail_bell_sleep(bell, next_ns == UINT64_MAX ? UINT64_MAX : next_ns - now_ns);
    mail_bell_rise(bell);
}

void threads_inject_faults(struct thread_driver *driver)
{
    struct free_control *control = driver->control;
    // Acquire: pairs with the release in threads_start_clock.
    while (!atomic_load_explicit(&driver->started, memory_order_acquire)) {
        sched_yield();
    }
    while (!is_over(&control->run)) {
        if (!free_faults_apply(control, free_now(&control->run))) {
            rest(control);
        }
    }
}
