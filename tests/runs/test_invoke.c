// SPDX-License-Identifier: MIT
// Who invokes: the report's counts, against a small simulation of a ring.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "core/axes/invoke.h"
#include "tests/support/must.h"
#include "tests/support/specs.h"

enum { RING = 8 };

static void run(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    experiment.carrier = experiment.carrier ? experiment.carrier : "pool:3";
    experiment.stop = experiment.stop ? experiment.stop : "never";
    experiment.keep_trace = true;
    must_run(experiment, outcome);
}

// The counts of the simulation, and the loads that it leaves.
struct counted {
    double load[RING];
    uint64_t invocations, announcements, parcels;
};

// Average dimension exchange on a ring whose links have two colours, or diffusion with a third over all links at
// once. A link is used if either end invokes. Then both ends announce, and one of them sends half of the difference.
typedef bool invokes_of(unsigned p, unsigned operation, const double *load);

static void simulate(struct counted *counted, bool exchange, unsigned operations, invokes_of *invokes)
{
    for (unsigned operation = 0; operation < operations; operation++) {
        bool invoker[RING];
        for (unsigned p = 0; p < RING; p++) {
            invoker[p] = invokes(p, operation, counted->load);
            counted->invocations += invoker[p];
        }
        double next[RING];
        memcpy(next, counted->load, sizeof next);
        for (unsigned link = 0; link < RING; link++) {
            unsigned p = exchange ? link * 2 % RING + link / (RING / 2) : link; // the even links first
            unsigned q = (p + 1) % RING;
            double *load = exchange ? next : counted->load;
            double flow = (load[p] - load[q]) / (exchange ? 2.0 : 3.0);
            if (invoker[p] || invoker[q]) {
                counted->announcements += 2;
                counted->parcels += flow != 0.0;
                next[p] -= flow;
                next[q] += flow;
            }
        }
        memcpy(counted->load, next, sizeof next);
    }
}

static bool has_much(unsigned p, unsigned operation, const double *load)
{
    (void)operation;
    return load[p] > 99.0;
}

static bool every_third(unsigned p, unsigned operation, const double *load)
{
    (void)p, (void)load;
    return operation == 2 || operation == 5;
}

static bool at_two(unsigned p, unsigned operation, const double *load)
{
    (void)operation, (void)load;
    return p == 2 || p == 6;
}

static bool spread_out(unsigned p, unsigned operation, const double *load)
{
    (void)p, (void)operation;
    double least = INFINITY;
    double most = -INFINITY;
    for (unsigned q = 0; q < RING; q++) {
        least = fmin(least, load[q]);
        most = fmax(most, load[q]);
    }
    return most - least > 250.0;
}

static bool varied(unsigned p, unsigned operation, const double *load)
{
    (void)p, (void)operation;
    double variance = 0.0; // the mean stays 100
    for (unsigned q = 0; q < RING; q++) {
        variance += (load[q] - 100.0) * (load[q] - 100.0);
    }
    return variance > 60000.0;
}

Test(invocations, are_as_a_small_simulation_has_them)
{
    static const struct {
        const char *spec;
        invokes_of *invokes;
    } cases[] = {{"outside:0:99", has_much},        {"above:99", has_much},
                 {"every:3", every_third},          {"at:6,2", at_two},
                 {"global:spread:250", spread_out}, {"global:variance:60000", varied}};
    for (unsigned k = 0; k < 4 * sizeof cases / sizeof *cases; k++) {
        struct counted counted = {.load = {[3] = 800.0}};
        struct ek_experiment experiment = {.topology = "ring:8",
                                           .method = k % 2 ? "adf" : "ade",
                                           .load = "peak:800@3",
                                           .invoke = cases[k / 4].spec,
                                           .operations_max = 7,
                                           .mailbox = k / 2 % 2 ? "spsc" : NULL};
        struct tests_outcome outcome;
        run(experiment, &outcome);
        simulate(&counted, k % 2 == 0, 7, cases[k / 4].invokes);
        const struct ek_report *report = &outcome.report;
        cr_expect(counted.invocations > 0 && counted.invocations < 7 * RING, "%s", experiment.invoke);
        for (unsigned p = 0; p < RING; p++) {
            cr_expect_float_eq(report->final[p], counted.load[p], 1e-9, "%s: processor %u: %g", experiment.invoke, p,
                               report->final[p]);
        }
        cr_expect_eq(report->invocations, counted.invocations, "%s: %lu", experiment.invoke, report->invocations);
        cr_expect_eq(report->messages, counted.announcements + counted.parcels, "%s: %lu, not %lu and %lu",
                     experiment.invoke, report->messages, counted.announcements, counted.parcels);
        tests_outcome_destroy(&outcome);
    }
}

// The peak on a torus of 64 invokes once: it announces to its four neighbours, they announce to it, and each gets a
// parcel.
Test(invocations, one_invoker_costs_its_links)
{
    struct ek_experiment experiment = {.topology = "torus:8x8",
                                       .method = "adf",
                                       .load = "peak:6400",
                                       .invoke = "outside:0:6000",
                                       .operations_max = 20};
    struct tests_outcome outcome;
    run(experiment, &outcome);
    cr_expect(outcome.report.invocations == 1 && outcome.report.messages == 4 + 4 + 4, "%lu, %lu",
              outcome.report.invocations, outcome.report.messages);
    tests_outcome_destroy(&outcome);
}

