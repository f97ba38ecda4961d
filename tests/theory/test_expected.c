// SPDX-License-Identifier: MIT
// Expected variances under random work, against dense covariance matrices, C := M C M' + sigma^2 I, or C := M (C +
// sigma^2 I) M' if work comes first. This program computes them from the papers' rules. Also against numbers of Xu,
// Monien, Lüling & Lau 1995 as recomputed by another program, and against the mean of many runs.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/theory/expected.h"
#include "tests/support/must.h"

enum { SIDE_MAX = 16 };

struct matrix {
    double at[SIDE_MAX][SIDE_MAX];
};

// Finds the links of p on a small torus of two sides, or a ring if one side is 1. A side of 2 has one link.
static unsigned wires(const unsigned side[2], unsigned p, unsigned wire[4])
{
    unsigned count = 0;
    unsigned x = p % side[0];
    unsigned y = p / side[0];
    if (side[0] > 1) {
        wire[count++] = y * side[0] + (x + 1) % side[0];
        if (side[0] > 2) {
            wire[count++] = y * side[0] + (x + side[0] - 1) % side[0];
        }
    }
    if (side[1] > 1) {
        wire[count++] = (y + 1) % side[1] * side[0] + x;
        if (side[1] > 2) {
            wire[count++] = (y + side[1] - 1) % side[1] * side[0] + x;
        }
    }
    return count;
}

static void identity(struct matrix *m, unsigned n)
{
    memset(m, 0, sizeof *m);
    for (unsigned i = 0; i < n; i++) {
        m->at[i][i] = 1.0;
    }
}

// I - alpha L, Eq. (4) for all processors at once.
static void diffusion(struct matrix *m, unsigned n, const unsigned side[2], double alpha)
{
    identity(m, n);
    for (unsigned p = 0; p < n; p++) {
        unsigned wire[4];
        unsigned count = wires(side, p, wire);
        for (unsigned w = 0; w < count; w++) {
            m->at[p][p] -= alpha;
            m->at[p][wire[w]] += alpha;
        }
    }
}

// Colour c of even sides, Eq. (3) for all processors at once: 0 and 1 are the pairs (x, x+1) along the first side
// with x even and with x odd, 2 and 3 those along the second.
static void colour(struct matrix *m, unsigned n, const unsigned side[2], double lambda, unsigned c)
{
    unsigned along = c / 2;
    unsigned stride = along ? side[0] : 1;
    identity(m, n);
    for (unsigned p = 0; p < n; p++) {
        unsigned x = p / stride % side[along];
        if (x % 2 == c % 2) {
            unsigned q = p - x * stride + (x + 1) % side[along] * stride;
            m->at[p][p] = m->at[q][q] = 1.0 - lambda;
            m->at[p][q] = m->at[q][p] = lambda;
        }
    }
}

static void multiply(const struct matrix *a, const struct matrix *b, bool transposed, unsigned n, struct matrix *result)
{
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < n; j++) {
            double sum = 0.0;
            for (unsigned k = 0; k < n; k++) {
                sum += a->at[i][k] * (transposed ? b->at[j][k] : b->at[k][j]);
            }
            result->at[i][j] = sum;
        }
    }
}

// C := M C M'
static void carry(struct matrix *c, const struct matrix *m, unsigned n)
{
    struct matrix half;
    multiply(m, c, false, n, &half);
    multiply(&half, m, true, n, c);
}

// Returns the trace of the part that is orthogonal to the vector of ones.
static double variance_of(const struct matrix *c, unsigned n)
{
    double trace = 0.0;
    double sum = 0.0;
    for (unsigned i = 0; i < n; i++) {
        trace += c->at[i][i];
        for (unsigned j = 0; j < n; j++) {
            sum += c->at[i][j];
        }
    }
    return trace - sum / n;
}

struct rule {
    const char *topology;
    unsigned side[2], colours; // of exchange; 0 colours: diffusion
    double parameter;
    bool by_steps;
    bool first; // whether work comes before a step's balancing
};

