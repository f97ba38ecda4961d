// SPDX-License-Identifier: MIT
// Reads distributions of costs or weights.
#include "core/axes/costs.h"

#include <stdio.h>

// Limits of means, which keep every draw below CORE_COST_MOST_DRAWN (BASE_RANDOM_NORMAL_MAX,
// BASE_RANDOM_EXPONENTIAL_MAX).
static const double NORMAL_MEAN_MOST = 1e9, DEVIATION_MOST = 1e8, EXPONENTIAL_MEAN_MOST = 5e7;

static const char *known(size_t index)
{
    static const char *const names[] = {"constant", "uniform", "modulo", "normal", "exponential"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

// The name of a number: "the lowest" and "cost" make "the lowest cost".
struct name {
    char text[40];
};

static struct name name_of(const char *which, const char *what)
{
    struct name name;
    snprintf(name.text, sizeof name.text, "%s %s", which, what);
    return name;
}

static bool read_one(struct base_cursor *cursor, const char *name, double *cost)
{
    uint64_t whole;
    if (!base_cursor_whole(cursor, name, 1, CORE_COST_MOST_DRAWN, &whole)) {
        return false;
    }
    *cost = (double)whole;
    return true;
}

static bool read_uniform(struct base_cursor *cursor, struct core_load *costs, const char *what)
{
    size_t at = cursor->at;
    struct name lowest = name_of("the lowest", what), highest = name_of("the highest", what);
    return read_one(cursor, lowest.text, &costs->low) && base_cursor_expect(cursor, ':', lowest.text) &&
           read_one(cursor, highest.text, &costs->high) &&
           (costs->low <= costs->high ||
            base_cursor_fail(cursor, at, "%s comes first, as in uniform:1:1000", lowest.text));
}

static bool read_modulo(struct base_cursor *cursor, struct core_load *costs)
{
    return base_cursor_whole(cursor, "the factor", 0, UINT32_MAX, &costs->factor) &&
           base_cursor_expect(cursor, ':', "the factor") &&
           base_cursor_whole(cursor, "the modulus", 1, CORE_COST_MOST_DRAWN, &costs->modulus);
}

bool core_costs_read(struct core_load *costs, struct base_cursor *cursor, const char *what)
{
    char kinds[48];
    struct name mean = name_of("the mean", what);
    size_t kind;
    *costs = (struct core_load){.units = EK_TOKENS};
    snprintf(kinds, sizeof kinds, "distribution of %ss", what);
    if (!base_cursor_known(cursor, kinds, known, &kind) || !base_cursor_expect(cursor, ':', "the distribution")) {
        return false;
    }
    switch (kind) { // in the order of `known`
    case 0:
        costs->kind = CORE_LOAD_CONSTANT;
        return read_one(cursor, name_of("the", what).text, &costs->amount);
    case 1:
        costs->kind = CORE_LOAD_UNIFORM;
        return read_uniform(cursor, costs, what);
    case 2:
        costs->kind = CORE_LOAD_MODULO;
        return read_modulo(cursor, costs);
    case 3:
        costs->kind = CORE_LOAD_NORMAL;
        return base_cursor_real(cursor, mean.text, 0.0, NORMAL_MEAN_MOST, &costs->amount) &&
               base_cursor_expect(cursor, ':', mean.text) &&
               base_cursor_real(cursor, "the standard deviation", 0.0, DEVIATION_MOST, &costs->deviation);
    default:
        costs->kind = CORE_LOAD_EXPONENTIAL;
        return base_cursor_real(cursor, mean.text, 0.0, EXPONENTIAL_MEAN_MOST, &costs->amount);
    }
}
