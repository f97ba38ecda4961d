// SPDX-License-Identifier: MIT
// Budgets. Before the topology is made, the plan has no loads, delays, faults or plan of the method yet. Their arrays
// could only add bytes, so the bytes of a run without them are a lower bound.
#include "threads/machine/budget.h"

#include <stdio.h>
#include <string.h>

#include "threads/api/run.h"
#include "threads/host/limits.h"
#include "threads/host/workers.h"
#include "base/cursor.h"
#include "core/theory/potential.h"
#include "threads/api/ranks.h"
#include "threads/ranks/blocks.h"
#include "topologies/build.h"
#include "topologies/topology.h"

struct machine_budget machine_budget_of(const struct machine_plan *plan)
{
    return (struct machine_budget){.run = plan->engine->bytes(plan),
                                   .workers = plan->experiment->by_caller ? 0 : plan->workers + plan->helped,
                                   .large_stacks = plan->experiment->large_stacks};
}

// Returns whether capacities will differ, before they are read. They differ in every kind of capacity but the first,
// and with switches.
static bool has_capacities(const struct machine_plan *plan, const struct ek_topology *outline)
{
    const char *spec = plan->experiment->capacity;
    return outline->hosts < outline->processors || (spec && strcmp(spec, core_capacity_choice(0)->form) != 0);
}

// Returns what is known of a plan before its topology is made. `topology` is room for an outline.
static struct machine_plan early_plan(const struct machine_plan *plan, const struct ek_topology *outline,
                                      struct ek_topology *topology)
{
    static double some = 1.0;
    *topology = *outline;
    if (plan->method->rounds->act && topology->links >= topology->processors) { // a method may use a tree instead
        topology->links = topology->processors - 1;
        topology->ports = 2 * topology->links;
    }
    struct machine_plan early = *plan;
    early.topology = topology;
    early.workers = machine_workers_for(plan, outline->processors);
    early.to_target = plan->to_target || outline->hosts < outline->processors;
    early.capacity = has_capacities(plan, outline) ? &some : NULL;
    return early;
}

bool machine_computes_rows(void *context, const struct ek_topology *outline)
{
    const struct machine_plan *plan = context;
    struct ek_topology topology;
    struct machine_plan early = early_plan(plan, outline, &topology);
    return outline->rows && plan->links_unread && plan->engine->computes_rows && plan->engine->computes_rows(&early);
}

bool machine_stores_part(void *context, const struct ek_topology *outline, uint32_t *begin, uint32_t *end)
{
    const struct machine_plan *plan = context;
    const struct ek_ranks *ranks = plan->ranks;
    struct ek_topology topology;
    struct machine_plan early = early_plan(plan, outline, &topology);
    bool large = outline->processors > CORE_POTENTIAL_MAX && topo_diameter_is_dear(outline->processors, outline->ports);
    if (!ranks || !large || !plan->links_unread || machine_computes_rows(context, outline) ||
        !plan->engine->stores_part || !plan->engine->stores_part(&early)) {
        return false;
    }
    *begin = rank_block_begin(outline->processors, ranks->count, ranks->rank);
    *end = rank_block_begin(outline->processors, ranks->count, ranks->rank + 1);
    return true;
}

struct machine_budget machine_budget_before(const struct machine_plan *plan, const struct ek_topology *outline,
                                            uint64_t making)
{
    struct ek_topology topology;
    struct machine_plan early = early_plan(plan, outline, &topology);
    struct machine_budget budget = machine_budget_of(&early);
    if (!machine_computes_rows(&early, outline)) {
        budget.topology = ek_topology_bytes(outline);
        budget.making = making;
    }
    return budget;
}

static unsigned long long mebibytes(uint64_t bytes)
{
    return (bytes >> 20) + 1;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

// Lists the parts of the budget in mebibytes. Parts that need no memory are left out.
static void list_parts(const struct machine_budget *budget, uint64_t threads, char *parts, size_t size)
{
    char first[40] = "", second[40] = "", last[40] = "";
    if (budget->topology > 0) {
        snprintf(first, sizeof first, "topology %llu, ", mebibytes(budget->topology));
    }
    if (budget->distances > 0) {
        snprintf(second, sizeof second, "distances %llu, ", mebibytes(budget->distances));
    }
    if (threads > 0) {
        snprintf(last, sizeof last, ", threads %llu", mebibytes(threads));
    }
    snprintf(parts, size, "%s%sloads and messages %llu%s", first, second, mebibytes(budget->run), last);
}

// Returns the bytes of all parts but the threads.
static uint64_t rest_of(const struct machine_budget *budget)
{
    return sum(sum(budget->topology, budget->distances), budget->run);
}

static bool refuse(const struct machine_budget *budget, const struct ek_limits *limits, size_t at,
                   struct ek_error *error)
{
    unsigned long long left = limits->memory_free >> 20;
    uint64_t threads = host_workers_bytes(budget->workers, budget->large_stacks, limits->memory_mapped);
    char parts[160];
    uint64_t rest = rest_of(budget);
    if (rest <= limits->memory_free && threads > rest) {
        return base_fail(error, EK_BAD_INPUT, "carrier",
                         "%u threads take some %llu MiB, and what they carry %llu, and %llu MiB may be used, bound by "
                         "%s: use a smaller topology, or carrier pool",
                         budget->workers, mebibytes(threads), mebibytes(rest), left, limits->memory_bound);
    }
    if (sum(rest, threads) > limits->memory_free) {
        list_parts(budget, threads, parts, sizeof parts);
        return base_fail_at(
            error, "topology", at,
            "this takes some %llu MiB (%s), and %llu MiB may be used, bound by %s: use a smaller topology",
            mebibytes(sum(rest, threads)), parts, left, limits->memory_bound);
    }
    return base_fail_at(
        error, "topology", at,
        "this takes up to %llu MiB while it is made, and %llu MiB may be used, bound by %s: use a smaller "
        "topology",
        mebibytes(budget->making), left, limits->memory_bound);
}

bool machine_budget_fits(const struct machine_budget *budget, size_t at, struct ek_error *error)
{
    struct ek_limits limits;
    host_limits_read_memory("", &limits);
    uint64_t threads = host_workers_bytes(budget->workers, budget->large_stacks, limits.memory_mapped);
    uint64_t all = sum(rest_of(budget), threads);
    uint64_t most = all > budget->making ? all : budget->making;
    return host_workers_possible(budget->workers, error) &&
           (!*limits.memory_bound || most <= limits.memory_free || refuse(budget, &limits, at, error));
}

bool machine_budget_ask(void *context, const struct ek_topology *outline, uint64_t making, size_t at,
                        struct ek_error *error)
{
    struct machine_budget budget = machine_budget_before(context, outline, making);
    return machine_budget_fits(&budget, at, error);
}
