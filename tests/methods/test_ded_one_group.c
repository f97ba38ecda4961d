// SPDX-License-Identifier: MIT
// DED whose last stage is computed in one group: flows by hand, the flows of ded on any group, the counts by formulas,
// and the spectrum of an OTIS network from that of a group.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/must.h"
#include "topologies/spectra/spectrum.h"

enum { GROUP_MAX = 10 };

static const double NEAR = 1e-8;

static void run(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    experiment.keep_links = true;
    experiment.carrier = experiment.carrier ? experiment.carrier : "pool:1";
    must_run(experiment, outcome);
    cr_assert_eq(outcome->status, EK_OK, "%s: %s", experiment.topology, outcome->report.why);
    cr_expect_eq(outcome->report.ended, EK_ENDED_ITSELF);
}

// Groups of two hold 8 + 0 and 4 + 0. Half of 8 and of 4 moves within them, then both hold 4 and 2, and 2 crosses the
// swap link from processor 1 to 2. Then both hold 4 and 2 again, and 1 moves.
Test(one_group, by_hand)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = "otis(chain:2)", .method = "ded(opt,one-group)", .load = "list:8,0,4,0"},
        &outcome);
    const struct ek_report *report = &outcome.report;
    cr_assert_eq(report->flow_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct ek_flow_report *flow = &report->flow[i];
        double net = flow->from == 0 ? 5.0 : flow->from == 1 ? 2.0 : 3.0;
        cr_expect(fabs(flow->net - net) < NEAR, "%u to %u: %g", flow->from, flow->to, flow->net);
    }
    cr_expect(report->operations == 3 && report->steps == 4 && report->reduction_steps == 3);
    cr_expect_float_eq(report->moved, 10.0, NEAR);
    tests_outcome_destroy(&outcome);
}

// Counts what the two stages announce and in how many steps, and compares with a run.
static void expect_counts(const struct ek_report *report, const struct ek_topology *topology, uint64_t steps,
                          uint64_t height, const char *what)
{
    const uint64_t n = topology->group->processors, links = topology->group->links;
    uint64_t first = steps * 2 * links * n + n * (n - 1); // each of n (n-1) / 2 swap links both ways
    uint64_t computed = steps * 2 * links;
    uint64_t spread = (n - 1) + n * (n - 1) + (n - 1) * (n - 1);
    cr_expect_eq(report->messages - report->parcels, first + computed + spread + 2 * links * n, "%s: %u", what,
                 (unsigned)(report->messages - report->parcels));
    cr_expect_eq(report->operations, steps + 2, "%s", what);
    cr_expect_eq(report->steps, 2 * steps + 2, "%s", what);
    cr_expect_eq(report->reduction_steps, height + 2, "%s", what);
}

// All groups have the same loads after the exchange, so the flow of one group is that of all: over each link of the
// network the flows are those of ded. Load moves only once in the last stage.
Test(one_group, flows_of_all_groups)
{
    static const struct {
        const char *topology;
        uint64_t steps, height; // the distinct nonzero eigenvalues of G, and the links from its processor 0 to the last
    } rows[] = {{"otis(chain:5)", 4, 4},     {"otis(ring:6)", 3, 3},   {"otis(complete:4)", 1, 1},
                {"otis(hypercube:3)", 3, 3}, {"otis(mesh:2x4)", 6, 4}, {"otis(star:5)", 2, 1},
                {"otis(random:8:3)", 0, 0}};
    static const char *const schemes[] = {"opt", "ops", "opt:leja"}, *const ports[] = {"all", "one"};
    for (unsigned i = 0; i < 6 * 7; i++) {
        struct tests_outcome all, one;
        char method[32], again[48];
        snprintf(method, sizeof method, "ded(%s)", schemes[i % 3]);
        snprintf(again, sizeof again, "ded(%s,one-group)", schemes[i % 3]);
        struct ek_experiment experiment = {.topology = rows[i / 6].topology,
                                           .method = method,
                                           .load = i % 4 ? "uniform:0:100" : "peak:640@3",
                                           .ports = ports[i % 2],
                                           .seed = i};
        run(experiment, &all);
        experiment.method = again;
        experiment.carrier = "pool:2";
        run(experiment, &one);
        for (size_t link = 0; link < all.report.flow_count; link++) {
            double difference = one.report.flow[link].net - all.report.flow[link].net;
            cr_expect(fabs(difference) < NEAR, "%s %s: %g more over link %zu", experiment.topology, again, difference,
                      link);
        }
        cr_expect(one.report.error_final < NEAR, "%s %s: %g", experiment.topology, again, one.report.error_final);
        if (rows[i / 6].steps > 0 && i % 2 == 0) {
            expect_counts(&one.report, ek_machine_topology(one.machine), rows[i / 6].steps, rows[i / 6].height,
                          experiment.topology);
        }
        tests_outcome_destroy(&all);
        tests_outcome_destroy(&one);
    }
}

