// SPDX-License-Identifier: MIT
// What is said beforehand about runs, held against runs, brute force and the papers' numbers: least flows, factors
// and the operations they promise, bounds of dde and twa, sharing times, the cut condition.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/theory/cut.h"
#include "core/theory/facts.h"
#include "core/theory/potential.h"
#include "tests/support/runs.h"
#include "base/random.h"

static const struct ek_reader NO_FILES = {0};

static struct ek_topology *make(const char *spec)
{
    struct ek_error error;
    struct ek_topology *topology = ek_topology_create(spec, 1, NO_FILES, &error);
    cr_assert(topology, "%s: %s", spec, error.sentence);
    return topology;
}

static void expect_near(double got, double want, double tolerance, const char *what)
{
    cr_expect(fabs(got - want) <= tolerance, "%s: %.12g, not %.12g", what, got, want);
}

// The fact of this name, or NULL; it lives until the next call.
static const struct ek_fact *fact_of(const struct ek_machine *machine, const char *name)
{
    static struct ek_fact facts[EK_FACTS_MAX];
    size_t count = ek_facts_find(machine, facts, EK_FACTS_MAX);
    cr_assert(count < EK_FACTS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(facts[i].name, name) == 0) {
            return &facts[i];
        }
    }
    return NULL;
}

static double value_of(const struct ek_machine *machine, const char *name)
{
    const struct ek_fact *fact = fact_of(machine, name);
    cr_assert(fact, "%s: no %s", ek_machine_topology(machine)->spec, name);
    return fact->value;
}

static double prepared_value(struct ek_experiment experiment, const char *name)
{
    struct ek_error error;
    experiment.carrier = "pool:1";
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s %s: %s", experiment.topology, experiment.method, error.sentence);
    double value = value_of(machine, name);
    ek_machine_destroy(machine);
    return value;
}

static void run(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    experiment.carrier = "pool:1";
    experiment.keep_loads = true;
    tests_try(&experiment, 0, outcome);
    cr_assert(outcome->status == EK_OK || outcome->status == EK_UNREACHED, "%s %s: %s", experiment.topology,
              experiment.method, outcome->error.sentence);
}

// Potentials.

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
    struct ek_topology *topology = make(spec);
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

// Flows that are differences of a potential stand at right angles on all that go round in circles: none that balances
// is smaller.
Test(facts, potentials_solve_the_laplacian)
{
    static const char *const specs[] = {"chain:1",     "chain:2",    "chain:9",    "ring:3",      "ring:2",
                                        "ring:12",     "mesh:3x4x2", "torus:5x4",  "mesh:1x7",    "otis(mesh:4x2)",
                                        "hypercube:5", "star:9",     "complete:8", "random:50:3", "torus:9x1x1"};
    double b[64], x[64];
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_topology *topology = make(specs[i]);
        cr_assert(topology->processors <= 64);
        draw_surplus(b, topology->processors, i);
        ek_topology_destroy(topology);
        solve(specs[i], b, x);
    }
}

// The sums along a line against conjugate gradients.
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

// Zhao, Xiao & Parhami 2009, Tables 3 and 4: the flows of OPT, of which those on OTIS-H3 are the paper's.
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
        run((struct ek_experiment){.topology = rows[i].topology,
                                   .method = "opt",
                                   .load = "peak:6400",
                                   .capacity = rows[i].capacity,
                                   .weighting = "target"},
            &outcome);
        expect_near(value_of(outcome.machine, "flow_l2_least"), rows[i].flow, 0.005, rows[i].topology);
        expect_near(outcome.report.flow_l2, rows[i].flow, 0.005, rows[i].topology);
        tests_outcome_destroy(&outcome);
    }
}

static void expect_least_flow(const char *topology, const char *method, const char *capacity, bool least)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = topology, .method = method, .capacity = capacity, .stop = "error:0.000001"},
        &outcome);
    double flow = value_of(outcome.machine, "flow_l2_least");
    cr_expect(outcome.report.flow_l2 >= flow * (1.0 - 1e-7), "%s %s %s: %.10g below %.10g", topology, method, capacity,
              outcome.report.flow_l2, flow);
    cr_expect(!least || outcome.report.flow_l2 <= flow * (1.0 + 1e-7), "%s %s %s: %.10g above %.10g", topology, method,
              capacity, outcome.report.flow_l2, flow);
    tests_outcome_destroy(&outcome);
}

