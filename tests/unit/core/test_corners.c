// SPDX-License-Identifier: MIT
// Corners of rules in core/ and topologies/ that ordinary experiments do not come to: the last token, the largest
// number, the last bit, two links that meet, letters that changed places.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "core/axes/invoke.h"
#include "core/theory/polynomials.h"
#include "tests/support/text_file.h"
#include "tests/support/runs.h"
#include "base/random.h"

static void try(struct ek_experiment experiment, const char *loads, struct tests_outcome *outcome)
{
    struct tests_memory memory = {.text = loads, .length = strlen(loads)};
    experiment.reader = tests_memory_reader(&memory);
    experiment.carrier = "pool:1";
    experiment.keep_loads = true;
    tests_try(&experiment, 0, outcome);
    cr_assert(outcome->status == EK_OK || outcome->status == EK_UNREACHED, "%s: %s", experiment.method,
              outcome->error.sentence);
}

// A difference of one is as balanced as whole tokens get: with lambda 1 the token would go to and fro.
Test(corners, one_token_stays_where_it_is)
{
    struct tests_outcome outcome;
    try((struct ek_experiment){.topology = "chain:2",
                               .method = "gde:1",
                               .units = "tokens",
                               .load = "file:loads",
                               .stop = "never",
                               .operations_max = 5},
        "1\n0\n", &outcome);
    cr_expect(outcome.report.moved == 0.0 && outcome.report.final[0] == 1.0);
    tests_outcome_destroy(&outcome);
}

// Products of loads of 53 bits do not fit into 64: what nna does with them is what it does with a part of them.
Test(corners, tokens_of_53_bits)
{
    static const char *const specs[] = {"nna", "nna:net", "nna:portion"};
    for (int k = 0; k < 3; k++) {
        struct tests_outcome large, small;
        struct ek_experiment experiment = {.topology = "ring:7",
                                           .method = specs[k],
                                           .units = "tokens",
                                           .load = "peak:9007199254740992@2",
                                           .stop = "never",
                                           .operations_max = 9};
        try(experiment, "", &large);
        experiment.load = "peak:8796093022208@2"; // 2^43
        try(experiment, "", &small);
        for (int p = 0; p < 7; p++) {
            cr_expect(fabs(large.report.final[p] / 1024.0 - small.report.final[p]) < 100.0,
                      "%s: %.17g at %d, not %.17g", specs[k], large.report.final[p] / 1024.0, p, small.report.final[p]);
        }
        cr_expect_eq(large.report.total_final, 9007199254740992.0);
        tests_outcome_destroy(&large);
        tests_outcome_destroy(&small);
    }
}

// Who gives all that it has to several is left with nothing, and not with less by a last bit.
Test(corners, who_gives_all_keeps_nothing)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct tests_outcome outcome;
        try((struct ek_experiment){.topology = seed % 2 ? "star:6" : "star:9",
                                   .method = "local-average",
                                   .load = "uniform:0:1",
                                   .invoke = "below:0.4",
                                   .stop = "never",
                                   .operations_max = 6,
                                   .seed = seed},
            "", &outcome);
        cr_expect_geq(outcome.report.minimum_ever, 0.0, "seed %lu: %g", (unsigned long)seed,
                      outcome.report.minimum_ever);
        tests_outcome_destroy(&outcome);
    }
}

// What is left of a load falls by a factor of 30 with each step here, which after some 200 is below the least number:
// the coefficients are those of a ratio, and stay what they are.
Test(corners, polynomials_of_high_order)
{
    enum { COUNT = 800 };
    double value[COUNT];
    for (int k = 0; k < COUNT; k++) {
        value[k] = 1.0 + (double)k / (COUNT - 1);
    }
    struct ek_spectrum spectrum = {.second = 1.0, .largest = 2.0, .count = COUNT, .value = value};
    struct core_scheme scheme = {.kind = CORE_OPS};
    struct core_polynomial polynomial;
    struct ek_error error;
    cr_assert(core_polynomial_create(&polynomial, &scheme, &spectrum, &error));
    for (unsigned k = 20; k < 300; k++) {
        double gain = core_polynomial_step(&polynomial, k).gain;
        cr_expect(gain > 0.5 && gain < 0.9, "step %u: %g", k, gain); // 2 / 3 to rounding, which grows
    }
    core_polynomial_destroy(&polynomial);
}

