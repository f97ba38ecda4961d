// SPDX-License-Identifier: MIT
// Rounding. Random: Friedrich & Sauerwald, Near-perfect load balancing by randomized rounding, STOC 2009. Carry:
// Friedrich, Gairing & Sauerwald, Quasirandom load balancing, SODA 2010.
#include "core/cargo/rounding.h"

#include <math.h>

#include "base/random.h"

const struct ek_choice core_rounding_names[] = {
    {"down", "each amount is rounded down"},
    {"nearest", "each amount is rounded to the nearest whole number, halves down"},
    {"random", "each amount is rounded up with the probability of its fraction, else down"},
    {"carry", "to the nearest whole number; each link adds its error to its next amount"},
    {NULL, NULL}};

// Returns a whole or half number if the amount is as near to it as the rounding errors of doubles can be.
static double freed_of_errors(double amount)
{
    static const double NEAR = 1e-9;
    double halves = rint(2.0 * amount);
    return fabs(2.0 * amount - halves) <= 2.0 * NEAR ? 0.5 * halves : amount;
}

struct core_due core_rounding_due(enum core_rounding rounding, double flow, double error, uint64_t seed, uint64_t port,
                                  uint64_t number)
{
    struct core_due due = {.amount = freed_of_errors(flow + error)};
    double size = fabs(due.amount);
    double whole = floor(size);
    bool up = rounding != CORE_ROUNDING_DOWN && size - whole > 0.5;
    if (rounding == CORE_ROUNDING_RANDOM && size > whole) {
        struct base_random random = base_random_moment(seed, port, BASE_STREAM_ROUNDING, number);
        up = base_random_unit(&random) < size - whole;
    }
    due.whole = copysign(whole + up, due.amount);
    return due;
}

double core_rounding_most(enum core_rounding rounding, double flow)
{
    double amount = freed_of_errors(flow);
    double part = amount - floor(amount);
    return floor(amount) + (part > (rounding == CORE_ROUNDING_RANDOM ? 0.0 : 0.5));
}
