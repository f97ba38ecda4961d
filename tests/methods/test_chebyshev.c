// SPDX-License-Identifier: MIT
// Chebyshev's scheme against Chebyshev polynomials, and the second order scheme with tokens: by hand, its switch to
// first order, its ways of rounding.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/theory/schemes.h"
#include "tests/support/must.h"
#include "threads/machine/machine.h"

static void run(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    experiment.carrier = experiment.carrier ? experiment.carrier : "pool:1";
    must_run(experiment, outcome);
}

static double polynomial(unsigned k, double x)
{
    double before = 1.0;
    double now = k == 0 ? 1.0 : x;
    for (unsigned i = 1; i < k; i++) {
        double next = 2.0 * x * now - before;
        before = now;
        now = next;
    }
    return now;
}

// The load (+1, 0, -1) of a chain of 3 belongs to the eigenvalue 1, (1, -2, 1) to 3. After k operations the first is
// multiplied by T_k((1 - alpha)/g)/T_k(1/g), whatever the bounds.
Test(chebyshev, errors_are_quotients_of_polynomials)
{
    static const double bounds[][2] = {{1, 3}, {0.5, 4}, {1.5, 3.5}, {2, 2.5}};
    static const double eigenvalues[] = {1, 3};
    static const char *const loads[] = {"list:200,100,0", "list:200,0,200"};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        for (unsigned mode = 0; mode < 2; mode++) {
            for (unsigned k = 1; k <= 9; k++) {
                double alpha = 2.0 / (bounds[b][0] + bounds[b][1]);
                double g = (bounds[b][1] - bounds[b][0]) / (bounds[b][1] + bounds[b][0]);
                double factor = polynomial(k, (1.0 - alpha * eigenvalues[mode]) / g) / polynomial(k, 1.0 / g);
                double mean = mode == 0 ? 100.0 : 400.0 / 3.0;
                char method[64];
                struct tests_outcome outcome;
                snprintf(method, sizeof method, "chebyshev:%g:%g", bounds[b][0], bounds[b][1]);
                run((struct ek_experiment){.topology = "chain:3",
                                           .method = method,
                                           .load = loads[mode],
                                           .stop = "never",
                                           .operations_max = k},
                    &outcome);
                double found = (outcome.report.final[0] - mean) / (200.0 - mean);
                cr_expect(fabs(found - factor) < 1e-11 * fmax(1.0, fabs(factor)), "%s, mode %u, %u: %.15g, not %.15g",
                          method, mode, k, found, factor);
                tests_outcome_destroy(&outcome);
            }
        }
    }
}

// Without bounds they are the eigenvalues. In the long run the coefficients are those of sos.
Test(chebyshev, exact_bounds_come_from_the_spectrum)
{
    struct tests_outcome outcomes[2];
    static const char *const methods[] = {"chebyshev", "chebyshev:1:3"};
    for (unsigned i = 0; i < 2; i++) {
        run((struct ek_experiment){.topology = "chain:3", .method = methods[i], .stop = "never", .operations_max = 7},
            &outcomes[i]);
    }
    for (unsigned p = 0; p < 3; p++) {
        cr_expect(fabs(outcomes[0].report.final[p] - outcomes[1].report.final[p]) < 1e-9);
    }
    tests_outcome_destroy(&outcomes[0]);
    tests_outcome_destroy(&outcomes[1]);
    struct ek_spectrum spectrum = {.second = 0.2, .largest = 7.0};
    struct core_polynomial schemes[2];
    struct ek_error error;
    cr_assert(core_polynomial_create(&schemes[0], &(struct core_scheme){.kind = CORE_SOS}, &spectrum, &error));
    cr_assert(core_polynomial_create(&schemes[1], &(struct core_scheme){.kind = CORE_CHEBYSHEV}, &spectrum, &error));
    struct core_coefficients sos = core_polynomial_step(&schemes[0], 200);
    struct core_coefficients late = core_polynomial_step(&schemes[1], 200);
    struct core_coefficients second = core_polynomial_step(&schemes[1], 1);
    double g = 6.8 / 7.2;
    cr_expect(fabs(late.gain - sos.gain) < 1e-14 && fabs(late.memory - sos.memory) < 1e-14);
    cr_expect(fabs(second.memory - (1.0 / (1.0 - g * g / 2.0) - 1.0)) < 1e-14);
    core_polynomial_destroy(&schemes[0]);
    core_polynomial_destroy(&schemes[1]);
}

