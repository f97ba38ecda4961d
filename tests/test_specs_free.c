// SPDX-License-Identifier: MIT
// The axes of free timing: durations, delays by the clock, gradient invocation, stragglers, faults. What each spec
// means, that a draw depends on nothing but its seed, owner and moment, that draws have the moments that they should,
// and what is refused, with the place of the error.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/delay.h"
#include "core/fault.h"
#include "core/invoke.h"
#include "core/slow.h"
#include "tests/specs.h"
#include "threads/run.h"
#include "topologies/scan.h"

static struct ek_topology *topology_of(const char *spec)
{
    struct ek_error error;
    struct ek_topology *topology = ek_topology_create(spec, 1, NO_FILES, &error);
    cr_assert(topology, "%s", error.sentence);
    return topology;
}

static bool read_duration(const char *text, double *seconds, struct ek_error *error)
{
    struct topo_scan scan = topo_scan_start("for", text, error);
    return topo_scan_duration(&scan, "--for", seconds) && topo_scan_end(&scan);
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
        cr_expect(fabs(seconds - cases[i].seconds) <= 1e-15 * cases[i].seconds, "%s: %g", cases[i].text, seconds);
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
        {".s", 0, "--for must be a decimal number"},
        {"0x10s", 0, "must be a decimal number"},
        {"1e400s", 0, "--for must be from 0 to 1000000000"},
        {"2000000000ns", 0, "from 0 to 1000000000"},
        {"5", 1, "--for needs a unit after the number: ns, us, ms, s, m or h"},
        {"5 s", 1, "needs a unit"},
        {"5S", 1, "needs a unit"},
        {"5min", 1, "needs a unit"},
        {"5mss", 1, "needs a unit"},
        {"5n", 1, "needs a unit"},
        {"1.2.3s", 3, "needs a unit"},
        {"5s5", 2, "is not expected"},
        {"5s ", 2, "is not expected"},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_error error = {0};
        double seconds = -1.0;
        cr_expect_not(read_duration(specs[i].spec, &seconds, &error), "%s", specs[i].spec);
        expect_refused(&error, "for", specs[i].spec, specs[i].at, specs[i].part);
    }
}

// In the middle of a spec: the cursor stands behind the unit, and behind the number where the unit is wrong.
Test(duration, moves_the_cursor)
{
    struct ek_error error = {0};
    struct topo_scan scan = topo_scan_start("delay", "20us:5", &error);
    double seconds;
    cr_assert(topo_scan_duration(&scan, "it", &seconds));
    cr_expect_eq(scan.at, 4);
    cr_assert(topo_scan_accept(&scan, ':'));
    cr_expect_not(topo_scan_duration(&scan, "it", &seconds));
    cr_expect_eq(scan.at, 6);
    expect_refused(&error, "delay", "20us:5", 6, "it needs a unit");
}

static struct core_delay delay_of(const char *spec, const struct ek_topology *topology, struct ek_reader reader)
{
    struct ek_error error;
    struct core_delay delay;
    cr_assert(core_delay_parse(&delay, spec, topology, true, reader, &error), "%s", error.sentence);
    cr_expect(delay.by_clock);
    return delay;
}

Test(delay_by_clock, none_and_fixed)
{
    struct ek_topology *ring = topology_of("ring:8");
    struct core_delay none = delay_of("none", ring, NO_FILES);
    struct core_delay fixed = delay_of("fixed:20us", ring, NO_FILES);
    struct core_delay exact = delay_of("fixed:1.7us", ring, NO_FILES);
    struct core_delay longest = delay_of("fixed:10s", ring, NO_FILES);
    cr_expect_eq(core_delay_ns(&none, 1, 3, 9), 0);
    cr_expect_eq(core_delay_ns(&fixed, 1, 3, 9), 20000);
    cr_expect_eq(core_delay_ns(&exact, 1, 3, 9), 1700);
    cr_expect_eq(core_delay_ns(&longest, 1, 3, UINT64_C(1) << 40), UINT64_C(10000000000));
    ek_topology_destroy(ring);
}

