// SPDX-License-Identifier: MIT
// Loads against values that were computed elsewhere, and drawn loads against their moments.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "core/axes/load.h"
#include "core/measure.h"

enum { MANY = 200000 };

static struct core_load load_of(const char *spec, uint32_t processors, enum ek_units units)
{
    struct core_load load;
    struct ek_error error = {0};
    cr_assert(core_load_parse(&load, spec, processors, units, (struct ek_reader){0}, &error), "%s: %s", spec,
              error.sentence);
    return load;
}

static void expect_loads(const char *spec, enum ek_units units, uint64_t seed, size_t count, const double *expected)
{
    struct core_load load = load_of(spec, 64, units);
    double held[64];
    core_load_draw(&load, seed, 64, held);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(held[i], expected[i], "%s: load %zu is %.17g, not %.17g", spec, i, held[i], expected[i]);
    }
    core_load_destroy(&load);
}

// The expected values of `uniform` come from another implementation of Threefry.
Test(loads, are_as_specified)
{
    expect_loads("uniform:0:1000", EK_REAL, 1, 3, (double[]){140.2228563687692, 819.7003168820642, 241.00535089207997});
    expect_loads("uniform:0:1000", EK_REAL, 7, 3, (double[]){106.91448490817935, 615.7790763121744, 8.229645998380054});
    expect_loads("uniform:0:1000", EK_TOKENS, 1, 3, (double[]){432, 755, 328});
    expect_loads("uniform:0:1000", EK_TOKENS, 7, 3, (double[]){891, 5, 240});
    expect_loads("uniform:7:7", EK_REAL, 1, 3, (double[]){7, 7, 7});
    expect_loads("peak:6400", EK_REAL, 1, 3, (double[]){6400, 0, 0});
    expect_loads("peak:64.5@2", EK_REAL, 9, 4, (double[]){0, 0, 64.5, 0});
    expect_loads("constant:5", EK_TOKENS, 1, 3, (double[]){5, 5, 5});
    expect_loads("modulo:7919:1001", EK_TOKENS, 1, 4, (double[]){0, 912, 823, 734});
    struct core_load list = load_of("list:1.5,0,2e2", 3, EK_REAL);
    double held[3];
    core_load_draw(&list, 1, 3, held);
    cr_assert(held[0] == 1.5 && held[1] == 0 && held[2] == 200);
    core_load_destroy(&list);
}

// Draws `spec` for many processors. Their mean is `mean` and their standard deviation is `deviation`, within five
// standard errors, if the kurtosis is at most 9.
static void expect_moments(const char *spec, enum ek_units units, double mean, double deviation)
{
    static double held[MANY];
    struct core_load load = load_of(spec, MANY, units);
    core_load_draw(&load, 5, MANY, held);
    double sum = 0.0;
    double squares = 0.0;
    for (size_t p = 0; p < MANY; p++) {
        cr_assert(held[p] >= 0.0 && (units == EK_REAL || held[p] == floor(held[p])), "%s: %g", spec, held[p]);
        sum += held[p];
        squares += (held[p] - mean) * (held[p] - mean);
    }
    double variance = deviation * deviation;
    cr_expect_float_eq(sum / MANY, mean, 5.0 * deviation / sqrt(MANY), "%s: mean %g, not %g", spec, sum / MANY, mean);
    cr_expect_float_eq(squares / MANY, variance, 5.0 * variance * sqrt(8.0 / MANY), "%s: variance %g, not %g", spec,
                       squares / MANY, variance);
    core_load_destroy(&load);
}

// A normal load below 0 is drawn again: with a = -M/SD and h = phi(a) / (1 - Phi(a)), the mean is M + SD h and the
// variance SD^2 (1 + a h - h^2). A whole exponential load is k > 0 with probability 2 sinh(1/(2M)) exp(-k/M).
Test(loads, drawn_ones_have_their_moments)
{
    expect_moments("normal:500:50", EK_REAL, 500.0, 50.0);
    expect_moments("normal:500:50", EK_TOKENS, 500.0, sqrt(2500.0 + 1.0 / 12.0));
    double half = sqrt(2.0 / 3.141592653589793); // h where M = 0
    expect_moments("normal:0:10", EK_REAL, 10.0 * half, 10.0 * sqrt(1.0 - half * half));
    double h = exp(-0.5) / sqrt(2.0 * 3.141592653589793) / (0.5 * erfc(-sqrt(0.5))); // M = SD
    expect_moments("normal:10:10", EK_REAL, 10.0 + 10.0 * h, 10.0 * sqrt(1.0 - h - h * h));
    expect_moments("exponential:70", EK_REAL, 70.0, 70.0);
    double mean = 0.0;
    double square = 0.0;
    for (int k = 1; k < 400; k++) {
        double share = exp(-(k - 0.5) / 5.0) - exp(-(k + 0.5) / 5.0);
        mean += k * share;
        square += k * k * share;
    }
    expect_moments("exponential:5", EK_TOKENS, mean, sqrt(square - mean * mean));
    expect_moments("normal:7:0", EK_REAL, 7.0, 0.0);
    expect_moments("exponential:0", EK_TOKENS, 0.0, 0.0);
}

