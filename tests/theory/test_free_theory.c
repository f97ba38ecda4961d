// SPDX-License-Identifier: MIT
// One operation of one invoker against the closed forms of Xu, Monien, Lüling & Lau 1995, section 4. Many runs of a
// single operation start from different random loads. The mean of the variance left in the domain must be the
// paper's, within the error of the sample. Runs with one seed have the same loads and the same invoker, so two
// methods are compared pair by pair.
#include <criterion/criterion.h>

#include <math.h>

#include "core/theory/domain_variance.h"
#include "tests/support/runs.h"

enum { RUNS = 500, DEGREE = 4, PROCESSORS = 64 };

static const double SIGMAS = 4.0;
// With alpha above 1/d a rule can demand more than an invoker holds, and gives less. With these loads it always
// holds enough.
static const char *const LOAD = "uniform:1000:2000";
static const double VARIANCE = 1000.0 * 1000.0 / 12.0; // sigma0^2 of these loads
static const struct core_domain DOMAIN = {.neighbours = DEGREE, .processors = PROCESSORS};

// The domain's sum of squares about the mean of all loads, before and after the operation of each run, over
// sigma0^2.
struct sample {
    double before[RUNS], after[RUNS];
};

// Returns the method's parameter.
static double take_sample(const char *method, const char *ports, struct sample *sample)
{
    struct ek_experiment experiment = {.topology = "torus:8x8",
                                       .method = method,
                                       .load = LOAD,
                                       .ports = ports,
                                       .carrier = "pool:1",
                                       .unpinned = true,
                                       .timing = "free",
                                       .invoke = "probability:0.05",
                                       .stop = "never",
                                       .operations_max = 1,
                                       .watchdog_s = 60.0,
                                       .seed = 1};
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s: %s", method, error.sentence);
    for (unsigned run = 0; run < tests_part(RUNS); run++) {
        struct ek_report report;
        cr_assert(ek_run(machine, run, &report, NULL, NULL, &error) == EK_OK, "%s: %s", method, error.sentence);
        const struct ek_effect *alone = &report.effects.alone;
        cr_assert(report.operations == 1 && alone->count == 1 && report.effects.overlapped.count == 0, "%s: run %u",
                  method, run);
        // The processors outside the domain have not changed.
        cr_assert(fabs(report.variance_initial - report.variance_final - (alone->before - alone->after)) <=
                      1e-9 * report.variance_initial,
                  "%s: run %u", method, run);
        sample->before[run] = alone->before / VARIANCE;
        sample->after[run] = alone->after / VARIANCE;
        ek_report_destroy(&report);
    }
    double parameter = ek_machine_parameter(machine);
    ek_machine_destroy(machine);
    return parameter;
}

// Returns the mean of a - b, or of a if b is NULL, and its standard error.
static double mean_of(const double *a, const double *b, double *error)
{
    double sum = 0.0;
    double squares = 0.0;
    unsigned runs = tests_part(RUNS);
    for (unsigned i = 0; i < runs; i++) {
        double value = a[i] - (b ? b[i] : 0.0);
        sum += value;
        squares += value * value;
    }
    double mean = sum / runs;
    *error = sqrt((squares / runs - mean * mean) / (runs - 1));
    return mean;
}

static void expect_mean(const char *what, const double *a, const double *b, double expected)
{
    double error;
    double mean = mean_of(a, b, &error);
    cr_expect(fabs(mean - expected) <= SIGMAS * error, "%s: %.4f, not %.4f, with an error of %.4f", what, mean,
              expected, error);
    cr_log_info("%s: %.4f +- %.4f, theory %.4f", what, mean, error, expected);
}

static struct sample first, second;

static void expect_form(const char *method, double expected)
{
    take_sample(method, "all", &first);
    expect_mean(method, first.after, NULL, expected);
    expect_mean("the domain before", first.before, NULL, (DEGREE + 1.0) * (1.0 - 1.0 / PROCESSORS));
}

Test(free_theory, diffusion_is_eq_9_and_its_best_parameter_the_best)
{
    double best = core_domain_diffusion_best(DOMAIN); // 2/7
    expect_form("diffusion:0.285714285714285714", core_domain_diffusion(DOMAIN, best));
    static const char *const others[] = {"adf", "odf", "diffusion:0.4"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        double alpha = take_sample(others[i], "all", &second);
        double expected = core_domain_diffusion(DOMAIN, alpha);
        expect_mean(others[i], second.after, NULL, expected);
        expect_mean("beyond the best", second.after, first.after, expected - core_domain_diffusion(DOMAIN, best));
        double error;
        double beyond = mean_of(second.after, first.after, &error);
        cr_expect(beyond > 2.0 * error, "%s leaves %g more than the best, with an error of %g", others[i], beyond,
                  error);
    }
}

Test(free_theory, dimension_exchange_is_eq_12)
{
    expect_form("ade", core_domain_exchange(DOMAIN, 0.5));
}

Test(free_theory, dimension_exchange_at_another_parameter_is_eq_12)
{
    expect_form("gde:0.7", core_domain_exchange(DOMAIN, 0.7));
}

Test(free_theory, a_local_average_leaves_the_domain_at_its_mean)
{
    expect_form("local-average", core_domain_average(DOMAIN));
}

// Theorem 4.1 for one whole operation: a local average leaves less than dimension exchange, which leaves less than
// diffusion. In one step of an all-port machine, in which exchange uses one link, diffusion leaves less.
Test(free_theory, one_operation_ranks_the_methods_as_theorem_4_1)
{
    cr_expect(core_domain_diffusion(DOMAIN, 0.2) < core_domain_exchange_step(DOMAIN, 0.5));
    take_sample("adf", "one", &first); // one port: the same flows, link after link
    expect_mean("adf, one port", first.after, NULL, core_domain_diffusion(DOMAIN, 0.2));
    take_sample("ade", "one", &second);
    double error;
    double more = mean_of(first.after, second.after, &error);
    cr_expect(more > SIGMAS * error, "diffusion leaves %g more, with an error of %g", more, error);
    expect_mean("adf beyond ade", first.after, second.after,
                core_domain_diffusion(DOMAIN, 0.2) - core_domain_exchange(DOMAIN, 0.5));
}