// Mean and variance within five standard errors, both ends reached on a short range.
Test(delay_by_clock, uniform_has_its_moments)
{
    enum { MESSAGES = 20000 };
    struct ek_topology *ring = topology_of("ring:8");
    struct core_delay delay = delay_of("uniform:1us:5us", ring, NO_FILES);
    struct core_delay narrow = delay_of("uniform:7ns:9ns", ring, NO_FILES);
    double sum = 0.0;
    double squares = 0.0;
    unsigned count[3] = {0};
    for (uint64_t message = 0; message < MESSAGES; message++) {
        uint64_t ns = core_delay_ns(&delay, 1, 3, message);
        cr_assert(ns >= 1000 && ns <= 5000);
        sum += (double)ns - 3000.0;
        squares += ((double)ns - 3000.0) * ((double)ns - 3000.0);
        uint64_t short_ns = core_delay_ns(&narrow, 1, 3, message);
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

// The cut at eight times the mean takes 0.03 % off the mean.
Test(delay_by_clock, exponential_has_its_mean_and_its_bound)
{
    enum { MESSAGES = 20000 };
    struct ek_topology *ring = topology_of("ring:8");
    struct core_delay delay = delay_of("exponential:20us", ring, NO_FILES);
    struct core_delay longest = delay_of("exponential:1.25s", ring, NO_FILES);
    double sum = 0.0;
    unsigned above = 0;
    for (uint64_t message = 0; message < MESSAGES; message++) {
        uint64_t ns = core_delay_ns(&delay, 1, 5, message);
        cr_assert_leq(ns, 160000);
        sum += (double)ns;
        above += ns > 20000;
        cr_assert_leq(core_delay_ns(&longest, 1, 5, message), UINT64_C(10000000000));
    }
    cr_expect(fabs(sum / MESSAGES - 20000.0) < 5.0 * 20000.0 / sqrt(MESSAGES) + 7.0, "%g", sum / MESSAGES);
    double share = exp(-1.0);
    cr_expect(fabs(above - share * MESSAGES) < 5.0 * sqrt(share * (1.0 - share) * MESSAGES), "%u", above);
    ek_topology_destroy(ring);
}

Test(delay_by_clock, a_draw_depends_on_seed_port_and_message_only)
{
    struct ek_topology *small = topology_of("ring:8");
    struct ek_topology *large = topology_of("ring:800");
    struct core_delay first = delay_of("uniform:0s:1s", small, NO_FILES);
    struct core_delay second = delay_of("uniform:0s:1s", large, NO_FILES);
    for (uint64_t message = 50; message-- > 0;) {
        uint64_t ns = core_delay_ns(&first, 5, 3, message);
        cr_assert_eq(ns, core_delay_ns(&second, 5, 3, message));
        cr_assert_neq(ns, core_delay_ns(&first, 6, 3, message));
        cr_assert_neq(ns, core_delay_ns(&first, 5, 4, message));
        cr_assert_neq(ns, core_delay_ns(&first, 5, 3, message + 1));
    }
    ek_topology_destroy(small);
    ek_topology_destroy(large);
}

Test(delay_by_clock, from_a_file_holds_both_ways)
{
    struct ek_topology *mesh = topology_of("mesh:2x2");
    struct tests_memory memory;
    struct ek_reader reader = text_reader(&memory, "3 1 7us\n0 1 1ns\n# links\n2\t0  2ms\r\n2 3 10s\n");
    struct core_delay delay = delay_of("file:any", mesh, reader);
    static const uint64_t wanted[4][4] = {{0, 1, 2000000, 0},
                                          {1, 0, 0, 7000},
                                          {2000000, 0, 0, UINT64_C(10000000000)},
                                          {0, 7000, UINT64_C(10000000000), 0}};
    for (uint32_t p = 0; p < 4; p++) {
        for (uint32_t port = mesh->first[p]; port < mesh->first[p + 1]; port++) {
            cr_expect_eq(core_delay_ns(&delay, 1, port, 3), wanted[p][mesh->neighbour[port]]);
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
        {"none:0", 4, "is not expected"},
        {"fixed:", 6, "in free timing a delay is a time, as in fixed:20us"},
        {"fixed:3", 7, "in free timing a delay is a time, as in fixed:20us"},
        {"fixed:-1us", 6, "in free timing a delay is a time"},
        {"fixed:1parsec", 7, "in free timing a delay is a time"},
        {"fixed:1us2", 9, "is not expected"},
        {"fixed:10.1s", 6, "the delay must be from 0 to 10s"},
        {"fixed:1h", 6, "the delay must be from 0 to 10s"},
        {"uniform:0:5", 9, "in free timing a delay is a time"},
        {"uniform:1us", 11, "write ':' after the shortest delay"},
        {"uniform:1us:5", 13, "in free timing a delay is a time"},
        {"uniform:1us:11s", 12, "the longest delay must be from 0 to 10s"},
        {"uniform:5us:2us", 8, "comes first, as in uniform:1us:5us"},
        {"exponential:20", 14, "in free timing a delay is a time"},
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
        {"0 1 5000\n", "any:1: in free timing a delay is a time"},
        {"0 1 20s\n", "any:1: the delay must be from 0 to 10s"},
        {"0 1 3us 4\n", "any:1: ' ' is not expected"},
        {"", "any has no delay for the link"},
    };
    struct ek_topology *ring = topology_of("ring:3");
    struct ek_error error;
    struct core_delay delay;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        cr_expect_not(core_delay_parse(&delay, specs[i].spec, ring, true, NO_FILES, &error), "%s", specs[i].spec);
        expect_refused(&error, "delay", specs[i].spec, specs[i].at, specs[i].part);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tests_memory memory;
        struct ek_reader reader = text_reader(&memory, files[i].text);
        cr_expect_not(core_delay_parse(&delay, "file:any", ring, true, reader, &error), "%s", files[i].text);
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
        {"gradient:1:2", 10, "is not expected"},
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
    expect_refused(&error, "invoke", "gradient:3", 0, "gradient is for --timing free: use --invoke");
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
        {"none:1", 4, "is not expected"},
        {"5:2", 0, "the processor must be a whole number from 0 to 4"},
        {"3", 1, "write ':' after the processor"},
        {"3:", 2, "the factor must be a whole number from 1 to 1000000"},
        {"3:0", 2, "the factor must be"},
        {"3:1000001", 2, "the factor must be"},
        {"3:1.5", 3, "is not expected"},
        {"3:2,", 4, "the processor must be"},
        {"3:2,4:3,3:4", 8, "processor 3 is there already"},
        {"3:2;4:3", 3, "is not expected"},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_error error;
        uint32_t *factor;
        cr_expect_not(core_slow_parse(specs[i].spec, 5, &factor, &error), "%s", specs[i].spec);
        expect_refused(&error, "slow", specs[i].spec, specs[i].at, specs[i].part);
        cr_expect_null(factor);
    }
}

static struct core_faults faults_of(const char *spec, const struct ek_topology *topology, struct ek_reader reader)
{
    struct ek_error error;
    struct core_faults faults;
    cr_assert(core_faults_parse(&faults, spec, topology, true, reader, &error), "%s: %s", spec, error.sentence);
    return faults;
}

Test(faults, what_specs_mean)
{
    struct ek_topology *ring = topology_of("ring:8");
    struct core_faults faults = faults_of("none", ring, NO_FILES);
    cr_expect_eq(faults.kind, CORE_FAULTS_NONE);
    faults = faults_of("repair:5ms,link:2.5", ring, NO_FILES);
    cr_expect_eq(faults.kind, CORE_FAULTS_DRAWN);
    cr_expect(faults.link_rate == 2.5 && faults.processor_rate == 0.0 && fabs(faults.repair_s - 0.005) < 1e-12);
    faults = faults_of("processor:1e6", ring, NO_FILES);
    cr_expect(faults.link_rate == 0.0 && faults.processor_rate == 1e6 && faults.repair_s == 0.01);
    faults = faults_of("link:1,processor:2,repair:1h", ring, NO_FILES);
    cr_expect(faults.link_rate == 1.0 && faults.processor_rate == 2.0 && faults.repair_s == 3600.0);
    struct ek_topology *one = topology_of("chain:1");
    faults = faults_of("processor:1", one, NO_FILES);
    ek_topology_destroy(one);
    ek_topology_destroy(ring);
}

Test(faults, refusals)
{
    static const struct bad_spec specs[] = {
        {"", 0, "choose one of none, file, link, processor, repair"},
        {"lnk:2", 0, "did you mean link?"},
        {"none:1", 4, "is not expected"},
        {"link", 4, "write ':' after link"},
        {"link:", 5, "the rate of links must be a decimal number"},
        {"link:-1", 5, "the rate of links must be from 0 to 1000000"},
        {"link:1000001", 5, "the rate of links must be from 0"},
        {"processor:x", 10, "the rate of processors must be a decimal number"},
        {"processor:2e6", 10, "the rate of processors must be from 0"},
        {"link:2,", 7, "there is no part of faults called ''"},
        {"link:2,none", 7, "choose one of link, processor, repair"},
        {"link:2,procesor:1", 7, "did you mean processor?"},
        {"link:2,processor", 16, "write ':' after processor"},
        {"link:2,repair:5", 15, "the mean time until the repair needs a unit"},
        {"link:2,repair:soon", 14, "the mean time until the repair takes a number"},
        {"link:2,repair:1.1h", 14, "the mean time until the repair must be from 0 to 1h"},
        {"link:2,link:3", 7, "link is there already"},
        {"repair:1s,link:2,repair:2s", 17, "repair is there already"},
        {"repair:5ms", 0, "faults need a rate, as in link:2,repair:5ms"},
        {"link:2;processor:3", 6, "is not expected"},
        {"file", 4, "write ':' after file"},
        {"file:", 5, "needs a path"},
        {"file:any", 5, "no files"},
    };
    struct ek_topology *ring = topology_of("ring:5");
    struct ek_error error;
    struct core_faults faults;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        cr_expect_not(core_faults_parse(&faults, specs[i].spec, ring, true, NO_FILES, &error), "%s", specs[i].spec);
        expect_refused(&error, "faults", specs[i].spec, specs[i].at, specs[i].part);
        cr_expect_eq(faults.kind, CORE_FAULTS_NONE);
    }
    ek_topology_destroy(ring);
    struct ek_topology *one = topology_of("chain:1");
    cr_expect_not(core_faults_parse(&faults, "link:1", one, true, NO_FILES, &error));
    expect_refused(&error, "faults", "link:1", 5, "this topology has no links");
    ek_topology_destroy(one);
}

Test(faults, refusals_in_a_file)
{
    static const struct bad_file files[] = {
        {"", "any holds no faults: use --faults none"},
        {"20 fail link 0 1\n", "any:1: the time needs a unit"},
        {"-1s fail link 0 1\n", "any:1: the time takes a number and its unit"},
        {"1e9m fail link 0 1\n", "any:1: the time must be from 0 to 1e+09s"},
        {"20ms\n", "any:1: a line is as 20ms fail link 3 4"},
        {"20ms fail\n", "any:1: a line is as 20ms fail link 3 4"},
        {"20ms fial link 0 1\n", "any:1: there is no event called 'fial': did you mean fail?"},
        {"20ms fail lnk 0 1\n", "any:1: there is no thing that fails called 'lnk': did you mean link?"},
        {"20ms fail link\n", "any:1: a line is as 20ms fail link 3 4"},
        {"20ms fail link 0\n", "any:1: a line is as 20ms fail link 3 4"},
        {"20ms fail link 0 2\n", "any:1: processors 0 and 2 are not linked"},
        {"20ms fail link 0 5\n", "any:1: the second processor must be a whole number from 0 to 4"},
        {"20ms fail processor 5\n", "any:1: the processor must be a whole number from 0 to 4"},
        {"20ms fail processor 4 1\n", "any:1: ' ' is not expected"},
        {"20ms fail processor 4\n19.9ms fail processor 3\n", "any:2: this is before the line above it"},
        {"20ms fail link 0 1\n30ms fail link 1 0\n", "any:2: this link is down already: leave this line out"},
        {"20ms repair processor 1\n", "any:1: this processor is up already: leave this line out"},
        {"1s fail processor 1\n1s repair processor 1\n2s repair processor 1\n", "any:3: this processor is up already"},
    };
    struct ek_topology *ring = topology_of("ring:5");
    struct ek_error error;
    struct core_faults faults;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tests_memory memory;
        struct ek_reader reader = text_reader(&memory, files[i].text);
        cr_expect_not(core_faults_parse(&faults, "file:any", ring, true, reader, &error), "%s", files[i].text);
        expect_refused(&error, "faults", files[i].text, -1, files[i].part);
        cr_expect_null(faults.events);
    }
    ek_topology_destroy(ring);
}

