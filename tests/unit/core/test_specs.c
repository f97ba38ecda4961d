// SPDX-License-Identifier: MIT
// Specs of capacities, workload, invocation and delays: what each means, that a draw depends on its seed, owner and
// moment only, and which specs are refused, with the place of the error. The specs of free timing are in
// test_specs_free.c, those of faults in test_specs_faults.c.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "core/axes/capacity.h"
#include "core/links/delay.h"
#include "core/axes/invoke.h"
#include "core/axes/work.h"
#include "tests/support/specs.h"
#include "core/method.h"
#include "tests/support/must.h"

static double *capacities(const char *spec, uint32_t processors, uint64_t seed)
{
    struct ek_error error;
    double *capacity;
    bool drawn;
    cr_assert(core_capacity_parse(spec, processors, processors, seed, NO_FILES, &capacity, &drawn, &error), "%s",
              error.sentence);
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
    cr_assert(core_capacity_parse("file:any", 3, 3, 1, reader, &capacity, &drawn, &error), "%s", error.sentence);
    cr_expect(capacity[0] == 0.5 && capacity[1] == 2000.0 && capacity[2] == 1.0);
    free(capacity);
}

// The spec is for the hosts. The others, and those to whom a file gives 0, are switches.
Test(capacity, of_switches)
{
    static const struct {
        const char *spec;
        double first[3];
    } cases[] = {
        {"homo", {1.0, 1.0, 1.0}}, {"semi", {2.0, 1.0, 1.0}}, {"cs", {4.0, 1.0, 1.0}}, {"file:any", {0.5, 0.0, 1.0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tests_memory memory;
        struct ek_error error;
        double *capacity;
        bool drawn;
        struct ek_reader reader = text_reader(&memory, "0.5\n0\n1");
        cr_assert(core_capacity_parse(cases[i].spec, 3, 5, 1, reader, &capacity, &drawn, &error), "%s", error.sentence);
        for (uint32_t p = 0; p < 5; p++) {
            cr_expect_eq(capacity[p], p < 3 ? cases[i].first[p] : 0.0, "%s, %u: %g", cases[i].spec, p, capacity[p]);
        }
        cr_expect(core_capacity_switches(capacity, 5) && core_capacity_switches(capacity, 3) == (i == 3));
        double share[5];
        core_capacity_shares(capacity, 5, 12.0, share);
        cr_expect(share[0] > 0.0 && share[3] == 0.0 && share[4] == 0.0);
        free(capacity);
    }
    cr_expect_not(core_capacity_switches(NULL, 5));
}

Test(capacity, refusals)
{
    static const struct bad_spec specs[] = {
        {"", 0, "choose one of homo"},     {"sem", 0, "did you mean semi"},
        {"semi:2", 4, "cannot follow"},    {"uniform", 7, "write ':'"},
        {"uniform:0:4", 8, "from 1 to"},   {"uniform:1.5:4", 9, "write ':'"},
        {"uniform:5:4", 8, "comes first"}, {"uniform:1:2000000000000000", 10, "from 1 to 1000000000000000"},
        {"file:", 5, "needs a path"},      {"file:any", 5, "no files"},
    };
    static const struct bad_file files[] = {
        {"1\n2\n", "any holds 2 capacities and the topology has 3"},
        {"1\n2\n3\n4\n", "any:4: the file has more"},
        {"1\n1e-16\n3\n", "any:2: a capacity is 0, for a switch, or at least 1e-15"},
        {"0\n0\n0\n", "any makes every processor a switch"},
        {"1\n-1\n3\n", "any:2: a capacity"},
        {"1\nnan\n3\n", "any:2: a capacity must be a decimal"},
        {"1\ninf\n3\n", "any:2: a capacity must be a decimal"},
        {"1\n1e400\n3\n", "any:2: a capacity"},
        {"1\n2 3\n3\n", "any:2: ' ' cannot follow"},
        {"", "any holds 0 capacities"},
        {"1\n\x01\n", "any:2: this is no text"},
    };
    struct ek_error error;
    double *capacity;
    bool drawn;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        cr_expect_not(core_capacity_parse(specs[i].spec, 3, 3, 1, NO_FILES, &capacity, &drawn, &error), "%s",
                      specs[i].spec);
        expect_refused(&error, "capacity", specs[i].spec, specs[i].at, specs[i].part);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tests_memory memory;
        struct ek_reader reader = text_reader(&memory, files[i].text);
        cr_expect_not(core_capacity_parse("file:any", 3, 3, 1, reader, &capacity, &drawn, &error), "%s", files[i].text);
        expect_refused(&error, "capacity", files[i].text, -1, files[i].part);
    }
    struct tests_memory none = {0};
    cr_expect_not(core_capacity_parse("file:any", 3, 3, 1, tests_memory_reader(&none), &capacity, &drawn, &error));
    expect_refused(&error, "capacity", "file:any", 5, "no such file");
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

// Mean and variance of the generated load, within five standard errors.
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

// A draw below 0 is consumed, so that the draws keep their mean and variance. Tokens are whole.
Test(work, normal_consumes_what_is_drawn_below_0)
{
    enum { TICKS = 20000 };
    struct core_workload tokens = work_of("normal:2.5:9:3", 8, EK_TOKENS, NO_FILES);
    struct core_workload reals = work_of("normal:0:9:0.5", 8, EK_REAL, NO_FILES);
    unsigned below = 0;
    double sum = 0.0;
    double squares = 0.0;
    double sum_tokens = 0.0;
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        double generated;
        double wanted;
        core_workload_at(&tokens, 1, (uint32_t)(tick % 8), tick, &generated, &wanted);
        cr_assert(generated >= 0.0 && generated == floor(generated) && wanted >= 3.0 && wanted == floor(wanted));
        sum_tokens += generated - (wanted - 3.0);
        core_workload_at(&reals, 1, (uint32_t)(tick % 8), tick, &generated, &wanted);
        cr_assert(generated >= 0.0 && (generated == 0.0 ? wanted > 0.5 : wanted == 0.5));
        below += wanted > 0.5;
        sum += generated - (wanted - 0.5);
        squares += (generated - (wanted - 0.5)) * (generated - (wanted - 0.5));
    }
    cr_expect(fabs(below - TICKS / 2.0) < 5.0 * sqrt(TICKS / 4.0), "%u", below);
    cr_expect(fabs(sum / TICKS) < 5.0 * sqrt(9.0 / TICKS), "%g", sum / TICKS);
    cr_expect(fabs(sum_tokens / TICKS - 2.5) < 5.0 * sqrt((9.0 + 1.0 / 12.0) / TICKS), "%g", sum_tokens / TICKS);
    cr_expect(fabs(squares / TICKS - 9.0) < 5.0 * 9.0 * sqrt(2.0 / TICKS), "%g", squares / TICKS);
}

// The logarithm of amount/LEAST is exponential with mean 1/SHAPE, whatever the shape. Amounts above x have the
// probability (LEAST/x)^SHAPE. All within five standard errors.
Test(work, pareto_has_its_distribution)
{
    enum { TICKS = 20000 };
    static const struct {
        const char *spec;
        double shape, least;
    } rows[] = {{"pareto:1:3:7", 1.0, 3.0}, {"pareto:0.5:1:7", 0.5, 1.0}, {"pareto:2.5:40:7", 2.5, 40.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double shape = rows[i].shape, least = rows[i].least, rare = pow(0.1, shape);
        struct core_workload work = work_of(rows[i].spec, 8, EK_REAL, NO_FILES);
        double sum = 0.0, above = 0.0, generated, wanted;
        for (uint64_t tick = 0; tick < TICKS; tick++) {
            core_workload_at(&work, 3, (uint32_t)(tick % 8), tick, &generated, &wanted);
            cr_assert(generated >= least && generated <= 1e12 && wanted == 7.0);
            sum += log(generated / least);
            above += generated > 10.0 * least;
        }
        cr_expect(fabs(sum / TICKS - 1.0 / shape) < 5.0 / shape / sqrt(TICKS), "%s: %g", rows[i].spec, sum / TICKS);
        cr_expect(fabs(above - TICKS * rare) < 5.0 * sqrt(TICKS * rare), "%s: %g", rows[i].spec, above);
        cr_expect(core_workload_continues(&work, UINT64_MAX));
    }
}

// With a shape of 5 the mean is 5/4 and the variance 5/48; the variance of squared distances is finite, too.
Test(work, pareto_has_its_moments)
{
    enum { TICKS = 40000 };
    struct core_workload work = work_of("pareto:5:1:0", 2, EK_REAL, NO_FILES);
    double sum = 0.0, squares = 0.0, fourths = 0.0, generated, wanted;
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        core_workload_at(&work, 3, 1, tick, &generated, &wanted);
        const double square = (generated - 1.25) * (generated - 1.25);
        sum += generated - 1.25;
        squares += square;
        fourths += square * square;
    }
    cr_expect(fabs(sum / TICKS) < 5.0 * sqrt(5.0 / 48.0 / TICKS), "%g", sum / TICKS);
    cr_expect(fabs(squares / TICKS - 5.0 / 48.0) < 5.0 * sqrt(fourths) / TICKS, "%g", squares / TICKS);
    cr_expect(fabs(core_workload_mean(&work) - 1.25) < 1e-12 &&
              fabs(core_workload_variance(&work) - 5.0 / 48.0) < 1e-12);
}

// With a shape of 0.05 a quarter of the draws are above 1e12, 10^-0.6 of them. Tokens are whole.
Test(work, pareto_is_cut_at_its_most)
{
    enum { TICKS = 20000 };
    struct core_workload work = work_of("pareto:0.05:1:0", 2, EK_TOKENS, NO_FILES);
    double cut = 0.0, generated, wanted;
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        core_workload_at(&work, 3, 1, tick, &generated, &wanted);
        cr_assert(generated >= 1.0 && generated <= 1e12 && generated == floor(generated));
        cut += generated == 1e12;
    }
    cr_expect(fabs(cut / TICKS - pow(10.0, -0.6)) < 5.0 * sqrt(0.25 / TICKS), "%g", cut / TICKS);
}

