// SPDX-License-Identifier: MIT
// Orders of turns and of links that are drawn in each step: each order must come as often as it should. All orders
// are counted, so that none is missing or preferred.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/method.h"
#include "core/register.h"
#include "core/steps/matching.h"
#include "tests/support/runs.h"
#include "topologies/topology.h"

struct ek_view;

enum { THINGS = 5, ORDERS = 120, STEPS = 12000 };

// A chi-square with `free` degrees of freedom exceeds this bound once in e^14, a million times: for every x > 0, P(X
// >= d + 2 sqrt(d x) + 2 x) <= e^-x (Laurent & Massart 2000, Lemma 1). The seed is fixed, so the test always passes
// or always fails.
static double most_by_chance(unsigned free)
{
    const double x = 14.0;
    return free + 2.0 * sqrt(free * x) + 2.0 * x;
}

// Checks the sum of (found - expected)^2 / expected over the possible classes against that bound.
static void expect_by_chance(const char *what, const unsigned *found, const double *expected, unsigned classes)
{
    double sum = 0.0;
    unsigned possible = 0;
    for (unsigned i = 0; i < classes; i++) {
        cr_expect(expected[i] > 0.0 || found[i] == 0, "%s: class %u came %u times and cannot", what, i, found[i]);
        if (expected[i] > 0.0) {
            sum += (found[i] - expected[i]) * (found[i] - expected[i]) / expected[i];
            possible++;
        }
    }
    cr_expect_lt(sum, most_by_chance(possible - 1), "%s: chi-square %g of %u classes", what, sum, possible);
}

// Returns order `number` of THINGS things, by the digits of the number to the bases 5, 4, 3, 2, 1. The next function
// reverses this.
static void order_at(unsigned number, unsigned *order)
{
    for (unsigned i = 0, rest = number; i < THINGS; i++) {
        order[i] = rest % (THINGS - i);
        rest /= THINGS - i;
    }
    for (unsigned i = THINGS; i-- > 0;) { // a digit counts the smaller things that come later
        for (unsigned j = i + 1; j < THINGS; j++) {
            order[j] += order[j] >= order[i];
        }
    }
}

static unsigned number_of(const unsigned *order)
{
    unsigned number = 0;
    for (unsigned i = THINGS; i-- > 0;) {
        unsigned digit = 0;
        for (unsigned j = i + 1; j < THINGS; j++) {
            digit += order[j] < order[i];
        }
        number = number * (THINGS - i) + digit;
    }
    return number;
}

Test(drawn_orders, are_numbered)
{
    for (unsigned i = 0; i < ORDERS; i++) {
        unsigned order[THINGS];
        order_at(i, order);
        cr_expect_eq(number_of(order), i);
    }
}

// ---- turns ----

// The turns of a step: a processor of complete:5 compares itself with its neighbours one after the other.
static struct {
    unsigned order[STEPS][THINGS];
    unsigned turns;
} seen;

static double look_on(const struct ek_view *view, unsigned port)
{
    if (port == 0 && seen.turns < STEPS * THINGS) {
        seen.order[seen.turns / THINGS][seen.turns % THINGS] = view->processor;
        seen.turns++;
    }
    return 0.0;
}

static bool prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                    struct ek_error *error)
{
    (void)parameter, (void)at, (void)setting, (void)error;
    plan->steps = 1;
    return true;
}

static const struct ek_method looker = {
    .name = "looker",
    .texts = &(const struct ek_texts){.title = "for a test"},
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS, .turns = true},
    .links = EK_LINKS_ALL,
    .prepare = prepare,
    .rule = &(const struct ek_rule){.flow = look_on},
    .rounds = &(const struct ek_rounds_part){0},
};

Test(drawn_orders, of_turns_are_all_alike)
{
    struct ek_error error;
    cr_assert(ek_method_register(&looker, &error), "%s", error.sentence);
    struct ek_experiment experiment = {.topology = "complete:5",
                                       .method = "looker",
                                       .timing = "turns:random",
                                       .carrier = "pool:1",
                                       .stop = "never",
                                       .steps_max = STEPS,
                                       .no_flows = true,
                                       .seed = 1};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_assert_eq(outcome.status, EK_OK, "%s", outcome.error.sentence);
    tests_outcome_destroy(&outcome);
    cr_assert_eq(seen.turns, STEPS * THINGS);
    unsigned found[ORDERS] = {0};
    double expected[ORDERS];
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned number = number_of(seen.order[step]), order[THINGS];
        order_at(number, order);
        cr_assert_arr_eq(order, seen.order[step], sizeof order, "in step %u not everybody has one turn", step);
        found[number]++;
    }
    for (unsigned i = 0; i < ORDERS; i++) {
        expected[i] = (double)STEPS / ORDERS;
    }
    expect_by_chance("orders of turns", found, expected, ORDERS);
}

// ---- links ----

// Returns the links of ring:5 that are used if they are tried in this order, as bits. Link i connects i and i + 1.
static unsigned taken(const unsigned *order)
{
    unsigned links = 0;
    for (unsigned i = 0; i < THINGS; i++) {
        unsigned before = (order[i] + THINGS - 1) % THINGS, after = (order[i] + 1) % THINGS;
        bool is_free = !(links & (1u << before | 1u << after));
        links |= (unsigned)is_free << order[i];
    }
    return links;
}

// Each matching comes as often as orders of the links lead to it. A chain of 6 would not show whether the first link
// is ever the last, but all links of a ring are alike.
Test(drawn_orders, of_links_make_matchings_as_often_as_all_orders)
{
    struct ek_error error;
    struct ek_topology *topology = ek_topology_create("ring:5", 1, (struct ek_reader){0}, &error);
    struct core_matching matching;
    struct base_arena memory = {.count = 0};
    core_matching_plan(&matching, topology, &memory);
    cr_assert(base_arena_take(&memory));
    core_matching_begin(&matching, topology);
    unsigned found[1 << THINGS] = {0};
    double expected[1 << THINGS] = {0.0};
    for (uint64_t step = 0; step < STEPS; step++) {
        core_matching_draw(&matching, topology, 1, step);
        unsigned links = 0;
        for (size_t k = 0; k < matching.count; k++) {
            uint32_t p = matching.ends[k].processor, other = topology->neighbour[matching.ends[k].port];
            links |= 1u << ((p + 1) % THINGS == other ? p : other);
        }
        found[links]++;
    }
    for (unsigned i = 0; i < ORDERS; i++) {
        unsigned order[THINGS];
        order_at(i, order);
        expected[taken(order)] += (double)STEPS / ORDERS;
    }
    expect_by_chance("matchings", found, expected, 1 << THINGS);
    base_arena_destroy(&memory);
    ek_topology_destroy(topology);
}