static void add_work(struct matrix *c, unsigned n, double work)
{
    for (unsigned i = 0; i < n; i++) {
        c->at[i][i] += work;
    }
}

// Computes the variance from the second moments of the load in `c`.
static double dense(const struct rule *rule, unsigned steps, double work, struct matrix *c)
{
    unsigned n = rule->side[0] * rule->side[1];
    for (unsigned s = 0; s < steps; s++) {
        struct matrix m;
        if (rule->colours > 0) {
            colour(&m, n, rule->side, rule->parameter, s % rule->colours);
        } else {
            diffusion(&m, n, rule->side, rule->parameter);
        }
        bool every = rule->by_steps || rule->colours == 0;
        bool begins = every || s % rule->colours == 0;
        bool ends = every || (s + 1) % rule->colours == 0;
        add_work(c, n, rule->first && begins ? work : 0.0);
        carry(c, &m, n);
        add_work(c, n, !rule->first && ends ? work : 0.0);
    }
    return variance_of(c, n);
}

static const struct rule rules[] = {
    {"ring:8", {8, 1}, 2, 0.5, false, false},     {"ring:8", {8, 1}, 2, 0.5, false, true},
    {"ring:8", {8, 1}, 2, 0.5, true, false},      {"ring:8", {8, 1}, 2, 0.5, true, true},
    {"ring:8", {8, 1}, 2, 0.7, true, false},      {"ring:8", {8, 1}, 2, 0.7, true, true},
    {"torus:4x4", {4, 4}, 4, 0.58, false, false}, {"torus:4x4", {4, 4}, 4, 0.58, false, true},
    {"torus:4x4", {4, 4}, 4, 0.5, true, false},   {"torus:4x4", {4, 4}, 4, 0.5, true, true},
    {"ring:5", {5, 1}, 0, 0.3, false, false},     {"ring:5", {5, 1}, 0, 0.3, false, true},
    {"torus:3x4", {3, 4}, 0, 0.2, false, false},  {"torus:3x4", {3, 4}, 0, 0.2, false, true},
    {"torus:2x8", {2, 8}, 0, 0.25, true, false},  {"torus:2x8", {2, 8}, 0, 0.25, true, true},
};

static void near(const struct rule *rule, const char *what, unsigned steps, double got, double want)
{
    cr_expect(fabs(got - want) <= 1e-9 * want, "%s, %u steps, %s: %.12g, not %.12g", rule->topology, steps, what, got,
              want);
}

static void expect_dense(const struct rule *rule, unsigned steps)
{
    unsigned n = rule->side[0] * rule->side[1];
    double load[SIDE_MAX];
    struct ek_error error;
    struct core_expected expected;
    struct matrix c;
    struct ek_topology *topology = ek_topology_create(rule->topology, 1, (struct ek_reader){0}, &error);
    cr_assert(topology && topology->processors == n, "%s", error.sentence);
    struct core_process process = {.topology = topology,
                                   .matrix = rule->colours > 0 ? EK_MATRIX_EXCHANGE : EK_MATRIX_DIFFUSION,
                                   .parameter = rule->parameter,
                                   .work_by_steps = rule->by_steps,
                                   .work_first = rule->first};
    double *room = malloc(core_expected_room(n) * sizeof *room);
    cr_assert(room);
    for (unsigned p = 0; p < n; p++) {
        load[p] = p * 37 % 11;
    }
    core_expected_find(&process, steps, load, room, &expected);
    identity(&c, n);
    near(rule, "drawn", steps, expected.from_drawn, dense(rule, steps, 0.0, &c));
    memset(&c, 0, sizeof c);
    near(rule, "work", steps, 1.0 + expected.from_work, 1.0 + dense(rule, steps, 1.0, &c));
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < n; j++) {
            c.at[i][j] = load[i] * load[j];
        }
    }
    near(rule, "load", steps, 1.0 + expected.from_load, 1.0 + dense(rule, steps, 0.0, &c));
    free(room);
    ek_topology_destroy(topology);
}

