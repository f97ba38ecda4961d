// SPDX-License-Identifier: MIT
// The papers' parameters and factors against the exact ones, the search for lambda, predictions, and the sentences
// about them.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/register.h"
#include "core/theory/convergence.h"
#include "tests/support/must.h"

static const double PI = 3.14159265358979323846;

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

static double lambda_of(const char *spec)
{
    struct ek_topology *topology = must_build(spec);
    struct ek_error error;
    double lambda = NAN;
    cr_assert(core_lambda_optimal(topology, EK_REAL, &lambda, &error), "%s: %s", spec, error.sentence);
    ek_topology_destroy(topology);
    return lambda;
}

static double alpha_of(const char *spec)
{
    struct ek_topology *topology = must_build(spec);
    struct ek_error error;
    double alpha = NAN;
    cr_assert(core_alpha_optimal(topology, &alpha, &error), "%s: %s", spec, error.sentence);
    ek_topology_destroy(topology);
    return alpha;
}

static struct core_factor factor_of(const char *spec, enum ek_matrix matrix, double parameter)
{
    struct ek_topology *topology = must_build(spec);
    struct core_factor factor;
    core_factor_find(topology, matrix, parameter, true, &factor);
    ek_topology_destroy(topology);
    return factor;
}

static struct core_factor ade(const char *spec)
{
    return factor_of(spec, EK_MATRIX_EXCHANGE, 0.5);
}

static struct core_factor ode(const char *spec)
{
    return factor_of(spec, EK_MATRIX_EXCHANGE, lambda_of(spec));
}

static struct core_factor adf(const char *spec)
{
    struct ek_topology *topology = must_build(spec);
    double alpha = core_alpha_average(topology);
    ek_topology_destroy(topology);
    return factor_of(spec, EK_MATRIX_DIFFUSION, alpha);
}

static struct core_factor odf(const char *spec)
{
    return factor_of(spec, EK_MATRIX_DIFFUSION, alpha_of(spec));
}

Test(theory, parameters)
{
    cr_expect(near(lambda_of("chain:8"), 1.0 / (1.0 + sin(PI / 8)), 1e-15));
    cr_expect(near(lambda_of("mesh:4x16x2"), 1.0 / (1.0 + sin(PI / 16)), 1e-15));
    cr_expect(near(lambda_of("ring:64"), 1.0 / (1.0 + sin(PI / 32)), 1e-15));
    cr_expect(near(lambda_of("torus:3x8"), 1.0 / (1.0 + sin(PI / 4)), 1e-15));
    cr_expect_eq(lambda_of("hypercube:5"), 0.5);
    cr_expect_eq(lambda_of("torus:2x2x1"), 0.5);
    cr_expect_eq(lambda_of("chain:1"), 0.5);
    cr_expect(near(alpha_of("chain:8"), 0.5, 1e-15));
    cr_expect(near(alpha_of("mesh:4x16x2"), 1.0 / 6.0, 1e-15));
    cr_expect(near(alpha_of("mesh:1x6"), 0.5, 1e-15));
    cr_expect(near(alpha_of("ring:64"), 1.0 / (3.0 - cos(PI / 32)), 1e-15));
    cr_expect(near(alpha_of("torus:8x8"), 1.0 / (5.0 - cos(PI / 4)), 1e-15));
    cr_expect(near(alpha_of("hypercube:5"), 1.0 / 6.0, 1e-15));
    cr_expect(near(alpha_of("torus:2x2x1"), 1.0 / 3.0, 1e-15));
    cr_expect(near(alpha_of("complete:9"), 1.0 / 9.0, 1e-15));
    cr_expect(near(alpha_of("star:9"), 0.2, 1e-15));
    // Zhao, Xiao & Parhami, Table 2, with its digits corrected.
    cr_expect(near(alpha_of("otis(mesh:2x4)"), 0.278446, 1e-6), "%.7f", alpha_of("otis(mesh:2x4)"));
    cr_expect(near(alpha_of("chain:1"), 1.0, 1e-15));
}

static void expect_exact(const char *name, const char *spec, struct core_factor factor)
{
    cr_expect(near(factor.exact, factor.closed, 1e-12), "%s on %s: %.15g, Table 1 has %.15g", name, spec, factor.exact,
              factor.closed);
    cr_expect_not(strstr(factor.note, "Table 1"), "%s on %s: %s", name, spec, factor.note);
}

