// SPDX-License-Identifier: MIT
// Costs of virtual time: how they are read, which are refused and where, and how long a message occupies its link. Also
// delay files that name two directions, and which axis a refused delay belongs to.
#include <criterion/criterion.h>

#include "core/links/costs.h"
#include "core/links/link.h"
#include "tests/support/must.h"
#include "tests/support/specs.h"

static double cost(enum core_cost which, const char *spec)
{
    struct core_costs costs = {.of = {0}};
    struct ek_error error;
    cr_assert(core_cost_read(&costs, which, "gap", spec, &error), "%s: %s", spec, error.sentence);
    return costs.of[which];
}

Test(costs, are_nanoseconds_or_bytes)
{
    cr_expect_eq(cost(CORE_COST_TURN, "1ns"), 1.0);
    cr_expect_eq(cost(CORE_COST_OVERHEAD, "0"), 0.0);
    cr_expect_eq(cost(CORE_COST_OVERHEAD, "0ns"), 0.0);
    cr_expect_eq(cost(CORE_COST_GAP, "1.5us"), 1500.0);
    cr_expect_eq(cost(CORE_COST_GAP, "0.001us"), 1.0);
    cr_expect_eq(cost(CORE_COST_LATENCY, "10s"), 1e10);
    cr_expect_eq(cost(CORE_COST_LATENCY, "1.234567891s"), 1234567891.0);
    cr_expect_float_eq(cost(CORE_COST_BYTE_TIME, "0.1ns"), 0.1, 1e-12);
    cr_expect_eq(cost(CORE_COST_MESSAGE_BYTES, "0"), 0.0);
    cr_expect_eq(cost(CORE_COST_MESSAGE_BYTES, "1099511627776"), 0x1p40);
    cr_expect_eq(cost(CORE_COST_LOAD_BYTES, "0.25"), 0.25);
}