Test(expected, dense_covariances)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        for (unsigned steps = 0; steps <= 9; steps++) {
            expect_dense(&rules[i], steps);
        }
    }
}

// The long run, as computed by another program with covariance matrices (variance 30). On ring:64, ade leaves more
// than ode, against Eq. (31); on mesh:8x8, adf leaves more than odf, against Eq. (28).
Test(expected, the_long_run)
{
    static const struct {
        const char *topology, *method, *clock;
        double variance;
    } cases[] = {{"torus:16x16", "ade", "step", 16943},     {"torus:16x16", "ode", "step", 19355},
                 {"torus:16x16", "adf", "step", 13086},     {"torus:16x16", "odf", "operation", 14232},
                 {"torus:16x16", "ade", "operation", 8520}, {"torus:16x16", "ode", "operation", 8827},
                 {"ring:64", "ade", "step", 12120},         {"ring:64", "ode", "step", 11513},
                 {"mesh:8x8", "odf", "operation", 3744},    {"mesh:8x8", "adf", "operation", 3859}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = {.topology = cases[i].topology,
                                           .method = cases[i].method,
                                           .clock = cases[i].clock,
                                           .work = "normal:100:30:100",
                                           .steps_max = 1};
        double variance = fact_of_experiment(experiment, "variance_limit");
        cr_expect(fabs(variance - cases[i].variance) <= 0.5, "%s %s: %.6f", cases[i].topology, cases[i].method,
                  variance);
    }
}

// Lemmas 5.1 and 5.2, corrected, for one operation. On ring:64 with sigma0^2 = 1000^2/12 they leave N sigma0^2 (a -
// 1/N) + (N-1) sigma^2, where a = (1-d alpha)^2 + d alpha^2, or a = b^d with b = (1-lambda)^2 + lambda^2.
Test(expected, one_operation_is_eq_27_and_eq_29)
{
    struct ek_experiment experiment = {
        .topology = "ring:64", .method = "adf", .work = "normal:100:30:100", .operations_max = 1};
    double sigma0 = 1e6 / 12.0;
    double a = 1.0 / 9.0 + 2.0 / 9.0;
    double adf = 64.0 * sigma0 * (a - 1.0 / 64.0) + 63.0 * 30.0;
    double ade = 64.0 * sigma0 * (0.25 - 1.0 / 64.0) + 63.0 * 30.0;
    cr_expect(fabs(fact_of_experiment(experiment, "variance_expected_drawn") - adf) < 1e-3);
    experiment.method = "ade";
    cr_expect(fabs(fact_of_experiment(experiment, "variance_expected_drawn") - ade) < 1e-3);
}

// Of two limits the one that ends the run first counts. Only a run that no criterion ends can be compared with it.
Test(expected, the_end_is_the_first_limit)
{
    struct ek_experiment experiment = {.topology = "ring:8", .method = "ade", .work = "normal:100:30:100"};
    double at[8];
    for (uint64_t operations = 1; operations < 8; operations++) {
        experiment.operations_max = operations;
        at[operations] = fact_of_experiment(experiment, "variance_expected");
    }
    static const struct {
        uint64_t operations_max, steps_max; // an operation has two steps
        unsigned ends;
    } limits[] = {{7, 4, 2}, {2, 14, 2}, {3, 6, 3}, {0, 10, 5}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        experiment.operations_max = limits[i].operations_max;
        experiment.steps_max = limits[i].steps_max;
        for (int never = 0; never < 2; never++) {
            experiment.stop = never ? "never" : "variance:1";
            struct ek_machine *machine = must_prepare(experiment);
            const struct ek_fact *fact = fact_of(machine, "variance_expected");
            cr_assert(fact);
            cr_expect_eq(fact->value, at[limits[i].ends], "%zu", i);
            cr_expect_str_eq(fact->beside, never ? "variance_final" : "");
            ek_machine_destroy(machine);
        }
    }
}

