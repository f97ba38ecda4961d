// SPDX-License-Identifier: MIT
// The least flow: flows that formulas give, the number of iterations, and what holds of every run.
#include <criterion/criterion.h>
#include <math.h>

#include "tests/support/flows.h"
#include "tests/support/must.h"

static const double NEAR = 1e-9;

static void run(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    experiment.method = "least-flow";
    experiment.keep_links = true;
    must_run(experiment, outcome);
    cr_assert_eq(outcome->status, EK_OK, "%s: %s", experiment.topology, outcome->report.why);
    cr_expect_eq(outcome->report.ended, EK_ENDED_ITSELF);
}

// Over each link of a chain goes the surplus of all processors before it.
Test(least_flow, chain_by_formula)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = "chain:5", .load = "list:20,0,5,0,0"}, &outcome);
    static const double flows[] = {15.0, 10.0, 10.0, 5.0};
    for (uint32_t p = 0; p < 4; p++) {
        cr_expect(fabs(tests_flow_of(&outcome.report, p, p + 1) - flows[p]) < NEAR, "from %u", p);
        cr_expect(fabs(outcome.report.final[p] - 5.0) < NEAR);
    }
    tests_outcome_destroy(&outcome);
}

// On a ring the flows of the chain less their mean have the least 2-norm: the surplus before each link is 6, 5, 4, 3, 2
// and 1, and 0 goes over the last link; the mean is 3.
Test(least_flow, ring_by_formula)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = "ring:7", .load = "peak:7@0"}, &outcome);
    for (uint32_t p = 0; p < 7; p++) {
        cr_expect(fabs(tests_flow_of(&outcome.report, p, (p + 1) % 7) - (3.0 - (double)p)) < NEAR, "from %u", p);
    }
    tests_outcome_destroy(&outcome);
}

// On a complete graph L is n times the distance from the mean, so the flow is the difference of the loads over n.
Test(least_flow, complete_by_formula)
{
    struct tests_outcome outcome;
    static const double load[] = {12.0, 0.0, 30.0, 7.0};
    run((struct ek_experiment){.topology = "complete:4", .load = "list:12,0,30,7"}, &outcome);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t j = 0; j < i; j++) {
            cr_expect(fabs(tests_flow_of(&outcome.report, i, j) - (load[i] - load[j]) / 4.0) < NEAR, "%u to %u", i, j);
        }
    }
    tests_outcome_destroy(&outcome);
}

// Returns the scan steps of a run: a sum takes `height` steps up the tree and as many down. One finds the total,
// each iteration has two sums and a step between neighbours, a last sum finds that the residual is small enough, and
// one step tells the potential.
static uint64_t steps_of(uint64_t height, uint64_t iterations)
{
    return 2 * height + iterations * (4 * height + 1) + 2 * height + 1;
}

// The Laplacian of a hypercube of dimension d has d distinct nonzero eigenvalues, and a peak has a part of each; that
// of a complete graph has one, and that of a star two. A peak at the centre of a star is an eigenvector less its mean.
Test(least_flow, an_iteration_for_each_eigenvalue)
{
    static const struct {
        const char *topology, *load;
        uint64_t height, iterations, colours;
    } cases[] = {
        {"hypercube:3", "peak:800@0", 3, 3, 3}, {"hypercube:5", "peak:800@0", 5, 5, 5},
        {"complete:9", "peak:90@0", 1, 1, 9},   {"complete:9", "uniform:0:90", 1, 1, 9},
        {"star:8", "peak:80@0", 1, 1, 7},       {"star:8", "peak:80@3", 1, 2, 7},
        {"ring:9", "constant:4", 4, 0, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = {.topology = cases[i].topology, .load = cases[i].load};
        struct tests_outcome outcome;
        uint64_t steps = steps_of(cases[i].height, cases[i].iterations);
        run(experiment, &outcome);
        cr_expect_eq(outcome.report.scan_steps, steps, "%s with %s: %llu steps, not %llu", cases[i].topology,
                     cases[i].load, (unsigned long long)outcome.report.scan_steps, (unsigned long long)steps);
        tests_outcome_destroy(&outcome);
        experiment.ports = "one";
        run(experiment, &outcome);
        cr_expect_eq(outcome.report.scan_steps, cases[i].colours * steps, "%s with one port", cases[i].topology);
        tests_outcome_destroy(&outcome);
    }
}

// Each processor sends when all that it receives has come, so load goes step by step away from the peak of a chain, and
// no load is ever below the balanced one.
Test(least_flow, load_waits_for_load)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = "chain:9", .load = "peak:90@0"}, &outcome);
    cr_expect_eq(outcome.report.exchange_steps, 8);
    cr_expect_eq(outcome.report.parcels, 8);
    cr_expect(fabs(outcome.report.moved - 10.0 * 36.0) < NEAR);
    cr_expect(outcome.report.minimum_ever >= 0.0);
    tests_outcome_destroy(&outcome);
}

// The flow has the least 2-norm, so it is that of sos in the limit (Diekmann, Frommer & Monien 1999). Loads end in
// proportion to the capacities.
Test(least_flow, equals_second_order_diffusion)
{
    static const struct ek_experiment experiments[] = {
        {.topology = "mesh:5x3", .load = "uniform:0:100"},
        {.topology = "random:20:3", .load = "uniform:0:100", .seed = 4},
        {.topology = "otis(ring:3)", .load = "peak:900@4", .ports = "one"},
        {.topology = "torus:4x4", .load = "exponential:50", .carrier = "pool:3"},
        {.topology = "mesh:4x4", .load = "uniform:0:100", .capacity = "cs"},
        {.topology = "mesh:4x4", .load = "uniform:0:100", .capacity = "cs", .weighting = "target"},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        struct tests_outcome least, second;
        struct ek_experiment experiment = experiments[i];
        run(experiment, &least);
        cr_expect(least.report.minimum_ever >= -NEAR, "%zu: %g", i, least.report.minimum_ever);
        cr_expect(least.report.error_final < NEAR, "%zu: %g", i, least.report.error_final);
        if (experiment.capacity && !experiment.weighting) {
            tests_outcome_destroy(&least);
            continue; // diffusion of loads by capacities has another flow
        }
        experiment.method = "sos";
        experiment.stop = "error:1e-11";
        experiment.keep_links = true;
        must_run(experiment, &second);
        for (size_t link = 0; link < least.report.flow_count; link++) {
            cr_expect(fabs(least.report.flow[link].net - second.report.flow[link].net) < 1e-7, "%zu, link %zu", i,
                      link);
        }
        tests_outcome_destroy(&least);
        tests_outcome_destroy(&second);
    }
}

// Objects follow the flow, and each moves once.
Test(least_flow, objects_follow)
{
    struct tests_outcome outcome;
    struct ek_experiment experiment = {.topology = "chain:4",
                                       .method = "least-flow",
                                       .objects = "weights:constant:1",
                                       .load = "peak:40@0",
                                       .migrate = "end"};
    must_run(experiment, &outcome);
    for (unsigned p = 0; p < 4; p++) {
        cr_expect_eq(outcome.report.final[p], 10.0);
    }
    cr_expect_eq(outcome.report.objects.moved_once, 1.0);
    tests_outcome_destroy(&outcome);
}
