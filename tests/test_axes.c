// SPDX-License-Identifier: MIT
// The axes of an experiment beside topology, method and load: capacities, workload, invocation, delays. What each spec
// means, that a draw depends on nothing but its seed, owner and moment, and what is refused, with the place of the
// error.
#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/capacity.h"
#include "core/delay.h"
#include "core/invoke.h"
#include "core/work.h"
#include "tests/specs.h"
#include "threads/run.h"

static double *capacities(const char *spec, uint32_t processors, uint64_t seed)
{
    struct ek_error error;
    double *capacity;
    bool drawn;
    cr_assert(core_capacity_parse(spec, processors, seed, NO_FILES, &capacity, &drawn, &error), "%s", error.sentence);
    cr_expect_eq(drawn, strncmp(spec, "uniform", 7) == 0, "%s", spec);
    return capacity;
}

Test(capacity, fixed_kinds)
{
    static const double semi[] = {2, 2, 1, 1, 1};
    static const double cs[] = {6, 1, 1, 1, 1};
    cr_expect_null(capacities("homo", 5, 1));
    double *first = capacities("semi", 5, 1);
    double *second = capacities("cs", 5, 1);
    cr_expect(memcmp(first, semi, sizeof semi) == 0);
    cr_expect(memcmp(second, cs, sizeof cs) == 0);
    free(first);
    free(second);
}

Test(capacity, drawn_are_whole_in_range_and_by_processor)
{
    enum { FEW = 100, MANY = 2000 };
    double *few = capacities("uniform:3:9", FEW, 7);
    double *many = capacities("uniform:3:9", MANY, 7);
    double *other = capacities("uniform:3:9", FEW, 8);
    unsigned count[10] = {0};
    for (uint32_t p = 0; p < MANY; p++) {
        cr_assert(many[p] >= 3.0 && many[p] <= 9.0 && many[p] == floor(many[p]));
        count[(unsigned)many[p]]++;
    }
    for (unsigned value = 3; value <= 9; value++) {
        cr_expect(count[value] > MANY / 7 * 3 / 4 && count[value] < MANY / 7 * 5 / 4, "%u: %u", value, count[value]);
    }
    cr_expect(memcmp(few, many, FEW * sizeof *few) == 0);
    cr_expect(memcmp(few, other, FEW * sizeof *few) != 0);
    free(few);
    free(many);
    free(other);
}

Test(capacity, from_a_file)
{
    struct tests_memory memory;
    struct ek_error error;
    double *capacity;
    bool drawn;
    struct ek_reader reader = text_reader(&memory, "# three\r\n 0.5\r\n\r\n2e3 # fast\r\n1");
    cr_assert(core_capacity_parse("file:any", 3, 1, reader, &capacity, &drawn, &error), "%s", error.sentence);
    cr_expect(capacity[0] == 0.5 && capacity[1] == 2000.0 && capacity[2] == 1.0);
    free(capacity);
}

Test(capacity, refusals)
{
    static const struct bad_spec specs[] = {
        {"", 0, "choose one of homo"},     {"sem", 0, "did you mean semi"},
        {"semi:2", 4, "is not expected"},  {"uniform", 7, "write ':'"},
        {"uniform:0:4", 8, "from 1 to"},   {"uniform:1.5:4", 9, "write ':'"},
        {"uniform:5:4", 8, "comes first"}, {"uniform:1:2000000000000000", 10, "from 1 to 1000000000000000"},
        {"file:", 5, "needs a path"},      {"file:any", 5, "no files"},
    };
    static const struct bad_file files[] = {
        {"1\n2\n", "any holds 2 capacities and the topology has 3"},
        {"1\n2\n3\n4\n", "any:4: the file has more"},
        {"1\n0\n3\n", "any:2: a capacity must be from 1e-15"},
        {"1\n-1\n3\n", "any:2: a capacity"},
        {"1\nnan\n3\n", "any:2: a capacity must be a decimal"},
        {"1\ninf\n3\n", "any:2: a capacity must be a decimal"},
        {"1\n1e400\n3\n", "any:2: a capacity"},
        {"1\n2 3\n3\n", "any:2: ' ' is not expected"},
        {"", "any holds 0 capacities"},
        {"1\n\x01\n", "any:2: this is no text"},
    };
    struct ek_error error;
    double *capacity;
    bool drawn;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        cr_expect_not(core_capacity_parse(specs[i].spec, 3, 1, NO_FILES, &capacity, &drawn, &error), "%s",
                      specs[i].spec);
        expect_refused(&error, "capacity", specs[i].spec, specs[i].at, specs[i].part);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tests_memory memory;
        struct ek_reader reader = text_reader(&memory, files[i].text);
        cr_expect_not(core_capacity_parse("file:any", 3, 1, reader, &capacity, &drawn, &error), "%s", files[i].text);
        expect_refused(&error, "capacity", files[i].text, -1, files[i].part);
    }
    struct tests_memory none = {0};
    cr_expect_not(core_capacity_parse("file:any", 3, 1, tests_memory_reader(&none), &capacity, &drawn, &error));
    expect_refused(&error, "capacity", "file:any", -1, "no such file");
}

