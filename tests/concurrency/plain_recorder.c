// SPDX-License-Identifier: MIT
// A recorder whose writing takes as long as it likes, beside links that fail. A worker that waits for the recorder must
// not delay a fault: the sink below refuses to go on until changes of the link table are complete, while the worker
// makes looks until it waits. The worker's look stays as it was recorded, and its next look shows the changes.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "threads/api/run.h"
#include "threads/drivers/recorder/recorder.h"
#include "threads/drivers/threads/thread_driver.h"
#include "threads/free/control/free_run.h"
#include "threads/machine/machine.h"

enum { PATIENCE_S = 10, CHANGES = 3 }; // so many that both tables change

static atomic_uint changes;   // complete ones
static atomic_bool recording; // the sink was called
static atomic_bool delayed;   // the sink lost its patience

static bool is_delayed(void)
{
    return atomic_load_explicit(&delayed, memory_order_relaxed);
}

static bool sink(void *context, unsigned worker, const uint8_t *bytes, size_t count)
{
    (void)context, (void)worker, (void)bytes, (void)count;
    atomic_store_explicit(&recording, true, memory_order_relaxed); // a lone flag, as are the others
    time_t began = time(NULL);
    while (!is_delayed() && atomic_load_explicit(&changes, memory_order_relaxed) < CHANGES) {
        atomic_store_explicit(&delayed, time(NULL) - began > PATIENCE_S, memory_order_relaxed);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return true;
}

// The fault thread: links of the processors 0, 5 and 10 fail.
static void *change(void *context)
{
    struct free_links *links = context;
    while (!atomic_load_explicit(&recording, memory_order_relaxed)) {
        sched_yield();
    }
    for (uint32_t k = 0; k < CHANGES; k++) {
        free_links_change(links, &(struct core_fault){.which = links->topology->first[5 * k]});
        atomic_fetch_add_explicit(&changes, 1, memory_order_relaxed);
    }
    return NULL;
}

static uint32_t links_down(const struct free_worker *worker)
{
    const struct ek_topology *topology = worker->run->topology;
    uint32_t down = 0;
    for (uint32_t p = worker->begin; p < worker->end; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            down += !free_usable(worker, port);
        }
    }
    return down;
}

// The look that the recorder writes down.
static uint32_t down_as_seen;

static void see(struct free_look_source *source, struct free_worker *worker)
{
    (void)source;
    free_see_around(worker, 0);
    down_as_seen = links_down(worker);
}

// Makes looks while the sink waits. Returns how many looks were wrong.
static unsigned look_on(struct free_run *run)
{
    struct free_worker *worker = &run->worker[0];
    unsigned wrong = 0;
    free_links_register();
    while (atomic_load_explicit(&changes, memory_order_relaxed) < CHANGES && !is_delayed()) {
        run->source->around(run->source, worker);
        wrong += links_down(worker) != down_as_seen;
    }
    run->source->around(run->source, worker);
    wrong += links_down(worker) != 2 * CHANGES; // each has two ends
    free_links_unregister();
    return wrong;
}

// Returns whether the faults came while the worker waited.
static bool faults_come(struct ek_machine *machine, struct ek_error *error)
{
    struct thread_driver *driver = aligned_alloc(_Alignof(struct thread_driver), sizeof *driver);
    struct free_control *control = free_create(&machine->plan, 0, &free_transport_local, error);
    if (!driver || !control || !threads_begin(driver, control)) {
        return false;
    }
    struct free_run *run = &control->run;
    struct recorder *recorder = recorder_create(run, error);
    pthread_t faults;
    unsigned wrong = 1;
    if (recorder && pthread_create(&faults, NULL, change, &run->links) == 0) {
        driver->source.around = see;
        recorder_wrap(recorder, run, &driver->source);
        threads_start_clock(driver);
        wrong = look_on(run);
        pthread_join(faults, NULL);
        recorder_end(recorder);
        struct ek_free_report report = {0};
        recorder_report(recorder, &report);
        printf("%u looks are wrong, the worker waited %llu times%s\n", wrong, (unsigned long long)report.recorder_waits,
               is_delayed() ? ", the faults waited for it" : "");
        wrong += report.recorder_waits != 1; // after it the worker makes one look more
        recorder_destroy(recorder);
    }
    free_destroy(control);
    threads_end(driver);
    free(driver);
    return wrong == 0 && !is_delayed();
}

int main(void)
{
    struct ek_recorder recorder = {.write = sink};
    struct ek_experiment experiment = {.topology = "torus:4x4",
                                       .method = "adf",
                                       .timing = "free",
                                       .carrier = "pool:1",
                                       .stop = "never",
                                       .operations_max = 1,
                                       .faults = "link:1e-9",
                                       .recorder = &recorder,
                                       .seed = 1};
    struct ek_error error = {.sentence = ""};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    bool good = machine && faults_come(machine, &error);
    printf("%s%d passed, %d failed\n", error.sentence, good, !good);
    ek_machine_destroy(machine);
    return good ? 0 : 1;
}