// The parts add up to the stick. Processor i has 2^-(i+1) of it on average; the last has as much as the one before.
Test(loads, a_stick_is_broken_in_order)
{
    enum { PROCESSORS = 5, DRAWS = 20000 };
    for (int tokens = 0; tokens < 2; tokens++) {
        struct core_load load = load_of("stick:6400", PROCESSORS, tokens ? EK_TOKENS : EK_REAL);
        double mean[PROCESSORS] = {0.0};
        for (uint64_t seed = 0; seed < DRAWS; seed++) {
            double held[PROCESSORS];
            double all = 0.0;
            core_load_draw(&load, seed, PROCESSORS, held);
            for (size_t p = 0; p < PROCESSORS; p++) {
                cr_assert(held[p] >= 0.0 && (!tokens || held[p] == floor(held[p])));
                all += held[p];
                mean[p] += held[p] / DRAWS;
            }
            cr_assert_float_eq(all, 6400.0, tokens ? 0.0 : 1e-9, "%.17g", all);
        }
        for (size_t p = 0; p < PROCESSORS; p++) { // the standard deviation of a part is at most 0.29 of the stick
            double expected = ldexp(6400.0, p + 1 < PROCESSORS ? -(int)p - 1 : -PROCESSORS + 1);
            cr_expect_float_eq(mean[p], expected, 5.0 * 0.29 * 6400.0 / sqrt(DRAWS), "%zu: %g", p, mean[p]);
        }
        core_load_destroy(&load);
    }
    expect_loads("stick:0", EK_TOKENS, 1, 3, (double[]){0, 0, 0});
    struct core_load one = load_of("stick:17.5", 1, EK_REAL);
    double whole;
    core_load_draw(&one, 3, 1, &whole);
    cr_expect_eq(whole, 17.5);
    core_load_destroy(&one);
}

Test(loads, in_parts_are_those_of_the_whole)
{
    enum { PROCESSORS = 97 };
    static const char *const specs[] = {"uniform:0:1000", "stick:640", "even:1000", "peak:9@50", "exponential:4"};
    for (size_t i = 0; i < 2 * sizeof specs / sizeof *specs; i++) {
        struct core_load load = load_of(specs[i / 2], PROCESSORS, i % 2 ? EK_TOKENS : EK_REAL);
        struct core_load_draws draws = {.load = &load, .seed = 3, .processors = PROCESSORS};
        double whole[PROCESSORS], parts[PROCESSORS];
        core_load_draw(&load, 3, PROCESSORS, whole);
        for (uint32_t from = 0, count; from < PROCESSORS; from += count) {
            count = from + 20 < PROCESSORS ? 20 : PROCESSORS - from;
            core_load_draw_next(&draws, count, parts + from);
        }
        cr_expect_eq(memcmp(whole, parts, sizeof whole), 0, "%s", specs[i / 2]);
        core_load_destroy(&load);
    }
}

Test(loads, drawn_ones_that_are_refused)
{
    static const char *const specs[] = {"normal:5",    "normal:-1:5",    "normal:5:-1",     "normal:1e16:1",
                                        "exponential", "exponential:-1", "stick:2.5",       "stick:-3",
                                        "stick:1e17",  "normal:1:1e14",  "exponential:1e14"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct core_load load;
        struct ek_error error;
        cr_expect_not(core_load_parse(&load, specs[i], 64, EK_TOKENS, (struct ek_reader){0}, &error), "%s", specs[i]);
        cr_expect_str_eq(error.axis, "load");
    }
}

// A processor's load does not depend on the number of processors.
Test(loads, do_not_depend_on_the_others)
{
    struct core_load load = load_of("uniform:0:1000", 64, EK_REAL);
    double few[5], many[64];
    core_load_draw(&load, 11, 5, few);
    core_load_draw(&load, 11, 64, many);
    cr_assert_arr_eq(few, many, sizeof few);
    core_load_destroy(&load);
}

Test(loads, uniform_fills_its_range)
{
    double *held = malloc(MANY * sizeof *held);
    cr_assert(held);
    for (int tokens = 0; tokens < 2; tokens++) {
        struct core_load load = load_of("uniform:10:20", MANY, tokens ? EK_TOKENS : EK_REAL);
        struct core_measure measure;
        core_load_draw(&load, 5, MANY, held);
        core_measure_loads(held, NULL, MANY, 0.0, &measure);
        cr_assert(measure.minimum >= 10 && measure.maximum <= 20);
        cr_assert(tokens ? measure.minimum == 10 && measure.maximum == 20
                         : measure.minimum < 10.01 && measure.maximum > 19.99);
        double deviation = sqrt((tokens ? 120.0 / 12 : 100.0 / 12) / MANY);
        cr_assert_lt(fabs(measure.total / MANY - 15.0), 6 * deviation);
        for (unsigned p = 0; tokens && p < MANY; p++) {
            cr_assert_eq(held[p], floor(held[p]));
        }
        core_load_destroy(&load);
    }
    free(held);
}