Test(invocations, are_everybodys_where_all_invoke)
{
    struct ek_experiment experiment = {.topology = "ring:8", .method = "ade", .operations_max = 5};
    struct tests_outcome outcome;
    run(experiment, &outcome);
    cr_expect_eq(outcome.report.invocations, 40, "%lu", outcome.report.invocations);
    tests_outcome_destroy(&outcome);
    experiment.timing = "free";
    experiment.operations_max = 500;
    run(experiment, &outcome);
    cr_expect_eq(outcome.report.invocations, 500, "%lu", outcome.report.invocations);
    tests_outcome_destroy(&outcome);
}

// At first every load differs from the initial 0. Then no load has changed by half, which is the end.
Test(invocations, a_program_says_who_invokes)
{
    struct ek_experiment experiment = {.topology = "torus:4x4",
                                       .method = "random-neighbours:1:1.5",
                                       .load = "constant:100",
                                       .invoke = "always",
                                       .operations_max = 3};
    struct tests_outcome outcome;
    run(experiment, &outcome);
    const struct ek_report *report = &outcome.report;
    static const uint64_t wanted[] = {0, 16, 16}; // two steps
    cr_expect(outcome.status == EK_OK && report->ended == EK_ENDED_ITSELF && report->operations == 1);
    cr_expect_eq(report->invocations, 16, "%lu", report->invocations);
    cr_assert_eq(report->trace_count, sizeof wanted / sizeof *wanted, "%zu rows", report->trace_count);
    for (size_t i = 0; i < report->trace_count; i++) {
        cr_expect_eq(report->trace[i].invokers, wanted[i], "row %zu: %lu", i, report->trace[i].invokers);
    }
    tests_outcome_destroy(&outcome);
}