Test(theory, table_1_is_exact_where_it_holds)
{
    static const char *const specs[] = {"ring:4",      "ring:6",   "ring:64",    "torus:4x4",  "torus:6x8",
                                        "torus:8x4x6", "chain:3",  "chain:4",    "chain:9",    "chain:64",
                                        "mesh:3x4",    "mesh:7x7", "mesh:5x9x4", "mesh:16x16", "torus:16x16"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        expect_exact("ade", specs[i], ade(specs[i]));
        expect_exact("ode", specs[i], ode(specs[i]));
    }
    static const char *const odd[] = {"ring:3", "ring:5", "ring:63", "torus:5x5", "torus:3x7x5", "torus:3x4"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        expect_exact("adf", specs[i], adf(specs[i]));
        expect_exact("odf", specs[i], odf(specs[i]));
    }
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        expect_exact("adf", odd[i], adf(odd[i]));
        expect_exact("odf", odd[i], odf(odd[i]));
    }
}

Test(theory, table_1_parts_on_odd_tori)
{
    struct core_factor factor = ade("ring:5");
    cr_expect(near(factor.exact, 0.1768, 5e-5));
    cr_expect(near(factor.closed, 0.0955, 5e-5));
    cr_expect(strstr(factor.note, "third colour"), "%s", factor.note);
    factor = ade("torus:3x4");
    cr_expect(near(factor.exact, 0.125, 1e-12));
    cr_expect(near(factor.closed, 0.0, 1e-12));
    cr_expect(strstr(factor.note, "third colour"), "%s", factor.note);
    factor = ode("ring:63");
    cr_expect(near(factor.exact, 0.8398, 5e-5));
    cr_expect(near(factor.closed, 0.8189, 5e-5));
    cr_expect(near(factor.best, 0.9118, 5e-5), "%.6f", factor.best);
    cr_expect(strstr(factor.note, "is not optimal here"), "%s", factor.note);
    cr_expect(near(factor_of("ring:63", EK_MATRIX_EXCHANGE, factor.best).exact, 0.8340, 5e-5));
}

Test(theory, table_1_parts_where_sides_are_2)
{
    struct core_factor factor = ade("hypercube:4"); // the row of meshes
    cr_expect(near(factor.exact, 0.0, 1e-12));
    cr_expect(near(factor.closed, 0.0, 1e-12));
    cr_expect_str_empty(factor.note, "%s", factor.note);
    cr_expect(near(odf("hypercube:4").exact, 3.0 / 5.0, 1e-12));
    cr_expect(near(odf("hypercube:4").closed, 3.0 / 5.0, 1e-12));
    cr_expect(near(odf("mesh:2x2").exact, 1.0 / 3.0, 1e-12));
    cr_expect(near(odf("mesh:2x2").closed, 1.0 / 2.0, 1e-12));
    factor = odf("mesh:2x2");
    cr_expect(strstr(factor.note, "all sides are 2"), "%s", factor.note);
    factor = adf("torus:2x8");
    cr_expect(strstr(factor.note, "a side of 2"), "%s", factor.note);
}

Test(theory, best_parameters)
{
    struct core_factor factor = odf("mesh:4x4");
    cr_expect(near(factor.best, 0.2698, 5e-5));
    cr_expect(near(factor.best, 1.0 / (3.0 + cos(PI / 4)), 1e-12));
    cr_expect(near(factor.exact, 0.8536, 5e-5));
    cr_expect(near(factor_of("mesh:4x4", EK_MATRIX_DIFFUSION, factor.best).exact, 0.8420, 5e-5));
    cr_expect(strstr(factor.note, "is not optimal here"), "%s", factor.note);
    cr_expect(near(odf("mesh:32x32").exact, 0.997592, 5e-7));
    factor = odf("torus:8x8");
    cr_expect(near(factor.best, alpha_of("torus:8x8"), 1e-12));
    cr_expect_str_empty(factor.note, "%s", factor.note);
    factor = ode("ring:64");
    cr_expect(near(factor.best, lambda_of("ring:64"), 1e-15));
    cr_expect(strstr(factor.note, "defective"), "%s", factor.note);
    cr_expect_str_empty(ade("ring:64").note);
}

// Checks that no lambda of a fine grid is better.
static void expect_none_better(const struct ek_topology *topology, double low, double lambda)
{
    struct ek_error error;
    double least, gamma;
    cr_expect(lambda >= low && lambda < 1.0, "%s: %g", topology->spec, lambda);
    cr_assert(ek_exchange_factor(topology, lambda, &least, &error));
    for (double at = low; at < 1.0; at += 0.0025) {
        cr_assert(ek_exchange_factor(topology, at, &gamma, &error));
        cr_expect(gamma > least - 1e-3, "%s: %g at %g, but %g at %g", topology->spec, least, lambda, gamma, at);
    }
}

