// SPDX-License-Identifier: MIT
// A worker that holds the link table and stops delays changes of the table, and nothing else: the caller goes on, so
// that --for, Ctrl-C and the watchdog work. The processor that waits in its turn stands for a worker that gets no
// core.
#include <criterion/criterion.h>

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "threads/api/evenkeel.h"

static atomic_uint told;    // how often the caller was called
static atomic_bool held;    // a processor has held the table
static atomic_bool in_vain; // and waited in vain

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Waits in the middle of a turn, until the caller was called three times more.
static bool hold(const struct ek_turn *turn, unsigned port)
{
    (void)turn, (void)port;
    if (atomic_exchange(&held, true)) {
        return true;
    }
    double until_s = now_s() + 100.0;
    unsigned enough = atomic_load(&told) + 3;
    while (atomic_load(&told) < enough && now_s() < until_s) {
        sched_yield();
    }
    atomic_store(&in_vain, atomic_load(&told) < enough);
    return true;
}

static bool prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                    struct ek_error *error)
{
    (void)plan, (void)parameter, (void)at, (void)setting, (void)error;
    return true;
}

static double nothing(const struct ek_view *view, unsigned port)
{
    (void)view, (void)port;
    return 0.0;
}

static void count(void *context, const struct ek_progress *so_far)
{
    (void)context, (void)so_far;
    atomic_fetch_add(&told, 1);
}
static const struct ek_method holder = {
    .name = "holder",
    .texts = &(const struct ek_texts){.title = "holds the link table"},
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_ALL,
    .prepare = prepare,
    .rule = &(const struct ek_rule){.flow = nothing},
    .rounds = &(const struct ek_rounds_part){0},
    .free = &(const struct ek_free_part){.includes = hold},
};

Test(starved, the_caller_goes_on)
{
    struct ek_error error;
    cr_assert(ek_method_register(&holder, &error), "%s", error.sentence);
    struct ek_experiment experiment = {.topology = "chain:2",
                                       .method = "holder",
                                       .load = "peak:9",
                                       .timing = "free",
                                       .stop = "never",
                                       .faults = "link:1000,repair:1ms", // many changes of the table are due
                                       .seconds_max = 0.01};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    enum { RUNS_MAX = 500 };
    for (uint64_t run = 0; run < RUNS_MAX && !atomic_load(&held);
         run++) { // the time of a run may be over before any turn
        struct ek_report report;
        enum ek_status status = ek_run(machine, run, &report, count, NULL, &error);
        cr_expect(status == EK_OK && report.ended == EK_ENDED_TIME);
        ek_report_destroy(&report);
    }
    cr_expect(atomic_load(&held) && !atomic_load(&in_vain), "the caller waited for the one who holds the table");
    ek_machine_destroy(machine);
}
