// SPDX-License-Identifier: MIT
// Where methods round: the last token, the largest loads, the last bit.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/support/must.h"
#include "tests/support/text_file.h"

static void try(struct ek_experiment experiment, const char *loads, struct tests_outcome *outcome)
{
    struct tests_memory memory = {.text = loads, .length = strlen(loads)};
    experiment.reader = tests_memory_reader(&memory);
    must_run(experiment, outcome);
}

// A difference of one is balanced for tokens. With lambda 1 the token would move back and forth.
Test(rounding, one_token_stays_where_it_is)
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

// Products of loads of 53 bits do not fit into 64. nna must do with them what it does with a part of them.
Test(rounding, tokens_of_53_bits)
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

// A processor that gives all it has to several neighbours keeps nothing, and not less than nothing by a rounding
// error.
Test(rounding, who_gives_all_keeps_nothing)
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
