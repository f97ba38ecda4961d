// SPDX-License-Identifier: MIT
// The axes of free timing: durations, delays by the clock, invocation by gradient, stragglers. The meaning of each
// spec, that a draw depends on its seed, owner and moment only and has the right moments, and which specs are refused,
// with the place of the error.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/links/delay.h"
#include "core/axes/invoke.h"
#include "core/axes/slow.h"
#include "tests/support/specs.h"
#include "threads/api/axis.h"
#include "threads/api/run.h"
#include "base/cursor.h"
#include "tests/support/must.h"

static bool read_duration(const char *text, double *seconds, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("for", text, error);
    return base_cursor_duration(&cursor, "--for", seconds) && base_cursor_end(&cursor);
}

Test(duration, every_unit)
{
    static const struct {
        const char *text;
        double seconds;
    } cases[] = {
        {"20ns", 20e-9}, {"0.5us", 0.5e-6}, {"200ms", 0.2}, {"5s", 5.0},      {"2m", 120.0},
        {"1h", 3600.0},  {"0s", 0.0},       {".5s", 0.5},   {"1e3us", 1e-3},  {"1.5h", 5400.0},
        {"007s", 7.0},   {"5.s", 5.0},      {"0ns", 0.0},   {"1e9h", 3600e9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error = {0};
        double seconds = -1.0;
        cr_expect(read_duration(cases[i].text, &seconds, &error), "%s: %s", cases[i].text, error.sentence);
        cr_expect_eq(seconds, cases[i].seconds, "%s: %.17g", cases[i].text, seconds);
    }
}

// Delays and costs are compared, and cut, by whole nanoseconds.
Test(duration, whole_nanoseconds_stay_whole)
{
    for (unsigned mean = 1; mean <= 5000; mean++) {
        struct ek_error error = {0};
        char spec[40];
        snprintf(spec, sizeof spec, "%uns", mean);
        struct base_cursor cursor = base_cursor_start("delay", spec, &error);
        double nanoseconds;
        cr_assert(base_cursor_nanoseconds(&cursor, "it", &nanoseconds));
        cr_expect_eq(nanoseconds, mean, "%s: %.17g", spec, nanoseconds);
    }
}

Test(duration, refusals)
{
    static const struct bad_spec specs[] = {
        {"", 0, "--for takes a number and its unit, as in 200ms, 5s, 2m or 1h"},
        {"s", 0, "takes a number"},
        {"-1s", 0, "takes a number"},
        {"+1s", 0, "takes a number"},
        {" 1s", 0, "takes a number"},
        {"nan", 0, "takes a number"},
        {"infs", 0, "takes a number"},
        {".s", 0, "the number before the unit of --for must be a decimal number"},
        {"0x10s", 0, "must be a decimal number"},
        {"1e400s", 0, "the number before the unit of --for must be from 0 to 1000000000"},
        {"2000000000ns", 0, "from 0 to 1000000000"},
        {"5", 1, "--for needs a unit after the number: ns, us, ms, s, m or h"},
        {"5 s", 1, "needs a unit"},
        {"5S", 1, "needs a unit"},
        {"5min", 1, "needs a unit"},
        {"5mss", 1, "needs a unit"},
        {"5n", 1, "needs a unit"},
        {"1.2.3s", 3, "needs a unit"},
        {"5s5", 2, "cannot follow"},
        {"5s ", 2, "cannot follow"},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_error error = {0};
        double seconds = -1.0;
        cr_expect_not(read_duration(specs[i].spec, &seconds, &error), "%s", specs[i].spec);
        expect_refused(&error, "for", specs[i].spec, specs[i].at, specs[i].part);
    }
}

// In the middle of a spec the cursor moves behind the unit, or behind the number if the unit is wrong.
Test(duration, moves_the_cursor)
{
    struct ek_error error = {0};
    struct base_cursor cursor = base_cursor_start("delay", "20us:5", &error);
    double seconds;
    cr_assert(base_cursor_duration(&cursor, "it", &seconds));
    cr_expect_eq(cursor.at, 4);
    cr_assert(base_cursor_accept(&cursor, ':'));
    cr_expect_not(base_cursor_duration(&cursor, "it", &seconds));
    cr_expect_eq(cursor.at, 6);
    expect_refused(&error, "delay", "20us:5", 6, "it needs a unit");
}

static struct core_delay delay_of(const char *spec, const struct ek_topology *topology, struct ek_reader reader)
{
    struct ek_error error;
    struct core_delay delay;
    cr_assert(core_delay_parse(&delay, "delay", spec, topology, true, reader, &error), "%s", error.sentence);
    cr_expect(delay.by_clock);
    return delay;
}

Test(delay_by_clock, none_and_fixed)
{
    struct ek_topology *ring = must_build("ring:8");
    struct core_delay none = delay_of("none", ring, NO_FILES);
    struct core_delay fixed = delay_of("fixed:20us", ring, NO_FILES);
    struct core_delay exact = delay_of("fixed:1.7us", ring, NO_FILES);
    struct core_delay longest = delay_of("fixed:10s", ring, NO_FILES);
    cr_expect_eq(core_delay_at(&none, 1, 3, 9), 0);
    cr_expect_eq(core_delay_at(&fixed, 1, 3, 9), 20000);
    cr_expect_eq(core_delay_at(&exact, 1, 3, 9), 1700);
    cr_expect_eq(core_delay_at(&longest, 1, 3, UINT64_C(1) << 40), UINT64_C(10000000000));
    ek_topology_destroy(ring);
}

// Mean and variance within five standard errors. On a short range both ends are drawn.
Test(delay_by_clock, uniform_has_its_moments)
{
    enum { MESSAGES = 20000 };
    struct ek_topology *ring = must_build("ring:8");
    struct core_delay delay = delay_of("uniform:1us:5us", ring, NO_FILES);
    struct core_delay narrow = delay_of("uniform:7ns:9ns", ring, NO_FILES);
    double sum = 0.0;
    double squares = 0.0;
    unsigned count[3] = {0};
    for (uint64_t message = 0; message < MESSAGES; message++) {
        uint64_t ns = core_delay_at(&delay, 1, 3, message);
        cr_assert(ns >= 1000 && ns <= 5000);
        sum += (double)ns - 3000.0;
        squares += ((double)ns - 3000.0) * ((double)ns - 3000.0);
        uint64_t short_ns = core_delay_at(&narrow, 1, 3, message);
        cr_assert(short_ns >= 7 && short_ns <= 9);
        count[short_ns - 7]++;
    }
    double variance = (4001.0 * 4001.0 - 1.0) / 12.0;
    cr_expect(fabs(sum / MESSAGES) < 5.0 * sqrt(variance / MESSAGES), "%g", sum / MESSAGES);
    cr_expect(fabs(squares / MESSAGES - variance) < 5.0 * variance * sqrt(0.8 / MESSAGES), "%g", squares / MESSAGES);
    for (unsigned k = 0; k < 3; k++) {
        cr_expect(fabs(count[k] - MESSAGES / 3.0) < 5.0 * sqrt(MESSAGES * 2.0 / 9.0), "%u: %u", k, count[k]);
    }
    ek_topology_destroy(ring);
}

// The bound of eight times the mean takes 0.03 % off the mean.
Test(delay_by_clock, exponential_has_its_mean_and_its_bound)
{
    enum { MESSAGES = 20000 };
    struct ek_topology *ring = must_build("ring:8");
    struct core_delay delay = delay_of("exponential:20us", ring, NO_FILES);
    struct core_delay longest = delay_of("exponential:1.25s", ring, NO_FILES);
    double sum = 0.0;
    unsigned above = 0;
    for (uint64_t message = 0; message < MESSAGES; message++) {
        uint64_t ns = core_delay_at(&delay, 1, 5, message);
        cr_assert_leq(ns, 160000);
        sum += (double)ns;
        above += ns > 20000;
        cr_assert_leq(core_delay_at(&longest, 1, 5, message), UINT64_C(10000000000));
    }
    cr_expect(fabs(sum / MESSAGES - 20000.0) < 5.0 * 20000.0 / sqrt(MESSAGES) + 7.0, "%g", sum / MESSAGES);
    double share = exp(-1.0);
    cr_expect(fabs(above - share * MESSAGES) < 5.0 * sqrt(share * (1.0 - share) * MESSAGES), "%u", above);
    ek_topology_destroy(ring);
}

Test(delay_by_clock, a_draw_depends_on_seed_port_and_message_only)
{
    struct ek_topology *small = must_build("ring:8");
    struct ek_topology *large = must_build("ring:800");
    struct core_delay first = delay_of("uniform:0s:1s", small, NO_FILES);
    struct core_delay second = delay_of("uniform:0s:1s", large, NO_FILES);
    for (uint64_t message = 50; message-- > 0;) {
        uint64_t ns = core_delay_at(&first, 5, 3, message);
        cr_assert_eq(ns, core_delay_at(&second, 5, 3, message));
        cr_assert_neq(ns, core_delay_at(&first, 6, 3, message));
        cr_assert_neq(ns, core_delay_at(&first, 5, 4, message));
        cr_assert_neq(ns, core_delay_at(&first, 5, 3, message + 1));
    }
    ek_topology_destroy(small);
    ek_topology_destroy(large);
}

Test(delay_by_clock, from_a_file_holds_both_ways)
{
    struct ek_topology *mesh = must_build("mesh:2x2");
    struct tests_memory memory;
    struct ek_reader reader = text_reader(&memory, "3 1 7us\n0 1 1ns\n# links\n2\t0  2ms\r\n2 3 10s\n");
    struct core_delay delay = delay_of("file:any", mesh, reader);
    static const uint64_t wanted[4][4] = {{0, 1, 2000000, 0},
                                          {1, 0, 0, 7000},
                                          {2000000, 0, 0, UINT64_C(10000000000)},
                                          {0, 7000, UINT64_C(10000000000), 0}};
    for (uint32_t p = 0; p < 4; p++) {
        for (uint32_t port = mesh->first[p]; port < mesh->first[p + 1]; port++) {
            cr_expect_eq(core_delay_at(&delay, 1, port, 3), wanted[p][mesh->neighbour[port]]);
        }
    }
    core_delay_destroy(&delay);
    ek_topology_destroy(mesh);
}

Test(delay_by_clock, refusals)
{
    static const struct bad_spec specs[] = {
        {"", 0, "choose one of none"},
        {"fixd:3us", 0, "did you mean fixed"},
        {"none:0", 4, "cannot follow"},
        {"fixed:", 6, "in free and virtual timing a delay is a time, as in fixed:20us"},
        {"fixed:3", 7, "in free and virtual timing a delay is a time, as in fixed:20us"},
        {"fixed:-1us", 6, "in free and virtual timing a delay is a time"},
        {"fixed:1parsec", 7, "in free and virtual timing a delay is a time"},
        {"fixed:1us2", 9, "cannot follow"},
        {"fixed:10.1s", 6, "the delay must be from 0 to 10s"},
        {"fixed:1h", 6, "the delay must be from 0 to 10s"},
        {"uniform:0:5", 9, "in free and virtual timing a delay is a time"},
        {"uniform:1us", 11, "write ':' after the shortest delay"},
        {"uniform:1us:5", 13, "in free and virtual timing a delay is a time"},
        {"uniform:1us:11s", 12, "the longest delay must be from 0 to 10s"},
        {"uniform:5us:2us", 8, "comes first, as in uniform:1us:5us"},
        {"exponential:20", 14, "in free and virtual timing a delay is a time"},
        {"exponential:1.26s", 12, "the mean delay must be from 0 to 1.25s"},
        {"file:", 5, "needs a path"},
        {"file:any", 5, "no files"},
    };
    static const struct bad_file files[] = {
        {"0 1 1us\n1 2 1us\n", "any has no delay for the link of 0 and 2"},
        {"0 1 1us\n1 0 1us\n", "any:2: the link of 1 and 0 is there already"},
        {"0 3 1us\n", "any:1: the second processor must be a whole number from 0 to 2"},
        {"1 1 1us\n", "any:1: processors 1 and 1 are not linked"},
        {"0 1\n", "any:1: a line has two processors and their delay, as in 0 1 20us"},
        {"0\n", "any:1: a line has two processors and their delay, as in 0 1 20us"},
        {"0 1 5000\n", "any:1: in free and virtual timing a delay is a time"},
        {"0 1 20s\n", "any:1: the delay must be from 0 to 10s"},
        {"0 1 3us 4\n", "any:1: in free and virtual timing a delay is a time"},
        {"0 1 3us 4us 5us\n", "any:1: ' ' cannot follow"},
        {"0 1 3us 4us\n1 2 3us\n", "any:2: some lines name both directions of their link and some only one"},
        {"", "any has no delay for the link"},
    };
    struct ek_topology *ring = must_build("ring:3");
    struct ek_error error;
    struct core_delay delay;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        cr_expect_not(core_delay_parse(&delay, "delay", specs[i].spec, ring, true, NO_FILES, &error), "%s",
                      specs[i].spec);
        expect_refused(&error, "delay", specs[i].spec, specs[i].at, specs[i].part);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tests_memory memory;
        struct ek_reader reader = text_reader(&memory, files[i].text);
        cr_expect_not(core_delay_parse(&delay, "delay", "file:any", ring, true, reader, &error), "%s", files[i].text);
        expect_refused(&error, "delay", files[i].text, -1, files[i].part);
        cr_expect_null(delay.by_port);
    }
    ek_topology_destroy(ring);
}

