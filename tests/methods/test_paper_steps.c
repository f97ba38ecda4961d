// SPDX-License-Identifier: MIT
// Steps as the papers count them (steps_paper): Wu & Shu's Fig. 14, where the machine's own steps reverse the order
// of the methods, and Henrich's.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/support/runs.h"

static struct ek_report report_of(struct ek_experiment experiment)
{
    struct tests_outcome outcome;
    experiment.carrier = "pool:1";
    tests_try(&experiment, 0, &outcome);
    cr_assert(outcome.status == EK_OK || outcome.status == EK_UNREACHED, "%s %s: %s", experiment.topology,
              experiment.method, outcome.error.sentence);
    struct ek_report report = outcome.report;
    tests_outcome_destroy(&outcome);
    return report;
}

// The mean steps of gde are 3sc, recomputed from 200 samples (134, 133, 186, 170 steps). Those of dde are kn and the
// measured exchange (27.8, 46.0, 42.6, 70.1), within the paper's 2kn on meshes and 1.5kn on tori.
Test(paper_steps, figure_14)
{
    static const struct {
        const char *topology;
        double gde, dde, nominal;
    } rows[] = {{"mesh:8x8", 134, 27.8, 32},
                {"torus:16x16", 133, 46.0, 48},
                {"mesh:8x8x8", 186, 42.6, 48},
                {"torus:16x16x16", 170, 70.1, 72}};
    enum { SAMPLES = 20 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double gde = 0.0;
        double dde = 0.0;
        double machine[2] = {0.0, 0.0};
        for (uint64_t seed = 1; seed <= SAMPLES; seed++) {
            struct ek_experiment experiment = {
                .topology = rows[i].topology, .units = "tokens", .load = "uniform:0:2000", .seed = seed};
            experiment.method = "dde";
            struct ek_report direct = report_of(experiment);
            experiment.method = i % 2 ? "ode" : "gde:0.723"; // the best lambda depends on the topology
            experiment.stop = "neighbours:1";
            struct ek_report exchange = report_of(experiment);
            cr_assert(direct.has_steps_paper && exchange.has_steps_paper);
            cr_expect_eq(exchange.steps_paper, 3 * exchange.steps);
            cr_expect_leq((double)direct.steps_paper, rows[i].nominal);
            dde += (double)direct.steps_paper / SAMPLES;
            gde += (double)exchange.steps_paper / SAMPLES;
            machine[0] += (double)direct.steps / SAMPLES;
            machine[1] += (double)exchange.steps / SAMPLES;
        }
        cr_expect_float_eq(gde, rows[i].gde, 0.06 * rows[i].gde, "%s: gde takes %g steps, not %g", rows[i].topology,
                           gde, rows[i].gde);
        cr_expect_float_eq(dde, rows[i].dde, 0.04 * rows[i].dde, "%s: dde takes %g steps, not %g", rows[i].topology,
                           dde, rows[i].dde);
        cr_expect_gt(gde, 2.0 * dde, "%s: %g and %g", rows[i].topology, gde, dde);
        cr_expect(i % 2 == 0 || machine[0] > machine[1], "%s: the machine counts %g and %g", rows[i].topology,
                  machine[0], machine[1]);
    }
}

static void expect_steps(const char *topology, const char *method, const char *units, const char *ports, uint64_t steps,
                         uint64_t paper, const char *counts)
{
    struct ek_report report = report_of((struct ek_experiment){.topology = topology,
                                                               .method = method,
                                                               .units = units,
                                                               .ports = ports,
                                                               .load = "list:9,7,4,1,4,6,1,5",
                                                               .operations_max = 2,
                                                               .stop = "never"});
    cr_expect_eq(report.steps, steps, "%s %s: %u steps", topology, method, (unsigned)report.steps);
    cr_expect_eq(report.has_steps_paper, counts != NULL, "%s %s", topology, method);
    cr_expect(!counts || (report.steps_paper == paper && strstr(report.steps_paper_counts, counts)), "%s %s: %u, %s",
              topology, method, (unsigned)report.steps_paper, report.steps_paper_counts);
}

// Example 1 takes 4 steps of exchange on the chain and 3 on the ring. Henrich's step is one of all dimensions.
Test(paper_steps, what_is_counted)
{
    expect_steps("chain:8", "dde", NULL, "all", 14 + 4, 8 + 4, "k steps for the scan");
    expect_steps("ring:8", "dde", NULL, "all", 14 + 3, 8 + 3, "k steps for the scan");
    expect_steps("chain:8", "dde", NULL, "one", 28 + 4, 8 + 4, "k steps for the scan");
    expect_steps("ring:8", "dde:middle", NULL, "all", 8 + 3, 0, NULL);
    expect_steps("ring:8", "dde:doubling", NULL, "all", 6 + 3, 0, NULL);
    expect_steps("hypercube:3", "dem", NULL, "all", 3, 9, "three communications");
    expect_steps("torus:4x2", "gde:0.6", "tokens", "all", 2 * 3, 3 * 6, "three communications");
    expect_steps("torus:4x2", "gde:0.6", "real", "all", 2 * 3, 0, NULL);
    expect_steps("torus:4x2", "adf", "tokens", "all", 2, 0, NULL);
    expect_steps("torus:4x2", "liquid:c5", NULL, "all", 4, 2, "all dimensions as one");
    expect_steps("ring:8", "liquid:c5", NULL, "all", 2, 0, NULL);
    struct ek_report nna = report_of((struct ek_experiment){
        .topology = "ring:8", .method = "nna", .units = "tokens", .load = "peak:90", .operations_max = 1});
    cr_expect(nna.has_steps_paper && nna.steps == 1 && nna.steps_paper == 60 && nna.shifts == 60.0, "%u",
              (unsigned)nna.steps_paper);
}