// Compares the mean of runs from one load, with other random work in each, within four standard errors. --steps 9
// cuts an operation.
static void expect_mean(struct ek_experiment experiment)
{
    enum { RUNS = 400 };
    struct ek_error error;
    double sum = 0.0;
    double squares = 0.0;
    experiment.carrier = "pool:1";
    experiment.stop = "never";
    experiment.work = "normal:100:30:100";
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    for (unsigned run = 0; run < RUNS; run++) {
        struct ek_report report;
        cr_assert_eq(ek_run(machine, run, &report, NULL, NULL, &error), EK_OK);
        sum += report.variance_final;
        squares += report.variance_final * report.variance_final;
        ek_report_destroy(&report);
    }
    ek_machine_destroy(machine);
    double mean = sum / RUNS;
    double deviation = sqrt((squares / RUNS - mean * mean) / (RUNS - 1));
    double expected = fact_of_experiment(experiment, "variance_expected");
    cr_expect(fabs(mean - expected) <= 4.0 * deviation, "%s %s: %g, expected %g with an error of %g",
              experiment.topology, experiment.method, mean, expected, deviation);
}

Test(expected, the_mean_of_runs)
{
    expect_mean((struct ek_experiment){
        .topology = "ring:8", .method = "ade", .load = "peak:100", .clock = "step", .steps_max = 9});
    expect_mean((struct ek_experiment){.topology = "ring:8", .method = "ode", .load = "peak:100", .steps_max = 9});
    expect_mean((struct ek_experiment){
        .topology = "torus:4x4", .method = "adf", .load = "peak:200", .ports = "one", .operations_max = 3});
    expect_mean((struct ek_experiment){.topology = "star:6", .method = "odf", .load = "peak:99", .operations_max = 5});
    expect_mean((struct ek_experiment){.topology = "star:6", .method = "gde:0.4", .load = "peak:99", .steps_max = 11});
}

// Work that comes first is balanced together with the other load, so what is measured is what is left of both.
Test(expected, the_mean_of_runs_whose_work_comes_first)
{
    expect_mean((struct ek_experiment){
        .topology = "ring:5", .method = "gde:0.7", .load = "peak:100", .working = "before", .operations_max = 9});
    expect_mean((struct ek_experiment){.topology = "ring:8",
                                       .method = "ade",
                                       .load = "peak:100",
                                       .clock = "step",
                                       .working = "before",
                                       .steps_max = 9});
    expect_mean((struct ek_experiment){
        .topology = "ring:8", .method = "ode", .load = "peak:100", .working = "before", .steps_max = 9});
    expect_mean((struct ek_experiment){.topology = "torus:4x4",
                                       .method = "adf",
                                       .load = "peak:200",
                                       .ports = "one",
                                       .working = "before",
                                       .operations_max = 3});
}

// By hand: dimension exchange on chain:2 with lambda = 0.3 leaves 0.4 of a difference, and q = 0.16 of a sum of
// squares. With sigma^2 = 30 and N - 1 = 1, k operations leave 30 (q + ... + q^k) if work comes first, else 30 (1 +
// ... + q^(k-1)).
Test(expected, two_processors_by_hand)
{
    struct ek_experiment experiment = {.topology = "chain:2",
                                       .method = "gde:0.3",
                                       .work = "normal:100:30:100",
                                       .load = "list:10,0",
                                       .operations_max = 3};
    double q = 0.16;
    double left = 50.0 * q * q * q;
    double limit = 30.0 / (1.0 - q);
    static const struct {
        const char *working;
        double power;
    } rows[] = {{"after", 0.0}, {"before", 1.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        experiment.working = rows[i].working;
        double factor = pow(q, rows[i].power);
        double expected = fact_of_experiment(experiment, "variance_expected");
        cr_expect(fabs(expected - left - factor * 30.0 * (1.0 + q + q * q)) < 1e-9, "%s: %g", rows[i].working,
                  expected);
        cr_expect(fabs(fact_of_experiment(experiment, "variance_limit") - factor * limit) < 1e-9, "%s",
                  rows[i].working);
    }
}