Test(gradient, is_parsed_and_never_holds_for_a_load_alone)
{
    struct ek_error error;
    struct core_invoke invoke;
    cr_assert(core_invoke_parse(&invoke, "gradient:12.5", 8, &error), "%s", error.sentence);
    cr_expect_eq(invoke.kind, CORE_INVOKE_GRADIENT);
    cr_expect_eq(invoke.gradient, 12.5);
    cr_expect_not(core_invoke_test(&invoke, 1, 0, 0, 0.0));
    cr_expect_not(core_invoke_test(&invoke, 1, 0, 0, 1e9));
    cr_assert(core_invoke_parse(&invoke, "gradient:0", 8, &error));
    static const struct bad_spec specs[] = {
        {"gradient", 8, "write ':' after gradient"},
        {"gradient:", 9, "the difference must be a decimal number"},
        {"gradient:-1", 9, "the difference must be finite and at least 0"},
        {"gradient:nan", 9, "decimal number"},
        {"gradient:1e999", 9, "finite"},
        {"gradient:1:2", 10, "cannot follow"},
        {"gradiant:1", 0, "did you mean gradient"},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        cr_expect_not(core_invoke_parse(&invoke, specs[i].spec, 8, &error), "%s", specs[i].spec);
        expect_refused(&error, "invoke", specs[i].spec, specs[i].at, specs[i].part);
    }
}