static struct core_workload work_of(const char *spec, uint32_t processors, enum ek_units units, struct ek_reader reader)
{
    struct ek_error error;
    struct core_workload work;
    cr_assert(core_workload_parse(&work, spec, processors, units, reader, &error), "%s", error.sentence);
    return work;
}

static void expect_work(const struct core_workload *work, uint32_t processor, uint64_t tick, double plus, double minus)
{
    double generated = -1.0;
    double consumed = -1.0;
    core_workload_at(work, 1, processor, tick, &generated, &consumed);
    cr_expect(generated == plus && consumed == minus, "processor %u, tick %u: +%g -%g", processor, (unsigned)tick,
              generated, consumed);
}

Test(work, none_and_constant)
{
    struct core_workload none = work_of("none", 4, EK_REAL, NO_FILES);
    expect_work(&none, 3, 9, 0.0, 0.0);
    struct core_workload work = work_of("constant:0=2,2=-1.5,1=0", 4, EK_REAL, NO_FILES);
    for (uint64_t tick = 0; tick < 3; tick++) {
        expect_work(&work, 0, tick, 2.0, 0.0);
        expect_work(&work, 1, tick, 0.0, 0.0);
        expect_work(&work, 2, tick, 0.0, 1.5);
        expect_work(&work, 3, tick, 0.0, 0.0);
    }
    core_workload_destroy(&none);
    core_workload_destroy(&work);
}

Test(work, from_a_file_and_nothing_after_it)
{
    struct tests_memory memory;
    struct ek_reader reader = text_reader(&memory, "1 -2.5  0\n# a tick\n\n\t3\t4 5\r\n0 0 -1");
    struct core_workload work = work_of("file:any", 3, EK_REAL, reader);
    cr_assert_eq(work.ticks, 3);
    expect_work(&work, 0, 0, 1.0, 0.0);
    expect_work(&work, 1, 0, 0.0, 2.5);
    expect_work(&work, 1, 1, 4.0, 0.0);
    expect_work(&work, 2, 2, 0.0, 1.0);
    expect_work(&work, 0, 3, 0.0, 0.0);
    expect_work(&work, 0, UINT64_MAX, 0.0, 0.0);
    core_workload_destroy(&work);
}

// Mean and variance of what is generated, within five standard errors.
Test(work, normal_has_its_moments)
{
    enum { TICKS = 20000 };
    struct core_workload work = work_of("normal:100:30:7", 2, EK_REAL, NO_FILES);
    double sum = 0.0;
    double squares = 0.0;
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        double generated;
        double consumed;
        core_workload_at(&work, 3, 1, tick, &generated, &consumed);
        cr_assert(consumed == 7.0 && isfinite(generated));
        sum += generated - 100.0;
        squares += (generated - 100.0) * (generated - 100.0);
    }
    cr_expect(fabs(sum / TICKS) < 5.0 * sqrt(30.0 / TICKS), "%g", sum / TICKS);
    cr_expect(fabs(squares / TICKS - 30.0) < 5.0 * 30.0 * sqrt(2.0 / TICKS), "%g", squares / TICKS);
}