static void expect_best(const char *spec)
{
    struct ek_topology *topology = must_build(spec);
    struct ek_error error;
    double lambda = lambda_of(spec);
    double tokens;
    cr_expect(lambda == lambda_of(spec), "%s: two searches differ", spec);
    expect_none_better(topology, 0.0, lambda);
    cr_assert(core_lambda_optimal(topology, EK_TOKENS, &tokens, &error));
    expect_none_better(topology, 0.5, tokens); // below 1/2 tokens freeze
    ek_topology_destroy(topology);
}

Test(theory, searched_lambda_is_the_best)
{
    static const char *const specs[] = {"complete:8",    "complete:7",     "star:6",       "star:20",
                                        "otis(chain:3)", "otis(mesh:2x3)", "otis(ring:5)", "otis(complete:4)",
                                        "random:20:3",   "random:50:4"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        expect_best(specs[i]);
    }
}

// The best lambda of small odd rings is below 1/2. On ring:3 lambda = 0.4 has the factor 0.4 * sqrt(0.05) =
// 0.0894427: the two other eigenvalues of an operation are conjugates, and their product is the determinant 0.2^3 of
// three exchanges.
Test(theory, the_best_lambda_can_be_below_a_half)
{
    static const char *const specs[] = {"ring:3", "torus:3x4", "torus:2x3", "torus:3x3"};
    cr_expect(near(factor_of("ring:3", EK_MATRIX_EXCHANGE, 0.4).exact, sqrt(0.2 * 0.2 * 0.2), 1e-9));
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_topology *topology = must_build(specs[i]);
        double best = ade(specs[i]).best;
        cr_expect(best < 0.5, "%s: %g", specs[i], best);
        expect_none_better(topology, 0.0, best);
        ek_topology_destroy(topology);
    }
    cr_expect(lambda_of("complete:5") < 0.5 && lambda_of("star:6") < 0.5);
}

// Table 1 is not about fos, even if its alpha is odf's.
Test(theory, table_1_is_about_its_own_methods)
{
    struct ek_topology *topology = must_build("mesh:2x2");
    struct core_factor factor;
    core_factor_find(topology, EK_MATRIX_DIFFUSION, 1.0 / 3.0, false, &factor);
    cr_expect(isnan(factor.closed) && near(factor.exact, 1.0 / 3.0, 1e-12));
    cr_expect_str_empty(factor.note, "%s", factor.note);
    cr_expect_not(ek_method_find("fos")->in_table_1);
    cr_expect(ek_method_find("odf")->in_table_1);
    ek_topology_destroy(topology);
}

Test(theory, too_dear_a_search_asks_for_lambda)
{
    struct ek_topology *topology = must_build("complete:300");
    struct ek_error error;
    double lambda;
    cr_expect_not(core_lambda_optimal(topology, EK_REAL, &lambda, &error));
    cr_expect_str_eq(error.axis, "method");
    cr_expect(strstr(error.sentence, "gde:"), "%s", error.sentence);
    ek_topology_destroy(topology);
}

Test(theory, operations)
{
    cr_expect_eq(core_factor_operations(0.5, 1024.0, 1.0), 5.0);
    cr_expect_eq(core_factor_operations(0.5, 1025.0, 1.0), 6.0);
    cr_expect_eq(core_factor_operations(0.9, 1.0, 1.0), 0.0);
    cr_expect_eq(core_factor_operations(0.0, 5.0, 1.0), 1.0);
    cr_expect_eq(core_factor_operations(1e-13, 5.0, 1.0), 1.0);
    cr_expect(isnan(core_factor_operations(1.0, 5.0, 1.0)));
    cr_expect(isnan(core_factor_operations(NAN, 5.0, 1.0)));
    cr_expect(isnan(core_factor_operations(0.5, 5.0, 0.0)));
}

