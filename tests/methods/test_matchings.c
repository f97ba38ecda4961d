// SPDX-License-Identifier: MIT
// Balancing over random links: the bounds on the expected variance, by hand and against the means of many runs, and the
// single links of matching:edge.
#include <criterion/criterion.h>
#include <math.h>

#include "tests/support/must.h"

static const char *const methods[] = {"matching", "matching:edge"};

static struct ek_experiment one_step(const char *topology, const char *method)
{
    return (struct ek_experiment){
        .topology = topology, .method = method, .carrier = "pool:1", .stop = "never", .operations_max = 1};
}

// l2 is 2 for chain:2 and ring:4, and 4 for complete:4: 1 - 2/2, 1 - 2/6 and 1 - 4/10; with a single link of 1, 4 and 6
// 1 - 2/2, 1 - 2/8 and 1 - 4/12.
Test(matchings, expected_variance_by_hand)
{
    static const char *const topologies[] = {"chain:2", "ring:4", "complete:4"};
    static const double shares[][3] = {{0.0, 2.0 / 3.0, 0.6}, {0.0, 0.75, 2.0 / 3.0}};
    for (unsigned m = 0; m < 2; m++) {
        for (unsigned t = 0; t < 3; t++) {
            double share = fact_of_experiment(one_step(topologies[t], methods[m]), "variance_factor_most");
            cr_expect(fabs(share - shares[m][t]) < 1e-9, "%s on %s: %g", methods[m], topologies[t], share);
        }
    }
}

// Returns the mean share of the variance that a step leaves.
static double mean_share(const char *topology, const char *method, const char *load)
{
    enum { RUNS = 2000 };
    struct ek_experiment experiment = one_step(topology, method);
    experiment.load = load;
    struct ek_machine *machine = must_prepare(experiment);
    double sum = 0.0;
    for (uint64_t run = 0; run < RUNS; run++) {
        struct ek_report report;
        struct ek_error error;
        cr_assert_eq(ek_run(machine, run, &report, NULL, NULL, &error), EK_OK, "%s", error.sentence);
        sum += report.variance_final / report.variance_initial;
        ek_report_destroy(&report);
    }
    ek_machine_destroy(machine);
    return sum / RUNS;
}

// 2, 1, 0, 1 around a ring is an eigenvector of l2: every single link leaves 3/4, and every maximal matching, two links
// that do not meet, 1/2. A peak has other parts too, and is balanced faster.
Test(matchings, means_of_runs_keep_the_bound)
{
    cr_expect(fabs(mean_share("ring:4", "matching:edge", "list:2,1,0,1") - 0.75) < 1e-12);
    cr_expect(fabs(mean_share("ring:4", "matching", "list:2,1,0,1") - 0.5) < 1e-12);
    static const char *const topologies[] = {"ring:8", "star:6", "mesh:4x3"};
    for (unsigned m = 0; m < 2; m++) {
        for (unsigned t = 0; t < 3; t++) {
            double most = fact_of_experiment(one_step(topologies[t], methods[m]), "variance_factor_most");
            double share = mean_share(topologies[t], methods[m], "peak:100@1");
            cr_expect(share <= most && share > 0.3, "%s on %s: %g, at most %g", methods[m], topologies[t], share, most);
        }
    }
}

Test(matchings, likely_operations_are_enough)
{
    for (unsigned i = 0; i < 40; i++) {
        struct tests_outcome outcome;
        must_run((struct ek_experiment){.topology = i % 2 ? "torus:4x4" : "star:9",
                                        .method = methods[i / 2 % 2],
                                        .carrier = "pool:1",
                                        .seed = i},
                 &outcome);
        double likely = fact_value(outcome.machine, "operations_likely");
        cr_expect(outcome.report.converged && (double)outcome.report.operations <= likely, "%u of %g",
                  (unsigned)outcome.report.operations, likely);
        tests_outcome_destroy(&outcome);
    }
}

// Each step moves the load of one pair, and every link has its turn.
Test(matchings, a_single_link_a_step)
{
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = "mesh:4x3",
                                    .method = "matching:edge",
                                    .ports = "one",
                                    .stop = "never",
                                    .steps_max = 600,
                                    .keep_links = true},
             &outcome);
    cr_expect_eq(outcome.report.messages - outcome.report.parcels, 2u * 600u); // both ends announce
    cr_expect_leq(outcome.report.parcels, 600u);
    cr_expect(outcome.report.variance_final < 1.0);
    tests_outcome_destroy(&outcome);
    must_run(one_step("chain:1", "matching:edge"), &outcome); // no link
    cr_expect_eq(outcome.report.messages, 0u);
    tests_outcome_destroy(&outcome);
}
