// SPDX-License-Identifier: MIT
// Specs of faults, and the events that follow: from a file, or drawn, with the right moments and from the seed
// alone.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/axes/fault.h"
#include "tests/support/specs.h"
#include "topologies/topology.h"
#include "tests/support/must.h"

static struct core_faults faults_of(const char *spec, const struct ek_topology *topology, struct ek_reader reader)
{
    struct ek_error error;
    struct core_faults faults;
    cr_assert(core_faults_parse(&faults, spec, topology, true, reader, &error), "%s: %s", spec, error.sentence);
    return faults;
}

Test(faults, what_specs_mean)
{
    struct ek_topology *ring = must_build("ring:8");
    struct core_faults faults = faults_of("none", ring, NO_FILES);
    cr_expect_eq(faults.kind, CORE_FAULTS_NONE);
    faults = faults_of("repair:5ms,link:2.5", ring, NO_FILES);
    cr_expect_eq(faults.kind, CORE_FAULTS_DRAWN);
    cr_expect(faults.link_rate == 2.5 && faults.processor_rate == 0.0 && fabs(faults.repair_s - 0.005) < 1e-12);
    faults = faults_of("processor:1e6", ring, NO_FILES);
    cr_expect(faults.link_rate == 0.0 && faults.processor_rate == 1e6 && faults.repair_s == 0.01);
    faults = faults_of("link:1,processor:2,repair:1h", ring, NO_FILES);
    cr_expect(faults.link_rate == 1.0 && faults.processor_rate == 2.0 && faults.repair_s == 3600.0);
    struct ek_topology *one = must_build("chain:1");
    faults = faults_of("processor:1", one, NO_FILES);
    ek_topology_destroy(one);
    ek_topology_destroy(ring);
}

Test(faults, refusals)
{
    static const struct bad_spec specs[] = {
        {"", 0, "choose one of none, file, link, processor, repair"},
        {"lnk:2", 0, "did you mean link?"},
        {"none:1", 4, "cannot follow"},
        {"link", 4, "write ':' after link"},
        {"link:", 5, "the rate of links must be a decimal number"},
        {"link:-1", 5, "the rate of links must be from 0 to 1000000"},
        {"link:1000001", 5, "the rate of links must be from 0"},
        {"processor:x", 10, "the rate of processors must be a decimal number"},
        {"processor:2e6", 10, "the rate of processors must be from 0"},
        {"link:2,", 7, "the name of the part of faults is missing: choose one of link"},
        {"link:2,none", 7, "choose one of link, processor, repair"},
        {"link:2,procesor:1", 7, "did you mean processor?"},
        {"link:2,processor", 16, "write ':' after processor"},
        {"link:2,repair:5", 15, "the mean time until the repair needs a unit"},
        {"link:2,repair:soon", 14, "the mean time until the repair takes a number"},
        {"link:2,repair:1.1h", 14, "the mean time until the repair must be from 0 to 1h"},
        {"link:2,link:3", 7, "link is given twice"},
        {"repair:1s,link:2,repair:2s", 17, "repair is given twice"},
        {"repair:5ms", 0, "faults need a rate, as in link:2,repair:5ms"},
        {"link:2;processor:3", 6, "cannot follow"},
        {"file", 4, "write ':' after file"},
        {"file:", 5, "needs a path"},
        {"file:any", 5, "no files"},
    };
    struct ek_topology *ring = must_build("ring:5");
    struct ek_error error;
    struct core_faults faults;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        cr_expect_not(core_faults_parse(&faults, specs[i].spec, ring, true, NO_FILES, &error), "%s", specs[i].spec);
        expect_refused(&error, "faults", specs[i].spec, specs[i].at, specs[i].part);
        cr_expect_eq(faults.kind, CORE_FAULTS_NONE);
    }
    ek_topology_destroy(ring);
    struct ek_topology *one = must_build("chain:1");
    cr_expect_not(core_faults_parse(&faults, "link:1", one, true, NO_FILES, &error));
    expect_refused(&error, "faults", "link:1", 5, "this topology has no links");
    ek_topology_destroy(one);
}