// What is drawn below 0 is consumed, so that the draws keep their mean and their variance; tokens are whole.
Test(work, normal_consumes_what_is_drawn_below_0)
{
    enum { TICKS = 20000 };
    struct core_workload tokens = work_of("normal:2.5:9:3", 8, EK_TOKENS, NO_FILES);
    struct core_workload reals = work_of("normal:0:9:0.5", 8, EK_REAL, NO_FILES);
    unsigned below = 0;
    double sum = 0.0;
    double squares = 0.0;
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        double generated;
        double wanted;
        core_workload_at(&tokens, 1, (uint32_t)(tick % 8), tick, &generated, &wanted);
        cr_assert(generated >= 0.0 && generated == floor(generated) && wanted >= 3.0 && wanted == floor(wanted));
        core_workload_at(&reals, 1, (uint32_t)(tick % 8), tick, &generated, &wanted);
        cr_assert(generated >= 0.0 && (generated == 0.0 ? wanted > 0.5 : wanted == 0.5));
        below += wanted > 0.5;
        sum += generated - (wanted - 0.5);
        squares += (generated - (wanted - 0.5)) * (generated - (wanted - 0.5));
    }
    cr_expect(fabs(below - TICKS / 2.0) < 5.0 * sqrt(TICKS / 4.0), "%u", below);
    cr_expect(fabs(sum / TICKS) < 5.0 * sqrt(9.0 / TICKS), "%g", sum / TICKS);
    cr_expect(fabs(squares / TICKS - 9.0) < 5.0 * 9.0 * sqrt(2.0 / TICKS), "%g", squares / TICKS);
}

Test(work, a_draw_depends_on_seed_processor_and_tick_only)
{
    struct core_workload small = work_of("normal:100:30:0", 4, EK_REAL, NO_FILES);
    struct core_workload large = work_of("normal:100:30:0", 400, EK_REAL, NO_FILES);
    double first;
    double second;
    double consumed;
    for (uint64_t tick = 50; tick-- > 0;) {
        core_workload_at(&small, 5, 3, tick, &first, &consumed);
        core_workload_at(&large, 5, 3, tick, &second, &consumed);
        cr_assert_eq(first, second);
        core_workload_at(&small, 6, 3, tick, &second, &consumed);
        cr_assert_neq(first, second);
        core_workload_at(&small, 5, 2, tick, &second, &consumed);
        cr_assert_neq(first, second);
        core_workload_at(&small, 5, 3, tick + 1, &second, &consumed);
        cr_assert_neq(first, second);
    }
}

// Neighbouring ticks share no numbers: with one in common this mean would be 0.28.
Test(work, draws_of_neighbouring_ticks_are_independent)
{
    enum { TICKS = 20000 };
    struct core_workload work = work_of("normal:100:1:0", 2, EK_REAL, NO_FILES);
    double sum = 0.0;
    double before = 0.0;
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        double generated;
        double consumed;
        core_workload_at(&work, 3, 1, tick, &generated, &consumed);
        sum += before * ((generated - 100.0) * (generated - 100.0) - 1.0);
        before = generated - 100.0;
    }
    cr_expect(fabs(sum / TICKS) < 5.0 * sqrt(2.0 / TICKS), "%g", sum / TICKS);
}