Test(costs, refusals)
{
    static const struct {
        enum core_cost cost;
        struct bad_spec bad;
    } rows[] = {
        {CORE_COST_TURN, {"0", 0, "the cost of a turn is at least 1ns"}},
        {CORE_COST_TURN, {"0ns", 0, "the cost of a turn is at least 1ns"}},
        {CORE_COST_TURN, {"0.4ns", 0, "the cost of a turn is a whole number of nanoseconds"}},
        {CORE_COST_OVERHEAD, {"1.5ns", 0, "the overhead of a message is a whole number of nanoseconds"}},
        {CORE_COST_OVERHEAD, {"200", 3, "the overhead of a message needs a unit after the number"}},
        {CORE_COST_OVERHEAD, {"00", 2, "needs a unit after the number"}},
        {CORE_COST_GAP, {"-1ns", 0, "the gap between messages takes a number and its unit"}},
        {CORE_COST_GAP, {"1ns2", 3, "cannot follow"}},
        {CORE_COST_LATENCY, {"10.000000001s", 0, "the latency of a link is at most 10 s"}},
        {CORE_COST_BYTE_TIME, {"11s", 0, "the time of a byte is at most 10 s"}},
        {CORE_COST_MESSAGE_BYTES, {"0.5", 0, "the bytes of a message is a whole number"}},
        {CORE_COST_MESSAGE_BYTES, {"1099511627777", 0, "the bytes of a message must be from 0 to"}},
        {CORE_COST_LOAD_BYTES, {"-1", 0, "the bytes of a unit of load must be from 0 to"}},
        {CORE_COST_LOAD_BYTES, {"8B", 1, "cannot follow"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct core_costs costs;
        struct ek_error error;
        const struct bad_spec *bad = &rows[i].bad;
        cr_expect_not(core_cost_read(&costs, rows[i].cost, "some-axis", bad->spec, &error), "%s", bad->spec);
        expect_refused(&error, "some-axis", bad->spec, bad->at, bad->part);
    }
}

Test(costs, a_message_occupies_its_link_for_whole_nanoseconds)
{
    struct core_costs costs = {.of = {[CORE_COST_GAP] = 50.0, [CORE_COST_MESSAGE_BYTES] = 10.0}};
    cr_expect_eq(core_cost_occupies(&costs, 7.0), 50.0);
    costs.of[CORE_COST_BYTE_TIME] = 0.25; // 2.5 ns, halves up
    cr_expect_eq(core_cost_occupies(&costs, 7.0), 53.0);
    costs.of[CORE_COST_BYTE_TIME] = 0.249;
    cr_expect_eq(core_cost_occupies(&costs, 7.0), 52.0);
    costs.of[CORE_COST_LOAD_BYTES] = 3.0; // 31 bytes
    cr_expect_eq(core_cost_occupies(&costs, 7.0), 58.0);
    cr_expect_eq(core_cost_occupies(&costs, 0.0), 52.0);
    cr_expect_eq(core_cost_ns(&costs, CORE_COST_GAP), 50);
}

// ---- delays ----

// Checks the delay from each processor to each other one, for a file of the links of mesh:2x2.
static void expect_ways(bool by_clock, const char *text, const uint32_t wanted[4][4], uint64_t low, uint64_t high)
{
    struct ek_topology *mesh = must_build("mesh:2x2");
    struct tests_memory memory;
    struct core_delay delay;
    struct ek_error error;
    cr_assert(core_delay_parse(&delay, "delay", "file:any", mesh, by_clock, text_reader(&memory, text), &error), "%s",
              error.sentence);
    for (uint32_t p = 0; p < mesh->processors; p++) {
        for (uint32_t port = mesh->first[p]; port < mesh->first[p + 1]; port++) {
            // The port is the sender's in free timing, and the receiver's in rounds.
            uint32_t q = mesh->neighbour[port];
            cr_expect_eq(core_delay_at(&delay, 1, port, 3), by_clock ? wanted[p][q] : wanted[q][p], "%u %u", p, q);
        }
    }
    cr_expect_eq(delay.low, low);
    cr_expect_eq(delay.high, high);
    core_delay_destroy(&delay);
    ek_topology_destroy(mesh);
}

Test(delay_file, may_name_two_directions)
{
    static const uint32_t times[4][4] = {{0, 5, 2, 0}, {6, 0, 0, 9}, {7, 0, 0, 4}, {0, 8, 3000, 0}};
    static const uint32_t steps[4][4] = {{0, 5, 2, 0}, {6, 0, 0, 9}, {7, 0, 0, 4}, {0, 8, 3, 0}};
    expect_ways(true, "0 1 5ns 6ns\n3 1 8ns 9ns\n0 2 2ns 7ns\n2\t3 4ns  3us\r\n", times, 2, 3000);
    expect_ways(false, "0 1 5 6\n3 1 8 9\n0 2 2 7\n2 3 4 3\n", steps, 2, 9);
}

Test(delay_file, with_two_directions_is_refused_if_it_names_a_link_twice)
{
    static const struct bad_file files[] = {
        {"0 1 5ns 6ns\n1 0 6ns 5ns\n", "any:2: the link of 1 and 0 is there already"},
        {"0 1 5ns\n1 0 6ns\n", "or write both directions in one line"},
        {"0 1 5ns 6\n", "any:1: in free and virtual timing a delay is a time, as in fixed:20us"},
        {"0 1 5ns 11s\n", "any:1: the delay back must be from 0 to 10s"},
        {"0 1 5ns 6ns 7ns\n", "any:1: ' ' cannot follow"},
        {"0 1 5ns 6ns\n", "any has no delay for the link of 0 and 2"},
    };
    struct ek_topology *ring = must_build("ring:3");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tests_memory memory;
        struct core_delay delay;
        struct ek_error error;
        struct ek_reader reader = text_reader(&memory, files[i].text);
        cr_expect_not(core_delay_parse(&delay, "delay-load", "file:any", ring, true, reader, &error), "%s",
                      files[i].text);
        expect_refused(&error, "delay-load", files[i].text, -1, files[i].part);
    }
    ek_topology_destroy(ring);
}

Test(delay_load, belongs_to_messages_with_load)
{
    struct ek_link_model links = {.delay = {.kind = CORE_DELAY_FIXED, .high = 5},
                                  .delay_load = {.kind = CORE_DELAY_FIXED, .high = 7}};
    cr_expect_eq(core_links_delay_of(&links, true)->high, 5);
    links.load_apart = true;
    cr_expect_eq(core_links_delay_of(&links, true)->high, 7);
    cr_expect_eq(core_links_delay_of(&links, false)->high, 5);
}
