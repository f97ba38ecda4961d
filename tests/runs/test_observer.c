// SPDX-License-Identifier: MIT
// What an observer sees, against runs that end there, a computation of its own, and the trace.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "tests/support/must.h"

enum { RING = 12, LOOKS_MAX = 4096, PROCESSORS_MAX = 64 };

// Everything that the observer saw. A later row replaces rows of the same and of later steps.
struct seen {
    struct ek_machine *machine;
    uint64_t interrupt_at; // the step at which the run should end; 0: none
    size_t count, calls;
    struct ek_trace_row row[LOOKS_MAX];
    double loads[LOOKS_MAX][PROCESSORS_MAX];
    const double *shown; // the tasks that were shown before this look
    double tasks[LOOKS_MAX][PROCESSORS_MAX];
};

static struct seen seen;

static void note(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    cr_assert_eq(context, &seen);
    cr_assert_leq(processors, PROCESSORS_MAX);
    while (seen.count > 0 && seen.row[seen.count - 1].step >= row->step) {
        seen.count--;
    }
    cr_assert_lt(seen.count, LOOKS_MAX);
    seen.row[seen.count] = *row;
    if (seen.shown) {
        memcpy(seen.tasks[seen.count], seen.shown, processors * sizeof *loads);
        seen.shown = NULL;
    }
    memcpy(seen.loads[seen.count++], loads, processors * sizeof *loads);
    seen.calls++;
    if (seen.interrupt_at > 0 && row->step == seen.interrupt_at) {
        ek_interrupt(seen.machine);
    }
}

static const struct ek_observer observer = {.look = note, .context = &seen};

static void observe(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    seen.count = seen.calls = 0;
    experiment.observer = observer;
    tests_try(&experiment, 0, outcome);
    cr_assert(outcome->status == EK_OK || outcome->status == EK_UNREACHED, "%s", outcome->error.sentence);
}

static void note_tasks(void *context, const double *tasks, uint32_t processors)
{
    cr_assert_eq(context, &seen);
    cr_assert(!seen.shown && processors <= PROCESSORS_MAX, "each time is followed by a look");
    seen.shown = tasks;
}

// Computes the variance again, from the loads alone.
static double variance_of(const double *loads, uint32_t processors, double total)
{
    double sum = 0.0;
    for (uint32_t p = 0; p < processors; p++) {
        sum += pow(loads[p] - total / processors, 2.0);
    }
    return sum;
}

static double total_of(const double *loads, uint32_t processors)
{
    double sum = 0.0;
    for (uint32_t p = 0; p < processors; p++) {
        sum += loads[p];
    }
    return sum;
}

Test(observer, sees_the_loads_of_every_step)
{
    struct ek_experiment experiment = {.topology = "torus:4x4", .load = "modulo:7919:101", .keep_loads = true};
    static const char *const methods[] = {"ade", "adf", "sos", "dde"};
    static const char *const ports[] = {"all", "one"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct tests_outcome whole;
        experiment.method = methods[m];
        experiment.ports = ports[m % 2];
        experiment.steps_max = 0;
        observe(experiment, &whole);
        cr_assert_eq(seen.count, whole.report.steps + 1, "%s: %zu looks at %d steps", methods[m], seen.count,
                     (int)whole.report.steps);
        for (uint64_t step = 0; step < seen.count && step < 24; step++) {
            struct tests_outcome cut = {0};
            cr_expect_eq(seen.row[step].step, step);
            experiment.steps_max = step;
            if (step > 0) {
                tests_try(&experiment, 0, &cut);
            }
            cr_expect_arr_eq(seen.loads[step], step > 0 ? cut.report.final : whole.report.initial, 16 * sizeof(double),
                             "%s: step %d", methods[m], (int)step);
            tests_outcome_destroy(&cut);
        }
        cr_expect_arr_eq(seen.loads[seen.count - 1], whole.report.final, 16 * sizeof(double));
        tests_outcome_destroy(&whole);
    }
}

