// SPDX-License-Identifier: MIT
// Free timing by hand. No thread runs: the test decides which processor has a turn and at what time, so that it
// knows the result.
#ifndef TESTS_BY_HAND_H
#define TESTS_BY_HAND_H

#include <criterion/criterion.h>

#include "threads/api/run.h"
#include "threads/machine/machine.h"
#include "threads/drivers/threads/thread_driver.h"
#include "threads/free/control/attend.h"
#include "threads/free/control/end.h"
#include "threads/free/control/free_run.h"
#include "threads/free/control/report.h"
#include "threads/free/turn.h"

static uint64_t clock_ns;
static const uint8_t *links_up; // by port; NULL if every link works

static inline void look_around(struct free_look_source *source, struct free_worker *worker)
{
    (void)source;
    const struct free_shared *shared = &worker->run->shared;
    worker->look.now = clock_ns;
    worker->look.over = atomic_load_explicit(&shared->over, memory_order_relaxed);
    worker->look.epoch = atomic_load_explicit(&shared->epoch, memory_order_relaxed);
    worker->look.draining = atomic_load_explicit(&shared->draining, memory_order_relaxed);
    worker->look.triggered = atomic_load_explicit(&shared->triggered, memory_order_relaxed);
    worker->look.usable = links_up;
    if (links_up && worker->run->path == FREE_PATH_PLAIN) {
        worker->run->path = FREE_PATH_MAIL; // the experiment has no faults, so the run does not expect that links fail
    }
}

static inline void look_at_ports(struct free_look_source *source, struct free_worker *worker, uint32_t first,
                                 uint32_t end)
{
    (void)source;
    free_see_ports(worker, first, end);
}

static inline uint64_t look_at_clock(struct free_look_source *source)
{
    (void)source;
    return clock_ns;
}

// The controller of the run. Its threads driver has no threads.
static inline struct free_control *control_of(struct free_run *run)
{
    return (struct free_control *)run;
}

static inline struct thread_driver *driver_of(struct free_run *run)
{
    return (struct thread_driver *)run->source;
}

// Creates a run of this experiment with one worker for each processor. No processor has had a turn.
static inline struct free_run *begin(struct ek_experiment experiment)
{
    struct ek_error error;
    experiment.timing = "free";
    experiment.carrier = "threads";
    experiment.keep_loads = true;
    experiment.seed = 1;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    struct free_control *control = free_create(&machine->plan, 0, &free_transport_local, &error);
    cr_assert(control, "%s", error.sentence);
    struct thread_driver *driver = aligned_alloc(_Alignof(struct thread_driver), sizeof *driver);
    cr_assert(driver && threads_begin(driver, control));
    driver->source = (struct free_look_source){.around = look_around, .ports = look_at_ports, .now = look_at_clock};
    atomic_store_explicit(&driver->started, true, memory_order_relaxed);
    clock_ns = 0;
    links_up = NULL;
    return &control->run;
}

static inline void end(struct free_run *run)
{
    struct ek_machine *machine = (struct ek_machine *)run->machine; // the plan is its first member
    cr_expect_not(atomic_load_explicit(&run->shared.violated, memory_order_relaxed), "%s",
                  run->shared.violation.sentence);
    struct thread_driver *driver = driver_of(run);
    threads_end(driver);
    free(driver);
    free_destroy(control_of(run));
    ek_machine_destroy(machine);
}

// Gives a turn to each processor whose digit is in the text, in this order, a microsecond apart.
static inline void turns(struct free_run *run, const char *processors)
{
    for (; *processors; processors++) {
        clock_ns += 1000;
        free_pass(&run->worker[*processors - '0']);
    }
}

// Repeats until the run is over: every processor has a turn, then this time passes, then the attendant has its turn.
static inline void let_run(struct free_run *run, uint64_t ns)
{
    enum { ROUNDS_MAX = 100000 };
    for (unsigned i = 0; i < ROUNDS_MAX && !atomic_load_explicit(&run->shared.over, memory_order_relaxed); i++) {
        for (unsigned w = 0; w < run->machine->workers; w++) {
            free_pass(&run->worker[w]);
        }
        clock_ns += ns;
        threads_attend(driver_of(run));
    }
}

// Returns the report of a run that is cut off here, as the watchdog cuts it off.
static inline struct ek_report cut_off(struct free_run *run)
{
    struct ek_report report = {0};
    struct ek_error error;
    free_end_now(control_of(run), EK_ENDED_STUCK);
    cr_expect_eq(free_report(control_of(run), &report, &error), EK_STUCK, "%s", error.sentence);
    return report;
}

#endif
