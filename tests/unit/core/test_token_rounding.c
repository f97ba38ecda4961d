// SPDX-License-Identifier: MIT
// Rounding of amounts to tokens: halves, rounding errors of doubles, draws, errors that are carried.
#include <criterion/criterion.h>
#include <math.h>

#include "core/cargo/rounding.h"

enum { SEED = 7, PORT = 3 };

static double nearest(double flow)
{
    return core_rounding_due(CORE_ROUNDING_NEAREST, flow, 0.0, SEED, PORT, 0).whole;
}

static double drawn(double flow, uint64_t seed, uint64_t port, uint64_t number)
{
    return core_rounding_due(CORE_ROUNDING_RANDOM, flow, 0.0, seed, port, number).whole;
}

Test(token_rounding, nearest_rounds_halves_down)
{
    static const double cases[][2] = {{0.0, 0.0},
                                      {0.5, 0.0},
                                      {0.5 + 1e-10, 0.0},
                                      {0.5 + 1e-8, 1.0},
                                      {0.5 - 1e-8, 0.0},
                                      {1.5, 1.0},
                                      {2.5, 2.0},
                                      {2.75, 3.0},
                                      {7.0 - 1e-10, 7.0},
                                      {1e9 + 0.25, 1e9},
                                      {0x1p52 + 1, 0x1p52 + 1},
                                      {0x1p60, 0x1p60},
                                      {100.0 / 3.0, 33.0},
                                      {200.0 / 3.0, 67.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(nearest(cases[i][0]), cases[i][1], "%.17g: %.17g", cases[i][0], nearest(cases[i][0]));
        cr_expect_eq(nearest(-cases[i][0]), -cases[i][1], "the other end of the link: %.17g", -cases[i][0]);
        cr_expect_eq(core_rounding_most(CORE_ROUNDING_NEAREST, cases[i][0]), cases[i][1]);
    }
    cr_expect(isnan(nearest(NAN)), "an amount that is no number stays one");
}

// The mean of 20000 draws is within five standard deviations of the amount.
Test(token_rounding, random_rounds_up_with_the_probability_of_the_fraction)
{
    enum { DRAWS = 20000 };
    static const double flows[] = {0.1, 2.5, 7.75, 4.0 - 1e-10, -1.25};
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        double sum = 0.0;
        for (uint64_t number = 0; number < DRAWS; number++) {
            double whole = drawn(flows[i], SEED, PORT, number);
            cr_assert(whole == floor(flows[i]) || whole == ceil(flows[i]), "%g becomes %g", flows[i], whole);
            sum += whole;
        }
        double fraction = fabs(flows[i]) - floor(fabs(flows[i]));
        double most = 5.0 * sqrt(fraction * (1.0 - fraction) / DRAWS) + 1e-9;
        cr_expect(fabs(sum / DRAWS - flows[i]) <= most, "%g: the mean is %g", flows[i], sum / DRAWS);
        cr_expect(core_rounding_most(CORE_ROUNDING_RANDOM, fabs(flows[i])) == ceil(fabs(flows[i])));
    }
}

Test(token_rounding, a_draw_depends_on_seed_port_and_number)
{
    unsigned differ[3] = {0};
    for (uint64_t number = 0; number < 200; number++) {
        double own = drawn(0.5, SEED, PORT, number) + 2.0 * drawn(10.25, SEED, PORT, number);
        cr_expect_eq(own, drawn(0.5, SEED, PORT, number) + 2.0 * drawn(10.25, SEED, PORT, number));
        differ[0] += drawn(0.5, SEED, PORT, number) != drawn(0.5, SEED + 1, PORT, number);
        differ[1] += drawn(0.5, SEED, PORT, number) != drawn(0.5, SEED, PORT + 1, number);
        differ[2] += drawn(0.5, SEED, PORT, number) != drawn(0.5, SEED, PORT, number + 1);
    }
    for (int i = 0; i < 3; i++) {
        cr_expect(differ[i] > 60 && differ[i] < 140, "%d: %u of 200", i, differ[i]);
    }
}

// The error stays within 1/2, so all that was sent is within 1/2 of the sum of the flows.
Test(token_rounding, an_error_that_is_carried_stays_within_one_half)
{
    static const double flows[] = {0.3, 1.0 / 3.0, 0.5, 2.9, -0.7, 5.125, -0.5, 0.499999, 100.0 / 7.0};
    double error = 0.0, sent = 0.0, sum = 0.0;
    for (unsigned step = 0; step < 5000; step++) {
        double flow = flows[(step * step + step / 7) % (sizeof flows / sizeof *flows)];
        struct core_due due = core_rounding_due(CORE_ROUNDING_CARRY, flow, error, SEED, PORT, step);
        struct core_due twin = core_rounding_due(CORE_ROUNDING_CARRY, -flow, -error, SEED, PORT + 1, step);
        cr_assert(twin.amount == -due.amount && twin.whole == -due.whole, "both ends compute the same");
        cr_assert(due.whole == rint(due.whole));
        error = due.amount - due.whole;
        sent += due.whole;
        sum += flow;
        cr_assert(fabs(error) <= 0.5, "step %u: %g", step, error);
        cr_assert(fabs(sum - sent) <= 0.5 + 1e-6, "step %u: %g of %g", step, sent, sum);
    }
    cr_expect(sent > 1000.0);
}
