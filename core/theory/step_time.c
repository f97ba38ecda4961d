// SPDX-License-Identifier: MIT
// The time of a step of rounds.
#include "core/theory/step_time.h"

uint64_t core_time_sum(uint64_t a, uint64_t b)
{
    return a < CORE_STEP_TIME_MAX && b < CORE_STEP_TIME_MAX - a ? a + b : CORE_STEP_TIME_MAX;
}

// A cost is at most 10 s, so the product of a cost and a number of messages stays below 2^66.
uint64_t core_overhead_time(const struct core_costs *costs, uint32_t messages)
{
    uint64_t overhead = core_cost_ns(costs, CORE_COST_OVERHEAD), time;
    bool fits = !__builtin_mul_overflow(overhead, (uint64_t)messages, &time);
    return fits && time < CORE_STEP_TIME_MAX ? time : CORE_STEP_TIME_MAX;
}

// Returns x + L.
static uint64_t flight_time(const struct core_costs *costs, double load)
{
    double occupies = core_cost_occupies(costs, load);
    uint64_t ns = occupies < (double)CORE_STEP_TIME_MAX ? (uint64_t)occupies : CORE_STEP_TIME_MAX;
    return core_time_sum(ns, core_cost_ns(costs, CORE_COST_LATENCY));
}

uint64_t core_phase_time(const struct core_costs *costs, struct core_phase phase)
{
    uint64_t time = core_cost_ns(costs, CORE_COST_TURN);
    if (phase.sends > 0) {
        time = core_time_sum(time, core_overhead_time(costs, phase.sends));
        time = core_time_sum(time, flight_time(costs, phase.load));
    }
    return core_time_sum(time, core_overhead_time(costs, phase.receives));
}

uint64_t core_step_time(const struct core_costs *costs, uint32_t ports)
{
    const uint64_t phase = core_phase_time(costs, (struct core_phase){ports, ports, 0.0});
    return core_time_sum(phase, phase);
}