// Diffusion takes the least flow, whatever its polynomials: with capacities too it is the differences of a potential.
// Other methods take no smaller one.
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
    double line = prepared_value((struct ek_experiment){.topology = "ring:200000", .method = "adf"}, "flow_l2_least");
    cr_expect(line > 0.0 && isfinite(line));
    cr_expect(
        isnan(prepared_value((struct ek_experiment){.topology = "torus:400x400", .method = "adf"}, "flow_l2_least")));
}

// Factors and operations.

static void expect_promise(const char *topology, const char *method, const char *stop, const char *capacity,
                           const char *weighting)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = topology,
                               .method = method,
                               .stop = stop,
                               .capacity = capacity,
                               .weighting = weighting,
                               .seed = 7},
        &outcome);
    double most = value_of(outcome.machine, "operations_most");
    double gamma = value_of(outcome.machine, "gamma");
    double taken = (double)outcome.report.operations;
    cr_expect(gamma >= 0.0 && gamma < 1.0);
    cr_expect(outcome.report.converged && taken <= most && (taken >= 0.5 * most || most < 8.0),
              "%s %s %s %s: %g of at most %g", topology, method, stop, capacity, taken, most);
    tests_outcome_destroy(&outcome);
}

Test(facts, promised_operations_are_enough)
{
    static const char *const topologies[] = {"mesh:6x4",    "ring:16",    "ring:15", "otis(mesh:2x4)",
                                             "random:40:3", "complete:7", "chain:2"};
    static const char *const methods[] = {"fos", "sos"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        for (size_t m = 0; m < 2; m++) {
            expect_promise(topologies[i], methods[m], "error:0.01", "homo", "capacity");
            expect_promise(topologies[i], methods[m], "variance:1", "homo", "capacity");
            expect_promise(topologies[i], methods[m], "error:0.01", "semi", "target");
        }
        expect_promise(topologies[i], "fos", "error:0.001", "semi", "capacity");
    }
    expect_promise("mesh:8x8", "adi(fos)", "error:0.01", "homo", "capacity");
    expect_promise("torus:5x1x8", "mdi(fos)", "variance:1", "homo", "capacity");
}

// gamma is what the distance shrinks by in the end.
Test(facts, factors_are_those_of_the_spectrum)
{
    static const struct {
        const char *topology, *method;
        double gamma;
    } rows[] = {
        {"complete:16", "fos", 0.0}, {"otis(hypercube:3)", "fos", 0.853553}, {"otis(mesh:4x2)", "ded(fos)", 0.804738},
        {"hypercube:3", "fos", 0.5}, {"hypercube:3", "sos", 0.267949},       {"mesh:8x1", "adi(fos)", 0.923880}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_near(
            prepared_value((struct ek_experiment){.topology = rows[i].topology, .method = rows[i].method}, "gamma"),
            rows[i].gamma, 1e-6, rows[i].method);
    }
}

// The least k by trying all.
Test(facts, operations_by_counting)
{
    static const double gammas[] = {0.1, 0.5, 0.9, 0.99};
    for (size_t i = 0; i < sizeof gammas / sizeof *gammas; i++) {
        for (double slope = 0.0; slope < 0.9; slope += 0.2) {
            double from = 12345.0;
            double k = 0.0;
            if (slope > -atanh(slope) - log(gammas[i])) {
                continue; // no polynomial of second order: it would grow at first
            }
            while (pow((1.0 + k * slope) * pow(gammas[i], k), 2.0) * from > 1.0) {
                k++;
            }
            cr_expect_eq(core_facts_operations(gammas[i], slope, from, 1.0), k, "gamma %g, slope %g", gammas[i], slope);
        }
    }
    cr_expect_eq(core_facts_operations(0.0, 1.0, 5.0, 1.0), 1.0);
    cr_expect_eq(core_facts_operations(0.9, 0.5, 1.0, 1.0), 0.0);
    cr_expect(isnan(core_facts_operations(1.0, 0.5, 5.0, 1.0)));
    cr_expect(isnan(core_facts_operations(0.9, 0.5, 5.0, 0.0)));
}