// Diffusion by its equation, on the ring of 12.
Test(observer, sees_what_the_equation_says)
{
    double load[2][RING] = {{1200.0}};
    struct tests_outcome outcome;
    observe((struct ek_experiment){.topology = "ring:12", .method = "diffusion:0.2", .load = "peak:1200"}, &outcome);
    cr_assert_gt(seen.count, 50);
    for (size_t step = 0; step < seen.count; step++) {
        const double *now = load[step % 2];
        double *next = load[(step + 1) % 2];
        cr_expect_float_eq(seen.row[step].variance, variance_of(now, RING, 1200.0), 1e-6);
        for (uint32_t p = 0; p < RING; p++) {
            cr_expect_float_eq(seen.loads[step][p], now[p], 1e-10, "processor %u at step %zu", p, step);
            next[p] = now[p] + 0.2 * (now[(p + 1) % RING] + now[(p + RING - 1) % RING] - 2.0 * now[p]);
        }
    }
    tests_outcome_destroy(&outcome);
}

static void expect_trace(const struct ek_report *report, const char *what)
{
    cr_assert_eq(seen.count, report->trace_count, "%s: %zu looks and %zu rows", what, seen.count, report->trace_count);
    for (size_t i = 0; i < seen.count; i++) { // compares bits, because NaN is equal to no number
        cr_expect_arr_eq(&seen.row[i], &report->trace[i], sizeof seen.row[i], "%s: row %zu", what, i);
    }
}

// Also if steps are uncounted (ded), an operation is taken back (splitting), or only some processors invoke.
Test(observer, sees_the_trace)
{
    static const struct ek_experiment experiments[] = {
        {.topology = "torus:4x4", .method = "adf", .ports = "one", .invoke = "probability:0.3", .operations_max = 20},
        {.topology = "otis(mesh:2x3)", .method = "ded(fos)"},
        {.topology = "ring:16", .method = "splitting:1/2", .units = "tokens"},
        {.topology = "mesh:4x4", .method = "ade", .work = "normal:5:5:5", .operations_max = 20},
        {.topology = "ring:12", .method = "sos", .delay = "uniform:0:2", .operations_max = 20, .every = 3},
        {.topology = "ring:12", .method = "sender:0.1", .timing = "turns:random", .operations_max = 20},
        {.topology = "torus:4x4", .method = "adf", .timing = "free", .audit_s = 1e-3},
        {.topology = "torus:4x4", .method = "ade", .timing = "virtual", .carrier = "pool:2"},
        {.topology = "ring:12", .method = "ade", .timing = "virtual", .sample_s = 5e-6, .every = 3},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        struct tests_outcome outcome;
        struct ek_experiment experiment = experiments[i];
        experiment.keep_trace = true;
        observe(experiment, &outcome);
        expect_trace(&outcome.report, experiment.method);
        tests_outcome_destroy(&outcome);
    }
}

Test(observer, changes_nothing)
{
    struct ek_experiment experiment = {
        .topology = "mesh:4x4", .method = "dde:doubling", .units = "tokens", .load = "peak:1600", .keep_loads = true};
    struct tests_outcome alone;
    struct tests_outcome observed;
    tests_try(&experiment, 0, &alone);
    observe(experiment, &observed);
    cr_expect_null(tests_report_differs(&alone.report, &observed.report, 16));
    cr_expect_gt(seen.calls, seen.count, "no step was uncounted");
    tests_outcome_destroy(&alone);
    tests_outcome_destroy(&observed);
}

Test(observer, is_not_thinned)
{
    struct tests_outcome outcome;
    observe((struct ek_experiment){.topology = "ring:12", .keep_trace = true, .trace_rows = 4}, &outcome);
    cr_expect_leq(outcome.report.trace_count, 4);
    cr_expect_eq(seen.count, outcome.report.steps + 1);
    tests_outcome_destroy(&outcome);
}

// Requests every n-th look, by counting how often it is called.
static unsigned asked, wanted_every;

