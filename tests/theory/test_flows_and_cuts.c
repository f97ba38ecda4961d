// SPDX-License-Identifier: MIT
// What follows from the Laplacian: potentials, least flows and cut ratios, against runs, brute force and the papers.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "core/theory/cut.h"
#include "core/theory/potential.h"
#include "tests/support/must.h"
#include "tests/support/text_file.h"

static void expect_near(double got, double want, double tolerance, const char *what)
{
    cr_expect(fabs(got - want) <= tolerance, "%s: %.12g, not %.12g", what, got, want);
}

static void draw_surplus(double *b, uint32_t n, uint64_t seed)
{
    struct base_random random = base_random_start(seed, n, BASE_STREAM_LOAD);
    double mean = 0.0;
    for (uint32_t p = 0; p < n; p++) {
        b[p] = 1000.0 * base_random_unit(&random);
        mean += b[p] / n;
    }
    for (uint32_t p = 0; p < n; p++) {
        b[p] -= mean;
    }
}

static void solve(const char *spec, const double *b, double *x)
{
    struct ek_error error;
    struct ek_topology *topology = must_build(spec);
    cr_assert(core_potential_find(topology, b, x, &error), "%s: %s", spec, error.sentence);
    double sum = 0.0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        double flow = 0.0;
        sum += x[p];
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            flow += x[p] - x[topology->neighbour[port]];
        }
        expect_near(flow, b[p], 1e-5, spec);
    }
    expect_near(sum, 0.0, 1e-6, spec);
    ek_topology_destroy(topology);
}

// Flows that are differences of a potential are orthogonal to all circulations, so no flow that balances is smaller.
Test(facts, potentials_solve_the_laplacian)
{
    static const char *const specs[] = {"chain:1",     "chain:2",    "chain:9",    "ring:3",      "ring:2",
                                        "ring:12",     "mesh:3x4x2", "torus:5x4",  "mesh:1x7",    "otis(mesh:4x2)",
                                        "hypercube:5", "star:9",     "complete:8", "random:50:3", "torus:9x1x1"};
    double b[64], x[64];
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_topology *topology = must_build(specs[i]);
        cr_assert(topology->processors <= 64);
        draw_surplus(b, topology->processors, i);
        ek_topology_destroy(topology);
        solve(specs[i], b, x);
    }
}

// Sums along a line against conjugate gradients.
Test(facts, a_line_in_both_ways)
{
    static const char *const pairs[][2] = {
        {"chain:40", "mesh:40x1"}, {"ring:40", "torus:1x40"}, {"ring:41", "torus:41x1"}};
    double b[41], direct[41], iterated[41];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        draw_surplus(b, i < 2 ? 40 : 41, i);
        solve(pairs[i][0], b, direct);
        solve(pairs[i][1], b, iterated);
        for (unsigned p = 0; p < (i < 2 ? 40 : 41); p++) {
            expect_near(iterated[p], direct[p], 1e-4, pairs[i][0]);
        }
    }
}

// Zhao, Xiao & Parhami 2009, Tables 3 and 4: the flows of OPT. Those on OTIS-H3 are printed in the paper.
Test(facts, least_flows_of_the_otis_paper)
{
    static const struct {
        const char *topology, *capacity;
        double flow;
    } rows[] = {{"otis(hypercube:3)", "homo", 4598.94}, {"otis(hypercube:3)", "semi", 4517.03},
                {"otis(hypercube:3)", "cs", 2299.47},   {"otis(mesh:4x2)", "homo", 6001.27},
                {"otis(mesh:4x2)", "semi", 5938.73},    {"otis(mesh:4x2)", "cs", 3000.63}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tests_outcome outcome;
        must_run((struct ek_experiment){.topology = rows[i].topology,
                                        .method = "opt",
                                        .load = "peak:6400",
                                        .capacity = rows[i].capacity,
                                        .weighting = "target"},
                 &outcome);
        expect_near(fact_value(outcome.machine, "flow_l2_least"), rows[i].flow, 0.005, rows[i].topology);
        expect_near(outcome.report.flow_l2, rows[i].flow, 0.005, rows[i].topology);
        tests_outcome_destroy(&outcome);
    }
}

static void expect_least_flow(const char *topology, const char *method, const char *capacity, bool least)
{
    struct tests_outcome outcome;
    must_run(
        (struct ek_experiment){.topology = topology, .method = method, .capacity = capacity, .stop = "error:0.000001"},
        &outcome);
    double flow = fact_value(outcome.machine, "flow_l2_least");
    cr_expect(outcome.report.flow_l2 >= flow * (1.0 - 1e-7), "%s %s %s: %.10g below %.10g", topology, method, capacity,
              outcome.report.flow_l2, flow);
    cr_expect(!least || outcome.report.flow_l2 <= flow * (1.0 + 1e-7), "%s %s %s: %.10g above %.10g", topology, method,
              capacity, outcome.report.flow_l2, flow);
    tests_outcome_destroy(&outcome);
}

// Diffusion takes the least flow, whatever its polynomials: with capacities, too, it is the difference of a
// potential. Other methods take no smaller one.
Test(facts, no_flow_is_smaller)
{
    static const char *const topologies[] = {"mesh:5x4",    "ring:13", "otis(chain:4)",
                                             "random:24:3", "star:9",  "hypercube:4"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        expect_least_flow(topologies[i], "fos", "homo", true);
        expect_least_flow(topologies[i], "sos", "homo", true);
        expect_least_flow(topologies[i], "ops", "homo", true);
        expect_least_flow(topologies[i], "fos", "uniform:1:5", true);
        expect_least_flow(topologies[i], "ade", "homo", false);
        expect_least_flow(topologies[i], "matching", "homo", false);
    }
}

