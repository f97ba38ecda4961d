// SPDX-License-Identifier: MIT
// Costs that vary: how their spec is read, and that draws are even on a logarithmic scale between 1/F and F.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "core/links/within.h"

static struct core_within parsed(const char *spec)
{
    struct core_within within;
    struct ek_error error;
    cr_assert(core_within_parse(&within, spec, &error), "%s: %s", spec, error.sentence);
    return within;
}

Test(within, specs)
{
    struct core_within within = parsed("2.5:7");
    cr_expect_eq(within.factor, 2.5);
    cr_expect_eq(within.number, 7);
    within = parsed("3");
    cr_expect_eq(within.factor, 3.0);
    cr_expect_eq(within.number, 0);
    cr_expect(core_within_varies(&within));
    within = parsed("1:4294967295");
    cr_expect_eq(within.number, 4294967295u);
    cr_expect_not(core_within_varies(&within));
    cr_expect_eq(parsed("100").factor, 100.0);
}

Test(within, wrong_specs)
{
    static const struct {
        const char *spec;
        int at;
        const char *part;
    } cases[] = {
        {"0.99", 0, "from 1 to 100"},    {"100.5", 0, "from 1 to 100"}, {"-2", 0, "from 1 to 100"},
        {"nan", 0, "decimal number"},    {"inf", 0, "decimal number"},  {"", 0, "decimal number"},
        {"2x", 1, "cannot follow"},      {"2:", 2, "whole number"},     {"2:-1", 2, "whole number"},
        {"2:1.5", 3, "cannot follow"},   {"2:1:3", 3, "cannot follow"}, {"2:4294967296", 2, "4294967295"},
        {"factor", 0, "decimal number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct core_within within;
        struct ek_error error;
        cr_expect_not(core_within_parse(&within, cases[i].spec, &error), "'%s'", cases[i].spec);
        cr_expect_str_eq(error.axis, "within");
        cr_expect_eq(error.at, cases[i].at, "'%s': at %d", cases[i].spec, error.at);
        cr_expect(strstr(error.sentence, cases[i].part), "'%s': %s", cases[i].spec, error.sentence);
    }
}

Test(within, forms_are_listed)
{
    cr_expect_str_eq(core_within_choice(0)->form, "F");
    cr_expect_str_eq(core_within_choice(1)->form, "F:NUMBER");
    cr_expect_null(core_within_choice(2));
}

// Without a factor every cost is itself, however large.
Test(within, a_factor_of_1_changes_nothing)
{
    struct core_within within = parsed("1:9");
    struct core_within_draws draws = core_within_begin(&within, 3, BASE_STREAM_TURN_COSTS, 5, 7);
    for (unsigned i = 0; i < 8; i++) {
        cr_expect_eq(core_within_draw(&draws, 1000000007), 1000000007);
    }
    cr_expect_eq(core_within_least(&within, UINT64_C(4611686018427387905)), UINT64_C(4611686018427387905));
}

// The logarithm of a cost is uniform between -log F and log F: its mean is 0, and its variance (log F)^2 / 3. All
// values lie within the factor, and no value is less than the least one.
Test(within, draws_are_even_on_a_logarithmic_scale)
{
    static const char *const specs[] = {"1.01", "2", "10", "100"};
    enum { MOMENTS = 4000, EACH = 8 };
    static const uint64_t COST = 1000000000;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct core_within within = parsed(specs[i]);
        double sum = 0.0, squares = 0.0;
        uint64_t least = UINT64_MAX, most = 0;
        for (uint64_t moment = 0; moment < MOMENTS; moment++) {
            struct core_within_draws draws = core_within_begin(&within, 1, BASE_STREAM_WIRE_COSTS, 3, moment);
            for (unsigned k = 0; k < EACH; k++) {
                uint64_t cost = core_within_draw(&draws, COST);
                double u = log((double)cost / (double)COST) / log(within.factor);
                sum += u;
                squares += u * u;
                least = cost < least ? cost : least;
                most = cost > most ? cost : most;
            }
        }
        double count = (double)MOMENTS * EACH;
        cr_expect(fabs(sum / count) < 5.0 / sqrt(3.0 * count), "%s: mean %g", specs[i], sum / count);
        cr_expect(fabs(squares / count - 1.0 / 3.0) < 5.0 * sqrt(4.0 / 45.0 / count), "%s: square %g", specs[i],
                  squares / count);
        cr_expect_eq(least, core_within_least(&within, COST), "%s: all values are drawn", specs[i]);
        double step = pow(within.factor, 1.0 / CORE_WITHIN_STEPS);
        cr_expect(fabs((double)least / (double)COST * within.factor / step - 1.0) < 1e-7, "%s: least %g", specs[i],
                  (double)least);
        cr_expect(fabs((double)most / (double)COST / within.factor * step - 1.0) < 1e-7, "%s: most %g", specs[i],
                  (double)most);
    }
}

// Costs of other moments, owners, seeds, purposes and machines are other costs; the same ones are drawn again.
Test(within, a_draw_depends_on_each_of_its_names)
{
    struct core_within within = parsed("2:1"), other = parsed("2:2");
    struct core_within_draws first = core_within_begin(&within, 1, BASE_STREAM_TURN_COSTS, 1, 1);
    struct core_within_draws draws[] = {
        core_within_begin(&other, 1, BASE_STREAM_TURN_COSTS, 1, 1),
        core_within_begin(&within, 2, BASE_STREAM_TURN_COSTS, 1, 1),
        core_within_begin(&within, 1, BASE_STREAM_WIRE_COSTS, 1, 1),
        core_within_begin(&within, 1, BASE_STREAM_TURN_COSTS, 2, 1),
        core_within_begin(&within, 1, BASE_STREAM_TURN_COSTS, 1, 2),
        core_within_begin(&other, 0, BASE_STREAM_TURN_COSTS, 1, 1), // seed + number are those of the first
    };
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        cr_expect_neq(draws[i].bits, first.bits, "%zu", i);
    }
    cr_expect_eq(core_within_begin(&within, 1, BASE_STREAM_TURN_COSTS, 1, 1).bits, first.bits);
}

// Costs are rounded to whole nanoseconds, halves up, and bounded by what a clock holds.
Test(within, rounding)
{
    struct core_within within = {.factor = 2.0};
    for (unsigned i = 0; i < CORE_WITHIN_STEPS; i++) {
        within.value[i] = 1.5;
    }
    struct core_within_draws draws = {.within = &within};
    cr_expect_eq(core_within_draw(&draws, 3), 5);
    cr_expect_eq(core_within_draw(&draws, 2), 3);
    cr_expect_eq(core_within_draw(&draws, 0), 0);
    cr_expect_eq(core_within_draw(&draws, UINT64_C(1) << 62), UINT64_C(1) << 62);
}