// The facts are the counts of runs, and what is saved is the difference of two runs' announcements.
Test(one_group, facts)
{
    static const char *const topologies[] = {"otis(chain:6)", "otis(mesh:2x4)", "otis(complete:4)"};
    for (size_t i = 0; i < 3; i++) {
        for (unsigned one_port = 0; one_port < 2; one_port++) {
            struct tests_outcome all, one;
            struct ek_experiment experiment = {
                .topology = topologies[i], .method = "ded(opt)", .ports = one_port ? "one" : "all"};
            run(experiment, &all);
            experiment.method = "ded(opt,one-group)";
            run(experiment, &one);
            double told_all = (double)(all.report.messages - all.report.parcels);
            double told = (double)(one.report.messages - one.report.parcels);
            cr_expect_eq(fact_value(one.machine, "messages_least"), told, "%s: %g", topologies[i], told);
            cr_expect_eq(fact_value(one.machine, "messages_saved"), told_all - told, "%s: %g", topologies[i],
                         told_all - told);
            cr_expect_eq(fact_value(one.machine, "operations_all"), (double)one.report.operations);
            cr_expect_eq(fact_value(one.machine, "reduction_steps_all"), (double)one.report.reduction_steps);
            double n = ek_machine_topology(one.machine)->group->processors;
            cr_expect_float_eq(fact_value(one.machine, "spectrum_operations"), 4.0 * n * n * n / 3.0, NEAR);
            cr_expect_float_eq(fact_value(all.machine, "spectrum_operations"), 4.0 * n * n * n / 3.0, NEAR);
            tests_outcome_destroy(&all);
            tests_outcome_destroy(&one);
        }
    }
}

// With weighting target the distances from the targets are balanced: the loads end in proportion to the capacities.
Test(one_group, targets)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = "otis(mesh:2x3)",
                               .method = "ded(ops,one-group)",
                               .load = "uniform:0:100",
                               .capacity = "semi",
                               .weighting = "target"},
        &outcome);
    for (uint32_t p = 0; p < 36; p++) { // 2 for the first half, 1 for the rest
        double share = (p < 18 ? 2.0 : 1.0) * outcome.report.total_initial / 54.0;
        cr_expect(fabs(outcome.report.final[p] - share) < NEAR, "%g at %u, not %g", outcome.report.final[p], p, share);
    }
    tests_outcome_destroy(&outcome);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// The sentence of spectrum_operations: the eigenvalues of the whole network from those of G.
Test(one_group, spectrum_from_that_of_a_group)
{
    static const char *const groups[] = {"mesh:2x4", "ring:5", "star:6", "complete:4", "random:8:3"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        char spec[32];
        snprintf(spec, sizeof spec, "otis(%s)", groups[i]);
        struct ek_topology *network = must_build_seeded(spec, 1);
        struct ek_error error;
        uint32_t n = network->group->processors;
        double group[GROUP_MAX], found[GROUP_MAX * GROUP_MAX], dense[GROUP_MAX * GROUP_MAX];
        cr_assert(topo_spectrum_dense(network->group, group, &error) && topo_spectrum_dense(network, dense, &error));
        size_t count = 0;
        for (uint32_t a = 0; a < n; a++) {
            found[count++] = group[a];
            for (uint32_t b = 0; b < a; b++) {
                double root = sqrt((group[a] - group[b]) * (group[a] - group[b]) + 4.0);
                found[count++] = (group[a] + group[b] + 2.0 + root) / 2.0;
                found[count++] = (group[a] + group[b] + 2.0 - root) / 2.0;
            }
        }
        qsort(found, count, sizeof *found, compare);
        qsort(dense, count, sizeof *dense, compare);
        cr_assert_eq(count, network->processors);
        for (size_t k = 0; k < count; k++) {
            cr_expect(fabs(found[k] - dense[k]) < NEAR, "%s: %g, not %g", spec, found[k], dense[k]);
        }
        ek_topology_destroy(network);
    }
}

Test(one_group, refusals)
{
    static const struct {
        const char *method, *capacity, *weighting, *axis;
    } rows[] = {{"ded(fos,one-group)", NULL, NULL, "method"},
                {"ded(sos,one-group)", NULL, NULL, "method"},
                {"ded(opt,one-group)", "semi", NULL, "method"},
                {"ded(opt,groups)", NULL, NULL, "method"},
                {"ded(opt,)", NULL, NULL, "method"},
                {"ded(opt,one-group,one-group)", NULL, NULL, "method"},
                {"de(opt,one-group)", NULL, NULL, "method"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ek_error error;
        struct ek_experiment experiment = {.topology = "otis(ring:4)",
                                           .method = rows[i].method,
                                           .capacity = rows[i].capacity,
                                           .weighting = rows[i].weighting,
                                           .carrier = "pool:1"};
        cr_expect_null(ek_prepare(&experiment, &error), "%s", rows[i].method);
        cr_expect_str_eq(error.axis, rows[i].axis, "%s: %s", rows[i].method, error.sentence);
    }
}
