// SPDX-License-Identifier: MIT
// Exact sums against sums by hand, in every order and in parts.
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#include "base/random.h"
#include "core/exact_sum.h"

static double sum_of(const double *value, size_t count)
{
    struct core_exact sum = {.added = 0};
    core_exact_add(&sum, value, count);
    return core_exact_total(&sum);
}

static double sum_one_by_one(const double *value, size_t count)
{
    struct core_exact sum = {.added = 0};
    for (size_t i = 0; i < count; i++) {
        core_exact_add(&sum, value + i, 1);
    }
    return core_exact_total(&sum);
}

Test(exact_sum, is_rounded_once)
{
    static const struct {
        double value[4], sum;
    } known[] = {
        {{0, 0, 0, 0}, 0},
        {{1, 2, 3, 4}, 10},
        {{1e308, 1, -1e308, 0}, 1},
        {{-1e308, -1, 1e308, 0}, -1},
        {{1, 0x1p-53, 0, 0}, 1},                       // half a unit: to the even number
        {{1, 0x1p-52, 0x1p-53, 0}, 1 + 0x1p-51},       // and here up
        {{1, 0x1p-53, 0x1p-1074, 0}, 1 + 0x1p-52},     // more than a half, but only just
        {{1, 0x1p-53, -0x1p-1074, 0}, 1},              // and less
        {{-1, -0x1p-53, -0x1p-1074, 0}, -1 - 0x1p-52}, // the same below 0
        {{0x1p-1074, 0x1p-1074, 0, 0}, 0x1p-1073},     // denormal numbers
        {{0x1p-1022, -0x1p-1074, 0, 0}, 0x1.ffffffffffffep-1023},
        {{DBL_MAX, 0x1p969, 0, 0}, DBL_MAX},        // less than half a unit
        {{DBL_MAX, DBL_MAX, -DBL_MAX, 0}, DBL_MAX}, // the largest sum on the way has no double
        {{DBL_MAX, 0x1p970, 0, 0}, INFINITY},
        {{INFINITY, -1e308, 1, 0}, INFINITY},
        {{-INFINITY, 1e308, 1, 0}, -INFINITY},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        cr_expect_eq(sum_of(known[i].value, 4), known[i].sum, "%zu: %.17g", i, sum_of(known[i].value, 4));
        cr_expect_eq(sum_one_by_one(known[i].value, 4), known[i].sum, "%zu, one by one", i);
    }
    cr_expect(isnan(sum_of((double[]){INFINITY, -INFINITY, 1, 1}, 4)));
    cr_expect(isnan(sum_of((double[]){1, NAN, 1, 1}, 4)));
    cr_expect_eq(sum_of(NULL, 0), 0.0);
}

enum { MOST = 5000 };

// Fills with numbers whose exponents are spread over `bits`, of both signs.
static void fill(double *value, size_t count, int bits, uint64_t seed)
{
    struct base_random random = base_random_start(seed, 1, BASE_STREAM_LOAD);
    for (size_t i = 0; i < count; i++) {
        int exponent = (int)base_random_below(&random, (uint64_t)bits + 1) - bits / 2;
        value[i] = ldexp(base_random_unit(&random) - 0.3, exponent);
    }
}

// The sum of many values at once is that of the values one by one, backwards, and in parts: so no bit of any value is
// lost. The squares are those of the values that plain arithmetic gives.
Test(exact_sum, does_not_depend_on_order)
{
    static double value[MOST], back[MOST], square[MOST];
    static const int spreads[] = {0, 3, 30, 45, 90, 2000};
    for (unsigned i = 0; i < 60; i++) {
        size_t count = 1 + (size_t)i * MOST / 61 + i % 5;
        fill(value, count, spreads[i % 6], i);
        for (size_t k = 0; k < count; k++) {
            back[k] = value[count - 1 - k];
            square[k] = (value[k] - 0.1) * (value[k] - 0.1);
        }
        double sum = sum_of(value, count);
        cr_expect_eq(sum, sum_one_by_one(value, count), "%zu values", count);
        cr_expect_eq(sum, sum_of(back, count), "%zu values backwards", count);
        struct core_exact parts[3] = {{.added = 0}};
        size_t cut[4] = {0, count / 7, count / 2, count};
        for (int k = 0; k < 3; k++) {
            core_exact_add(&parts[k], value + cut[k], cut[k + 1] - cut[k]);
        }
        core_exact_merge(&parts[2], &parts[0]);
        core_exact_merge(&parts[2], &parts[1]);
        cr_expect_eq(sum, core_exact_total(&parts[2]), "%zu values in parts", count);
        struct core_exact squares = {.added = 0};
        core_exact_add_squares(&squares, value, count, 0.1);
        cr_expect_eq(core_exact_total(&squares), sum_one_by_one(square, count), "squares of %zu values", count);
    }
}

// Pairs of opposite numbers leave what has no opposite.
Test(exact_sum, loses_nothing)
{
    static double value[2 * MOST + 1];
    fill(value, MOST, 120, 7);
    for (size_t k = 0; k < MOST; k++) {
        value[2 * MOST - k] = -value[k];
    }
    value[MOST] = 0x1p-200;
    cr_expect_eq(sum_of(value, 2 * MOST + 1), 0x1p-200);
}