static void expect_all(const char *topology, const char *method, const char *ports)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = topology, .method = method, .ports = ports}, &outcome);
    cr_expect_eq((double)outcome.report.operations, value_of(outcome.machine, "operations_all"), "%s %s", topology,
                 method);
    const struct ek_fact *steps = fact_of(outcome.machine, "steps_all");
    cr_expect(!steps || steps->value == (double)outcome.report.steps, "%s %s: %g steps", topology, method,
              (double)outcome.report.steps);
    tests_outcome_destroy(&outcome);
}

Test(facts, direct_methods_take_a_step_for_each_eigenvalue)
{
    static const char *const ports[] = {"all", "one"};
    for (size_t i = 0; i < 2; i++) {
        expect_all("mesh:4x3", "opt", ports[i]);
        expect_all("random:20:3", "ops", ports[i]);
        expect_all("otis(mesh:2x2)", "ded(opt)", ports[i]);
        expect_all("otis(chain:3)", "ded(ops)", ports[i]);
        expect_all("mesh:8x8", "adi(opt)", ports[i]);
        expect_all("torus:8x1x5", "mdi(opt)", ports[i]);
        expect_all("mesh:4x4", "de(opt)", ports[i]);
        expect_all("torus:1x1", "de(opt)", ports[i]);
        expect_all("torus:1x1", "adi(opt)", ports[i]);
        expect_all("hypercube:4", "de(ops)", ports[i]);
    }
    struct ek_experiment numbers = {.topology = "mesh:8x8", .method = "adi(opt)"}; // 7 for opt's 32
    cr_expect_eq(prepared_value(numbers, "operations_all"), 7.0);
    numbers.method = "opt";
    cr_expect_eq(prepared_value(numbers, "operations_all"), 32.0);
    cr_expect_eq(prepared_value(numbers, "operations_least"), 14.0);
}

// The first stage ends when the error within the groups is below the limit: as many steps as X alone would take on G
// from that load.
Test(facts, the_first_stage_of_ded)
{
    struct ek_experiment group = {.topology = "mesh:4x2", .method = "fos", .load = "peak:6400", .stop = "error:0.01"};
    struct ek_experiment otis = {
        .topology = "otis(mesh:4x2)", .method = "ded(fos)", .load = "peak:6400", .stop = "error:0.01"};
    cr_expect_eq(prepared_value(otis, "first_stage_most"), prepared_value(group, "operations_most"));
    otis.method = "ded(sos)";
    group.method = "sos";
    cr_expect_eq(prepared_value(otis, "first_stage_most"), prepared_value(group, "operations_most"));
}

// DDE and TWA.

static void expect_walk(const char *topology, const char *method, const char *ports, uint64_t seed)
{
    struct tests_outcome outcome;
    run(
        (struct ek_experiment){
            .topology = topology, .method = method, .ports = ports, .load = "uniform:0:60", .seed = seed},
        &outcome);
    const struct ek_report *report = &outcome.report;
    cr_expect(report->spread_final <= value_of(outcome.machine, "spread_most"), "%s %s", topology, method);
    cr_expect_eq((double)report->scan_steps, value_of(outcome.machine, "scan_steps_all"), "%s %s: %g scan steps",
                 topology, method, (double)report->scan_steps);
    const struct ek_fact *exchange = fact_of(outcome.machine, "exchange_steps_most");
    cr_expect(!exchange || (double)report->exchange_steps <= exchange->value, "%s %s: %g exchange steps", topology,
              method, (double)report->exchange_steps);
    const struct ek_fact *moved = fact_of(outcome.machine, "moved_least");
    cr_expect(!moved || report->moved == moved->value, "%s %s: %g moved", topology, method, report->moved);
    tests_outcome_destroy(&outcome);
}

Test(facts, bounds_of_dde_and_twa)
{
    static const char *const products[] = {"chain:9",   "ring:7",      "ring:8",    "mesh:4x3x2",
                                           "torus:5x4", "hypercube:4", "torus:1x6", "chain:1"};
    static const char *const ports[] = {"all", "one"};
    for (uint64_t seed = 1; seed <= tests_part(40); seed++) {
        for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
            expect_walk(products[i], "dde", ports[seed % 2], seed);
            expect_walk(products[i], "dde:send-first", ports[seed % 2], seed);
            expect_walk(products[i], "dde:middle", ports[seed % 2], seed);
            expect_walk(products[i], "dde:send-first,doubling", ports[seed % 2], seed);
        }
        char chain[32];
        snprintf(chain, sizeof chain, "chain:%u", (unsigned)seed);
        expect_walk(chain, "twa:middle", ports[seed % 2], seed);
        expect_walk(chain, "twa:binomial", ports[seed % 2], seed);
    }
}