Test(work, refusals)
{
    static const struct bad_spec specs[] = {
        {"", 0, "choose one of none"},
        {"normall:1:2:3", 0, "did you mean normal"},
        {"none:1", 4, "is not expected"},
        {"normal:100:30", 13, "write ':' after the variance"},
        {"normal:-1:30:0", 7, "the mean must be from 0"},
        {"normal:1:-30:0", 9, "the variance must be from 0"},
        {"normal:1:2:-3", 11, "the consumption must be from 0"},
        {"normal:1:2:3.5", 11, "tokens are whole"},
        {"constant:", 9, "the processor must be a whole number from 0 to 2"},
        {"constant:3=1", 9, "from 0 to 2"},
        {"constant:0", 10, "write '='"},
        {"constant:0=1,0=2", 13, "there already"},
        {"constant:0=1,", 13, "the processor must be"},
        {"constant:0=1;1=2", 12, "is not expected"},
        {"constant:0=0.5", 11, "tokens are whole"},
        {"constant:0=1e17", 11, "an amount of work must be from"},
        {"file:", 5, "needs a path"},
    };
    static const struct bad_file files[] = {
        {"1 2 3\n1 2\n", "any:2: the line has 2 amounts and the topology 3"},
        {"1 2 3 4\n", "any:1: the line has more amounts"},
        {"1,2,3\n", "any:1: the line has 1 amounts"},
        {"1 2 x\n", "any:1: an amount of work must be a decimal"},
        {"1 2 0.5\n", "any:1: tokens are whole"},
        {"# nothing\n", "any holds no work"},
    };
    struct ek_error error;
    struct core_workload work;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        cr_expect_not(core_workload_parse(&work, specs[i].spec, 3, EK_TOKENS, NO_FILES, &error), "%s", specs[i].spec);
        expect_refused(&error, "work", specs[i].spec, specs[i].at, specs[i].part);
        cr_expect_null(work.changes);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tests_memory memory;
        struct ek_reader reader = text_reader(&memory, files[i].text);
        cr_expect_not(core_workload_parse(&work, "file:any", 3, EK_TOKENS, reader, &error), "%s", files[i].text);
        expect_refused(&error, "work", files[i].text, -1, files[i].part);
        cr_expect_null(work.changes);
    }
}

static struct core_invoke invoke_of(const char *spec)
{
    struct ek_error error;
    struct core_invoke invoke;
    cr_assert(core_invoke_parse(&invoke, spec, 8, &error), "%s", error.sentence);
    return invoke;
}

Test(invoke, bounds_are_strict)
{
    struct core_invoke always = invoke_of("always");
    struct core_invoke below = invoke_of("below:200");
    struct core_invoke outside = invoke_of("outside:200:800");
    cr_expect(core_invoke_test(&always, 1, 0, 0, 500.0));
    cr_expect(core_invoke_test(&below, 1, 0, 0, nextafter(200.0, 0.0)));
    cr_expect_not(core_invoke_test(&below, 1, 0, 0, 200.0));
    cr_expect_not(core_invoke_test(&below, 1, 0, 0, 900.0));
    cr_expect(core_invoke_test(&outside, 1, 0, 0, 199.0));
    cr_expect_not(core_invoke_test(&outside, 1, 0, 0, 200.0));
    cr_expect_not(core_invoke_test(&outside, 1, 0, 0, 800.0));
    cr_expect(core_invoke_test(&outside, 1, 0, 0, nextafter(800.0, 900.0)));
    cr_expect(core_invoke_test(&outside, 1, 0, 0, -1.0));
}

Test(invoke, probability_is_drawn_by_seed_processor_and_operation)
{
    enum { OPERATIONS = 20000 };
    struct core_invoke never = invoke_of("probability:0");
    struct core_invoke surely = invoke_of("probability:1");
    struct core_invoke tenth = invoke_of("probability:0.1");
    unsigned invoked = 0;
    unsigned same = 0;
    for (uint64_t operation = 0; operation < OPERATIONS; operation++) {
        cr_assert_not(core_invoke_test(&never, 1, 3, operation, 0.0));
        cr_assert(core_invoke_test(&surely, 1, 3, operation, 0.0));
        bool here = core_invoke_test(&tenth, 1, 3, operation, 0.0);
        cr_assert_eq(here, core_invoke_test(&tenth, 1, 3, operation, 1e6));
        invoked += here;
        same += here && core_invoke_test(&tenth, 1, 4, operation, 0.0);
    }
    cr_expect(fabs(invoked - 0.1 * OPERATIONS) < 5.0 * sqrt(0.09 * OPERATIONS), "%u", invoked);
    cr_expect(fabs(same - 0.01 * OPERATIONS) < 5.0 * sqrt(0.01 * OPERATIONS), "%u", same);
}