// With one port an operation of diffusion takes a step for each colour, as dimension exchange always does.
Test(theory, steps_are_operations_times_colours)
{
    static const struct {
        const char *method, *ports;
        double steps;
    } rows[] = {
        {"adf", "all", 1.0}, {"adf", "one", 4.0}, {"odf", "one", 4.0}, {"ade", "all", 4.0}, {"ade", "one", 4.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ek_theory theory;
        struct ek_machine *machine = must_prepare(
            (struct ek_experiment){.topology = "torus:4x6", .method = rows[i].method, .ports = rows[i].ports});
        ek_theory_find(machine, &theory);
        cr_expect(theory.operations > 1.0 && theory.steps == rows[i].steps * theory.operations, "%s %s: %g, %g",
                  rows[i].method, rows[i].ports, theory.operations, theory.steps);
        cr_expect_not(theory.incomplete);
        ek_machine_destroy(machine);
    }
}

static bool why_in(bool whole, const char *spec, enum ek_matrix matrix, double parameter, enum ek_units units,
                   const char *part)
{
    struct ek_topology *topology = must_build(spec);
    char sentence[400] = "";
    bool answer = core_never_balances(topology, matrix, parameter, whole, units, sentence, sizeof sentence);
    cr_expect(strstr(sentence, part), "%s: %s", spec, sentence);
    ek_topology_destroy(topology);
    return answer;
}

static bool why(const char *spec, enum ek_matrix matrix, double parameter, enum ek_units units, const char *part)
{
    return why_in(true, spec, matrix, parameter, units, part);
}

// An eigenvalue tells nothing about operations that are cut, delayed, of single processors, or one after another;
// nor about loads that do not move.
Test(theory, an_eigenvalue_is_of_whole_operations)
{
    cr_expect_not(why_in(false, "ring:8", EK_MATRIX_DIFFUSION, 0.5, EK_REAL, ""));
    cr_expect_not(why_in(false, "ring:8", EK_MATRIX_DIFFUSION, 0.6, EK_TOKENS, ""));
    cr_expect_not(why_in(false, "ring:8", EK_MATRIX_EXCHANGE, 1.0, EK_REAL, ""));
    cr_expect(why_in(false, "ring:8", EK_MATRIX_DIFFUSION, 0.0, EK_REAL, "nothing moves"));
    cr_expect(why_in(false, "ring:8", EK_MATRIX_EXCHANGE, 0.0, EK_REAL, "nothing moves"));
    cr_expect(why_in(false, "torus:8x8", EK_MATRIX_DIFFUSION, 0.2, EK_TOKENS, "up to 4 over a link"));
}

Test(theory, why_a_run_cannot_converge)
{
    cr_expect(why("ring:8", EK_MATRIX_DIFFUSION, 0.5, EK_REAL, "change sign for ever"));
    cr_expect(why("torus:4x4", EK_MATRIX_DIFFUSION, 0.25, EK_REAL, "eigenvalue -1 "));
    cr_expect(why("ring:8", EK_MATRIX_DIFFUSION, 0.6, EK_REAL, "differences along it grow"));
    cr_expect(why("ring:8", EK_MATRIX_DIFFUSION, 0.0, EK_REAL, "nothing moves"));
    cr_expect_not(why("ring:7", EK_MATRIX_DIFFUSION, 0.5, EK_REAL, ""));
    cr_expect_not(why("chain:8", EK_MATRIX_DIFFUSION, 0.5, EK_REAL, ""));
    cr_expect(why("ring:8", EK_MATRIX_EXCHANGE, 1.0, EK_REAL, "swaps its loads"));
    cr_expect(why("ring:8", EK_MATRIX_EXCHANGE, 0.0, EK_TOKENS, "nothing moves"));
    cr_expect_not(why("ring:8", EK_MATRIX_EXCHANGE, 0.3, EK_REAL, ""));
    cr_expect(why("ring:8", EK_MATRIX_EXCHANGE, 0.3, EK_TOKENS, "up to 3 over a link"));
    cr_expect(why("ring:8", EK_MATRIX_EXCHANGE, 0.4, EK_TOKENS, "a lambda of at least 1/2"));
    cr_expect_not(why("ring:8", EK_MATRIX_EXCHANGE, 0.5, EK_TOKENS, ""));
    cr_expect(why("torus:8x8", EK_MATRIX_DIFFUSION, 0.2, EK_TOKENS, "up to 4 over a link"));
    cr_expect_not(why("chain:1", EK_MATRIX_EXCHANGE, 1.0, EK_REAL, ""));
    struct core_factor factor = factor_of("ring:8", EK_MATRIX_DIFFUSION, 0.5);
    cr_expect(near(factor.exact, 1.0, 1e-12));
    cr_expect(strstr(factor.note, "change sign"), "%s", factor.note);
}

// The factor of a general graph comes from LAPACK. The best alpha has (lmax-l2)/(lmax+l2).
Test(theory, general_graphs)
{
    struct core_factor factor = odf("random:100:4");
    cr_expect(isnan(factor.closed));
    cr_expect(factor.exact > 0.0 && factor.exact < 1.0);
    cr_expect(near(factor.best, alpha_of("random:100:4"), 1e-15));
    cr_expect(near(factor_of("random:100:4", EK_MATRIX_DIFFUSION, factor.best * 1.01).exact, factor.exact, 0.05));
    cr_expect_gt(factor_of("random:100:4", EK_MATRIX_DIFFUSION, factor.best * 1.01).exact, factor.exact);
    cr_expect_gt(factor_of("random:100:4", EK_MATRIX_DIFFUSION, factor.best * 0.99).exact, factor.exact);
    factor = ade("chain:1");
    cr_expect_eq(factor.exact, 0.0);
    cr_expect(isnan(factor.closed));
    factor = adf("chain:1");
    cr_expect_eq(factor.exact, 0.0);
    cr_expect_str_empty(factor.note, "%s", factor.note);
}

// Half of the difference flows to the poorest neighbour alone. All links take part and there is a parameter, as in
// diffusion, but no matrix describes this. On torus:8x8 diffusion with alpha = 1/2 has gamma 3.
static double poorest_flow(const struct ek_view *view, unsigned port)
{
    unsigned poorest = 0;
    for (unsigned other = 1; other < view->degree; other++) {
        poorest = view->announced[other] < view->announced[poorest] ? other : poorest;
    }
    return port == poorest ? view->plan->parameter * (view->load - view->announced[port]) : 0.0;
}

static bool prepare_half(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                         struct ek_error *error)
{
    (void)parameter, (void)at, (void)setting, (void)error;
    plan->parameter = 0.5;
    return true;
}

// Finds what the library states of a method before the run and after two operations, with few invokers or with all.
static void told_of(const struct ek_method *method, const char *invoke, struct ek_theory *theory, bool *has_domains,
                    char *why, size_t size)
{
    struct ek_error error;
    struct tests_outcome outcome;
    struct ek_fact facts[EK_FACTS_MAX];
    cr_assert(ek_method_find(method->name) || ek_method_register(method, &error), "%s", error.sentence);
    tests_try(&(struct ek_experiment){.topology = "torus:8x8",
                                      .method = method->name,
                                      .load = "peak:6400",
                                      .carrier = "pool:1",
                                      .invoke = invoke,
                                      .operations_max = 2},
              0, &outcome);
    cr_assert_eq(outcome.status, EK_UNREACHED, "%s", outcome.error.sentence);
    ek_theory_find(outcome.machine, theory);
    *has_domains = false;
    for (size_t i = ek_facts_find(outcome.machine, facts, EK_FACTS_MAX); i-- > 0;) {
        cr_expect_str_neq(facts[i].name, "gamma");
        *has_domains = *has_domains || strncmp(facts[i].name, "domain_", 7) == 0;
    }
    snprintf(why, size, "%s", outcome.report.why);
    tests_outcome_destroy(&outcome);
}
static const struct ek_method silent = {
    .name = "poorest",
    .texts = &(const struct ek_texts){.title = "for a test"},
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_ALL,
    .prepare = prepare_half,
    .rule = &(const struct ek_rule){.flow = poorest_flow},
    .rounds = &(const struct ek_rounds_part){0},
};

// The method declares its matrix: what it does not declare is not guessed, and what it declares is believed.
Test(theory, a_method_says_its_matrix_itself)
{
    static struct ek_method claims;
    struct ek_theory theory;
    bool has_domains;
    char why[416];
    claims = silent;
    claims.name = "claims-diffusion";
    claims.matrix = EK_MATRIX_DIFFUSION;

    told_of(&silent, "always", &theory, &has_domains, why, sizeof why);
    cr_expect(!theory.has_exact && !theory.has_closed && isnan(theory.parameter_best) && !*theory.note, "%s",
              theory.note);
    cr_expect_str_eq(why, "the limit on operations ended the run");
    told_of(&claims, "always", &theory, &has_domains, why, sizeof why);
    cr_expect(near(theory.gamma_exact, 3.0, 1e-12) && strstr(theory.note, "differences along it grow"), "%s",
              theory.note);
    cr_expect(strstr(why, "differences along it grow"), "%s", why);

    told_of(&silent, "below:100", &theory, &has_domains, why, sizeof why);
    cr_expect_not(has_domains);
    told_of(&claims, "below:100", &theory, &has_domains, why, sizeof why);
    cr_expect(has_domains);
}
