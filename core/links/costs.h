// SPDX-License-Identifier: MIT
// What computing and communicating costs a processor in virtual time, after LogGP (Alexandrov, Ionescu, Schauser &
// Scheiman, LogGP: incorporating long messages into the LogP model, SPAA 1995). Times are in nanoseconds.
#ifndef CORE_LINKS_COSTS_H
#define CORE_LINKS_COSTS_H

#include "base/cursor.h"

// The costs. Each is an axis of experiments.
enum core_cost {
    CORE_COST_NONE,
    CORE_COST_TURN,          // T: a turn of a processor, in addition to its messages and its work
    CORE_COST_OVERHEAD,      // o: the processor's time to send or to receive a message
    CORE_COST_GAP,           // g: the least time between two messages on a link
    CORE_COST_LATENCY,       // L: from one end of a link to the other
    CORE_COST_BYTE_TIME,     // G: the time of a byte on a link
    CORE_COST_MESSAGE_BYTES, // bytes of a message without load
    CORE_COST_LOAD_BYTES,    // bytes of a unit of load
    CORE_COST_TASK,          // the time of a unit of cost of a task, at a processor of capacity 1
    CORE_COSTS
};

// The costs of a machine, by enum core_cost. Those of bytes and of tasks can be fractions.
struct core_costs {
    double of[CORE_COSTS];
};

// The room for a cost as text.
enum { CORE_COST_TEXT = 24 };

// Reads one cost from the cursor to the end of its text: a time in nanoseconds, or a number of bytes.
bool core_cost_take(struct base_cursor *cursor, enum core_cost cost, double *value);

// Reads one cost: a time, as in 200ns, or a number of bytes. No time may be above 10 s, no number of bytes above 2^40.
bool core_cost_read(struct core_costs *costs, enum core_cost cost, const char *axis, const char *spec,
                    struct ek_error *error);

// Checks that the costs together do not exceed the clock, 2^62 ns. Messages with load are checked when they are sent.
bool core_costs_check(const struct core_costs *costs, struct ek_error *error);

// Returns a cost in whole nanoseconds.
static inline uint64_t core_cost_ns(const struct core_costs *costs, enum core_cost cost)
{
    return (uint64_t)costs->of[cost];
}

// Returns whether messages take longer by their load.
static inline bool core_costs_weigh(const struct core_costs *costs)
{
    return costs->of[CORE_COST_LOAD_BYTES] > 0.0 && costs->of[CORE_COST_BYTE_TIME] > 0.0;
}

// Returns for how long a message with this load occupies its link: g + b*G for b bytes, rounded to whole nanoseconds,
// halves up. The result may be larger than any clock; it is not if it is below 2^62.
double core_cost_occupies(const struct core_costs *costs, double load);

#endif