static bool wants(void *context)
{
    (void)context;
    return asked++ % wanted_every == 0;
}

Test(observer, looks_where_it_wants)
{
    static const char *const timings[] = {"rounds", "turns", "free"};
    for (size_t i = 0; i < sizeof timings / sizeof *timings; i++) {
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .method = "adf",
                                           .timing = timings[i],
                                           .every = 1000000,
                                           .audit_s = i == 2 ? 1e-4 : 0.0,
                                           .observer = {.look = note, .context = &seen, .wants = wants}};
        struct tests_outcome outcome;
        asked = 0;
        wanted_every = UINT32_MAX;
        seen.count = seen.calls = 0;
        tests_try(&experiment, 0, &outcome);
        cr_assert_eq(outcome.status, EK_OK, "%s", outcome.error.sentence);
        cr_expect_eq(seen.calls, 1, "%s: %zu", timings[i], seen.calls); // the first call requested it
        tests_outcome_destroy(&outcome);
        asked = 0;
        wanted_every = 1;
        seen.count = seen.calls = 0;
        tests_try(&experiment, 0, &outcome);
        cr_expect_geq(seen.calls, outcome.report.timed ? 2 : outcome.report.steps + 1, "%s: %zu", timings[i],
                      seen.calls);
        // In rounds each processor announces its load to its four neighbours, and then sends the parcels.
        uint64_t messages = 4 * 16 * outcome.report.steps + outcome.report.parcels;
        cr_expect(i > 0 || seen.row[seen.count - 1].messages == messages, "%d", (int)messages);
        tests_outcome_destroy(&outcome);
    }
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Waits, and adds up for how long.
static void wait_at_a_step(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    double *waited_s = context;
    double began_s = now_s();
    (void)row, (void)loads, (void)processors;
    nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    *waited_s += now_s() - began_s;
}

Test(observer, waits_without_counting_as_the_run)
{
    static const char *const timings[] = {"rounds", "turns", "virtual"};
    for (size_t i = 0; i < sizeof timings / sizeof *timings; i++) {
        double waited_s = 0.0;
        struct ek_experiment experiment = {.topology = "ring:8", .method = "adf", .timing = timings[i]};
        experiment.observer = (struct ek_observer){.look = wait_at_a_step, .context = &waited_s};
        experiment.operations_max = 20;
        struct tests_outcome outcome;
        double began_s = now_s();
        tests_try(&experiment, 0, &outcome);
        double passed_s = now_s() - began_s;
        cr_assert_gt(waited_s, 0.02, "%s", timings[i]);
        cr_expect_geq(outcome.report.elapsed_s, 0.0);
        cr_expect_leq(outcome.report.elapsed_s, passed_s - waited_s + 1e-6, "%s: %g s of %g s, of which %g s waited",
                      timings[i], outcome.report.elapsed_s, passed_s, waited_s);
        tests_outcome_destroy(&outcome);
    }
}

Test(observer, may_end_the_run)
{
    struct ek_experiment experiment = {.topology = "ring:12", .observer = observer};
    struct ek_report report;
    struct ek_error error;
    seen = (struct seen){.machine = must_prepare(experiment), .interrupt_at = 5};
    cr_expect_eq(ek_run(seen.machine, 0, &report, NULL, NULL, &error), EK_UNREACHED);
    cr_expect_eq(report.ended, EK_ENDED_INTERRUPT);
    cr_expect_eq(report.steps, 5);
    ek_report_destroy(&report);
    ek_machine_destroy(seen.machine);
}

