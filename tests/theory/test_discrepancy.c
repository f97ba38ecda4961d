// SPDX-License-Identifier: MIT
// Bounds on the discrepancy that the rounding of tokens leaves.
#include <criterion/criterion.h>
#include <math.h>

#include "core/theory/discrepancy.h"
#include "tests/support/must.h"

// By hand. In chain:2 a step with alpha = 1/4 halves the difference of 1: 1 + 1/2 + 1/4 + ... = 2. In complete:4 a walk
// that begins at a processor differs over its 3 links by 1, and after a step with alpha = 1/4 it is even. In ring:4
// with alpha = 1/4 the differences over the four links are 1, 1, 0, 0, then 1/4 each, then half as much each step. In
// star:3 a walk that begins at a leaf differs by 1, 3/4, 9/16 and so on.
Test(discrepancy, local_divergence_of_small_graphs)
{
    static const struct {
        const char *topology;
        double alpha, gamma, divergence;
    } cases[] = {{"chain:2", 0.25, 0.5, 2.0},
                 {"chain:2", 0.5, 0.0, 1.0},
                 {"complete:4", 0.25, 0.0, 3.0},
                 {"ring:4", 0.25, 0.5, 4.0},
                 {"star:3", 0.25, 0.75, 4.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_topology *topology = must_build(cases[i].topology);
        double found = core_local_divergence(topology, cases[i].alpha, cases[i].gamma);
        cr_expect(found >= cases[i].divergence - 1e-12 && found <= cases[i].divergence + 0.011, "%s, %g: %.17g",
                  cases[i].topology, cases[i].alpha, found);
        cr_expect(isnan(core_local_divergence(topology, cases[i].alpha, 1.0)), "the walks never become even");
        ek_topology_destroy(topology);
    }
}

static const char *const roundings[] = {"down", "nearest", "random", "carry"};

// Runs that have gone on for long stay within their bound.
Test(discrepancy, long_runs_keep_the_bound)
{
    static const char *const topologies[] = {"ring:16", "torus:5x5", "hypercube:4", "star:9", "random:20:3"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        for (size_t r = 0; r < 2; r++) {
            struct ek_experiment experiment = {.topology = topologies[i],
                                               .method = "adf",
                                               .units = "tokens",
                                               .rounding = roundings[r],
                                               .load = "peak:9000",
                                               .stop = "never",
                                               .operations_max = 1500};
            double limit = fact_of_experiment(experiment, "discrepancy_limit");
            struct tests_outcome outcome;
            must_run(experiment, &outcome);
            cr_expect(outcome.report.spread_final <= limit, "%s, %s: %g, above %g", topologies[i], roundings[r],
                      outcome.report.spread_final, limit);
            tests_outcome_destroy(&outcome);
        }
    }
}

// In chain:2 alpha = 1/4 leaves half of the difference. The distance of 1000 and 0 from balance is 707.1, and twice
// that times 2^-11 is 0.69.
Test(discrepancy, operations_after_which_the_bound_holds)
{
    struct ek_experiment experiment = {
        .topology = "chain:2", .method = "diffusion:0.25", .units = "tokens", .load = "peak:1000"};
    cr_expect_eq(fact_of_experiment(experiment, "discrepancy_operations"), 11.0);
    static const char *const topologies[] = {"ring:16", "torus:5x5", "star:9"};
    for (size_t i = 0; i < 3; i++) {
        experiment.topology = topologies[i];
        experiment.method = "adf";
        experiment.stop = NULL;
        experiment.operations_max = 0;
        double limit = fact_of_experiment(experiment, "discrepancy_limit");
        experiment.operations_max = (uint64_t)fact_of_experiment(experiment, "discrepancy_operations");
        experiment.stop = "never";
        struct tests_outcome outcome;
        must_run(experiment, &outcome);
        cr_expect(outcome.report.spread_final <= limit + 1.0, "%s", topologies[i]);
        tests_outcome_destroy(&outcome);
    }
}

// Carried errors and draws leave less on a torus than rounding down and to nearest.
Test(discrepancy, what_is_carried_comes_nearer)
{
    double spread[4];
    for (size_t r = 0; r < 4; r++) {
        struct tests_outcome outcome;
        must_run((struct ek_experiment){.topology = "torus:8x8",
                                        .method = "adf",
                                        .units = "tokens",
                                        .rounding = roundings[r],
                                        .load = "peak:6400",
                                        .stop = "never",
                                        .operations_max = 400},
                 &outcome);
        spread[r] = outcome.report.spread_final;
        tests_outcome_destroy(&outcome);
    }
    cr_expect(spread[0] > 2.0 * spread[1] && spread[1] > 2.0 * spread[3], "%g, %g, %g, %g", spread[0], spread[1],
              spread[2], spread[3]);
    cr_expect(spread[2] < spread[1]);
}

// Each bound is shown for the runs that it is about, and for no others.
Test(discrepancy, is_shown_where_it_holds)
{
    static const struct {
        struct ek_experiment experiment;
        const char *fact, *text, *beside;
    } cases[] = {
        {{.method = "adf"}, "discrepancy_limit", "twice the local divergence", "spread_final"},
        {{.method = "fos", .rounding = "nearest"},
         "discrepancy_limit",
         "as long as no processor lacks",
         "spread_final"},
        {{.method = "adf", .rounding = "random"}, "discrepancy_order", "a lower bound", "spread_final"},
        {{.method = "odf", .rounding = "carry"}, "discrepancy_order", "O(1) on tori", "spread_final"},
        {{.method = "matching", .rounding = "random"}, "discrepancy_likely", "by at most 3", "spread_final"},
        {{.method = "ade", .rounding = "random"}, "discrepancy_likely", "by at most 3", "spread_final"},
        {{.method = "gde:0.3", .rounding = "random"}, NULL, NULL, NULL},
        {{.method = "ade", .rounding = "carry"}, NULL, NULL, NULL},
        {{.method = "rotor:4"}, "discrepancy_order", "every second token", "spread_final"},
        {{.method = "sos"}, "discrepancy_order", "in tokens stays a small number", "spread_final"},
        {{.method = "sos", .capacity = "semi"}, "discrepancy_order", "divided by capacities", "discrepancy_final"},
        {{.method = "adf", .delay = "fixed:2"}, NULL, NULL, NULL},
        {{.method = "adf", .capacity = "semi"}, NULL, NULL, NULL},
        {{.method = "adf", .timing = "turns"}, NULL, NULL, NULL},
        {{.method = "adf", .timing = "free", .seconds_max = 0.1}, NULL, NULL, NULL},
        {{.method = "adf", .invoke = "above:3"}, NULL, NULL, NULL},
        {{.method = "adf", .topology = "random:3000:4"}, NULL, NULL, NULL},
    };
    static const char *const names[] = {"discrepancy_limit", "discrepancy_order", "discrepancy_likely"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        experiment.topology = experiment.topology ? experiment.topology : "torus:4x4";
        experiment.units = "tokens";
        experiment.carrier = "pool:1";
        struct ek_machine *machine = must_prepare(experiment);
        for (size_t k = 0; k < 3; k++) {
            const struct ek_fact *fact = fact_of(machine, names[k]);
            bool wanted = cases[i].fact && strcmp(cases[i].fact, names[k]) == 0;
            cr_expect_eq(fact != NULL, wanted, "case %zu: %s", i, names[k]);
            cr_expect(!fact || strcmp(fact->beside, cases[i].beside) == 0, "case %zu: %s", i, fact ? fact->beside : "");
            cr_expect(!fact || strstr(fact->text, cases[i].text), "case %zu: %s", i, fact ? fact->text : "");
        }
        ek_machine_destroy(machine);
    }
}
