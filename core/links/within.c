// SPDX-License-Identifier: MIT
// Costs that vary.
#include "core/links/within.h"

#include <math.h>

#include "base/random.h"

static const double FACTOR_MAX = 100.0;
static const double COST_MAX = 0x1p62;

static const struct ek_choice choices[] = {
    {"F", "each cost is drawn between 1/F and F times its value; 1: no cost varies"},
    {"F:NUMBER", "the same with other draws for each number, as in 2:7; F alone has number 0"},
};

const struct ek_choice *core_within_choice(size_t index)
{
    return index < sizeof choices / sizeof *choices ? &choices[index] : NULL;
}

// Computes the values of F^u: the middles of equal steps of u. A product of many factors can be wrong in its last bits,
// so each value is kept between 1/F and F.
static void compute_values(struct core_within *within)
{
    double half = within->factor; // becomes F^(1 / CORE_WITHIN_STEPS), half a step
    for (unsigned i = 0; i < CORE_WITHIN_BITS; i++) {
        half = sqrt(half);
    }
    double least = 1.0 / within->factor;
    double value = least * half;
    for (unsigned i = 0; i < CORE_WITHIN_STEPS; i++) {
        within->value[i] = fmin(fmax(value, least), within->factor);
        value = value * half * half;
    }
}

bool core_within_parse(struct core_within *within, const char *spec, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("within", spec, error);
    *within = (struct core_within){.factor = 1.0};
    bool good = base_cursor_real(&cursor, "the factor", 1.0, FACTOR_MAX, &within->factor) &&
                (!base_cursor_accept(&cursor, ':') ||
                 base_cursor_whole(&cursor, "the number of the machine", 0, UINT32_MAX, &within->number)) &&
                base_cursor_end(&cursor);
    compute_values(within);
    return good;
}

// Returns a cost times a factor, in whole nanoseconds, halves up.
static uint64_t scale(uint64_t cost, double factor)
{
    return (uint64_t)fmin((double)cost * factor + 0.5, COST_MAX);
}

uint64_t core_within_least(const struct core_within *within, uint64_t cost)
{
    return core_within_varies(within) ? scale(cost, within->value[0]) : cost;
}

struct core_within_draws core_within_begin(const struct core_within *within, uint64_t seed, enum base_stream stream,
                                           uint32_t owner, uint64_t moment)
{
    struct base_random random = base_random_moment(seed, owner, stream, moment);
    random.key[1] += within->number << 32; // each machine has streams of its own
    return (struct core_within_draws){.within = within, .bits = base_random_bits(&random)};
}

uint64_t core_within_draw(struct core_within_draws *draws, uint64_t cost)
{
    double factor = draws->within->value[draws->bits % CORE_WITHIN_STEPS];
    draws->bits >>= CORE_WITHIN_BITS;
    return scale(cost, factor);
}
