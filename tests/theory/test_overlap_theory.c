// SPDX-License-Identifier: MIT
// What two operations leave of the variance of their domains, by how these overlap, against the closed forms of Xu,
// Monien, Lüling & Lau 1995, section 4: many runs of two operations each, from different random loads.
#include <criterion/criterion.h>

#include <math.h>

#include "core/theory/domain_variance.h"
#include "tests/support/runs.h"

enum { RUNS = 1200, FREE_RUNS = 300, DEGREE = 4, PROCESSORS = 64 };

static const double SIGMAS = 4.0;
static const struct core_domain DOMAIN = {.neighbours = DEGREE, .processors = PROCESSORS};

// A run in free timing takes some milliseconds to end.
static unsigned runs_of(const struct ek_experiment *experiment)
{
    unsigned runs = tests_part(RUNS);
    return experiment->timing && runs > FREE_RUNS ? FREE_RUNS : runs;
}

// Adds up the effects of many runs in which each processor in `at` invokes once.
static struct ek_effects sample(struct ek_experiment experiment, const char *at)
{
    static struct ek_report reports[RUNS];
    unsigned runs = runs_of(&experiment);
    experiment.topology = "torus:8x8";
    experiment.load = "normal:1000:100";
    experiment.invoke = at;
    experiment.stop = "never";
    experiment.carrier = "pool:1";
    experiment.seed = 1;
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    for (unsigned run = 0; run < runs; run++) {
        cr_assert_eq(ek_run(machine, run, &reports[run], NULL, NULL, &error), EK_OK);
    }
    struct ek_effects effects = ek_effects_pool(reports, runs);
    for (unsigned run = 0; run < runs; run++) {
        ek_report_destroy(&reports[run]);
    }
    ek_machine_destroy(machine);
    return effects;
}

// Checks what is left of the variance of these processors. With `most` the expected value is an upper bound.
static void expect_left(const char *what, const struct ek_effect *effect, double variance, double processors, bool most)
{
    double expected = variance / (processors * (1.0 - 1.0 / PROCESSORS));
    double off = effect->left - expected;
    cr_expect(effect->count == tests_part(RUNS) || effect->count == FREE_RUNS, "%s: %lu", what, effect->count);
    cr_expect((most ? off : fabs(off)) <= SIGMAS * effect->left_error && effect->left_error < 0.02,
              "%s: %.4f +- %.4f, theory %.4f", what, effect->left, effect->left_error, expected);
    cr_log_info("%s: %.4f +- %.4f, theory %.4f", what, effect->left, effect->left_error, expected);
}

// Checks the operations of two invokers that share processors, by diffusion with alpha.
static void expect_diffusion(const struct ek_experiment *experiment, double alpha, bool once)
{
    struct ek_effects effects = sample(*experiment, "at:27,28");
    double adjacent =
        once ? core_domain_adjacent_diffusion(DOMAIN, alpha) : core_domain_adjacent_diffusion_twice(DOMAIN, alpha);
    expect_left(once ? "adjacent" : "adjacent, twice over their link", &effects.adjacent, adjacent, 8.0, false);
    effects = sample(*experiment, "at:27,29");
    expect_left("one shared", &effects.one_shared, core_domain_sharing_diffusion(DOMAIN, 1.0, alpha), 9.0, false);
    effects = sample(*experiment, "at:27,36");
    expect_left("two shared", &effects.two_shared, core_domain_sharing_diffusion(DOMAIN, 2.0, alpha), 8.0, false);
}

Test(overlap_theory, diffusion_in_rounds_is_eqs_15_and_20)
{
    struct ek_experiment experiment = {.method = "adf", .operations_max = 1, .overlaps = true};
    struct ek_effects effects = sample(experiment, "at:27");
    cr_expect_eq(effects.alone.count, tests_part(RUNS));
    expect_left("alone", &effects.alone, core_domain_diffusion(DOMAIN, 0.2), 5.0, false);
    expect_diffusion(&experiment, 0.2, true);
    experiment.method = "diffusion:0.1";
    expect_diffusion(&experiment, 0.1, true);
}

// With a delay the two operations certainly overlap: no load has moved when both invokers have received the loads.
Test(overlap_theory, free_timing_is_the_paper_where_a_link_is_used_once)
{
    struct ek_experiment experiment = {
        .method = "diffusion:0.25", // the two values differ by 7 standard errors with this alpha
        .timing = "free",
        .delay = "fixed:20us",
        .operations_max = 2,
        .domains = "once",
        .watchdog_s = 60.0};
    expect_diffusion(&experiment, 0.25, true);
    experiment.domains = "overlap";
    expect_diffusion(&experiment, 0.25, false);
}

Test(overlap_theory, dimension_exchange_is_within_eqs_16_and_21)
{
    struct ek_experiment experiment = {.method = "ade", .operations_max = 1, .overlaps = true};
    struct ek_effects effects = sample(experiment, "at:27,28");
    expect_left("adjacent", &effects.adjacent, core_domain_adjacent_exchange(DOMAIN, 0.5), 8.0, true);
    effects = sample(experiment, "at:27,29");
    expect_left("one shared", &effects.one_shared, core_domain_sharing_exchange(DOMAIN, 1.0), 9.0, true);
    effects = sample(experiment, "at:27,36");
    expect_left("two shared", &effects.two_shared, core_domain_sharing_exchange(DOMAIN, 2.0), 8.0, true);
}