Test(invoke, refusals)
{
    static const struct bad_spec specs[] = {
        {"", 0, "choose one of always"},
        {"belo:3", 0, "did you mean below"},
        {"always:1", 6, "is not expected"},
        {"below", 5, "write ':'"},
        {"below:nan", 6, "must be a decimal number"},
        {"below:2:3", 7, "is not expected"},
        {"outside:200", 11, "write ':' after the lower bound"},
        {"outside:800:200", 8, "comes first"},
        {"probability:1.5", 12, "from 0 to 1"},
        {"probability:-0.1", 12, "from 0 to 1"},
    };
    struct ek_error error;
    struct core_invoke invoke;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        cr_expect_not(core_invoke_parse(&invoke, specs[i].spec, 8, &error), "%s", specs[i].spec);
        expect_refused(&error, "invoke", specs[i].spec, specs[i].at, specs[i].part);
    }
}

static struct ek_topology *topology_of(const char *spec)
{
    struct ek_error error;
    struct ek_topology *topology = ek_topology_create(spec, 1, NO_FILES, &error);
    cr_assert(topology, "%s", error.sentence);
    return topology;
}

static struct core_delay delay_of(const char *spec, const struct ek_topology *topology, struct ek_reader reader)
{
    struct ek_error error;
    struct core_delay delay;
    cr_assert(core_delay_parse(&delay, spec, topology, false, reader, &error), "%s", error.sentence);
    return delay;
}

Test(delay, none_and_fixed)
{
    struct ek_topology *ring = topology_of("ring:8");
    struct core_delay none = delay_of("none", ring, NO_FILES);
    struct core_delay fixed = delay_of("fixed:4096", ring, NO_FILES);
    cr_expect_eq(core_delay_max(&none), 0);
    cr_expect_eq(core_delay_at(&none, 1, 3, 9), 0);
    cr_expect_eq(core_delay_max(&fixed), 4096);
    cr_expect_eq(core_delay_at(&fixed, 1, 3, 9), 4096);
    ek_topology_destroy(ring);
}

Test(delay, uniform_has_every_step_evenly)
{
    enum { STEPS = 12000 };
    struct ek_topology *ring = topology_of("ring:8");
    struct core_delay delay = delay_of("uniform:2:5", ring, NO_FILES);
    unsigned count[6] = {0};
    cr_expect_eq(core_delay_max(&delay), 5);
    for (uint64_t step = 0; step < STEPS; step++) {
        uint32_t steps = core_delay_at(&delay, 1, 3, step);
        cr_assert(steps >= 2 && steps <= 5);
        cr_assert_eq(steps, core_delay_at(&delay, 1, 3, step));
        count[steps]++;
    }
    for (uint32_t steps = 2; steps <= 5; steps++) {
        cr_expect(fabs(count[steps] - STEPS / 4.0) < 5.0 * sqrt(STEPS * 0.1875), "%u: %u", steps, count[steps]);
    }
    ek_topology_destroy(ring);
}

// Rounding to the nearest step and the cut at eight times the mean hardly move the mean.
Test(delay, exponential_has_its_mean_and_its_bound)
{
    enum { STEPS = 20000 };
    struct ek_topology *ring = topology_of("ring:8");
    struct core_delay delay = delay_of("exponential:10.1", ring, NO_FILES);
    double sum = 0.0;
    cr_expect_eq(core_delay_max(&delay), 81);
    for (uint64_t step = 0; step < STEPS; step++) {
        uint32_t steps = core_delay_at(&delay, 1, 5, step);
        cr_assert_leq(steps, 81);
        sum += steps;
    }
    cr_expect(fabs(sum / STEPS - 10.1) < 5.0 * 10.1 / sqrt(STEPS) + 0.05, "%g", sum / STEPS);
    struct core_delay longest = delay_of("exponential:512", ring, NO_FILES);
    cr_expect_eq(core_delay_max(&longest), CORE_DELAY_STEPS_MAX);
    ek_topology_destroy(ring);
}