// Example 1: 19 along the chain, 17 around the ring; and every whole amount around a ring tried.
Test(facts, least_transfers)
{
    struct ek_experiment example = {.topology = "chain:8", .method = "dde", .load = "list:9,7,4,1,4,6,1,5"};
    cr_expect_eq(prepared_value(example, "moved_least"), 19.0);
    example.topology = "ring:8";
    cr_expect_eq(prepared_value(example, "moved_least"), 17.0);
    for (uint64_t seed = 1; seed <= 30; seed++) {
        double load[6], least = INFINITY, total = 0.0;
        char list[64] = "list:";
        struct base_random random = base_random_start(seed, 0, BASE_STREAM_LOAD);
        for (unsigned i = 0; i < 6; i++) {
            load[i] = (double)base_random_below(&random, 20);
            total += load[i];
            snprintf(list + strlen(list), sizeof list - strlen(list), i > 0 ? ",%g" : "%g", load[i]);
        }
        for (int around = -120; around <= 120; around++) {
            double flow = around;
            double cost = fabs(flow);
            for (unsigned i = 0; i < 5; i++) {
                flow += load[i] - (floor(total / 6.0) + (i < fmod(total, 6.0)));
                cost += fabs(flow);
            }
            least = fmin(least, cost);
        }
        struct ek_experiment ring = {.topology = "ring:6", .method = "dde", .load = list};
        cr_expect_eq(prepared_value(ring, "moved_least"), least, "%s", list);
    }
}

Test(facts, spread_of_dem)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = "hypercube:5", .method = "dem"}, &outcome);
    cr_expect_eq(value_of(outcome.machine, "spread_most"), 5.0);
    cr_expect(outcome.report.spread_final <= 5.0);
    tests_outcome_destroy(&outcome);
}

// The liquid model.

Test(facts, sharing_times_of_the_liquid_model)
{
    static const char *const methods[] = {"liquid:c0", "liquid:c1",  "liquid:c2", "liquid:c3",
                                          "liquid:c4", "liquid:c2r", "liquid:c5", "liquid:c4r"};
    unsigned step = tests_part(12) >= 6 ? 3 : 9;
    for (unsigned p = 3; p <= 17; p++) {
        for (unsigned factor = 1; factor <= 10; factor += step) {
            for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
                char topology[32], load[32];
                snprintf(topology, sizeof topology, "ring:%u", p);
                snprintf(load, sizeof load, "peak:%u@%u", factor * p + factor / 4, p / 2);
                struct tests_outcome outcome;
                run((struct ek_experiment){.topology = topology,
                                           .method = methods[i],
                                           .load = load,
                                           .stop = "shared",
                                           .operations_max = 100},
                    &outcome);
                const struct ek_fact *shared = fact_of(outcome.machine, "operations_shared");
                cr_assert(shared && shared->beside);
                cr_expect_eq((double)outcome.report.operations, shared->value, "%s %s %s: %g, not %g", topology, load,
                             methods[i], (double)outcome.report.operations, shared->value);
                tests_outcome_destroy(&outcome);
            }
        }
    }
}

Test(facts, limits_of_the_liquid_model)
{
    struct ek_experiment ring = {.topology = "ring:16", .method = "liquid:c5", .load = "peak:80"};
    cr_expect_eq(prepared_value(ring, "operations_order"), 1280.0);
    struct ek_experiment torus = {.topology = "torus:8x8", .method = "liquid:c5", .load = "peak:640"};
    cr_expect(isnan(prepared_value(torus, "spread_most")));
    struct tests_outcome outcome;
    run(ring, &outcome);
    cr_expect((double)outcome.report.operations <= 0.46 * 1280.0);
    cr_expect_null(fact_of(outcome.machine, "spread_most"));
    tests_outcome_destroy(&outcome);
}

// The sender's method.