// A source with its memory.
struct drawn_source {
    struct core_fault_source source;
    struct core_memory memory;
};

static struct core_fault_source *source_of(const struct core_faults *faults, const struct ek_topology *topology,
                                           uint64_t seed)
{
    struct drawn_source *drawn = calloc(1, sizeof *drawn);
    cr_assert(drawn);
    core_fault_source_plan(&drawn->source, faults, topology, seed, &drawn->memory);
    cr_assert(core_memory_take(&drawn->memory));
    core_fault_source_begin(&drawn->source);
    return &drawn->source;
}

static void source_destroy(struct core_fault_source *source)
{
    struct drawn_source *drawn = (struct drawn_source *)source; // its first member
    core_memory_destroy(&drawn->memory);
    free(drawn);
}

Test(faults, none_gives_no_event)
{
    struct ek_topology *ring = topology_of("ring:5");
    static const char *const specs[] = {"none", "link:0", "link:0,processor:0,repair:0s"};
    for (size_t i = 0; i < 3; i++) {
        struct core_faults faults = faults_of(specs[i], ring, NO_FILES);
        struct core_fault_source *source = source_of(&faults, ring, 1);
        struct core_fault fault;
        cr_expect_not(core_fault_next(source, &fault), "%s", specs[i]);
        cr_expect_not(core_faults_repairs_pending(source));
        source_destroy(source);
        core_faults_destroy(&faults);
    }
    ek_topology_destroy(ring);
}

