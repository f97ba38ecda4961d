// SPDX-License-Identifier: MIT
// Tests the conditions of the theory, one function each.
#include "core/theory/outlook.h"
#include "topologies/topology.h"

#include <assert.h>
#include <math.h>

static bool rounds(const struct ek_outlook *outlook)
{
    return outlook->timing == CORE_TIMING_ROUNDS;
}

static bool turns(const struct ek_outlook *outlook)
{
    return outlook->timing == CORE_TIMING_TURNS;
}

static bool is_free(const struct ek_outlook *outlook)
{
    return outlook->timing == CORE_TIMING_FREE;
}

static bool everybody(const struct ek_outlook *outlook)
{
    return outlook->invoke->kind == CORE_INVOKE_ALWAYS;
}

static bool singles(const struct ek_outlook *outlook)
{
    return is_free(outlook) || outlook->invoke->kind != CORE_INVOKE_ALWAYS;
}

static bool anybody(const struct ek_outlook *outlook)
{
    switch (outlook->invoke->kind) {
    case CORE_INVOKE_ALWAYS:
    case CORE_INVOKE_PROBABILITY:
    case CORE_INVOKE_EVERY:
    case CORE_INVOKE_AT:
        return true;
    default:
        return false;
    }
}

static bool no_work(const struct ek_outlook *outlook)
{
    return outlook->work->kind == CORE_WORKLOAD_NONE;
}

static bool even_work(const struct ek_outlook *outlook)
{
    return no_work(outlook) || core_workload_is_drawn(outlook->work);
}

static bool no_delay(const struct ek_outlook *outlook)
{
    return !core_links_delay(outlook->links);
}

static bool no_limit(const struct ek_outlook *outlook)
{
    return core_links_carry_all(outlook->links) && !outlook->objects;
}

static bool no_faults(const struct ek_outlook *outlook)
{
    return !outlook->faults;
}

static bool real(const struct ek_outlook *outlook)
{
    return outlook->units == EK_REAL && !outlook->objects;
}

static bool alike(const struct ek_outlook *outlook)
{
    return !outlook->capacity;
}

static bool held(const struct ek_outlook *outlook)
{
    return !outlook->to_target;
}

static bool regular(const struct ek_outlook *outlook)
{
    return outlook->topology->degree_min == outlook->topology->degree_max;
}

static bool overlaps(const struct ek_outlook *outlook)
{
    return outlook->overlaps;
}

static bool link_once(const struct ek_outlook *outlook)
{
    return outlook->link_once;
}

static bool all_work(const struct ek_outlook *outlook)
{
    return no_work(outlook) || outlook->work->working != CORE_WORKING_SUSPENDED;
}

static const struct {
    enum core_need need;
    bool (*met)(const struct ek_outlook *outlook);
} table[] = {
    {CORE_NEEDS_ROUNDS, rounds},
    {CORE_NEEDS_TURNS, turns},
    {CORE_NEEDS_FREE, is_free},
    {CORE_NEEDS_ALL_INVOKE, everybody},
    {CORE_NEEDS_SINGLE_INVOKERS, singles},
    {CORE_NEEDS_BLIND_INVOCATION, anybody},
    {CORE_NEEDS_NO_WORK, no_work},
    {CORE_NEEDS_EVEN_WORK, even_work},
    {CORE_NEEDS_NO_DELAY, no_delay},
    {CORE_NEEDS_NO_LIMIT, no_limit},
    {CORE_NEEDS_NO_FAULTS, no_faults},
    {CORE_NEEDS_REAL, real},
    {CORE_NEEDS_EQUAL_CAPACITIES, alike},
    {CORE_NEEDS_HELD, held},
    {CORE_NEEDS_REGULAR, regular},
    {CORE_NEEDS_OVERLAPS, overlaps},
    {CORE_NEEDS_LINK_ONCE, link_once},
    {CORE_NEEDS_ALL_WORK, all_work},
};

bool core_outlook_has(const struct ek_outlook *outlook, unsigned needs)
{
    unsigned known = 0;
    bool has = true;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        known |= table[i].need;
        has = has && (!(needs & table[i].need) || table[i].met(outlook));
    }
    assert(!(needs & ~known));
    return has;
}

bool core_outlook_goal(const struct ek_outlook *outlook, double *limit)
{
    const struct core_stop *stop = outlook->stop;
    *limit = stop->kind == CORE_STOP_ERROR ? stop->limit * stop->limit : stop->limit;
    return stop->kind == CORE_STOP_ERROR || (stop->kind == CORE_STOP_VARIANCE && !outlook->capacity);
}