Test(faults, refusals_in_a_file)
{
    static const struct bad_file files[] = {
        {"", "any has no faults: write one event a line, or use faults none"},
        {"20 fail link 0 1\n", "any:1: the time needs a unit"},
        {"-1s fail link 0 1\n", "any:1: the time takes a number and its unit"},
        {"1e9m fail link 0 1\n", "any:1: the time must be from 0 to 1e+09s"},
        {"20ms\n", "any:1: write a line as in 20ms fail link 3 4"},
        {"20ms fail\n", "any:1: write a line as in 20ms fail link 3 4"},
        {"20ms fial link 0 1\n", "any:1: there is no event called 'fial': did you mean fail?"},
        {"20ms fail lnk 0 1\n", "any:1: there is no thing that fails called 'lnk': did you mean link?"},
        {"20ms fail link\n", "any:1: write a line as in 20ms fail link 3 4"},
        {"20ms fail link 0\n", "any:1: write a line as in 20ms fail link 3 4"},
        {"20ms fail link 0 2\n", "any:1: processors 0 and 2 are not linked"},
        {"20ms fail link 0 5\n", "any:1: the second processor must be a whole number from 0 to 4"},
        {"20ms fail processor 5\n", "any:1: the processor must be a whole number from 0 to 4"},
        {"20ms fail processor 4 1\n", "any:1: ' ' cannot follow"},
        {"20ms fail processor 4\n19.9ms fail processor 3\n", "any:2: this is before the line above it"},
        {"20ms fail link 0 1\n30ms fail link 1 0\n", "any:2: this link is down already: leave this line out"},
        {"20ms repair processor 1\n", "any:1: this processor is up already: leave this line out"},
        {"1s fail processor 1\n1s repair processor 1\n2s repair processor 1\n", "any:3: this processor is up already"},
    };
    struct ek_topology *ring = must_build("ring:5");
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

// A source of faults with its memory.
struct drawn_source {
    struct core_fault_source source;
    struct base_arena memory;
};

static struct core_fault_source *source_of(const struct core_faults *faults, const struct ek_topology *topology,
                                           uint64_t seed)
{
    struct drawn_source *drawn = calloc(1, sizeof *drawn);
    cr_assert(drawn);
    core_fault_source_plan(&drawn->source, faults, topology, seed, &drawn->memory);
    cr_assert(base_arena_take(&drawn->memory));
    core_fault_source_begin(&drawn->source);
    return &drawn->source;
}

static void source_destroy(struct core_fault_source *source)
{
    struct drawn_source *drawn = (struct drawn_source *)source; // its first member
    base_arena_destroy(&drawn->memory);
    free(drawn);
}

Test(faults, none_gives_no_event)
{
    struct ek_topology *ring = must_build("ring:5");
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

// Events from a file come in the order of the file. A link is named by the port at its lower end. A link that is down
// at the end stays down.
Test(faults, from_a_file)
{
    static const struct {
        uint64_t at_ns;
        bool repair, processor;
        uint32_t lower, upper; // of the link; both are the processor if it fails
        bool pending;          // after this event
    } wanted[] = {
        {1000, false, false, 0, 1, true},     {1000, false, true, 3, 0, true},
        {20000000, true, false, 0, 1, false}, {20000001, false, false, 0, 4, false},
        {20000001, false, false, 0, 1, true}, {1000000000, true, false, 0, 1, false},
    };
    struct ek_topology *ring = must_build("ring:5");
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

// Checks a drawn sequence: times ascend, failures and repairs take turns, links are named by the port at their lower
// end, and events are pending as long as something is down.
static void expect_lawful(const char *topology_spec, const char *spec, unsigned events)
{
    struct ek_topology *topology = must_build(topology_spec);
    struct core_faults faults = faults_of(spec, topology, NO_FILES);
    struct core_fault_source *source = source_of(&faults, topology, 3);
    bool *down = calloc(core_fault_places(topology), sizeof *down);
    uint64_t before = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < events; i++) {
        struct core_fault fault;
        cr_assert(core_fault_next(source, &fault), "%s: event %u", spec, i);
        cr_assert_geq(fault.at_ns, before);
        before = fault.at_ns;
        cr_assert(fault.processor ? fault.which < topology->processors : fault.which < topology->twin[fault.which]);
        size_t place = core_fault_place(&fault, topology);
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
    expect_lawful("ring:5", "link:1000,processor:1000,repair:1s", 5000); // most of it is down
    expect_lawful("chain:2", "link:1000000,repair:1h", 1000);
    expect_lawful("chain:1", "processor:1000,repair:0s", 1000);
    expect_lawful("star:100", "processor:10,repair:5ms", 5000);
    expect_lawful("torus:400x400", "link:1000000,repair:1h",
                  200000); // the bound on what is down at once slows the failures
}

// As long as something is up, failures come at their rate, evenly over links and processors, and repairs after their
// mean time.
Test(faults, drawn_ones_have_their_moments)
{
    enum { FAILURES = 20000 };
    struct ek_topology *torus = must_build("torus:10x10");
    struct core_faults faults = faults_of("link:300,processor:100,repair:2ms", torus, NO_FILES);
    struct core_fault_source *source = source_of(&faults, torus, 7);
    uint64_t failed_at[500] = {0}; // 400 ports and 100 processors
    unsigned count[500] = {0};
    unsigned failures = 0, links = 0, repairs = 0;
    double repair_s = 0.0;
    uint64_t last_ns = 0;
    while (failures < FAILURES) {
        struct core_fault fault;
        cr_assert(core_fault_next(source, &fault));
        size_t place = core_fault_place(&fault, torus);
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
    double square = 0.0; // chi square of the failures, over 200 links and 100 processors
    for (unsigned place = 0; place < core_fault_places(torus); place++) {
        bool link = place < torus->ports;
        double expected = !link ? 0.25 * FAILURES / 100 : torus->twin[place] > place ? 0.75 * FAILURES / 200 : 0.0;
        if (expected == 0.0) { // a link is counted at its lower port
            cr_expect_eq(count[place], 0);
            continue;
        }
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
    struct ek_topology *torus = must_build("torus:10x10");
    struct core_faults faults = faults_of("link:300,processor:100", torus, NO_FILES);
    struct core_faults again = faults_of("repair:10ms,processor:100,link:300", torus, NO_FILES);
    cr_expect_eq(same_events(&faults, &again, torus, 5, 5), 500);
    cr_expect_eq(same_events(&faults, &again, torus, 5, 6), 0);
    ek_topology_destroy(torus);
}