// Without the cut the mean is a m / (a - 1), and the variance m^2 a / ((a - 1)^2 (a - 2)). The cut at H takes
// m^a H^(1-a) / (a - 1) from the mean.
Test(work, pareto_knows_its_moments)
{
    static const struct {
        const char *spec;
        double mean, variance;
    } rows[] = {{"pareto:3:2:0", 3.0, 3.0},
                {"pareto:1.5:1:0", 3.0 - 2e-6, NAN},
                {"pareto:1.25:16:0", 80.0 - 0.128, NAN},
                {"pareto:2:1:0", 2.0, NAN},
                {"pareto:1:1:0", NAN, NAN},
                {"pareto:0.9:5:0", NAN, NAN},
                {"normal:7:9:0", 7.0, 9.0},
                {"none", NAN, NAN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct core_workload work = work_of(rows[i].spec, 2, EK_REAL, NO_FILES);
        const double mean = core_workload_mean(&work), variance = core_workload_variance(&work);
        cr_expect(isnan(rows[i].mean) ? isnan(mean) : fabs(mean - rows[i].mean) < 1e-9, "%s: %.12g", rows[i].spec,
                  mean);
        cr_expect(isnan(rows[i].variance) ? isnan(variance) : fabs(variance - rows[i].variance) < 1e-9, "%s: %.12g",
                  rows[i].spec, variance);
    }
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

// Neighbouring ticks share no random numbers: with one in common this mean would be 0.28.
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
        {"none:1", 4, "cannot follow"},
        {"normal:100:30", 13, "write ':' after the variance"},
        {"normal:-1:30:0", 7, "the mean must be from 0"},
        {"normal:1:-30:0", 9, "the variance must be from 0"},
        {"normal:1:2:-3", 11, "the consumption must be from 0"},
        {"normal:1:2:3.5", 11, "tokens are whole"},
        {"pareto:0:1:1", 7, "the shape must be above 0"},
        {"pareto:1:0:1", 9, "the least amount must be above 0"},
        {"pareto:1:2e12:1", 9, "the least amount must be from 0"},
        {"pareto:1:2", 10, "write ':' after the least amount"},
        {"pareto:1:2:0.5", 11, "tokens are whole"},
        {"constant:", 9, "the processor must be a whole number from 0 to 2"},
        {"constant:3=1", 9, "from 0 to 2"},
        {"constant:0", 10, "write '='"},
        {"constant:0=1,0=2", 13, "listed already"},
        {"constant:0=1,", 13, "the processor must be"},
        {"constant:0=1;1=2", 12, "cannot follow"},
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
        {"# nothing\n", "any has no work"},
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
        {"always:1", 6, "cannot follow"},
        {"below", 5, "write ':'"},
        {"below:nan", 6, "must be a decimal number"},
        {"below:2:3", 7, "cannot follow"},
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

static struct core_delay delay_of(const char *spec, const struct ek_topology *topology, struct ek_reader reader)
{
    struct ek_error error;
    struct core_delay delay;
    cr_assert(core_delay_parse(&delay, "delay", spec, topology, false, reader, &error), "%s", error.sentence);
    return delay;
}

Test(delay, none_and_fixed)
{
    struct ek_topology *ring = must_build("ring:8");
    struct core_delay none = delay_of("none", ring, NO_FILES);
    struct core_delay fixed = delay_of("fixed:4096", ring, NO_FILES);
    cr_expect_eq(none.high, 0);
    cr_expect_eq(core_delay_at(&none, 1, 3, 9), 0);
    cr_expect_eq(fixed.high, 4096);
    cr_expect_eq(core_delay_at(&fixed, 1, 3, 9), 4096);
    ek_topology_destroy(ring);
}

Test(delay, uniform_has_every_step_evenly)
{
    enum { STEPS = 12000 };
    struct ek_topology *ring = must_build("ring:8");
    struct core_delay delay = delay_of("uniform:2:5", ring, NO_FILES);
    unsigned count[6] = {0};
    cr_expect_eq(delay.high, 5);
    for (uint64_t step = 0; step < STEPS; step++) {
        uint64_t steps = core_delay_at(&delay, 1, 3, step);
        cr_assert(steps >= 2 && steps <= 5);
        cr_assert_eq(steps, core_delay_at(&delay, 1, 3, step));
        count[steps]++;
    }
    for (uint32_t steps = 2; steps <= 5; steps++) {
        cr_expect(fabs(count[steps] - STEPS / 4.0) < 5.0 * sqrt(STEPS * 0.1875), "%u: %u", steps, count[steps]);
    }
    ek_topology_destroy(ring);
}

// Rounding to the nearest step and the bound of eight times the mean hardly change the mean.
Test(delay, exponential_has_its_mean_and_its_bound)
{
    enum { STEPS = 20000 };
    struct ek_topology *ring = must_build("ring:8");
    struct core_delay delay = delay_of("exponential:10.1", ring, NO_FILES);
    double sum = 0.0;
    cr_expect_eq(delay.high, 81);
    for (uint64_t step = 0; step < STEPS; step++) {
        uint64_t steps = core_delay_at(&delay, 1, 5, step);
        cr_assert_leq(steps, 81);
        sum += (double)steps;
    }
    cr_expect(fabs(sum / STEPS - 10.1) < 5.0 * 10.1 / sqrt(STEPS) + 0.05, "%g", sum / STEPS);
    struct core_delay longest = delay_of("exponential:512", ring, NO_FILES);
    cr_expect_eq(longest.high, CORE_DELAY_STEPS_MAX);
    ek_topology_destroy(ring);
}

Test(delay, from_a_file_holds_both_ways)
{
    struct ek_topology *mesh = must_build("mesh:2x2");
    struct tests_memory memory;
    struct ek_reader reader = text_reader(&memory, "3 1 7\n0 1 1\n# links\n2\t0  2\r\n2 3 0\n");
    struct core_delay delay = delay_of("file:any", mesh, reader);
    static const uint32_t wanted[4][4] = {{0, 1, 2, 0}, {1, 0, 0, 7}, {2, 0, 0, 0}, {0, 7, 0, 0}};
    for (uint32_t p = 0; p < 4; p++) {
        for (uint32_t port = mesh->first[p]; port < mesh->first[p + 1]; port++) {
            cr_expect_eq(core_delay_at(&delay, 1, port, 3), wanted[p][mesh->neighbour[port]]);
        }
    }
    cr_expect_eq(delay.high, 7);
    core_delay_destroy(&delay);
    ek_topology_destroy(mesh);
}

Test(delay, refusals)
{
    static const struct bad_spec specs[] = {
        {"", 0, "choose one of none"},
        {"fixd:3", 0, "did you mean fixed"},
        {"none:0", 4, "cannot follow"},
        {"fixed:-1", 6, "from 0 to 4096"},
        {"fixed:4097", 6, "from 0 to 4096"},
        {"fixed:20us", 8, "without a unit"},
        {"fixed:1.5", 7, "without a unit"},
        {"uniform:5:2", 8, "comes first"},
        {"uniform:0:5ms", 11, "without a unit"},
        {"exponential:20us", 14, "times are for timing free"},
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
        {"0 1 3 4 5\n", "any:1: ' ' cannot follow"},
        {"0 1 3 x\n", "any:1: the delay back must be a whole number from 0 to 4096"},
        {"0 1 3 4\n1 2 3\n0 2 3 4\n", "any:2: some lines name both directions of their link and some only one"},
        {"0 1 3\n1 2 3 4\n0 2 3\n", "any:2: some lines name both directions of their link and some only one"},
        {"", "any has no delay for the link"},
    };
    struct ek_topology *ring = must_build("ring:3");
    struct ek_error error;
    struct core_delay delay;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        cr_expect_not(core_delay_parse(&delay, "delay", specs[i].spec, ring, false, NO_FILES, &error), "%s",
                      specs[i].spec);
        expect_refused(&error, "delay", specs[i].spec, specs[i].at, specs[i].part);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tests_memory memory;
        struct ek_reader reader = text_reader(&memory, files[i].text);
        cr_expect_not(core_delay_parse(&delay, "delay", "file:any", ring, false, reader, &error), "%s", files[i].text);
        expect_refused(&error, "delay", files[i].text, -1, files[i].part);
        cr_expect_null(delay.by_port);
    }
    ek_topology_destroy(ring);
}

// Invocations are drawn from a stream of their own.
Test(invoke, probability_has_a_stream_of_its_own)
{
    const struct core_invoke invoke = {.kind = CORE_INVOKE_PROBABILITY, .probability = 0.3};
    unsigned invoked = 0;
    for (uint64_t moment = 0; moment < 10000; moment++) {
        uint32_t p = (uint32_t)(moment % 7);
        struct base_random random = base_random_moment(5, p, BASE_STREAM_INVOKE, moment);
        bool does = core_invoke_test(&invoke, 5, p, moment, 1.0);
        cr_assert_eq(does, base_random_unit(&random) < 0.3);
        invoked += does;
    }
    cr_expect(invoked > 2800 && invoked < 3200, "%u of 10,000", invoked);
    static const int streams[] = {BASE_STREAM_LOAD,  BASE_STREAM_WORK,  BASE_STREAM_INVOKE,
                                  BASE_STREAM_TURNS, BASE_STREAM_PAUSE, BASE_STREAM_PERTURB};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        for (size_t k = 0; k < i; k++) {
            cr_expect_neq(streams[i], streams[k]);
        }
    }
}