Test(facts, divergence_of_the_sender)
{
    static const struct {
        const char *topology;
        double limit;
    } rows[] = {{"ring:16", 0.5}, {"ring:15", 0.5055}, {"mesh:4x4", 0.2929}, {"complete:16", 0.125}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double limit =
            prepared_value((struct ek_experiment){.topology = rows[i].topology, .method = "sender:0.1"}, "c_limit");
        expect_near(limit, rows[i].limit, 5e-5, rows[i].topology);
        for (int above = 0; above < 2; above++) {
            char method[32];
            snprintf(method, sizeof method, "sender:%.6f", limit * (above ? 1.02 : 0.98));
            struct tests_outcome outcome;
            run(
                (struct ek_experiment){
                    .topology = rows[i].topology, .method = method, .stop = "never", .steps_max = 2000},
                &outcome);
            bool grows = !(outcome.report.variance_final <= outcome.report.variance_initial);
            cr_expect_eq(grows, above == 1, "%s %s", rows[i].topology, method);
            tests_outcome_destroy(&outcome);
        }
    }
}

Test(facts, senders_of_no_more_than_they_have)
{
    static const char *const methods[] = {"sender:1/deg", "sender:1/(deg+1)", "sender:1.5/deg"};
    static const double shares[] = {1.0, 0.8, 1.5};
    for (size_t i = 0; i < 3; i++) {
        struct tests_outcome outcome;
        run((struct ek_experiment){.topology = "mesh:4x4",
                                   .method = methods[i],
                                   .load = "peak:1600",
                                   .stop = "never",
                                   .steps_max = 200,
                                   .delay = "fixed:3"},
            &outcome);
        expect_near(value_of(outcome.machine, "share_sent_most"), shares[i], 1e-12, methods[i]);
        cr_expect_eq(outcome.report.minimum_ever >= -1e-9, shares[i] <= 1.0, "%s: %g", methods[i],
                     outcome.report.minimum_ever);
        tests_outcome_destroy(&outcome);
    }
}

// Sources and sinks at opposite places, scaled to the cut ratio 1: the ratio, and the distance from balance for one
// c, 12 on the ring.
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
                // The work that comes first is balanced before anybody looks: 12 - 2, 15 - 15.
                {"ring:16", "sender:0.33333333333333331", "constant:0=2,8=-2", "before", 1.0, 10.0},
                {"complete:16", "sender:0.0625", "constant:0=15,8=-15", "before", 1.0, 0.0},
                {"ring:5", "adf", "constant:0=10,2=-10", "before", NAN, 8.0},
                {"star:6", "sender:0.1", "constant:1=3,2=1", "before", NAN, NAN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tests_outcome outcome;
        run((struct ek_experiment){.topology = rows[i].topology,
                                   .method = rows[i].method,
                                   .work = rows[i].work,
                                   .working = rows[i].working,
                                   .load = "constant:100",
                                   .stop = "never",
                                   .steps_max = 2000},
            &outcome);
        uint32_t n = ek_machine_topology(outcome.machine)->processors;
        double deviation = value_of(outcome.machine, "deviation_work");
        double largest = 0.0;
        for (uint32_t p = 0; p < n; p++) {
            largest = fmax(largest, fabs(outcome.report.final[p] - outcome.report.total_final / n));
        }
        expect_near(deviation, largest, 1e-6, rows[i].topology);
        cr_expect(isnan(rows[i].deviation) || fabs(deviation - rows[i].deviation) < 1e-6, "%s: %.10g", rows[i].topology,
                  deviation);
        cr_expect(isnan(rows[i].rho) || fabs(value_of(outcome.machine, "cut_ratio") - rows[i].rho) < 1e-9, "%s",
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
        struct ek_topology *topology = make(specs[i]);
        draw_surplus(d, topology->processors, i);
        expect_near(core_cut_ratio(topology, d), cut_by_brute_force(topology, d), 1e-9, specs[i]);
        ek_topology_destroy(topology);
    }
}

Test(facts, cuts_have_a_limit)
{
    struct ek_experiment large = {
        .topology = "ring:21", .method = "sender:0.3", .work = "constant:0=1", .load = "constant:9", .steps_max = 1};
    cr_expect(isnan(prepared_value(large, "cut_ratio")));
    large.topology = "ring:20";
    cr_expect(isfinite(prepared_value(large, "cut_ratio")));
}