// Lots of invocations come from a stream of their own.
Test(corners, who_invokes_by_lot)
{
    const struct core_invoke invoke = {.kind = CORE_INVOKE_PROBABILITY, .probability = 0.3};
    unsigned invoked = 0;
    for (uint64_t moment = 0; moment < 10000; moment++) {
        uint32_t p = (uint32_t)(moment % 7);
        struct base_random random = base_random_moment(5, p, BASE_STREAM_INVOKE, moment);
        bool does = core_invoke_test(&invoke, 5, p, moment, 1.0);
        cr_assert_eq(does, base_random_unit(&random) < 0.3);
        invoked += does;
    }
    cr_expect(invoked > 2800 && invoked < 3200, "%u of 10,000", invoked);
    static const int streams[] = {BASE_STREAM_LOAD,  BASE_STREAM_WORK,  BASE_STREAM_INVOKE,
                                  BASE_STREAM_TURNS, BASE_STREAM_PAUSE, BASE_STREAM_PERTURB};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        for (size_t k = 0; k < i; k++) {
            cr_expect_neq(streams[i], streams[k]);
        }
    }
}

// Ten and a bit are ten tokens, ten and more than a half eleven.
Test(corners, work_in_tokens_is_rounded)
{
    static const char *const works[] = {"normal:10.4:0:0", "normal:10.6:0:0"};
    for (int k = 0; k < 2; k++) {
        struct tests_outcome outcome;
        try((struct ek_experiment){.topology = "ring:5",
                                   .method = "adf",
                                   .units = "tokens",
                                   .load = "constant:0",
                                   .work = works[k],
                                   .clock = "step",
                                   .stop = "never",
                                   .steps_max = 4},
            "", &outcome);
        double each = k == 0 ? 10.0 : 11.0;
        double ticks = outcome.report.generated / (5.0 * each);
        cr_expect(ticks == floor(ticks) && ticks >= 4.0, "%s: %g generated", works[k], outcome.report.generated);
        tests_outcome_destroy(&outcome);
    }
}

// A chain of three whose two links have one colour: all else agrees, but they meet.
Test(corners, two_links_of_one_colour_meet)
{
    struct ek_error error = {0};
    struct ek_topology *chain = ek_topology_create("chain:3", 1, (struct ek_reader){0}, &error);
    cr_assert(chain && chain->ports == 4 && chain->colours == 2);
    cr_assert(ek_topology_valid(chain, &error));
    chain->colours = 1;
    chain->colour_first[1] = 4;
    uint32_t place = 0;
    for (uint32_t p = 0; p < 3; p++) {
        for (uint32_t port = chain->first[p]; port < chain->first[p + 1]; port++) {
            chain->colour[port] = 0;
            chain->ends[place++] = (struct ek_end){.processor = p, .port = port};
        }
    }
    cr_expect_not(ek_topology_valid(chain, &error));
    cr_expect(strstr(error.sentence, "two links of one colour meet"), "%s", error.sentence);
    ek_topology_destroy(chain);
}

static const char *known(size_t index)
{
    static const char *const names[] = {"ade", "torus", "spread"};
    return index < 3 ? names[index] : NULL;
}

Test(corners, the_nearest_name)
{
    static const char *const cases[][2] = {{"dae", "ade"},     {"aed", "ade"},     {"ad", "ade"},       {"adee", "ade"},
                                           {"otrus", "torus"}, {"TORUS", "torus"}, {"spraed", "spread"}};
    static const char *const far[] = {"x", "hypercube", "", "dda", "sur"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = ek_nearest(cases[i][0], known);
        cr_expect(near && strcmp(near, cases[i][1]) == 0, "%s: %s", cases[i][0], near ? near : "none");
    }
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        const char *near = ek_nearest(far[i], known);
        cr_expect_null(near, "%s: %s", far[i], near);
    }
}