// A file's events come as they are written; a link by its port at the lower end. What is still down at the end stays
// so.
Test(faults, from_a_file)
{
    static const struct {
        uint64_t at_ns;
        bool repair, processor;
        uint32_t lower, upper; // of the link; or the processor
        bool pending;          // afterwards
    } wanted[] = {
        {1000, false, false, 0, 1, true},     {1000, false, true, 3, 0, true},
        {20000000, true, false, 0, 1, false}, {20000001, false, false, 0, 4, false},
        {20000001, false, false, 0, 1, true}, {1000000000, true, false, 0, 1, false},
    };
    struct ek_topology *ring = topology_of("ring:5");
    struct tests_memory memory;
    struct ek_reader reader =
        text_reader(&memory, "# in order\n1us fail link 1 0\n1us\tfail  processor 3\n20ms repair link 0 1\r\n"
                             "20000001ns fail link 0 4\n20.000001ms fail link 0 1\n1s repair link 1 0\n");
    struct core_faults faults = faults_of("file:any", ring, reader);
    struct core_fault_source *source = source_of(&faults, ring, 1);
    struct core_fault fault;
    cr_assert_eq(faults.count, 6);
    cr_expect_not(core_faults_repairs_pending(source));
    for (size_t i = 0; i < 6; i++) {
        cr_assert(core_fault_next(source, &fault));
        cr_expect_eq(fault.at_ns, wanted[i].at_ns, "%zu: %llu", i, (unsigned long long)fault.at_ns);
        cr_expect_eq(fault.repair, wanted[i].repair, "%zu", i);
        cr_expect_eq(fault.processor, wanted[i].processor, "%zu", i);
        cr_expect_eq(core_faults_repairs_pending(source), wanted[i].pending, "%zu", i);
        if (fault.processor) {
            cr_expect_eq(fault.which, wanted[i].lower);
        } else {
            cr_expect_eq(ring->neighbour[ring->twin[fault.which]], wanted[i].lower, "%zu", i);
            cr_expect_eq(ring->neighbour[fault.which], wanted[i].upper, "%zu", i);
        }
    }
    cr_expect_not(core_fault_next(source, &fault));
    source_destroy(source);
    core_faults_destroy(&faults);
    ek_topology_destroy(ring);
}

