// SPDX-License-Identifier: MIT
// Makes the calls that <evenkeel.h> allows at the same time, under ThreadSanitizer: two threads run one machine,
// while a third calls all functions that read it, prepares another machine and builds topologies. In rounds each run
// must end as it does alone. An interrupt ends the runs in progress, and no later one.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/method.h"
#include "tests/support/runs.h"
#include "threads/api/axis.h"
#include "topologies/topology.h"

static const struct ek_experiment experiments[] = {
    {.topology = "torus:4x4", .method = "ade"},
    {.topology = "random:12:3", .method = "ode", .capacity = "uniform:1:9", .weighting = "target"},
    {.topology = "torus:4x4", .method = "matching", .work = "normal:5:5:5", .operations_max = 40},
    {.topology = "ring:12", .method = "sos", .delay = "uniform:0:2", .operations_max = 40},
    {.topology = "torus:4x4", .method = "sender:0.1", .timing = "turns:random", .operations_max = 40},
    {.topology = "otis(mesh:2x3)", .method = "ded(fos)"},
    {.topology = "mesh:4x5", .method = "dde", .load = "modulo:7919:101"},
    {.topology = "torus:4x4", .method = "liquid:c4r", .units = "tokens", .operations_max = 40},
    {.topology = "torus:4x4", .method = "local-average", .invoke = "probability:0.3", .operations_max = 40},
    {.topology = "torus:4x4", .method = "adf", .timing = "free", .faults = "link:2000,processor:300,repair:1ms"},
    {.topology = "torus:4x4", .method = "ade", .timing = "free", .domains = "exclusive", .delay = "uniform:0us:50us"},
    {.topology = "ring:12", .method = "nna", .timing = "free", .units = "tokens", .invoke = "below:500"},
};

enum { EXPERIMENTS = sizeof experiments / sizeof *experiments, RUNS = 2 };

struct running {
    struct ek_machine *machine;
    uint64_t run;
    atomic_uint told;      // how often its caller was called
    unsigned interrupt_at; // at which call it interrupts itself; 0: never
    enum ek_status status;
    struct ek_report report;
    struct ek_error error;
};

static void note_progress(void *context, const struct ek_progress *so_far)
{
    (void)so_far;
    struct running *running = context;
    if (atomic_fetch_add(&running->told, 1) + 1 == running->interrupt_at) {
        ek_interrupt(running->machine);
    }
}

static void *run(void *argument)
{
    struct running *running = argument;
    running->status = ek_run(running->machine, running->run, &running->report, note_progress, running, &running->error);
    atomic_fetch_add(&running->told, 1); // even if it ended before it was seen running
    return NULL;
}

// Prepares another machine of the experiment and reads what is known before a run.
static bool prepare(const struct ek_experiment *experiment)
{
    struct ek_error error;
    struct ek_theory theory;
    struct ek_spectrum spectrum;
    struct ek_machine *machine = ek_prepare(experiment, &error);
    if (!machine) {
        return false;
    }
    ek_theory_find(machine, &theory);
    bool good = ek_facts_find(machine, NULL, 0) <= EK_FACTS_MAX &&
                ek_spectrum_find(ek_machine_topology(machine), false, &spectrum, &error) &&
                ek_exchange_factor(ek_machine_topology(machine), 0.5, &theory.gamma_exact, &error);
    ek_spectrum_destroy(&spectrum);
    ek_machine_destroy(machine);
    return good;
}

// Makes every call that is allowed while the machine runs. Returns whether all results are right.
static bool ask(const struct ek_machine *machine)
{
    struct ek_experiment experiment = {.seconds_max = 0.0};
    struct ek_error error;
    struct ek_limits limits;
    const struct ek_topology *topology = ek_machine_topology(machine);
    struct ek_topology *other = ek_topology_create("otis(random:8:3)", 1, (struct ek_reader){0}, &error);
    bool good = other && ek_topology_valid(other, &error) && ek_topology_valid(topology, &error) &&
                ek_topology_bytes(topology) > 0 && ek_topology_port(topology, 0, 200, 1) == UINT32_MAX;
    ek_topology_destroy(other);
    ek_limits_read(&limits);
    (void)ek_machine_direct(machine), (void)ek_machine_drawn(machine), (void)ek_machine_parameter(machine);
    return good && limits.cores > 0 && ek_method_find(ek_method_at(0)->name) == ek_method_at(0) &&
           ek_machine_method(machine) && ek_axis_at(0) && ek_axis_choice(ek_axis_named("load"), 0) &&
           ek_axis_set(ek_axis_named("for"), &experiment, "5s", &error) && *ek_version() &&
           *ek_machine_axis(machine, 0) && !ek_machine_given(machine, EK_AXES_MAX - 1) && ek_theory_soon(machine);
}

