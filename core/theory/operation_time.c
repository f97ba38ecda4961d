// SPDX-License-Identifier: MIT
// The time of an operation.
#include "core/theory/operation_time.h"
#include "topologies/topology.h"

#include <math.h>
#include <stdio.h>

// Returns x.
static uint64_t occupies(const struct core_costs *costs)
{
    double ns = core_cost_occupies(costs, 0.0);
    return ns < (double)CORE_STEP_TIME_MAX ? (uint64_t)ns : CORE_STEP_TIME_MAX;
}

static uint64_t times(uint64_t count, uint64_t ns)
{
    uint64_t product;
    return !__builtin_mul_overflow(count, ns, &product) && product < CORE_STEP_TIME_MAX ? product : CORE_STEP_TIME_MAX;
}

static uint64_t one_by_one(const struct core_lone_operation *operation, uint64_t flight)
{
    uint64_t d = operation->neighbours, overhead = core_cost_ns(operation->costs, CORE_COST_OVERHEAD);
    uint64_t wire = operation->one_port ? occupies(operation->costs) : 0;
    uint64_t sum = times(2 * d + 2, core_cost_ns(operation->costs, CORE_COST_TURN));
    sum = core_time_sum(sum, times(4 * d + 2, overhead));
    sum = core_time_sum(sum, times(2 * d + 1, flight));
    return core_time_sum(sum, times(d - 1, overhead > wire ? overhead : wire));
}

// Returns how many answers have arrived at this time.
static uint64_t arrived(uint64_t time, uint64_t first, uint64_t overhead, uint64_t neighbours)
{
    uint64_t count = time < first ? 0 : overhead == 0 ? neighbours : (time - first) / overhead + 1;
    return count < neighbours ? count : neighbours;
}

static uint64_t all_at_once(const struct core_lone_operation *operation, uint64_t flight)
{
    uint64_t d = operation->neighbours, turn = core_cost_ns(operation->costs, CORE_COST_TURN);
    uint64_t overhead = core_cost_ns(operation->costs, CORE_COST_OVERHEAD);
    uint64_t first = core_time_sum(times(2, turn), core_time_sum(times(3, overhead), times(2, flight)));
    uint64_t time = core_time_sum(turn, times(d, overhead)); // all have been asked
    for (uint64_t received = 0; received < d;) {
        uint64_t next = core_time_sum(first, times(received, overhead));
        time = time > next ? time : next;
        uint64_t count = arrived(time, first, overhead, d) - received;
        time = core_time_sum(time, core_time_sum(turn, times(count, overhead)));
        received += count;
    }
    return core_time_sum(time, core_time_sum(times(d + 1, overhead), core_time_sum(flight, turn)));
}

uint64_t core_lone_operation_time(const struct core_lone_operation *operation)
{
    uint64_t flight = core_time_sum(occupies(operation->costs), operation->latency);
    return operation->together ? all_at_once(operation, flight) : one_by_one(operation, flight);
}

static bool is_known(uint64_t ns)
{
    return ns < CORE_STEP_TIME_MAX;
}

static void add_rounds(const struct ek_method *method, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    bool together = method->links == EK_LINKS_ALL && outlook->ports == EK_ALL_PORTS;
    uint32_t steps = together || method->links == EK_LINKS_MATCHING ? 1 : outlook->topology->colours;
    uint32_t ports = together ? outlook->topology->degree_max : 1;
    uint64_t ns = times(steps, core_step_time(outlook->costs, ports));
    if (is_known(ns)) {
        core_facts_add(
            facts, CORE_NEEDS_ROUNDS | CORE_NEEDS_ALL_INVOKE | CORE_NEEDS_NO_DELAY | CORE_NEEDS_NO_FAULTS,
            "operation_s_theory", 1e-9 * (double)ns, NULL,
            "The virtual time of an operation: %u times 2(T + 2d*o + g + b*G + L) with d = %u, once for each "
            "step, which is as long as its slowest processor.",
            steps, ports);
    }
}

struct neighbours_text {
    char of[40];
};

static struct neighbours_text text_of(uint32_t neighbours)
{
    struct neighbours_text text;
    snprintf(text.of, sizeof text.of, neighbours == 1 ? "its one neighbour" : "all %u neighbours", neighbours);
    return text;
}

static void add_lone(const struct ek_method *method, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    struct core_lone_operation operation = {.costs = outlook->costs,
                                            .latency = outlook->links->delay.low,
                                            .neighbours = outlook->topology->degree_max,
                                            .together = method->links == EK_LINKS_ALL && outlook->ports == EK_ALL_PORTS,
                                            .one_port = outlook->ports == EK_ONE_PORT};
    uint64_t ns = core_lone_operation_time(&operation);
    struct neighbours_text given = text_of(operation.neighbours);
    bool fixed = outlook->links->delay.low == outlook->links->delay.high && !outlook->links->load_apart;
    if (is_known(ns) && fixed) {
        core_facts_add(
            facts, CORE_NEEDS_FREE | CORE_NEEDS_NO_FAULTS, "operation_s_theory", 1e-9 * (double)ns, NULL,
            "The virtual time of an operation that meets no other and gives load to %s, until the last load has been "
            "received.",
            given.of);
    }
}

// Load that has bytes takes a time that depends on its amount.
void core_facts_add_time(const struct ek_method *method, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    bool by_rule = method->rule && !(method->free && (method->free->operate || method->free->includes));
    bool links =
        method->links == EK_LINKS_ALL || method->links == EK_LINKS_COLOUR || method->links == EK_LINKS_MATCHING;
    if (!outlook->costs || !by_rule || !links || outlook->topology->links == 0 || core_costs_weigh(outlook->costs)) {
        return;
    }
    if (outlook->timing == CORE_TIMING_ROUNDS) {
        add_rounds(method, outlook, facts);
    } else {
        add_lone(method, outlook, facts);
    }
}
