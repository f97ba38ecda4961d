// SPDX-License-Identifier: MIT
// Measures of loads against plain sums, and stop criteria on loads by hand.
#include <criterion/criterion.h>

#include "base/random.h"
#include "core/axes/stop.h"
#include "core/measure.h"
#include "tests/support/must.h"

Test(measures, agree_with_plain_sums)
{
    static double held[200000];
    struct base_random random = base_random_start(1, 1, BASE_STREAM_LOAD);
    for (uint32_t count = 1; count <= 200000; count = count * 3 / 2 + 1) {
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

// Parts of many loads, merged in any order, give the same bits as all loads at once.
Test(measures, of_parts_are_those_of_the_whole)
{
    enum { MOST = 3 * CORE_MEASURE_IN_ORDER, PARTS = 4 };
    static double held[MOST];
    struct base_random random = base_random_start(1, 2, BASE_STREAM_LOAD);
    for (uint32_t p = 0; p < MOST; p++) {
        held[p] = base_random_below(&random, 4) ? 1e6 * base_random_unit(&random) : 0.0;
    }
    for (uint32_t count = CORE_MEASURE_IN_ORDER + 1; count < MOST; count += 40001) {
        struct core_measure whole, measured;
        struct core_tally tally = core_tally_of_none(), squares = core_tally_of_none();
        core_measure_loads(held, NULL, count, 3.5, &whole);
        for (uint32_t k = PARTS; k-- > 0;) {
            uint32_t begin = count / PARTS * k, end = k + 1 < PARTS ? count / PARTS * (k + 1) : count;
            struct core_tally part = core_tally_of_none();
            core_tally_add(&part, held + begin, end - begin);
            core_tally_merge(&tally, &part);
        }
        double mean = core_measure_tally(&tally, count, 3.5, &measured);
        cr_expect_eq(mean, (whole.total + 3.5) / count);
        core_exact_add_squares(&squares.sum, held, count, mean);
        core_measure_squares(&squares.sum, &measured);
        cr_expect_eq(memcmp(&whole, &measured, sizeof whole), 0, "%u processors", count);
        cr_expect_eq(core_measure_sum(held, count), whole.total, "%u processors", count);
    }
}

Test(measures, gradient_is_the_largest_difference_over_a_link)
{
    struct ek_topology *chain = must_build("chain:5");
    cr_assert_eq(core_measure_gradient(chain, (double[]){0, 3, 9, 10, 10}, 0, 5), 6);
    cr_assert_eq(core_measure_gradient(chain, (double[]){9, 3, 0, 0, 0}, 0, 5), 6);
    cr_assert_eq(core_measure_gradient(chain, (double[]){4, 4, 4, 4, 4}, 0, 5), 0);
    cr_assert_eq(core_measure_gradient(chain, (double[]){0, 9, 9, 10, 10}, 2, 5), 1); // links of a part only
    ek_topology_destroy(chain);
}

static bool reached(const char *spec, const double *held, double in_flight)
{
    struct ek_topology *chain = must_build("chain:4");
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

// Load in flight is not balanced yet: a criterion allows as much of it as its own measure allows. The mean counts
// all load: 16 held and 4 in flight are 5 for each of four processors.
Test(stop, counts_what_is_in_flight_as_not_balanced)
{
    const double held[] = {4, 4, 4, 4};
    cr_assert(reached("variance:16", held, 4) && !reached("variance:15.9", held, 4)); // 4^2, while 4 (4-5)^2 is 4
    cr_assert(reached("variance:4", held, 1) && !reached("variance:4", held, 2.1));
    cr_assert(reached("spread:4", held, 4) && !reached("spread:3.9", held, 4));
    cr_assert(reached("error:4", held, 4) && !reached("error:3.9", held, 4));
    cr_assert(reached("neighbours:4", held, 4) && !reached("neighbours:3.9", held, 4));
    cr_assert(reached("shared", held, 5.3) && !reached("shared", held, 5.4)); // the mean share is (16 + 5.3) / 4
    cr_assert(!reached("error:3", (double[]){2, 4, 4, 6}, 3));                // the error is 3.2 from their share of 19
}
