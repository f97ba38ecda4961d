// SPDX-License-Identifier: MIT
// Runs of TemperedLB: steps, messages, facts and ends. Its decisions are tested in tests/unit/core/test_tempered.c and,
// with whole runs, in tests/property/tempered.py.
#include <criterion/criterion.h>

#include "tests/support/must.h"

static struct ek_experiment of_mesh(const char *method)
{
    return (struct ek_experiment){.topology = "ring:2",
                                  .method = method,
                                  .objects = "mesh:4x1",
                                  .load = "peak:4@0",
                                  .migrate = "end",
                                  .choose = "communicating"};
}

// Processor 1 tells 0, which gives two of its four objects, those of the lower numbers: the mean is 2, so none of
// weight 1 suffices alone. Of the four iterations the last three find nothing to do.
Test(tempered, two_processors)
{
    struct tests_outcome outcome;
    must_run(of_mesh("tempered"), &outcome);
    const struct ek_report *report = &outcome.report;
    cr_expect_eq(outcome.status, EK_OK, "%s", report->why);
    cr_expect(report->converged && report->ended == EK_ENDED_ITSELF);
    cr_expect_eq(report->operations, 1);
    cr_expect_eq(report->steps, 8);
    cr_expect_eq(report->scan_steps, 4);
    cr_expect_eq(report->exchange_steps, 4);
    cr_expect_eq(report->messages, 2);
    cr_expect_eq(report->parcels, 0);
    cr_expect(report->final[0] == 2.0 && report->final[1] == 2.0);
    cr_expect_eq(report->objects.objects_moved, 2);
    cr_expect_eq(report->objects.bytes_moved, 2);
    cr_expect_eq(report->objects.edge_cut, 1.0);
    cr_expect_eq(report->objects.imbalance, 0.0);
    tests_outcome_destroy(&outcome);
}