// Runs a machine RUNS times at once, and calls `ask` and `prepare` meanwhile.
static bool run_together(struct ek_machine *machine, const struct ek_experiment *experiment, struct running *together)
{
    pthread_t thread[RUNS];
    for (unsigned r = 0; r < RUNS; r++) {
        together[r] = (struct running){.machine = machine, .run = r};
        if (pthread_create(&thread[r], NULL, run, &together[r]) != 0) {
            return false;
        }
    }
    bool good = ask(machine) && prepare(experiment);
    for (unsigned r = 0; r < RUNS; r++) {
        pthread_join(thread[r], NULL);
    }
    return good;
}

// Returns what differs from the same run alone, or NULL.
static const char *compare(const struct running *alone, const struct running *together, bool free_timing)
{
    if (together->status != EK_OK && together->status != EK_UNREACHED) {
        return together->error.sentence;
    }
    if (free_timing) { // the order of the threads does not depend on the seed
        return together->report.total_initial == alone->report.total_initial ? NULL : "total_initial";
    }
    uint32_t processors = ek_machine_topology(alone->machine)->processors;
    return alone->status != together->status ? "status"
                                             : tests_report_differs(&alone->report, &together->report, processors);
}

static bool try(struct ek_experiment experiment)
{
    struct ek_error error;
    experiment.carrier = "pool:2";
    experiment.seed = 1;
    experiment.keep_loads = true;
    experiment.seconds_max = experiment.timing && strcmp(experiment.timing, "free") == 0 ? 0.1 : 0.0;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    if (!machine) {
        printf("%s on %s: %s\n", experiment.method, experiment.topology, error.sentence);
        return false;
    }
    struct running alone[RUNS], together[RUNS];
    for (unsigned r = 0; r < RUNS; r++) {
        alone[r] = (struct running){.machine = machine, .run = r};
        run(&alone[r]);
    }
    bool good = run_together(machine, &experiment, together);
    for (unsigned r = 0; r < RUNS; r++) {
        const char *what = compare(&alone[r], &together[r], experiment.seconds_max > 0.0);
        if (what) {
            printf("%s on %s, run %u: %s\n", experiment.method, experiment.topology, r, what);
            good = false;
        }
        ek_report_destroy(&alone[r].report);
        ek_report_destroy(&together[r].report);
    }
    ek_machine_destroy(machine);
    return good;
}

// An interrupt before a run, an interrupt of two running ones, and a run afterwards, which goes on until it
// interrupts itself.
static bool interrupt_all(const char *timing)
{
    const struct ek_experiment experiment = {
        .timing = timing, .topology = "torus:4x4", .carrier = "pool:2", .stop = "never", .seconds_max = 200.0};
    enum { GOES_ON = 4 };
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    if (!machine) {
        return false;
    }
    ek_interrupt(machine);
    struct running running[RUNS + 1];
    pthread_t thread[RUNS];
    for (unsigned r = 0; r < RUNS; r++) {
        running[r] = (struct running){.machine = machine, .run = r};
        if (pthread_create(&thread[r], NULL, run, &running[r]) != 0) {
            return false;
        }
    }
    for (unsigned r = 0; r < RUNS; r++) {
        while (atomic_load(&running[r].told) == 0) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
    ek_interrupt(machine);
    for (unsigned r = 0; r < RUNS; r++) {
        pthread_join(thread[r], NULL);
    }
    running[RUNS] = (struct running){.machine = machine, .run = RUNS, .interrupt_at = GOES_ON};
    run(&running[RUNS]);
    bool good = atomic_load(&running[RUNS].told) > GOES_ON;
    if (!good) {
        printf("in %s an interrupt ends a later run\n", timing);
    }
    for (unsigned r = 0; r <= RUNS; r++) {
        if (running[r].report.ended != EK_ENDED_INTERRUPT) {
            printf("in %s run %u ended for reason %d\n", timing, r, (int)running[r].report.ended);
            good = false;
        }
        ek_report_destroy(&running[r].report);
    }
    ek_machine_destroy(machine);
    return good;
}

int main(void)
{
    unsigned passed = 0;
    for (unsigned i = 0; i < EXPERIMENTS; i++) {
        passed += try(experiments[i]);
    }
    passed += interrupt_all("rounds");
    passed += interrupt_all("free");
    printf("%u passed, %u failed\n", passed, EXPERIMENTS + 2 - passed);
    return passed < EXPERIMENTS + 2;
}