Test(gradient, is_refused_in_rounds)
{
    struct ek_experiment experiment = {.topology = "ring:5", .invoke = "gradient:3"};
    struct ek_error error;
    cr_assert_null(ek_prepare(&experiment, &error));
    expect_refused(&error, "invoke", "gradient:3", 0, "gradient needs free timing: use invoke");
}

Test(slow, by_processor)
{
    struct ek_error error;
    uint32_t *factor = (uint32_t *)&error;
    cr_assert(core_slow_parse("none", 5, &factor, &error));
    cr_expect_null(factor);
    cr_assert(core_slow_parse("3:10,0:1000000,4:1", 5, &factor, &error), "%s", error.sentence);
    static const uint32_t wanted[] = {1000000, 1, 1, 10, 1};
    cr_expect(memcmp(factor, wanted, sizeof wanted) == 0);
    free(factor);
}

Test(slow, refusals)
{
    static const struct bad_spec specs[] = {
        {"", 0, "stragglers are none, or processors with their factors, as in 3:10,5:2"},
        {"fast", 0, "stragglers are none"},
        {"-1:2", 0, "stragglers are none"},
        {"none:1", 4, "cannot follow"},
        {"5:2", 0, "the processor must be a whole number from 0 to 4"},
        {"3", 1, "write ':' after the processor"},
        {"3:", 2, "the factor must be a whole number from 1 to 1000000"},
        {"3:0", 2, "the factor must be"},
        {"3:1000001", 2, "the factor must be"},
        {"3:1.5", 3, "cannot follow"},
        {"3:2,", 4, "the processor must be"},
        {"3:2,4:3,3:4", 8, "processor 3 is listed already"},
        {"3:2;4:3", 3, "cannot follow"},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_error error;
        uint32_t *factor;
        cr_expect_not(core_slow_parse(specs[i].spec, 5, &factor, &error), "%s", specs[i].spec);
        expect_refused(&error, "slow", specs[i].spec, specs[i].at, specs[i].part);
        cr_expect_null(factor);
    }
}

// `list` shows every form of these axes.
Test(free_axes, are_listed)
{
    static const struct {
        const char *axis;
        size_t count;
    } axes[] = {{"slow", 2},   {"faults", 3}, {"domains", 3}, {"announce", 2},
                {"timing", 5}, {"delay", 6},  {"invoke", 9}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        const struct ek_axis *axis = ek_axis_named(axes[i].axis);
        size_t count = 0;
        for (; ek_axis_choice(axis, count); count++) {
            cr_expect(*ek_axis_choice(axis, count)->form && *ek_axis_choice(axis, count)->summary);
        }
        cr_expect_eq(count, axes[i].count, "%s: %zu", axes[i].axis, count);
    }
}
