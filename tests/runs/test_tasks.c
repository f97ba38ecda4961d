// SPDX-License-Identifier: MIT
// Runs whose load consists of tasks: the same on every carrier, with metrics that can be computed by hand. Known
// answers are in tests/methods/test_known_answers.c, the programs in tests/unit/core/.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/support/runs.h"

static struct ek_report run(struct ek_experiment experiment)
{
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_assert(outcome.machine, "%s: %s", experiment.tasks, outcome.error.sentence);
    cr_assert_eq(outcome.status, EK_OK, "%s: status %d, %s", experiment.tasks, outcome.status, outcome.error.sentence);
    cr_assert(outcome.report.has_tasks && outcome.report.converged);
    cr_assert_eq(outcome.report.ended, EK_ENDED_DONE);
    struct ek_report report = outcome.report;
    outcome.report = (struct ek_report){0};
    tests_outcome_destroy(&outcome);
    return report;
}

static void expect_near(double got, double expected, const char *what)
{
    cr_expect(fabs(got - expected) <= 1e-12 * fmax(1.0, fabs(expected)), "%s is %.17g, not %.17g", what, got, expected);
}

Test(tasks, every_carrier_gives_the_same, .timeout = 200)
{
    static const struct ek_experiment kinds[] = {
        {.topology = "torus:4x4", .tasks = "queens:7", .method = "adf"},
        {.topology = "mesh:3x4", .tasks = "queens:7", .method = "ade", .grain = 3},
        {.topology = "torus:4x4", .tasks = "uts:geo:linear:5:3:1", .method = "liquid:c4"},
        {.topology = "hypercube:4", .tasks = "tsp:9:1", .method = "ade"},
        {.topology = "ring:9", .tasks = "flowshop:8x4:3", .method = "adf", .capacity = "semi"},
        {.topology = "ring:9", .tasks = "queens:7", .method = "adf", .invoke = "below:2", .give = "newest"},
        {.topology = "torus:4x4", .tasks = "tsp:9:2", .method = "adf", .link_limit = "2", .clock = "step"},
        {.topology = "torus:4x4", .tasks = "queens:7", .method = "adf", .working = "before", .ports = "one"},
        {.topology = "ring:9",
         .tasks = "queens:7",
         .method = "adf",
         .working = "suspended",
         .invoke = "probability:0.2",
         .steps_max = 100000},
        // With the mailbox `slot`, a step leaves out links without load. The best value crosses them all the same.
        {.topology = "torus:12x12", .tasks = "tsp:9:2", .method = "ade"},
        {.topology = "ring:40", .tasks = "uts:geo:linear:5:3:1", .method = "gde:0.7"},
        {.topology = "torus:4x4", .tasks = "flowshop:8x4:3", .method = "sender:0.2", .timing = "turns"},
        {.topology = "torus:4x4", .tasks = "queens:7", .method = "odf", .timing = "turns:random"},
    };
    static const char *const carriers[] = {"threads", "pool:2", "pool:5"};
    static const char *const mailboxes[] = {"slot", "spsc", "wfcq", "mutex"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ek_experiment experiment = kinds[i];
        experiment.keep_loads = experiment.keep_trace = true;
        struct ek_report alone = run(experiment);
        experiment.carrier = carriers[i % 3];
        experiment.mailbox = experiment.timing ? NULL : mailboxes[i % 4];
        struct ek_report many = run(experiment);
        const char *differs = tests_report_differs(&alone, &many, 0);
        cr_expect_null(differs, "%s with %s on %s: %s", experiment.tasks, experiment.method, experiment.carrier,
                       differs);
        ek_report_destroy(&alone);
        ek_report_destroy(&many);
    }
}