// Laws of a drawn sequence: ascending, up and down take turns, links by the port at their lower end, pending as long as
// anything is down.
static void expect_lawful(const char *topology_spec, const char *spec, unsigned events)
{
    struct ek_topology *topology = topology_of(topology_spec);
    struct core_faults faults = faults_of(spec, topology, NO_FILES);
    struct core_fault_source *source = source_of(&faults, topology, 3);
    bool *down = calloc(topology->links + topology->processors, sizeof *down);
    uint64_t before = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < events; i++) {
        struct core_fault fault;
        cr_assert(core_fault_next(source, &fault), "%s: event %u", spec, i);
        cr_assert_geq(fault.at_ns, before);
        before = fault.at_ns;
        cr_assert(fault.processor ? fault.which < topology->processors : fault.which < topology->twin[fault.which]);
        uint32_t place = core_fault_place(&fault, topology);
        cr_assert_eq(down[place], fault.repair, "%s: event %u", spec, i);
        down[place] = !fault.repair;
        count = fault.repair ? count - 1 : count + 1;
        cr_assert_eq(core_faults_repairs_pending(source), count > 0);
    }
    free(down);
    source_destroy(source);
    core_faults_destroy(&faults);
    ek_topology_destroy(topology);
}

Test(faults, drawn_ones_are_lawful)
{
    expect_lawful("torus:8x8", "link:100,processor:50", 5000);
    expect_lawful("ring:5", "link:1000,processor:1000,repair:1s", 5000); // mostly all is down
    expect_lawful("chain:2", "link:1000000,repair:1h", 1000);
    expect_lawful("chain:1", "processor:1000,repair:0s", 1000);
    expect_lawful("star:100", "processor:10,repair:5ms", 5000);
    expect_lawful("torus:400x400", "link:1000000,repair:1h", 200000); // the bound on what is down at once holds it back
}