Test(delay, from_a_file_holds_both_ways)
{
    struct ek_topology *mesh = topology_of("mesh:2x2");
    struct tests_memory memory;
    struct ek_reader reader = text_reader(&memory, "3 1 7\n0 1 1\n# links\n2\t0  2\r\n2 3 0\n");
    struct core_delay delay = delay_of("file:any", mesh, reader);
    static const uint32_t wanted[4][4] = {{0, 1, 2, 0}, {1, 0, 0, 7}, {2, 0, 0, 0}, {0, 7, 0, 0}};
    for (uint32_t p = 0; p < 4; p++) {
        for (uint32_t port = mesh->first[p]; port < mesh->first[p + 1]; port++) {
            cr_expect_eq(core_delay_at(&delay, 1, port, 3), wanted[p][mesh->neighbour[port]]);
        }
    }
    cr_expect_eq(core_delay_max(&delay), 7);
    core_delay_destroy(&delay);
    ek_topology_destroy(mesh);
}

Test(delay, refusals)
{
    static const struct bad_spec specs[] = {
        {"", 0, "choose one of none"},
        {"fixd:3", 0, "did you mean fixed"},
        {"none:0", 4, "is not expected"},
        {"fixed:-1", 6, "from 0 to 4096"},
        {"fixed:4097", 6, "from 0 to 4096"},
        {"fixed:20us", 8, "without a unit"},
        {"fixed:1.5", 7, "without a unit"},
        {"uniform:5:2", 8, "comes first"},
        {"uniform:0:5ms", 11, "without a unit"},
        {"exponential:20us", 14, "times are for --timing free"},
        {"exponential:513", 12, "from 0 to 512"},
        {"file:", 5, "needs a path"},
    };
    static const struct bad_file files[] = {
        {"0 1 1\n1 2 1\n", "any has no delay for the link of 0 and 2"},
        {"0 1 1\n1 0 1\n", "any:2: the link of 1 and 0 is there already"},
        {"0 3 1\n", "any:1: the second processor must be a whole number from 0 to 2"},
        {"1 1 1\n", "any:1: processors 1 and 1 are not linked"},
        {"0 1\n", "any:1: a line has two processors and their delay"},
        {"0 1 5000\n", "any:1: the delay must be a whole number from 0 to 4096"},
        {"0 1 3us\n", "any:1: a delay in rounds is a number of steps"},
        {"0 1 3 4\n", "any:1: ' ' is not expected"},
        {"", "any has no delay for the link"},
    };
    struct ek_topology *ring = topology_of("ring:3");
    struct ek_error error;
    struct core_delay delay;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        cr_expect_not(core_delay_parse(&delay, specs[i].spec, ring, false, NO_FILES, &error), "%s", specs[i].spec);
        expect_refused(&error, "delay", specs[i].spec, specs[i].at, specs[i].part);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tests_memory memory;
        struct ek_reader reader = text_reader(&memory, files[i].text);
        cr_expect_not(core_delay_parse(&delay, "file:any", ring, false, reader, &error), "%s", files[i].text);
        expect_refused(&error, "delay", files[i].text, -1, files[i].part);
        cr_expect_null(delay.by_port);
    }
    ek_topology_destroy(ring);
}

static enum ek_status try(const struct ek_experiment *experiment, struct ek_report *report, struct ek_error *error)
{
    struct ek_machine *machine = ek_prepare(experiment, error);
    *report = (struct ek_report){0};
    enum ek_status status = machine ? ek_run(machine, 0, report, NULL, NULL, error) : error->status;
    ek_machine_destroy(machine);
    return status;
}

// One of a few values, by a number that is used up digit by digit.
static const char *pick(unsigned *number, const char *const *values, unsigned count)
{
    const char *value = values[*number % count];
    *number /= count;
    return value;
}

