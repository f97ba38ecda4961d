// SPDX-License-Identifier: MIT
// The time of an operation: closed forms against runs, with costs that are drawn.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "core/theory/operation_time.h"
#include "tests/support/must.h"

enum { COSTS = 6, TEXT = 24 };

static void draw_costs(struct ek_experiment *experiment, struct base_random *random, char text[COSTS][TEXT])
{
    static const unsigned most[COSTS] = {3000, 400, 900, 3000, 30, 64};
    for (int i = 0; i < COSTS; i++) {
        uint64_t below = base_random_below(random, 4) == 0 ? 2 : most[i];
        uint64_t cost = base_random_below(random, below) + (i == 0 || i == 3);
        snprintf(text[i], TEXT, i == 5 ? "%llu" : "%lluns", (unsigned long long)cost);
    }
    experiment->turn_cost = text[0];
    experiment->overhead = text[1];
    experiment->gap = text[2];
    experiment->latency = text[3];
    experiment->byte_time = text[4];
    experiment->message_bytes = text[5];
}

static void expect_times(struct ek_experiment experiment, double operations)
{
    struct tests_outcome outcome;
    must_run(experiment, &outcome);
    double theory = fact_value(outcome.machine, "operation_s_theory");
    cr_expect_float_eq(outcome.report.virtual_s, operations * theory, 1e-12 * outcome.report.virtual_s,
                       "%s on %s, %s ports, %s: %.10g s, not %.0f times %.10g s; T %s o %s g %s L %s G %s b %s",
                       experiment.method, experiment.topology, experiment.ports, experiment.timing,
                       outcome.report.virtual_s, operations, theory, experiment.turn_cost, experiment.overhead,
                       experiment.gap, experiment.latency, experiment.byte_time, experiment.message_bytes);
    tests_outcome_destroy(&outcome);
}

// The invoker gives to all, since all load is at it.
Test(operation_time, a_lone_operation_takes_what_theory_says)
{
    static const char *const topologies[] = {"chain:2",   "star:4",      "star:9",    "star:40",
                                             "torus:4x4", "hypercube:5", "complete:7"};
    static const char *const methods[] = {"ade", "gde:0.3", "adf", "diffusion:0.01"};
    static const char *const domains[] = {"overlap", "once"};
    for (unsigned i = 0; i < tests_part(800); i++) {
        struct base_random random = base_random_start(41, i, BASE_STREAM_LOAD);
        char text[COSTS][TEXT];
        struct ek_experiment experiment = {.topology = topologies[base_random_below(&random, 7)],
                                           .method = methods[base_random_below(&random, 4)],
                                           .ports = base_random_below(&random, 2) ? "one" : "all",
                                           .domains = domains[base_random_below(&random, 2)],
                                           .timing = "virtual",
                                           .load = "peak:1000",
                                           .invoke = "at:0",
                                           .operations_max = 1,
                                           .stop = "never",
                                           .carrier = "pool:1",
                                           .unpinned = true};
        draw_costs(&experiment, &random, text);
        expect_times(experiment, 1.0);
    }
}

Test(operation_time, rounds_take_what_theory_says)
{
    static const char *const topologies[] = {"chain:2", "star:9", "torus:4x4", "mesh:5x3", "complete:7", "ring:5"};
    static const char *const methods[] = {"ade", "gde:0.3", "adf", "diffusion:0.01", "matching", "fos"};
    for (unsigned i = 0; i < tests_part(300); i++) {
        struct base_random random = base_random_start(42, i, BASE_STREAM_LOAD);
        char text[COSTS][TEXT];
        struct ek_experiment experiment = {.topology = topologies[base_random_below(&random, 6)],
                                           .method = methods[base_random_below(&random, 6)],
                                           .ports = base_random_below(&random, 2) ? "one" : "all",
                                           .timing = "rounds",
                                           .operations_max = 1 + base_random_below(&random, 5),
                                           .stop = "never"};
        draw_costs(&experiment, &random, text);
        expect_times(experiment, (double)experiment.operations_max);
    }
}

// With the default costs.
Test(operation_time, by_hand)
{
    const struct core_costs costs = {
        .of = {
            [CORE_COST_TURN] = 100, [CORE_COST_OVERHEAD] = 200, [CORE_COST_GAP] = 50, [CORE_COST_MESSAGE_BYTES] = 16}};
    struct core_lone_operation operation = {.costs = &costs, .latency = 1000, .neighbours = 1};
    cr_expect_eq(core_lone_operation_time(&operation), 4750); // 4T + 6o + 3f
    operation.together = true;
    cr_expect_eq(core_lone_operation_time(&operation), 4750);
    operation.neighbours = 4; // answers at 2900, 3100, 3300, 3500; turns at 2900, 3200 and 3500 with 1, 1 and 2 answers
    cr_expect_eq(core_lone_operation_time(&operation), 3500 + 100 + 2 * 200 + 4 * 200 + 1050 + 300);
    operation.together = false;
    cr_expect_eq(core_lone_operation_time(&operation), 10 * 100 + 18 * 200 + 9 * 1050 + 3 * 200);
}

// The fact holds for a rule over equal messages, and only where the report shows virtual time.
Test(operation_time, other_runs_have_none)
{
    static const struct ek_experiment kinds[] = {
        {.topology = "ring:8", .method = "adf"}, // no cost was given
        {.topology = "ring:8", .method = "adf", .timing = "turns"},
        {.topology = "ring:8", .method = "adf", .timing = "free"},
        {.topology = "ring:8", .method = "adf", .latency = "2us", .invoke = "at:0"},
        {.topology = "ring:8", .method = "diffusion:0.1", .latency = "2us", .delay = "fixed:1"},
        {.topology = "ring:8", .method = "adf", .latency = "2us", .load_bytes = "8", .byte_time = "1ns"},
        {.topology = "ring:8", .method = "adf", .latency = "2us", .faults = "link:0.1"},
        {.topology = "ring:8", .method = "dde", .latency = "2us"},
        {.topology = "ring:8", .method = "adf", .timing = "virtual", .announce = "pushed"},
        {.topology = "ring:8", .method = "adf", .timing = "virtual", .slow = "0:2"},
        {.topology = "ring:8", .method = "adf", .timing = "virtual", .delay = "uniform:1us:2us"},
        {.topology = "ring:8", .method = "adf", .timing = "virtual", .delay_load = "fixed:3us"},
        {.topology = "ring:8", .method = "adf", .timing = "virtual", .domains = "exclusive"},
        {.topology = "ring:8", .method = "nna", .timing = "virtual"},
        {.topology = "chain:1", .method = "adf", .latency = "2us"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ek_machine *machine = must_prepare(kinds[i]);
        cr_expect_null(fact_of(machine, "operation_s_theory"), "kind %zu", i);
        ek_machine_destroy(machine);
    }
}