// As long as something is up, failures come at their rate, evenly over what there is, and repairs after their mean
// time.
Test(faults, drawn_ones_have_their_moments)
{
    enum { FAILURES = 20000 };
    struct ek_topology *torus = topology_of("torus:10x10");
    struct core_faults faults = faults_of("link:300,processor:100,repair:2ms", torus, NO_FILES);
    struct core_fault_source *source = source_of(&faults, torus, 7);
    uint64_t failed_at[300] = {0};
    unsigned count[300] = {0};
    unsigned failures = 0, links = 0, repairs = 0;
    double repair_s = 0.0;
    uint64_t last_ns = 0;
    while (failures < FAILURES) {
        struct core_fault fault;
        cr_assert(core_fault_next(source, &fault));
        uint32_t place = core_fault_place(&fault, torus);
        if (fault.repair) {
            repair_s += 1e-9 * (double)(fault.at_ns - failed_at[place]);
            repairs++;
        } else {
            failed_at[place] = last_ns = fault.at_ns;
            count[place]++;
            links += !fault.processor;
            failures++;
        }
    }
    double interval = 1e-9 * (double)last_ns / FAILURES;
    cr_expect(fabs(interval - 1.0 / 400.0) < 5.0 / 400.0 / sqrt(FAILURES), "%g", interval);
    cr_expect(fabs(links - 0.75 * FAILURES) < 5.0 * sqrt(0.1875 * FAILURES), "%u", links);
    cr_expect(fabs(repair_s / repairs - 2e-3) < 5.0 * 2e-3 / sqrt(repairs), "%g", repair_s / repairs);
    double square = 0.0; // chi square of what failed, over 200 links and 100 processors
    for (unsigned place = 0; place < 300; place++) {
        double expected = place < 200 ? 0.75 * FAILURES / 200 : 0.25 * FAILURES / 100;
        square += (count[place] - expected) * (count[place] - expected) / expected;
    }
    cr_expect(fabs(square - 299.0) < 5.0 * sqrt(2.0 * 299.0), "%g", square);
    source_destroy(source);
    core_faults_destroy(&faults);
    ek_topology_destroy(torus);
}

static unsigned same_events(const struct core_faults *a, const struct core_faults *b,
                            const struct ek_topology *topology, uint64_t seed_a, uint64_t seed_b)
{
    struct core_fault_source *first = source_of(a, topology, seed_a);
    struct core_fault_source *second = source_of(b, topology, seed_b);
    unsigned same = 0;
    for (unsigned i = 0; i < 500; i++) {
        struct core_fault one, other;
        cr_assert(core_fault_next(first, &one) && core_fault_next(second, &other));
        same += one.at_ns == other.at_ns && one.repair == other.repair && one.processor == other.processor &&
                one.which == other.which;
    }
    source_destroy(first);
    source_destroy(second);
    return same;
}

Test(faults, drawn_ones_depend_on_the_seed_only)
{
    struct ek_topology *torus = topology_of("torus:10x10");
    struct core_faults faults = faults_of("link:300,processor:100", torus, NO_FILES);
    struct core_faults again = faults_of("repair:10ms,processor:100,link:300", torus, NO_FILES);
    cr_expect_eq(same_events(&faults, &again, torus, 5, 5), 500);
    cr_expect_eq(same_events(&faults, &again, torus, 5, 6), 0);
    ek_topology_destroy(torus);
}

// Every form of the axes that `list` shows.
Test(free_axes, are_listed)
{
    static const struct {
        const char *axis;
        size_t count;
    } axes[] = {{"slow", 2},   {"faults", 3}, {"domains", 3}, {"announce", 2},
                {"timing", 4}, {"delay", 5},  {"invoke", 9}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        const struct ek_axis *axis = ek_axis_named(axes[i].axis);
        size_t count = 0;
        for (; ek_axis_choice(axis, count); count++) {
            cr_expect(*ek_axis_choice(axis, count)->form && *ek_axis_choice(axis, count)->summary);
        }
        cr_expect_eq(count, axes[i].count, "%s: %zu", axes[i].axis, count);
    }
}