// Every combination of some values: what was there and came is there, under way or gone; and a carrier changes nothing.
Test(axes, load_is_conserved_and_carriers_are_alike_under_every_combination)
{
    static const char *const methods[] = {"ade", "adf", "sender:1/deg"};
    static const char *const delays[] = {"none", "fixed:1", "uniform:0:4", "exponential:1.5"};
    static const char *const works[] = {"none", "normal:20:9:20", "constant:0=7,5=-3"};
    static const char *const invokes[] = {"always", "outside:200:800", "probability:0.3"};
    static const char *const units[] = {"real", "tokens"};
    static const char *const clocks[] = {"operation", "step"};
    static const char *const ports[] = {"all", "one"};
    static const char *const limits[] = {"none", "25"};
    for (unsigned number = 0; number < 3 * 4 * 3 * 3 * 2 * 2 * 2 * 2; number++) {
        unsigned left = number;
        struct ek_experiment experiment = {.topology = "mesh:4x3",
                                           .carrier = "pool:1",
                                           .stop = "never",
                                           .steps_max = 23,
                                           .seed = number,
                                           .keep_loads = true};
        experiment.method = pick(&left, methods, 3);
        experiment.delay = pick(&left, delays, 4);
        experiment.work = pick(&left, works, 3);
        experiment.invoke = pick(&left, invokes, 3);
        experiment.units = pick(&left, units, 2);
        experiment.clock = pick(&left, clocks, 2);
        experiment.ports = pick(&left, ports, 2);
        experiment.link_limit = pick(&left, limits, 2);
        struct ek_report report;
        struct ek_error error;
        cr_assert_eq(try(&experiment, &report, &error), EK_OK, "%u: %s", number, error.sentence);
        double came = report.total_initial + report.generated;
        double is = report.held_final + report.in_flight + report.consumed;
        double allowed = strcmp(experiment.units, "tokens") == 0 ? 0.0 : 1e-12 * (came + report.moved);
        cr_expect(fabs(came - is) <= allowed, "%u: %.17g, %.17g", number, came, is);
        double whole = 0.0; // what can have stayed
        for (uint32_t p = 0; p < 12; p++) {
            whole += fmax(0.0, report.final[p]);
        }
        whole += report.consumed;
        cr_expect(report.stayed >= 0.0 && report.stayed <= whole, "%u: %g of %g", number, report.stayed, whole);
        cr_expect_eq(report.generated > 0.0, strcmp(experiment.work, "none") != 0, "%u", number);
        if (number % 16 == 0) {
            struct ek_report other;
            experiment.carrier = "pool:3";
            cr_assert_eq(try(&experiment, &other, &error), EK_OK);
            cr_expect(memcmp(report.final, other.final, 12 * sizeof *report.final) == 0, "%u", number);
            cr_expect_eq(report.in_flight, other.in_flight, "%u", number);
            ek_report_destroy(&other);
        }
        ek_report_destroy(&report);
    }
}

// No load goes below 0 when a sender gives away at most 1/degree of each difference, whatever the delays.
Test(axes, sender_never_goes_below_0)
{
    static const char *const delays[] = {"none", "fixed:3", "uniform:0:9", "exponential:3"};
    for (unsigned number = 0; number < 40; number++) {
        struct ek_experiment experiment = {.topology = "random:12:4",
                                           .method = "sender:1/deg",
                                           .carrier = "pool:1",
                                           .load = number % 2 ? "peak:1600" : NULL,
                                           .stop = "never",
                                           .steps_max = 60,
                                           .delay = delays[number % 4],
                                           .seed = number};
        struct ek_report report;
        struct ek_error error;
        cr_assert_eq(try(&experiment, &report, &error), EK_OK, "%s", error.sentence);
        cr_expect(report.minimum_ever >= -1e-9, "%u: %g", number, report.minimum_ever);
        ek_report_destroy(&report);
    }
}

Test(axes, the_trace_counts_invokers)
{
    struct ek_experiment experiment = {.topology = "ring:8",
                                       .method = "ade",
                                       .carrier = "pool:2",
                                       .load = "peak:800@3",
                                       .invoke = "outside:0:99",
                                       .stop = "never",
                                       .operations_max = 2,
                                       .keep_trace = true};
    struct ek_report report;
    struct ek_error error;
    cr_assert_eq(try(&experiment, &report, &error), EK_OK, "%s", error.sentence);
    cr_assert_eq(report.trace_count, 5);
    static const uint64_t wanted[] = {0, 1, 1, 3, 3}; // the peak; then itself and the two that it gave to
    for (size_t i = 0; i < 5; i++) {
        cr_expect_eq(report.trace[i].invokers, wanted[i], "row %zu: %u", i, (unsigned)report.trace[i].invokers);
    }
    ek_report_destroy(&report);
}

