// SPDX-License-Identifier: MIT
// The parts of core/ one by one: random numbers against published vectors, loads against values computed elsewhere,
// measures against plain sums, matchings, stop criteria, parameters.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/axes/load.h"
#include "core/steps/matching.h"
#include "core/measure.h"
#include "core/parameter.h"
#include "core/axes/stop.h"
#include "base/random.h"

enum { MANY = 200000 };

// Threefry-2x64 with 20 rounds: Random123's known-answer vectors.
Test(random, is_threefry)
{
    struct base_random zeros = base_random_start(0, 0, (enum base_stream)0);
    cr_assert_eq(base_random_bits(&zeros), 0xc2b6e3a8c2c69865);
    struct base_random ones = {.key = {{UINT64_MAX, UINT64_MAX}}, .counter = {{UINT64_MAX, UINT64_MAX}}};
    cr_assert_eq(base_random_bits(&ones), 0xe02cb7c4d95d277a);
}

Test(random, streams_owners_and_seeds_are_apart)
{
    uint64_t first[3 * 3 * 3];
    size_t count = 0;
    for (uint64_t seed = 0; seed < 3; seed++) {
        for (uint64_t owner = 0; owner < 3; owner++) {
            for (unsigned stream = 0; stream < 3; stream++) {
                struct base_random random = base_random_start(seed, owner, (enum base_stream)stream);
                first[count] = base_random_bits(&random);
                for (size_t i = 0; i < count; i++) {
                    cr_assert_neq(first[i], first[count]);
                }
                count++;
            }
        }
    }
}

Test(random, below_is_even)
{
    struct base_random random = base_random_start(3, 4, BASE_STREAM_LOAD);
    unsigned seen[10] = {0};
    for (unsigned i = 0; i < MANY; i++) {
        uint64_t value = base_random_below(&random, 10);
        cr_assert_lt(value, 10);
        seen[value]++;
    }
    for (unsigned i = 0; i < 10; i++) { // six standard deviations of a binomial
        cr_assert_lt(fabs(seen[i] - MANY / 10.0), 6 * sqrt(MANY * 0.09));
    }
    cr_assert_eq(base_random_below(&random, 1), 0);
    cr_assert_leq(base_random_below(&random, UINT64_MAX), UINT64_MAX - 1);
}

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

// Expected values of `uniform` come from an independent Threefry.
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

// Draws `spec` for many processors; their mean is `mean` and their standard deviation `deviation`, within five standard
// errors, the kurtosis being at most 9.
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

// Below 0 a normal load is drawn again: with a = -M/SD and h = phi(a) / (1 - Phi(a)), the mean is M + SD h and the
// variance SD^2 (1 + a h - h^2). A whole exponential load is k with probability 2 sinh(1/(2M)) exp(-k/M), but for k =
// 0.
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

