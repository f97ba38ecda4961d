// SPDX-License-Identifier: MIT
// Gossip that estimates the mean load: by hand on two processors, and what holds of its estimates on other graphs.
#include <criterion/criterion.h>
#include <math.h>

#include "tests/support/must.h"

static void run(const char *topology, const char *method, const char *load, uint64_t seed,
                struct tests_outcome *outcome)
{
    must_run((struct ek_experiment){.topology = topology, .method = method, .load = load, .seed = seed}, outcome);
    cr_assert_eq(outcome->status, EK_OK);
    cr_assert(outcome->report.has_estimates && outcome->report.converged);
}

// Each of two processors sends half to the other: loads are 6 and 6, weights 1 and 1.
Test(gossip, push_sum_on_two_processors)
{
    struct tests_outcome outcome;
    run("chain:2", "push-sum:1", "list:12,0", 1, &outcome);
    cr_expect(outcome.report.final[0] == 6.0 && outcome.report.final[1] == 6.0);
    cr_expect(outcome.report.estimate_error == 0.0 && outcome.report.estimate_mean == 6.0);
    tests_outcome_destroy(&outcome);
}

// On a star of 3 both leaves send half of the load 6 and of the weight 1 to the centre, which sends half of its 12 and
// 1 to one of them: the centre holds 12 with the weight 1.5, a leaf 9 with 1 and the other 3 with 0.5, or the centre's
// part has gone to the other leaf. The estimates are 8, 9 and 6.
Test(gossip, push_sum_on_a_star)
{
    struct tests_outcome outcome;
    run("star:3", "push-sum:1", "list:12,6,6", 3, &outcome);
    cr_expect_eq(outcome.report.final[0], 12.0);
    cr_expect_eq(outcome.report.final[1] + outcome.report.final[2], 12.0);
    cr_expect_eq(fabs(outcome.report.final[1] - outcome.report.final[2]), 6.0);
    cr_expect(fabs(outcome.report.estimate_mean - 23.0 / 3.0) < 1e-12);
    cr_expect(fabs(outcome.report.estimate_spread - 3.0) < 1e-12);
    cr_expect(fabs(outcome.report.estimate_error - sqrt(0.0 + 1.0 + 4.0)) < 1e-12);
    tests_outcome_destroy(&outcome);
}

// The estimates come to the mean; the loads go on moving at random.
Test(gossip, push_sum_finds_the_mean)
{
    static const char *const topologies[] = {"complete:16", "torus:4x4", "star:9", "random:20:3"};
    for (unsigned i = 0; i < 4; i++) {
        struct tests_outcome outcome;
        run(topologies[i], "push-sum:900", "uniform:0:1000", i, &outcome);
        cr_expect(outcome.report.estimate_error < 1e-6, "%s: %g", topologies[i], outcome.report.estimate_error);
        cr_expect(fabs(outcome.report.estimate_mean - outcome.report.mean_final) < 1e-6);
        cr_expect(outcome.report.variance_final > 1000.0);
        tests_outcome_destroy(&outcome);
    }
}

// One of the two speaks, and the other keeps 3/4 of its own estimate: 12 and 3, or 9 and 0. No load moves.
Test(gossip, broadcast_on_two_processors)
{
    unsigned first = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct tests_outcome outcome;
        run("chain:2", "broadcast-gossip:1:0.75", "list:12,0", seed, &outcome);
        cr_expect(outcome.report.final[0] == 12.0 && outcome.report.moved == 0.0);
        cr_expect_eq(outcome.report.estimate_spread, 9.0);
        cr_expect(outcome.report.estimate_mean == 7.5 || outcome.report.estimate_mean == 4.5);
        first += outcome.report.estimate_mean == 7.5;
        tests_outcome_destroy(&outcome);
    }
    cr_expect(first > 8 && first < 32, "%u", first);
}

// The estimates agree, but not upon the mean, which they have in expectation only.
Test(gossip, broadcast_keeps_the_mean_in_expectation_only)
{
    enum { RUNS = 400 };
    double sum = 0.0;
    double farthest = 0.0;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        struct tests_outcome outcome;
        must_run((struct ek_experiment){.topology = "ring:8",
                                        .method = "broadcast-gossip:600",
                                        .load = "list:80,0,0,0,0,0,0,0",
                                        .carrier = "pool:1",
                                        .seed = seed},
                 &outcome);
        cr_expect(outcome.report.estimate_spread < 0.1, "%g", outcome.report.estimate_spread);
        sum += outcome.report.estimate_mean;
        farthest = fmax(farthest, fabs(outcome.report.estimate_mean - 10.0));
        tests_outcome_destroy(&outcome);
    }
    cr_expect(fabs(sum / RUNS - 10.0) < 1.5, "%g", sum / RUNS);
    cr_expect(farthest > 5.0, "%g", farthest);
}

Test(gossip, needs_the_number_of_operations)
{
    static const char *const wrong[] = {"push-sum", "push-sum:0", "push-sum:3:1", "broadcast-gossip:5:2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ek_error error;
        struct ek_experiment experiment = {.topology = "ring:5", .method = wrong[i]};
        cr_expect_null(ek_prepare(&experiment, &error), "%s", wrong[i]);
        cr_expect_str_eq(error.axis, "method");
    }
}
