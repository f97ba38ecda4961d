// SPDX-License-Identifier: MIT
// Runs whose amounts the machine rounds to tokens: no load below zero, errors by link and by direction, and what is
// refused. Answers of another program are in test_known_answers.c.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/support/must.h"
#include "threads/machine/machine.h"

static const char *const roundings[] = {"nearest", "random", "carry"};

static double lowest(struct ek_experiment experiment)
{
    struct tests_outcome outcome;
    experiment.units = "tokens";
    must_run(experiment, &outcome);
    cr_expect_eq(outcome.report.total_final, outcome.report.total_initial);
    for (uint32_t p = 0; p < outcome.machine->plan.topology->processors; p++) {
        cr_expect_eq(outcome.report.final[p], floor(outcome.report.final[p]));
    }
    double least = outcome.report.minimum_ever;
    tests_outcome_destroy(&outcome);
    return least;
}

// Half of the difference to each of four neighbours is twice what the processor holds.
Test(token_rounding, only_down_overdraws)
{
    static const struct ek_experiment settings[] = {
        {0},
        {.ports = "one"},
        {.delay = "fixed:2"},
        {.timing = "turns"},
        {.timing = "turns:random", .delay = "uniform:0:3"},
        {.link_limit = "7"},
        {.invoke = "probability:0.5"},
        {.timing = "virtual", .domains = "overlap"},
        {.faults = "link:0.5,repair:3"},
    };
    struct ek_experiment once = {
        .topology = "torus:5x5", .method = "diffusion:0.5", .load = "peak:100", .stop = "never", .operations_max = 1};
    cr_expect_eq(lowest(once), -100.0, "%g", lowest(once));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct ek_experiment experiment = settings[i];
        experiment.topology = "torus:5x5";
        experiment.method = "diffusion:0.5";
        experiment.load = "peak:100";
        experiment.stop = "never";
        experiment.operations_max = 60;
        for (size_t r = 0; r < 3; r++) {
            experiment.rounding = roundings[r];
            cr_expect_eq(lowest(experiment), 0.0, "setting %zu, %s: %g", i, roundings[r], lowest(experiment));
        }
    }
}

// By hand. The flow from 9 to 0 is 0.9: 1 is sent, and -0.1 is carried. Then 0.7 - 0.1 = 0.6: 1, and -0.4. Then 0.5 -
// 0.4 = 0.1: nothing. Then 0.5 + 0.1 = 0.6: 1. Without the error each of these flows but 0.5 would send 1.
Test(token_rounding, a_link_carries_its_error)
{
    static const double left[] = {8.0, 7.0, 7.0, 6.0};
    for (uint64_t steps = 1; steps <= 4; steps++) {
        for (unsigned turns = 0; turns < 2; turns++) {
            struct tests_outcome outcome;
            must_run((struct ek_experiment){.topology = "chain:2",
                                            .method = "diffusion:0.1",
                                            .units = "tokens",
                                            .rounding = "carry",
                                            .timing = turns ? "turns" : NULL,
                                            .load = "list:9,0",
                                            .stop = "never",
                                            .steps_max = steps},
                     &outcome);
            cr_expect_eq(outcome.report.final[0], left[steps - 1], "%s, %u steps: %g", turns ? "turns" : "rounds",
                         (unsigned)steps, outcome.report.final[0]);
            tests_outcome_destroy(&outcome);
        }
    }
}

// Two processors that share 1 with lambda 1/2: the error of the first step brings the token over in the second, and
// with one error for both directions it comes back only when the link owes a token again.
Test(token_rounding, both_ends_know_the_error)
{
    static const double held[] = {1.0, 0.0, 0.0, 1.0};
    for (uint64_t steps = 1; steps <= 3; steps++) {
        struct tests_outcome outcome;
        must_run((struct ek_experiment){.topology = "chain:2",
                                        .method = "ade",
                                        .units = "tokens",
                                        .rounding = "carry",
                                        .load = "list:1,0",
                                        .stop = "never",
                                        .steps_max = steps},
                 &outcome);
        cr_expect_eq(outcome.report.final[0], held[steps - 1], "%u steps: %g", (unsigned)steps,
                     outcome.report.final[0]);
        tests_outcome_destroy(&outcome);
    }
}

Test(token_rounding, what_means_nothing_is_refused)
{
    static const struct {
        struct ek_experiment experiment;
        const char *axis, *sentence;
    } cases[] = {
        {{.method = "adf", .units = "real", .rounding = "carry"}, "rounding", "use units tokens, or rounding down"},
        {{.method = "splitting:1/2", .rounding = "nearest"}, "rounding", "splitting has no real amounts"},
        {{.method = "nna", .units = "tokens", .rounding = "random"}, "rounding", "a method like adf, gde or sender"},
        {{.method = "liquid:c0", .rounding = "carry"}, "rounding", "liquid has no real amounts"},
        {{.method = "rotor:1", .rounding = "carry"}, "rounding", "rotor has no real amounts"},
        {{.method = "sender:0.2", .units = "tokens", .rounding = "carry", .timing = "free"},
         "rounding",
         "use rounding down, announce pushed"},
        {{.method = "rotor:1", .timing = "free"}, "method", "rotor works in rounds only"},
        {{.method = "rotor:1", .timing = "turns"}, "method", "rotor does not support turns"},
        {{.method = "rotor:1", .ports = "one"}, "method", "rotor needs all its ports"},
        {{.method = "rotor:1", .units = "real"}, "method", "rotor balances tokens only"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        struct ek_error error = {0};
        experiment.topology = "ring:6";
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_expect_null(machine, "case %zu", i);
        cr_expect_str_eq(error.axis, cases[i].axis, "case %zu: %s", i, error.axis);
        cr_expect(strstr(error.sentence, cases[i].sentence), "case %zu: %s", i, error.sentence);
        ek_machine_destroy(machine);
    }
}

// The amounts of other methods and the default are what they were: `down` changes nothing.
Test(token_rounding, down_is_the_methods_own)
{
    static const char *const methods[] = {"gde:0.7", "adf", "sender:1/deg", "dde", "liquid:c5", "nna"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct ek_experiment experiment = {
            .topology = "ring:12", .method = methods[m], .units = "tokens", .stop = "never", .steps_max = 20};
        struct tests_outcome own, down;
        must_run(experiment, &own);
        experiment.rounding = "down";
        must_run(experiment, &down);
        cr_expect_null(tests_report_differs(&own.report, &down.report, 12), "%s", methods[m]);
        tests_outcome_destroy(&own);
        tests_outcome_destroy(&down);
    }
}