Test(facts, least_flows_of_large_machines)
{
    double line =
        fact_of_experiment((struct ek_experiment){.topology = "ring:200000", .method = "adf"}, "flow_l2_least");
    cr_expect(line > 0.0 && isfinite(line));
    cr_expect(isnan(
        fact_of_experiment((struct ek_experiment){.topology = "torus:400x400", .method = "adf"}, "flow_l2_least")));
}

// Sources and sinks at opposite places, scaled to the cut ratio 1. The rows have the ratio, and the distance from
// balance for one c, which is 12 on the ring.
Test(facts, work_of_the_delay_paper)
{
    static const struct {
        const char *topology, *method, *work, *working;
        double rho, deviation;
    } rows[] = {{"ring:16", "sender:0.33333333333333331", "constant:0=2,8=-2", "after", 1.0, 12.0},
                {"ring:16", "sender:0.33333333333333331", "constant:0=4,8=-4", "after", 2.0, 24.0},
                {"mesh:4x4", "sender:0.2", "constant:0=2,15=-2", "after", 1.0, NAN},
                {"complete:16", "sender:0.0625", "constant:0=15,8=-15", "after", 1.0, 15.0},
                {"star:6", "sender:0.1", "constant:1=3,2=1", "after", NAN, NAN},
                // Work that comes first is balanced before the loads are measured: 12 - 2, 15 - 15.
                {"ring:16", "sender:0.33333333333333331", "constant:0=2,8=-2", "before", 1.0, 10.0},
                {"complete:16", "sender:0.0625", "constant:0=15,8=-15", "before", 1.0, 0.0},
                {"ring:5", "adf", "constant:0=10,2=-10", "before", NAN, 8.0},
                {"star:6", "sender:0.1", "constant:1=3,2=1", "before", NAN, NAN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tests_outcome outcome;
        must_run((struct ek_experiment){.topology = rows[i].topology,
                                        .method = rows[i].method,
                                        .work = rows[i].work,
                                        .working = rows[i].working,
                                        .load = "constant:100",
                                        .stop = "never",
                                        .steps_max = 2000},
                 &outcome);
        uint32_t n = ek_machine_topology(outcome.machine)->processors;
        double deviation = fact_value(outcome.machine, "deviation_work");
        double largest = 0.0;
        for (uint32_t p = 0; p < n; p++) {
            largest = fmax(largest, fabs(outcome.report.final[p] - outcome.report.total_final / n));
        }
        expect_near(deviation, largest, 1e-6, rows[i].topology);
        cr_expect(isnan(rows[i].deviation) || fabs(deviation - rows[i].deviation) < 1e-6, "%s: %.10g", rows[i].topology,
                  deviation);
        cr_expect(isnan(rows[i].rho) || fabs(fact_value(outcome.machine, "cut_ratio") - rows[i].rho) < 1e-9, "%s",
                  rows[i].topology);
        tests_outcome_destroy(&outcome);
    }
}

static double cut_by_brute_force(const struct ek_topology *topology, const double *d)
{
    double ratio = 0.0;
    for (uint32_t set = 1; set + 1 < 1U << topology->processors; set++) {
        double sum = 0.0;
        unsigned links = 0;
        for (uint32_t p = 0; p < topology->processors; p++) {
            for (uint32_t port = topology->first[p]; set >> p & 1 && port < topology->first[p + 1]; port++) {
                links += !(set >> topology->neighbour[port] & 1);
            }
            sum += set >> p & 1 ? d[p] : 0.0;
        }
        ratio = fmax(ratio, fabs(sum) / links);
    }
    return ratio;
}

Test(facts, cuts_by_brute_force)
{
    static const char *const specs[] = {"chain:2", "ring:9",       "mesh:3x4",  "random:12:3",
                                        "star:10", "otis(ring:3)", "complete:7"};
    double d[16];
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_topology *topology = must_build(specs[i]);
        draw_surplus(d, topology->processors, i);
        expect_near(core_cut_ratio(topology, d), cut_by_brute_force(topology, d), 1e-9, specs[i]);
        ek_topology_destroy(topology);
    }
}

// Of the ticks of a file the widest cut counts, whichever tick it is.
Test(facts, cuts_of_all_ticks)
{
    static const char *const files[] = {"8 0\n1 1\n0 2\n", "0 2\n8 0\n1 1\n", "1 1\n0 2\n0 8\n"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tests_memory file = {files[i], strlen(files[i])};
        struct ek_experiment experiment = {.topology = "chain:2",
                                           .method = "ade",
                                           .work = "file:any",
                                           .load = "constant:9",
                                           .reader = tests_memory_reader(&file),
                                           .steps_max = 1};
        expect_near(fact_of_experiment(experiment, "cut_ratio"), 4.0, 1e-12, files[i]);
    }
}

Test(facts, cuts_have_a_limit)
{
    struct ek_experiment large = {
        .topology = "ring:21", .method = "sender:0.3", .work = "constant:0=1", .load = "constant:9", .steps_max = 1};
    cr_expect(isnan(fact_of_experiment(large, "cut_ratio")));
    large.topology = "ring:20";
    cr_expect(isfinite(fact_of_experiment(large, "cut_ratio")));
}