// All of the stick is there; processor i has a part 2^-(i+1) of it on the mean, the last as much as the one before.
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
        for (size_t p = 0; p < PROCESSORS; p++) { // a part's standard deviation is at most 0.29 of the stick
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

// A processor's load does not depend on how many others draw.
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

Test(measures, agree_with_plain_sums)
{
    static double held[5000];
    struct base_random random = base_random_start(1, 1, BASE_STREAM_LOAD);
    for (uint32_t count = 1; count <= 5000; count = count * 3 / 2 + 1) {
        long double total = 0, squares = 0;
        uint64_t idle = 0;
        for (uint32_t p = 0; p < count; p++) {
            held[p] = base_random_below(&random, 4) ? 1e6 * base_random_unit(&random) : 0.0;
            idle += held[p] == 0.0;
            total += (long double)held[p];
        }
        for (uint32_t p = 0; p < count; p++) {
            squares += ((long double)held[p] - total / count) * ((long double)held[p] - total / count);
        }
        struct core_measure measure;
        core_measure_loads(held, NULL, count, 0.0, &measure);
        cr_assert_float_eq(measure.total, (double)total, 1e-12 * (double)total + 1e-12);
        cr_assert_float_eq(measure.variance, (double)squares, 1e-11 * (double)squares + 1e-9);
        cr_assert_eq(measure.idle, idle);
        for (uint32_t p = 0; p < count; p++) {
            cr_assert(held[p] >= measure.minimum && held[p] <= measure.maximum);
        }
    }
    cr_assert_eq(core_measure_sum(held, 0), 0.0);
}

static struct ek_topology *topology_of(const char *spec)
{
    struct ek_error error;
    struct ek_topology *topology = ek_topology_create(spec, 1, (struct ek_reader){0}, &error);
    cr_assert(topology, "%s", error.sentence);
    return topology;
}

Test(measures, gradient_is_the_largest_difference_over_a_link)
{
    struct ek_topology *chain = topology_of("chain:5");
    cr_assert_eq(core_measure_gradient(chain, (double[]){0, 3, 9, 10, 10}), 6);
    cr_assert_eq(core_measure_gradient(chain, (double[]){9, 3, 0, 0, 0}), 6);
    cr_assert_eq(core_measure_gradient(chain, (double[]){4, 4, 4, 4, 4}), 0);
    ek_topology_destroy(chain);
}

// No processor twice, both ends there, in order, and no link could be added.
static void expect_maximal(const struct core_matching *matching, const struct ek_topology *topology)
{
    bool *matched = calloc(topology->processors, sizeof *matched);
    cr_assert(matched);
    for (size_t k = 0; k < matching->count; k++) {
        struct ek_end end = matching->ends[k];
        cr_assert(k == 0 || matching->ends[k - 1].processor < end.processor);
        cr_assert(topology->first[end.processor] <= end.port && end.port < topology->first[end.processor + 1]);
        matched[end.processor] = true;
    }
    for (size_t k = 0; k < matching->count; k++) {
        cr_assert(matched[topology->neighbour[matching->ends[k].port]]);
    }
    for (uint32_t port = 0; port < topology->ports; port++) {
        cr_assert(matched[topology->neighbour[port]] || matched[topology->neighbour[topology->twin[port]]]);
    }
    free(matched);
}

Test(matchings, are_maximal_and_come_from_the_seed)
{
    static const char *const specs[] = {"ring:9", "torus:5x4", "complete:7", "star:6", "random:30:3", "chain:2"};
    for (unsigned i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_topology *topology = topology_of(specs[i]);
        struct core_matching one, other;
        struct base_arena memory = {.count = 0};
        core_matching_plan(&one, topology, &memory);
        core_matching_plan(&other, topology, &memory);
        cr_assert(base_arena_take(&memory));
        core_matching_begin(&one, topology);
        core_matching_begin(&other, topology);
        for (uint64_t step = 0; step < 50; step++) {
            core_matching_draw(&one, topology, 3, step);
            expect_maximal(&one, topology);
        }
        core_matching_draw(&other, topology, 3, 49); // without the draws before
        cr_assert_eq(one.count, other.count);
        cr_assert(memcmp(one.ends, other.ends, one.count * sizeof *one.ends) == 0);
        base_arena_destroy(&memory);
        ek_topology_destroy(topology);
    }
}

// While the parcels of one matching are under way, the next is drawn.
Test(matchings, outlive_the_next_draw)
{
    struct ek_topology *topology = topology_of("torus:6x6");
    struct core_matching matching;
    struct base_arena memory = {.count = 0};
    core_matching_plan(&matching, topology, &memory);
    cr_assert(base_arena_take(&memory));
    core_matching_begin(&matching, topology);
    core_matching_draw(&matching, topology, 1, 0);
    const struct ek_end *before = matching.ends;
    struct ek_end copy[36];
    size_t size = matching.count * sizeof *copy;
    memcpy(copy, before, size);
    core_matching_draw(&matching, topology, 1, 1);
    cr_assert(memcmp(copy, before, size) == 0);
    cr_assert(memcmp(copy, matching.ends, size) != 0);
    base_arena_destroy(&memory);
    ek_topology_destroy(topology);
}

static bool reached(const char *spec, const double *held, double in_flight)
{
    struct ek_topology *chain = topology_of("chain:4");
    struct core_stop stop;
    struct ek_error error;
    struct core_measure measure;
    cr_assert(core_stop_parse(&stop, spec, &error), "%s", error.sentence);
    core_measure_loads(held, NULL, 4, in_flight, &measure);
    bool holds = core_stop_reached(&stop, chain, held, &measure);
    ek_topology_destroy(chain);
    return holds;
}

Test(stop, holds_up_to_its_limit)
{
    const double held[] = {2, 4, 4, 6}; // variance 8, spread 4, error sqrt 8, gradient 2
    cr_assert(reached("variance:8", held, 0) && !reached("variance:7.9", held, 0));
    cr_assert(reached("spread:4", held, 0) && !reached("spread:3.9", held, 0));
    cr_assert(reached("error:2.83", held, 0) && !reached("error:2.82", held, 0));
    cr_assert(reached("neighbours:2", held, 0) && !reached("neighbours:1", held, 0));
    cr_assert(reached("shared", held, 0) && !reached("shared", (double[]){1, 1, 0, 1}, 0));
    cr_assert(!reached("never", (double[]){1, 1, 1, 1}, 0));
}

// What is under way lies nowhere yet: of each criterion's own measure there may be as much as it allows, and no more.
// The mean is that of all load: 16 held and 4 on their way are 5 each.
Test(stop, counts_what_is_in_flight_as_not_balanced)
{
    const double held[] = {4, 4, 4, 4};
    cr_assert(reached("variance:16", held, 4) && !reached("variance:15.9", held, 4)); // 4^2, while 4 (4-5)^2 is 4
    cr_assert(reached("variance:4", held, 1) && !reached("variance:4", held, 2.1));
    cr_assert(reached("spread:4", held, 4) && !reached("spread:3.9", held, 4));
    cr_assert(reached("error:4", held, 4) && !reached("error:3.9", held, 4));
    cr_assert(reached("neighbours:4", held, 4) && !reached("neighbours:3.9", held, 4));
    cr_assert(reached("shared", held, 5.3) && !reached("shared", held, 5.4)); // a mean share is (16 + 5.3) / 4
    cr_assert(!reached("error:3", (double[]){2, 4, 4, 6}, 3));                // 3.2 from their share of 19
}

Test(parameter, is_read_with_its_place_in_the_whole_spec)
{
    double value = 0;
    struct ek_error error;
    cr_assert(core_parameter_read("gde:0.72" + 4, 4, "its lambda", 0, 1, "gde:0.72", &value, &error) && value == 0.72);
    cr_assert_not(core_parameter_read("gde:0.7x" + 4, 4, "its lambda", 0, 1, "gde:0.72", &value, &error));
    cr_assert(error.at == 7 && strcmp(error.axis, "method") == 0, "at %d", error.at);
    cr_assert_not(core_parameter_read("gde:1.5" + 4, 4, "its lambda", 0, 1, "gde:0.72", &value, &error));
    cr_assert_eq(error.at, 4);
    cr_assert_not(core_parameter_read(NULL, 3, "its lambda", 0, 1, "gde:0.72", &value, &error));
    cr_assert(error.at == 3 && strstr(error.sentence, "gde:0.72"));
    cr_assert(core_parameter_none(NULL, 3, &error));
    cr_assert_not(core_parameter_none("1", 4, &error));
    cr_assert_eq(error.at, 4);
}

// Every method explains itself.
Test(registry, built_in_methods_are_complete)
{
    const struct ek_method *method;
    size_t count = 0;
    for (; (method = ek_method_at(count)) != NULL; count++) {
        cr_assert(ek_method_find(method->name) == method);
        cr_assert(method->texts->title && method->texts->equation && method->texts->optimum && method->texts->assumes &&
                  method->texts->source);
        cr_assert(method->prepare && (method->rounds && (method->rounds->act || !(method->supports.units & EK_REAL) ||
                                                         method->rule->flow)));
        cr_assert(method->rounds->act || !(method->supports.units & EK_TOKENS) || method->rule->flow_tokens);
        cr_assert(method->supports.units & (EK_REAL | EK_TOKENS));
        cr_assert(method->supports.ports & EK_ALL_PORTS);
        cr_assert((method->links == EK_LINKS_SCHEDULED) == (method->rounds->next != NULL), "%s", method->name);
    }
    cr_assert_geq(count, 24);
    cr_assert_null(ek_method_find("nobody"));
}

Test(registry, choices_are_listed)
{
    cr_assert_str_eq(core_load_choice(0)->form, "uniform:LOW:HIGH");
    cr_assert_str_eq(core_stop_choice(0)->form, "variance:V");
    cr_assert(!core_load_choice(100) && !core_stop_choice(100));
}