// The usual rounds are the root of log2 of the number of processors, and the usual fanout the least whose power reaches
// them all.
Test(tempered, parameters)
{
    static const struct {
        const char *topology, *method, *text;
        double steps;
    } cases[] = {
        {"ring:2", "tempered", "Trials 1, iterations 4, rounds of gossip 1, fanout 2.", 8.0},
        {"hypercube:3", "tempered", "Trials 1, iterations 4, rounds of gossip 2, fanout 3.", 12.0},
        {"torus:8x8", "tempered", "Trials 1, iterations 4, rounds of gossip 2, fanout 8.", 12.0},
        {"chain:1", "tempered", "Trials 1, iterations 4, rounds of gossip 1, fanout 1.", 8.0},
        {"torus:32x32", "tempered:grapevine", "Trials 1, iterations 4, rounds of gossip 3, fanout 11.", 16.0},
        {"torus:8x8", "tempered:modified:self:8:10", "Trials 10, iterations 8, rounds of gossip 2, fanout 8.", 240.0},
        {"torus:8x8", "tempered:modified:eligible:1:1:2", "iterations 1, rounds of gossip 6, fanout 2.", 7.0},
        {"torus:8x8", "tempered:modified:original:1:1:1", "iterations 1, rounds of gossip 64, fanout 1.", 65.0},
        {"torus:8x8", "tempered:modified:max:2:3:5:4", "Trials 3, iterations 2, rounds of gossip 4, fanout 5.", 30.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = of_mesh(cases[i].method);
        experiment.topology = cases[i].topology;
        experiment.objects = "mesh:32x32";
        experiment.load = NULL;
        struct ek_machine *machine = must_prepare(experiment);
        const struct ek_fact *fact = fact_of(machine, "steps_all");
        cr_assert(fact);
        cr_expect_eq(fact->value, cases[i].steps, "%s: %g steps", cases[i].method, fact->value);
        cr_expect(strstr(fact->text, cases[i].text), "%s on %s: %s", cases[i].method, cases[i].topology, fact->text);
        cr_expect_null(fact_of(machine, "flow_l2_least"), "no amounts flow");
        ek_machine_destroy(machine);
    }
}

// A run that is cut has the placement of the iterations that were complete.
Test(tempered, limits)
{
    struct ek_experiment experiment = of_mesh("tempered");
    struct tests_outcome outcome;
    for (uint64_t steps = 1; steps <= 3; steps++) {
        experiment.steps_max = steps;
        must_run(experiment, &outcome);
        cr_expect_eq(outcome.status, EK_UNREACHED);
        cr_expect_eq(outcome.report.ended, EK_ENDED_STEPS);
        cr_expect_eq(outcome.report.steps, steps);
        cr_expect_eq(outcome.report.messages, steps == 1 ? 1 : 2);
        cr_expect_eq(outcome.report.objects.objects_moved, steps == 1 ? 0 : 2, "after %u", (unsigned)steps);
        tests_outcome_destroy(&outcome);
    }
}

// The object of 8 moves to the other processor, from 9 and 0 to 1 and 8, and the imbalance is 8/4.5 - 1.
Test(tempered, criterion_of_the_run)
{
    static const char *const stops[] = {"imbalance:0.78", "imbalance:0.77"};
    for (size_t i = 0; i < 2; i++) {
        struct ek_experiment experiment = of_mesh("tempered");
        struct tests_outcome outcome;
        experiment.objects = "weights:modulo:8:9";
        experiment.load = "peak:2@0";
        experiment.stop = stops[i];
        must_run(experiment, &outcome);
        cr_expect_float_eq(outcome.report.objects.imbalance, 8.0 / 4.5 - 1.0, 1e-12);
        cr_expect_eq(outcome.status, i == 0 ? EK_OK : EK_UNREACHED);
        cr_expect_str_eq(outcome.report.why,
                         i == 0 ? "" : "the best placement that the method has found has an imbalance of 0.7778");
        tests_outcome_destroy(&outcome);
    }
}

Test(tempered, refused)
{
    static const struct {
        struct ek_experiment experiment;
        const char *axis, *part;
    } cases[] = {
        {{.method = "tempered"}, "method", "use objects mesh:16x16"},
        {{.method = "tempered", .objects = "mesh:5x5"}, "migrate", "use migrate end"},
        {{.method = "tempered:mod", .objects = "mesh:5x5", .migrate = "end"}, "method", "did you mean modified?"},
        {{.method = "tempered:modified:sell", .objects = "mesh:5x5", .migrate = "end"}, "method", "mean self?"},
        {{.method = "tempered:modified:max:0", .objects = "mesh:5x5", .migrate = "end"}, "method", "from 1 to 100"},
        {{.method = "tempered:modified:max:1:0", .objects = "mesh:5x5", .migrate = "end"}, "method", "of trials"},
        {{.method = "tempered:modified:max:1:1:0", .objects = "mesh:5x5", .migrate = "end"}, "method", "the fanout"},
        {{.method = "tempered:modified:max:1:1:1:65", .objects = "mesh:5x5", .migrate = "end"}, "method", "1 to 64"},
        {{.method = "tempered", .objects = "mesh:5x5", .migrate = "end", .timing = "turns"}, "method", "turns"},
        {{.method = "tempered", .objects = "mesh:5x5", .migrate = "end", .timing = "virtual"}, "method", "rounds"},
        {{.method = "tempered", .objects = "mesh:5x5", .migrate = "end", .topology = "ring:8193"}, "topology", "8192"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        struct tests_outcome outcome;
        experiment.topology = experiment.topology ? experiment.topology : "ring:5";
        tests_try(&experiment, 0, &outcome);
        cr_assert_null(outcome.machine, "case %zu", i);
        cr_expect_eq(outcome.error.status, EK_BAD_INPUT);
        cr_expect_str_eq(outcome.error.axis, cases[i].axis, "case %zu: %s", i, outcome.error.sentence);
        cr_expect(strstr(outcome.error.sentence, cases[i].part), "case %zu: %s", i, outcome.error.sentence);
    }
}
