// SPDX-License-Identifier: MIT
// A worker's thread makes pass after pass over its processors. If there are more workers than cores it yields after
// each pass, so that other threads can send the messages for which it waits. After some passes in which no processor
// had anything to do, it sleeps until it is rung, a delayed message is due, or a tick of work is due.
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "threads/drivers/threads/thread_driver.h"
#include "threads/free/turn.h"
#include "threads/host/slice.h"

enum {
    SAMPLE_EVERY = 64, // passes between two samples of the counters
    IDLE_PASSES = 16   // passes with nothing to do before a worker sleeps
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t now(struct free_look_source *source)
{
    return now_ns() - ((const struct thread_driver *)source)->began_ns;
}

static void around(struct free_look_source *source, struct free_worker *worker)
{
    free_see_around(worker, now(source));
}

static void ports(struct free_look_source *source, struct free_worker *worker, uint32_t first, uint32_t end)
{
    (void)source;
    free_see_ports(worker, first, end);
}

void threads_start_clock(struct thread_driver *driver)
{
    driver->began_ns = now_ns();
    // Release: pairs with the acquire of each thread that waits for the start; the thread then sees `began_ns`.
    atomic_store_explicit(&driver->started, true, memory_order_release);
}

// Makes a pass. Returns whether any processor had something to do.
static bool pass(struct free_worker *worker)
{
    bool any = free_pass(worker);
    if (free_faults(worker->run->machine)) {
        free_links_quiet();
    }
    if (worker->look.pass % SAMPLE_EVERY == 0) {
        host_counters_sample(&worker->counters);
    }
    return any;
}

// Announces that the worker is about to sleep, makes one more pass, and sleeps if no processor had anything to do in
// that pass. Returns whether any processor had something to do.
static bool rest(struct free_worker *worker)
{
    struct free_run *run = worker->run;
    bool faults = free_faults(run->machine);
    mail_bell_lie_down(worker->bell);
    free_perturb(worker);
    bool any = pass(worker);
    free_perturb(worker);
    if (any || worker->stays_awake || worker->look.over) {
        mail_bell_rise(worker->bell);
        return any;
    }
    uint64_t slept_ns = free_now(run);
    worker->counts.sleeps++;
    atomic_store_explicit(&worker->sleeps_until, worker->due, memory_order_relaxed); // for the watchdog, a lone value
    if (faults) { // a sleeping worker must not delay a change of the link table
        free_links_offline();
    }
    mail_bell_sleep(worker->bell, worker->due == UINT64_MAX ? UINT64_MAX
                                  : worker->due > slept_ns  ? worker->due - slept_ns
                                                            : 0);
    if (faults) {
        free_links_online();
    }
    worker->counts.wakes += mail_bell_rise(worker->bell);
    atomic_store_explicit(&worker->sleeps_until, 0, memory_order_relaxed); // ordered by the next mail_bell_lie_down
    return false;
}

// Waits until all workers have begun and the clock has started.
static void wait_for_all(struct thread_driver *driver)
{
    // Acquire and release: the clock starts after all workers have begun.
    unsigned ready = atomic_fetch_add_explicit(&driver->ready, 1, memory_order_acq_rel) + 1;
    if (driver->starts_clock && ready == driver->control->run.machine->workers) {
        threads_start_clock(driver);
    }
    // Acquire: pairs with the release in threads_start_clock.
    while (!atomic_load_explicit(&driver->started, memory_order_acquire)) {
        sched_yield();
    }
}

void threads_work(struct thread_driver *driver, unsigned index)
{
    struct free_run *run = &driver->control->run;
    struct free_worker *worker = &run->worker[index];
    bool faults = free_faults(run->machine);
    if (faults) {
        free_links_register();
    }
    host_counters_begin(&worker->counters, run->machine->workers);
    host_slice_shorten(run->machine->workers, host_places_count(run->machine->places));
    wait_for_all(driver);
    for (unsigned idle = 0; !worker->look.over;) {
        bool any = idle < IDLE_PASSES ? pass(worker) : rest(worker);
        idle = any || worker->stays_awake ? 0 : idle + 1;
        if (driver->crowded || !any) {
            sched_yield();
        }
    }
    host_counters_end(&worker->counters);
    if (faults) {
        free_links_unregister();
    }
}

static void plan(struct thread_driver *driver, const struct machine_plan *machine)
{
    struct thread_watchdog *watchdog = &driver->watchdog;
    base_arena_plan(&driver->memory, &watchdog->turns_seen, machine->workers, sizeof *watchdog->turns_seen);
    base_arena_plan(&driver->memory, &watchdog->turns_enough, machine->workers, sizeof *watchdog->turns_enough);
}

uint64_t threads_bytes(const struct machine_plan *machine)
{
    struct thread_driver driver = {.control = NULL};
    plan(&driver, machine);
    return sizeof driver + base_arena_bytes(&driver.memory);
}

bool threads_begin(struct thread_driver *driver, struct free_control *control)
{
    const struct machine_plan *machine = control->run.machine;
    *driver = (struct thread_driver){.source = {.around = around, .ports = ports, .now = now},
                                     .control = control,
                                     .crowded = machine->workers > host_places_count(machine->places),
                                     .starts_clock = true};
    plan(driver, machine);
    control->run.source = &driver->source;
    if (!base_arena_take(&driver->memory)) {
        return false;
    }
    threads_watch_begin(driver);
    return true;
}

void threads_end(struct thread_driver *driver)
{
    base_arena_destroy(&driver->memory);
}