static double cost(const char *method, const char *name)
{
    return fact_of_experiment((struct ek_experiment){.topology = "chain:3", .method = method}, name);
}

// Eigenvalues of a chain of 3 are 1 and 3: g = 1/2, and gamma is that of sos, 2 - sqrt(3). With 2 and 2 it is first
// order with alpha = 1/2, which shrinks both by 1/2. With 1/2 and 3 the sum is 3.5, g = 5/7: the factor is 5/(7 +
// sqrt(24)). With 2 and 3 both are outside or at an end: g = 1/5, and 1 - 2/5 = 3/5 gives (3/5 + sqrt(8)/5)/(1 +
// sqrt(24)/5).
Test(chebyshev, what_wrong_bounds_cost)
{
    double best = 2.0 - sqrt(3.0);
    double low = 5.0 / (7.0 + sqrt(24.0));
    double high = (3.0 + sqrt(8.0)) / (5.0 + sqrt(24.0));
    cr_expect(fabs(cost("chebyshev", "gamma") - best) < 1e-9);
    cr_expect(fabs(cost("chebyshev:2:2", "gamma") - 0.5) < 1e-9);
    cr_expect(fabs(cost("chebyshev:0.5:3", "gamma") - low) < 1e-9);
    cr_expect(fabs(cost("chebyshev:2:3", "gamma") - high) < 1e-9);
    cr_expect(fabs(cost("chebyshev:2:3", "gamma_best") - best) < 1e-9);
    cr_expect(fabs(cost("chebyshev:2:3", "bounds_cost") - log(best) / log(high)) < 1e-6);
    struct ek_machine *machine =
        must_prepare((struct ek_experiment){.topology = "chain:3", .method = "chebyshev", .carrier = "pool:1"});
    cr_expect_null(fact_of(machine, "bounds_cost"));
    cr_expect_str_empty(machine->plan.method_plan.warning);
    ek_machine_destroy(machine);
    machine =
        must_prepare((struct ek_experiment){.topology = "chain:3", .method = "chebyshev:1:1.5", .carrier = "pool:1"});
    cr_expect(strstr(machine->plan.method_plan.warning, "with these bounds some loads never balance: the largest "
                                                        "eigenvalue is 3, and it must be below the sum of the bounds, "
                                                        "2.5"));
    cr_expect(isnan(fact_value(machine, "bounds_cost")));
    cr_expect_null(fact_of(machine, "operations_most"));
    ek_machine_destroy(machine);
}

// The bounds of operations hold, and are near.
Test(chebyshev, promised_operations_are_enough)
{
    static const char *const topologies[] = {"mesh:6x4", "ring:16", "otis(mesh:2x4)", "random:40:3", "chain:2"};
    static const char *const methods[] = {"chebyshev", "chebyshev:0.02:9", "chebyshev:0.5:8"};
    static const char *const capacities[] = {"homo", "semi"};
    for (size_t i = 0; i < 30; i++) {
        struct tests_outcome outcome;
        run((struct ek_experiment){.topology = topologies[i % 5],
                                   .method = methods[i / 5 % 3],
                                   .capacity = capacities[i / 15],
                                   .stop = "error:0.01"},
            &outcome);
        double most = fact_value(outcome.machine, "operations_most");
        double taken = (double)outcome.report.operations;
        cr_expect(outcome.report.converged && taken <= most && taken >= 0.3 * most, "%s %s: %g of %g",
                  topologies[i % 5], methods[i / 5 % 3], taken, most);
        tests_outcome_destroy(&outcome);
    }
}

Test(chebyshev, wrong_bounds_are_refused)
{
    static const char *const wrong[] = {"chebyshev:0:2", "chebyshev:3:2", "chebyshev:1", "chebyshev:1:2:3",
                                        "chebyshev:a:2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ek_error error;
        struct ek_experiment experiment = {.topology = "chain:3", .method = wrong[i]};
        cr_expect_null(ek_prepare(&experiment, &error), "%s", wrong[i]);
        cr_expect_str_eq(error.axis, "method", "%s", wrong[i]);
    }
}