// Without balancing, processor 0 executes a search alone.
Test(tasks, one_processor_works)
{
    struct ek_report report = run((struct ek_experiment){.topology = "ring:4", .tasks = "queens:6", .method = "none"});
    cr_expect_eq(report.tasks.executed, 153);
    cr_expect_eq(report.tasks.nodes, 153);
    cr_expect_eq(report.tasks.result, 4);
    cr_expect_eq(report.tasks.ticks, 153);
    cr_expect_eq(report.messages, 0);
    cr_expect_not(report.tasks.has_shared);
    expect_near(report.tasks.speedup, 1.0, "the speedup");
    expect_near(report.tasks.efficiency, 0.25, "the efficiency");
    expect_near(report.tasks.native_fraction, 1.0, "the native fraction");
    expect_near(report.tasks.idle_ticks, 153.0 * 3 / 4, "the mean of idle ticks");
    expect_near(report.tasks.idle_ticks_most, 153.0, "the most idle ticks");
    expect_near(report.tasks.bound_ticks, ceil(153.0 / 4), "the bound");
    expect_near(report.generated, 152.0, "what is generated");
    expect_near(report.consumed, 153.0, "what is consumed");
    ek_report_destroy(&report);
}

// A search of depth N has paths of N + 1 tasks, which no machine can shorten.
Test(tasks, bound_of_the_longest_path)
{
    struct ek_report report =
        run((struct ek_experiment){.topology = "complete:100", .tasks = "queens:4", .method = "adf"});
    expect_near(report.tasks.bound_ticks, 5.0, "the bound");
    cr_expect_geq(report.tasks.ticks, 5);
    ek_report_destroy(&report);
}