// Repeats runs with too few looks, or without load in flight: the observing thread may get no core.
static double look_at_all_load(void)
{
    struct tests_outcome outcome;
    observe((struct ek_experiment){.topology = "ring:16", // so that load is in flight for long
                                   .method = "ade",
                                   .units = "tokens",
                                   .timing = "free",
                                   .load = "peak:16000",
                                   .delay = "uniform:200us:600us",
                                   .audit_s = 1e-4,
                                   .seconds_max = 0.6,
                                   .stop = "never"},
            &outcome);
    double under_way = 0.0;
    for (size_t i = 0; i < seen.count; i++) {
        double held = total_of(seen.loads[i], 16);
        cr_expect_eq(held + seen.row[i].in_flight, 16000.0, "look %zu", i);
        cr_expect_float_eq(seen.row[i].variance, variance_of(seen.loads[i], 16, 16000.0), 1e-6 * 16000.0 * 16000.0);
        cr_expect(i == 0 || seen.row[i].time > seen.row[i - 1].time);
        under_way += seen.row[i].in_flight;
    }
    tests_outcome_destroy(&outcome);
    return seen.count > 3 ? under_way : 0.0;
}

// In free timing every snapshot accounts for all load: held or in flight.
Test(observer, sees_all_load_in_free_timing)
{
    enum { RUNS_MAX = 50 };
    double under_way = 0.0;
    for (unsigned run = 0; under_way == 0.0 && run < RUNS_MAX; run++) {
        under_way = look_at_all_load();
    }
    cr_expect_gt(under_way, 0.0, "no load was ever in flight: the test sees too little");
}

// Two tasks of cost 3 on processor 0. Executing the second one leaves none to hold, but the processor is still busy.
Test(observer, sees_the_tasks_that_processors_have)
{
    static const double in_ticks[] = {2, 2, 2, 1, 1, 1, 0};
    struct ek_experiment experiment = {.topology = "chain:2",
                                       .tasks = "bag:constant:3",
                                       .load = "peak:2",
                                       .method = "none",
                                       .every = 1,
                                       .show_tasks = note_tasks};
    struct tests_outcome outcome;
    observe(experiment, &outcome);
    cr_assert_eq(seen.count, 7);
    for (size_t step = 0; step < 7; step++) {
        cr_expect_eq(seen.tasks[step][0], in_ticks[step], "%g tasks after step %zu", seen.tasks[step][0], step);
        cr_expect_eq(seen.tasks[step][1], 0.0);
    }
    tests_outcome_destroy(&outcome);
    experiment.load = "peak:6";
    experiment.timing = "virtual";
    experiment.sample_s = 1e-7;
    observe(experiment, &outcome);
    cr_assert_gt(seen.count, 4);
    for (size_t i = 1; i < seen.count; i++) { // a turn takes 100 ns, and its task 3 us
        double ended = floor((1e9 * seen.row[i].time + 0.5) / 3100.0);
        cr_expect_eq(seen.tasks[i][0], fmax(6.0 - ended, 0.0), "%g tasks at %g s", seen.tasks[i][0], seen.row[i].time);
        cr_expect_eq(seen.tasks[i][1], 0.0);
    }
    tests_outcome_destroy(&outcome);
}

// In free timing processors execute tasks within their turns, and a snapshot lies between turns.
Test(observer, sees_the_tasks_of_free_timing)
{
    struct tests_outcome outcome;
    observe((struct ek_experiment){.topology = "torus:3x3",
                                   .tasks = "queens:9",
                                   .method = "adf",
                                   .timing = "free",
                                   .invoke = "below:2",
                                   .show_tasks = note_tasks},
            &outcome);
    cr_assert_gt(seen.count, 0);
    for (size_t i = 0; i < seen.count; i++) {
        cr_expect_arr_eq(seen.tasks[i], seen.loads[i], 9 * sizeof(double), "look %zu", i);
    }
    tests_outcome_destroy(&outcome);
}

Test(observer, sees_no_tasks_where_there_are_none)
{
    struct tests_outcome outcome;
    seen.shown = NULL;
    observe((struct ek_experiment){.topology = "ring:8", .method = "adf", .show_tasks = note_tasks}, &outcome);
    cr_expect_null(seen.shown);
    cr_expect_gt(seen.count, 1);
    tests_outcome_destroy(&outcome);
}