static void expect_tokens(const char *method, const char *rounding, uint64_t operations, const double *final)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = "chain:3",
                               .method = method,
                               .units = "tokens",
                               .rounding = rounding,
                               .load = "list:100,0,0",
                               .stop = "never",
                               .operations_max = operations},
        &outcome);
    for (unsigned p = 0; p < 3; p++) {
        cr_expect_eq(outcome.report.final[p], final[p], "%s %s, %u operations: %u has %g, not %g", method, rounding,
                     (unsigned)operations, p, outcome.report.final[p], final[p]);
    }
    tests_outcome_destroy(&outcome);
}

// On a chain of 3 alpha is 1/2 and beta is 1.0718. First 50 goes over 0-1. Then 0.0718*50 = 3.59 goes over 0-1, and
// 0.5359*50 = 26.79 over 1-2. Rounded down, 0.5359*20 + 0.0718*3 = 10.93 and 0.5359*1 + 0.0718*26 = 2.40 follow;
// rounded to nearest, 0.5359*19 + 0.0718*4 = 10.47 and 0.0718*27 = 1.94.
Test(second_order_tokens, by_hand)
{
    static const double down[][3] = {{50, 50, 0}, {47, 27, 26}, {37, 35, 28}};
    static const double nearest[][3] = {{50, 50, 0}, {46, 27, 27}, {36, 35, 29}};
    for (unsigned k = 1; k <= 3; k++) {
        expect_tokens("sos", "down", k, down[k - 1]);
        expect_tokens("sos", "nearest", k, nearest[k - 1]);
    }
    static const double switched[] = {37, 37, 26}; // (47 - 27)/2 and (27 - 26)/2, rounded down
    expect_tokens("sos:2", "down", 3, switched);
}

// Both ends of a link round alike: no token is lost, whatever the carrier and the ports.
Test(second_order_tokens, roundings_agree_at_both_ends)
{
    static const char *const roundings[] = {"down", "nearest", "random", "carry"};
    static const char *const methods[] = {"sos", "sos:12", "chebyshev"};
    for (size_t i = 0; i < 12; i++) {
        struct tests_outcome outcomes[2];
        for (unsigned way = 0; way < 2; way++) {
            run((struct ek_experiment){.topology = "random:20:4",
                                       .method = methods[i % 3],
                                       .units = "tokens",
                                       .rounding = roundings[i / 3],
                                       .ports = way ? "one" : NULL,
                                       .carrier = way ? "pool:2" : "threads",
                                       .load = "peak:20000",
                                       .stop = "never",
                                       .operations_max = 30},
                &outcomes[way]);
            cr_expect_eq(outcomes[way].report.total_final, 20000.0);
        }
        cr_expect_arr_eq(outcomes[0].report.final, outcomes[1].report.final, 20 * sizeof(double), "%s %s",
                         methods[i % 3], roundings[i / 3]);
        tests_outcome_destroy(&outcomes[0]);
        tests_outcome_destroy(&outcomes[1]);
    }
}

static double spread(const char *method, const char *capacity)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = "torus:12x12",
                               .method = method,
                               .units = "tokens",
                               .rounding = "nearest",
                               .capacity = capacity,
                               .load = "peak:144000",
                               .stop = "never",
                               .operations_max = 300},
        &outcome);
    double spread = outcome.report.spread_final;
    tests_outcome_destroy(&outcome);
    return spread;
}

// Akbari, Berenbrink, Elsässer & Kaaser 2015: second order leaves a few tokens, which first order then reduces.
Test(second_order_tokens, first_order_reduces_what_second_order_leaves)
{
    cr_expect(spread("sos:100", NULL) < spread("sos", NULL));
    cr_expect(spread("sos", NULL) < spread("fos", NULL));
    cr_expect(spread("sos", NULL) < 12.0);
}

Test(second_order_tokens, first_order_from_the_first_operation_is_fos)
{
    struct tests_outcome outcomes[2];
    static const char *const methods[] = {"sos:1", "fos"};
    for (unsigned i = 0; i < 2; i++) {
        run((struct ek_experiment){.topology = "torus:4x4",
                                   .method = methods[i],
                                   .units = "tokens",
                                   .stop = "never",
                                   .operations_max = 20},
            &outcomes[i]);
    }
    cr_expect_arr_eq(outcomes[0].report.final, outcomes[1].report.final, 16 * sizeof(double));
    tests_outcome_destroy(&outcomes[0]);
    tests_outcome_destroy(&outcomes[1]);
}