// Splitting ends before an operation in which nothing would move. It has no row and no invocation.
Test(invocations, an_operation_that_was_none_leaves_no_row)
{
    static const char *const loads[] = {"constant:1", "peak:64"};
    for (size_t i = 0; i < 2; i++) {
        struct ek_experiment experiment = {.topology = "ring:8", .method = "splitting:1/2", .load = loads[i]};
        struct tests_outcome outcome;
        experiment.stop = "shared";
        run(experiment, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect(report->steps == 0 || i == 1, "%s: %lu steps", loads[i], report->steps);
        cr_assert_eq(report->trace_count, report->steps + 1, "%s: %zu rows", loads[i], report->trace_count);
        cr_expect_eq(report->trace[report->trace_count - 1].step, report->steps);
        cr_expect_eq(report->invocations, RING * report->operations);
        tests_outcome_destroy(&outcome);
    }
}

// An uncounted step is no tick: row 0 is before the first step, and before the first work.
Test(trace, row_0_is_before_work)
{
    struct ek_experiment experiment = {.topology = "ring:4",
                                       .method = "local-average",
                                       .clock = "step",
                                       .work = "constant:0=10",
                                       .load = "constant:5",
                                       .operations_max = 2};
    struct tests_outcome outcome;
    run(experiment, &outcome);
    const struct ek_report *report = &outcome.report;
    cr_assert_eq(report->trace_count, 5);
    cr_expect(report->trace[0].maximum == 5.0 && report->trace[1].maximum == 15.0, "%g, %g", report->trace[0].maximum,
              report->trace[1].maximum);
    cr_expect_eq(report->generated, 40.0, "%g", report->generated); // two counted steps an operation
    tests_outcome_destroy(&outcome);
}

// In free timing the run ends when the condition on all loads holds no more.
Test(free_invocations, a_condition_on_the_whole_ends_the_run)
{
    static const char *const specs[] = {"global:spread:300", "global:variance:9000", "above:600"};
    for (size_t i = 0; i < 3; i++) {
        struct ek_experiment experiment = {
            .timing = "free", .topology = "ring:8", .method = "adf", .domains = "exclusive", .invoke = specs[i]};
        struct tests_outcome outcome;
        experiment.carrier = "pool:2";
        experiment.keep_loads = true;
        tests_try(&experiment, 0, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect(outcome.status == EK_OK && report->ended == EK_ENDED_ITSELF && report->operations > 0, "%s: %s %s",
                  specs[i], outcome.error.sentence, report->why);
        cr_expect(i == 0   ? report->spread_final <= 300.0
                  : i == 1 ? report->variance_final <= 9000.0
                           : report->maximum <= 600.0);
        tests_outcome_destroy(&outcome);
    }
}

// 0 balances with 1, and no processor with the far end. Invocations at given times come at those times.
Test(free_invocations, some_alone_and_some_at_times)
{
    struct ek_experiment experiment = {.timing = "free",
                                       .topology = "chain:4",
                                       .method = "ade",
                                       .load = "list:0,100,500,900",
                                       .invoke = "at:0",
                                       .operations_max = 50};
    struct tests_outcome outcome;
    run(experiment, &outcome);
    cr_expect(outcome.report.final[0] == 50.0 && outcome.report.final[1] == 50.0 && outcome.report.final[2] == 500.0,
              "%g, %g, %g", outcome.report.final[0], outcome.report.final[1], outcome.report.final[2]);
    tests_outcome_destroy(&outcome);
    experiment.invoke = "every:7";
    experiment.operations_max = 0;
    experiment.stop = "spread:1";
    run(experiment, &outcome);
    cr_expect(outcome.status == EK_OK && outcome.report.spread_final <= 1.0, "%s", outcome.report.why);
    tests_outcome_destroy(&outcome);
}

// The loads stay the same, and the run ends at once with a proof, not with a suspicion.
Test(invocations, nobody_invokes)
{
    static const char *const specs[] = {"probability:0", "below:0", "above:1000", "outside:0:1000"};
    for (size_t i = 0; i < 2 * sizeof specs / sizeof *specs; i++) {
        bool is_free = i % 2;
        struct ek_experiment experiment = {.timing = is_free ? "free" : "rounds",
                                           .topology = "ring:8",
                                           .method = "ade",
                                           .invoke = specs[i / 2],
                                           .seconds_max = 5.0};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect(report->ended == (is_free ? EK_ENDED_ITSELF : EK_ENDED_FROZEN) && report->operations <= 2,
                  "%s, %s: %s after %lu", specs[i / 2], experiment.timing, report->why, report->operations);
        cr_expect(strncmp(report->why, "no processor invokes", 20) == 0 || (is_free && report->converged), "%s, %s: %s",
                  specs[i / 2], experiment.timing, report->why);
        tests_outcome_destroy(&outcome);
    }
}

// A draw or a clock lets processors invoke again and again, but if their methods include no neighbour, no operation
// begins any more, and the run ends.
Test(invocations, that_include_nobody_end)
{
    static const char *const timings[] = {"free", "virtual"}, *const specs[] = {"every:3", "probability:0.1"};
    for (unsigned k = 0; k < 4; k++) {
        struct ek_experiment experiment = {.topology = "ring:8",
                                           .method = "none",
                                           .load = "peak:80",
                                           .carrier = "pool:2",
                                           .timing = timings[k / 2],
                                           .invoke = specs[k % 2]};
        struct tests_outcome outcome;
        must_run(experiment, &outcome);
        cr_expect(outcome.status == EK_UNREACHED && outcome.report.operations == 0, "%s, %s", timings[k / 2],
                  specs[k % 2]);
        cr_expect(strstr(outcome.report.why, "no processor invokes an operation any more"), "%s", outcome.report.why);
        tests_outcome_destroy(&outcome);
        experiment.method = "random-neighbours:1:1.5";
        must_run(experiment, &outcome);
        cr_expect(outcome.status == EK_OK && outcome.report.operations > 0, "%s, %s", timings[k / 2], specs[k % 2]);
        tests_outcome_destroy(&outcome);
    }
}

Test(invocations, refusals)
{
    static const struct bad_spec specs[] = {
        {"above", 5, "above:H"},
        {"above:x", 6, "the bound must be a decimal"},
        {"every:0", 6, "from 1 to"},
        {"every:2.5", 7, "cannot follow"},
        {"at:", 3, "a processor must be"},
        {"at:1,8", 5, "from 0 to 7"},
        {"at:1,", 5, "a processor must be"},
        {"global:mean:3", 7, "variance:V or spread:D"},
        {"global:spread", 13, "':'"},
        {"global:spread:-1", 14, "at least 0"},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_error error;
        struct core_invoke invoke;
        cr_expect_not(core_invoke_parse(&invoke, specs[i].spec, RING, &error), "%s", specs[i].spec);
        expect_refused(&error, "invoke", specs[i].spec, specs[i].at, specs[i].part);
        cr_expect_null(invoke.at);
    }
}

// All bounds are strict.
Test(invocations, bounds_are_strict)
{
    struct ek_error error;
    struct core_invoke above;
    struct core_invoke variance;
    struct core_invoke spread;
    cr_assert(core_invoke_parse(&above, "above:10", RING, &error), "%s", error.sentence);
    cr_expect(!core_invoke_test(&above, 1, 0, 0, 10.0) && core_invoke_test(&above, 1, 0, 0, 10.5));
    cr_assert(core_invoke_parse(&variance, "global:variance:50", RING, &error), "%s", error.sentence);
    cr_assert(core_invoke_parse(&spread, "global:spread:10", RING, &error), "%s", error.sentence);
    struct core_measure at = {.variance = 50.0, .minimum = 5.0, .maximum = 15.0};
    struct core_measure beyond = {.variance = 50.5, .minimum = 5.0, .maximum = 15.5};
    cr_expect(!core_invoke_global(&variance, &at) && core_invoke_global(&variance, &beyond));
    cr_expect(!core_invoke_global(&spread, &at) && core_invoke_global(&spread, &beyond));
    cr_expect(!core_invoke_global(&above, &beyond) && !core_invoke_test(&spread, 1, 0, 0, 1e9));
}