Test(axes, what_a_method_cannot_do_is_refused)
{
    static const struct ek_experiment experiments[] = {
        {.method = "ade", .capacity = "semi"},   {.method = "dem", .topology = "hypercube:3", .units = "real"},
        {.method = "dde", .invoke = "below:3"},  {.method = "dde", .delay = "fixed:1"},
        {.method = "ade", .timing = "turns"},    {.method = "adf", .timing = "turns", .ports = "one"},
        {.method = "liquid:c1", .ports = "one"},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        struct ek_error error;
        cr_expect_null(ek_prepare(&experiments[i], &error), "experiment %zu", i);
        cr_expect_eq(error.status, EK_BAD_INPUT);
        cr_expect_str_eq(error.axis, i == 5 ? "ports" : "method");
        cr_expect(strstr(error.sentence, "use --") || strstr(error.sentence, "or a method"), "%s", error.sentence);
    }
}

static void deaf_act(struct ek_turn *turn, double *amounts)
{
    (void)turn, (void)amounts;
}

static enum ek_next deaf_next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    (void)plan, (void)step;
    return moment->index == 0 ? EK_NEXT_STEP : EK_NEXT_OPERATION_ENDS;
}

static bool deaf_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                         struct ek_error *error)
{
    (void)parameter, (void)at, (void)setting, (void)error;
    plan->sleeps = true;
    return true;
}

// Whoever only says its load would never wake a sleeper.
Test(axes, sleepers_need_words)
{
    static const struct ek_method deaf = {.name = "deaf",
                                          .title = "a program that nobody wakes",
                                          .units = EK_REAL,
                                          .ports = EK_ALL_PORTS,
                                          .links = EK_LINKS_SCHEDULED,
                                          .prepare = deaf_prepare,
                                          .next = deaf_next,
                                          .act = deaf_act};
    struct ek_error error;
    cr_assert(ek_method_register(&deaf, &error), "%s", error.sentence);
    cr_assert_null(ek_prepare(&(struct ek_experiment){.method = "deaf"}, &error));
    cr_expect_str_eq(error.axis, "method");
    cr_expect(strstr(error.sentence, "`say`"), "%s", error.sentence);
}

// Every run ends: work that never does needs a limit.
Test(axes, endless_work_needs_a_limit)
{
    static const char *const works[] = {"normal:100:30:100", "constant:0=1"};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        struct ek_experiment experiment = {.work = works[i]};
        struct ek_error error;
        cr_assert_null(ek_prepare(&experiment, &error), "%s", works[i]);
        cr_expect_str_eq(error.axis, "work");
        experiment.operations_max = 10;
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_expect(machine, "%s: %s", works[i], error.sentence);
        ek_machine_destroy(machine);
    }
}

// What `list` shows first is the default: the machine takes it, and every axis has it.
Test(axes, every_axis_lists_its_default_first)
{
    static const char *const first[][2] = {
        {"units", "real"},      {"ports", "all"},  {"timing", "rounds"}, {"clock", "operation"},
        {"invoke", "always"},   {"work", "none"},  {"capacity", "homo"}, {"weighting", "capacity"},
        {"link-limit", "none"}, {"delay", "none"}, {"mailbox", "slot"},  {"barrier", "auto"},
        {"carrier", "threads"}, {"slow", "none"},  {"faults", "none"},   {"domains", "overlap"},
        {"announce", "asked"},
    };
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        const struct ek_axis *axis = ek_axis_named(first[i][0]);
        cr_assert(axis && ek_axis_choice(axis, 0), "%s", first[i][0]);
        cr_expect_str_eq(ek_axis_choice(axis, 0)->form, first[i][1]);
        cr_expect(*ek_axis_choice(axis, 0)->summary);
    }
    cr_expect_null(ek_axis_choice(ek_axis_named("weighting"), 2));
    cr_expect_null(ek_axis_named("no such axis"));
}