Test(facts, domains_where_not_everybody_invokes)
{
    struct ek_experiment some = {.topology = "torus:8x8", .method = "adf", .invoke = "outside:200:800"};
    expect_near(prepared_value(some, "domain_diffusion"), 2.841875, 1e-9, "adf");
    expect_near(prepared_value(some, "pair_adjacent_best"), 4.1058, 5e-5, "adf");
    some.method = "ade";
    expect_near(prepared_value(some, "domain_exchange"), 1.8125, 1e-12, "ade");
    some.method = "local-average";
    expect_near(prepared_value(some, "domain_average"), 1.0 - 5.0 / 64.0, 1e-12, "local-average");
    struct ek_error error;
    struct ek_experiment all = {.topology = "torus:8x8", .method = "adf", .carrier = "pool:1"};
    struct ek_machine *machine = ek_prepare(&all, &error);
    cr_assert(machine);
    cr_expect_null(fact_of(machine, "domain_diffusion"));
    ek_machine_destroy(machine);
}

// What is promised for one kind of run is not said of another, and no more is written than there is room for.
Test(facts, only_where_they_hold)
{
    static const struct ek_experiment others[] = {{.delay = "fixed:2"},
                                                  {.work = "constant:0=1"},
                                                  {.invoke = "below:300"},
                                                  {.link_limit = "5"},
                                                  {.stop = "spread:1"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct ek_error error;
        struct ek_experiment experiment = others[i];
        experiment.method = "fos";
        experiment.carrier = "pool:1";
        experiment.operations_max = 10;
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_assert(machine, "%s", error.sentence);
        cr_expect_null(fact_of(machine, "operations_most"));
        struct ek_theory theory;
        ek_theory_find(machine, &theory);
        cr_expect_eq(theory.has_exact, others[i].stop != NULL);
        ek_machine_destroy(machine);
    }
}

Test(facts, no_more_than_there_is_room_for)
{
    struct ek_error error;
    struct ek_experiment experiment = {.topology = "torus:8x8", .method = "fos", .carrier = "pool:1"};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine);
    struct ek_fact facts[2] = {{.name = "first"}, {.name = "untouched"}};
    cr_expect_eq(ek_facts_find(machine, facts, 1), 1);
    cr_expect_str_eq(facts[0].name, "gamma");
    cr_expect_str_eq(facts[1].name, "untouched");
    cr_expect_eq(ek_facts_find(machine, NULL, 0), 0);
    ek_machine_destroy(machine);
}

// A sender's c that not all share is no alpha, and with capacities another matrix counts.
Test(facts, no_theory_of_another_matrix)
{
    static const struct ek_experiment others[] = {{.topology = "mesh:4x4", .method = "sender:1/(deg+1)"},
                                                  {.method = "adf", .capacity = "semi"}};
    for (size_t i = 0; i < 2; i++) {
        struct ek_experiment experiment = others[i];
        struct ek_error error;
        struct ek_theory theory;
        experiment.carrier = "pool:1";
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_assert(machine);
        ek_theory_find(machine, &theory);
        cr_expect(!theory.has_exact && isnan(theory.operations) && !theory.note[0]);
        ek_machine_destroy(machine);
    }
}

// What `explain` shows is there for every method.
Test(facts, every_method_is_explained)
{
    for (size_t i = 0; ek_method_at(i); i++) {
        const struct ek_method *method = ek_method_at(i);
        cr_expect(method->title && method->equation && method->optimum && method->assumes && method->source, "%s",
                  method->name);
    }
}

// Of what takes minutes only a sentence is there.
Test(facts, what_takes_minutes_is_left_out)
{
    static const char *const methods[] = {"adf", "ade", "sender:0.1"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct ek_error error;
        struct ek_fact facts[EK_FACTS_MAX];
        struct ek_experiment experiment = {.topology = "random:3000:3", .method = methods[i], .carrier = "pool:1"};
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_assert(machine, "%s", error.sentence);
        cr_expect(!ek_theory_soon(machine));
        cr_expect(ek_facts_find(machine, facts, EK_FACTS_MAX) > 0);
        ek_machine_destroy(machine);
    }
    cr_expect(
        isnan(prepared_value((struct ek_experiment){.topology = "random:3000:3", .method = "sender:0.1"}, "c_limit")));
    cr_expect(isfinite(
        prepared_value((struct ek_experiment){.topology = "torus:200x200", .method = "sender:0.1"}, "c_limit")));
}
