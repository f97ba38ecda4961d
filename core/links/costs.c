// SPDX-License-Identifier: MIT
// Reads costs.
#include "core/links/costs.h"

#include <math.h>

static const double SECONDS_MAX = 10.0;
static const double BYTES_MAX = 0x1p40;

// By enum core_cost: the cost in errors, and how it is read.
static const struct {
    const char *what;
    bool bytes;      // a number of bytes, else a time
    bool fractional; // may be a fraction of a byte, or of a nanosecond
    double least;
} forms[CORE_COSTS] = {
    [CORE_COST_TURN] = {"the cost of a turn", .least = 1.0},
    [CORE_COST_OVERHEAD] = {.what = "the overhead of a message"},
    [CORE_COST_GAP] = {.what = "the gap between messages"},
    [CORE_COST_LATENCY] = {.what = "the latency of a link"},
    [CORE_COST_BYTE_TIME] = {"the time of a byte", .fractional = true},
    [CORE_COST_MESSAGE_BYTES] = {"the bytes of a message", .bytes = true},
    [CORE_COST_TASK] = {"the time of a unit of cost", .fractional = true},
    [CORE_COST_LOAD_BYTES] = {"the bytes of a unit of load", .bytes = true, .fractional = true},
};

// Reads a time in nanoseconds. A lone 0 needs no unit.
static bool read_time(struct base_cursor *cursor, const char *what, double *nanoseconds)
{
    *nanoseconds = 0.0;
    bool zero = cursor->text[cursor->at] == '0' && cursor->text[cursor->at + 1] == '\0';
    if (zero ? !base_cursor_accept(cursor, '0') : !base_cursor_nanoseconds(cursor, what, nanoseconds)) {
        return false;
    }
    return *nanoseconds <= 1e9 * SECONDS_MAX || base_cursor_fail(cursor, 0, "%s is at most %g s", what, SECONDS_MAX);
}

bool core_cost_take(struct base_cursor *cursor, enum core_cost cost, double *value)
{
    const size_t at = cursor->at;
    const char *what = forms[cost].what;
    bool good =
        forms[cost].bytes ? base_cursor_real(cursor, what, 0.0, BYTES_MAX, value) : read_time(cursor, what, value);
    if (!good || !base_cursor_end(cursor)) {
        return false;
    }
    if (!forms[cost].fractional) {
        double whole = round(*value);
        if (fabs(*value - whole) > 1e-6 * fmax(1.0, whole)) {
            return base_cursor_fail(
                cursor, at, forms[cost].bytes ? "%s is a whole number" : "%s is a whole number of nanoseconds", what);
        }
        *value = whole;
    }
    return *value >= forms[cost].least || base_cursor_fail(cursor, at, "%s is at least %gns", what, forms[cost].least);
}

bool core_cost_read(struct core_costs *costs, enum core_cost cost, const char *axis, const char *spec,
                    struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start(axis, spec, error);
    return core_cost_take(&cursor, cost, &costs->of[cost]);
}

bool core_costs_check(const struct core_costs *costs, struct ek_error *error)
{
    return core_cost_occupies(costs, 0.0) <= 0x1p62 ||
           base_fail_at(error, "message-bytes", 0,
                        "a message would occupy its link for more than 146 years (2^62 ns): choose fewer bytes, or a "
                        "smaller byte-time");
}

double core_cost_occupies(const struct core_costs *costs, double load)
{
    double bytes = costs->of[CORE_COST_MESSAGE_BYTES] + costs->of[CORE_COST_LOAD_BYTES] * load;
    return costs->of[CORE_COST_GAP] + floor(bytes * costs->of[CORE_COST_BYTE_TIME] + 0.5);
}