// Seven tasks of cost 3 on a processor of capacity c take ceil(21 / (G c)) ticks. The capacity is 1, or with semi 2.
Test(tasks, grain_and_capacity)
{
    static const struct {
        uint64_t grain;
        const char *capacity;
        double ticks;
    } cases[] = {{1, NULL, 21.0}, {2, NULL, 11.0}, {50, NULL, 1.0}, {1, "semi", 11.0}, {3, "semi", 4.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_report report = run((struct ek_experiment){.topology = "chain:2",
                                                             .tasks = "bag:constant:3",
                                                             .load = "peak:7",
                                                             .method = "none",
                                                             .grain = cases[i].grain,
                                                             .capacity = cases[i].capacity});
        cr_expect_eq(report.tasks.cost, 21);
        cr_expect_eq(report.tasks.executed, 7);
        expect_near((double)report.tasks.ticks, cases[i].ticks, "the number of ticks");
        expect_near(report.tasks.idle_ticks_most, cases[i].ticks, "the idle ticks of the other processor");
        expect_near(report.tasks.speedup, 21.0 / (cases[i].ticks * (double)cases[i].grain), "the speedup");
        ek_report_destroy(&report);
    }
}

// With one task each, all processors work in the first tick, and nothing moves.
Test(tasks, independent_tasks_in_equal_parts)
{
    struct ek_report report = run((struct ek_experiment){
        .topology = "torus:4x4", .tasks = "bag:constant:1", .load = "constant:1", .method = "adf"});
    cr_expect_eq(report.tasks.ticks, 1);
    cr_expect(report.tasks.has_shared && report.tasks.shared_tick == 1);
    cr_expect_eq(report.tasks.most_held, 1);
    expect_near(report.tasks.efficiency, 1.0, "the efficiency");
    expect_near(report.moved, 0.0, "what moved");
    ek_report_destroy(&report);
}

// The oldest tasks of a search are near its root, so fewer of them have to move.
Test(tasks, oldest_or_newest)
{
    struct ek_experiment experiment = {.topology = "ring:8", .tasks = "queens:8", .method = "adf"};
    struct ek_report oldest = run(experiment);
    experiment.give = "newest";
    struct ek_report newest = run(experiment);
    cr_expect_eq(oldest.tasks.result, newest.tasks.result);
    cr_expect_lt(oldest.moved, newest.moved);
    cr_expect_lt(oldest.tasks.ticks, newest.tasks.ticks);
    cr_expect_gt(oldest.tasks.native_fraction, newest.tasks.native_fraction);
    ek_report_destroy(&oldest);
    ek_report_destroy(&newest);
}

// The order of the processors changes the search, not its result.
Test(tasks, every_timing_finds_the_optimum)
{
    static const char *const programs[] = {"flowshop:8x4:3", "tsp:9:1"};
    static const char *const timings[] = {"turns", "turns:random"};
    for (unsigned i = 0; i < 4; i++) {
        struct ek_experiment experiment = {.topology = "torus:4x4", .tasks = programs[i / 2], .method = "adf"};
        struct ek_report rounds = run(experiment);
        experiment.timing = timings[i % 2];
        struct ek_report turns = run(experiment);
        cr_expect_eq(turns.tasks.result, rounds.tasks.result, "%s in %s", experiment.tasks, experiment.timing);
        cr_expect_gt(turns.tasks.nodes, 10);
        ek_report_destroy(&rounds);
        ek_report_destroy(&turns);
    }
}

// A run that was cut is not done, and reports what it executed.
Test(tasks, cut)
{
    struct tests_outcome outcome;
    struct ek_experiment experiment = {.topology = "ring:4", .tasks = "queens:8", .method = "adf", .steps_max = 10};
    tests_try(&experiment, 0, &outcome);
    cr_assert_eq(outcome.status, EK_UNREACHED);
    cr_expect_not(outcome.report.converged);
    cr_expect_eq(outcome.report.ended, EK_ENDED_STEPS);
    cr_expect(outcome.report.tasks.executed > 0 && outcome.report.tasks.executed <= 40);
    cr_expect_eq(outcome.report.tasks.ticks, 10);
    tests_outcome_destroy(&outcome);
}

Test(tasks, refused)
{
    static const struct {
        struct ek_experiment experiment;
        const char *axis, *part;
    } cases[] = {
        {{.units = "tasks"}, "units", "need a program"},
        {{.units = "tokens", .tasks = "queens:6"}, "units", "use units tasks"},
        {{.tasks = "queen:6"}, "tasks", "did you mean queens?"},
        {{.tasks = "queens:6", .load = "peak:2"}, "load", "begins with 1 task, and this load places 2"},
        {{.tasks = "queens:6", .work = "constant:0=1"}, "work", "the tasks are the work"},
        {{.tasks = "queens:6", .stop = "spread:1"}, "stop", "ends when no task is left"},
        {{.tasks = "queens:6", .delay = "fixed:2", .method = "adf"},
         "delay",
         "use timing free or virtual, or delay none"},
        {{.tasks = "queens:6", .faults = "link:0.1", .method = "adf"},
         "faults",
         "use timing free or virtual, or faults none"},
        {{.tasks = "queens:6", .timing = "virtual", .method = "adf", .faults = "processor:9", .topology = "torus:1x1"},
         "faults",
         "this machine has no links"},
        {{.tasks = "queens:6", .timing = "free", .method = "adf", .tick_s = 1e-6}, "tick", "leave tick out"},
        {{.tasks = "queens:6", .detect = "safra"}, "detect", "use timing free or virtual"},
        {{.timing = "free", .method = "adf", .detect = "safra"}, "detect", "leave detect out"},
        {{.timing = "virtual", .method = "adf", .detect = "mattern"}, "detect", "leave detect out"},
        {{.tasks = "queens:6", .timing = "free", .method = "adf", .detect = "safra", .faults = "link:0.1"},
         "detect",
         "use detect snapshot"},
        {{.tasks = "queens:6", .give = "older"}, "give", "did you mean oldest?"},
        {{.tasks = "queens:6", .method = "opt"}, "method", "opt balances real loads only"},
        {{.tasks = "queens:6", .working = "suspended"}, "working", "would never execute its tasks"},
        {{.tasks = "queens:6", .method = "dde"}, "method", "dde ends by itself"},
        {{.tasks = "bag:constant:1", .load = "peak:5000000000"}, "load", "place at most 4294967295"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        struct tests_outcome outcome;
        experiment.topology = experiment.topology ? experiment.topology : "ring:5";
        tests_try(&experiment, 0, &outcome);
        cr_assert_null(outcome.machine, "case %zu", i);
        cr_expect_eq(outcome.error.status, EK_BAD_INPUT);
        cr_expect_str_eq(outcome.error.axis, cases[i].axis, "%s", outcome.error.sentence);
        cr_expect(strstr(outcome.error.sentence, cases[i].part), "%s", outcome.error.sentence);
    }
}
