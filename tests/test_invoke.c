// SPDX-License-Identifier: MIT
// Who invokes: what is counted of it, beside a small simulation of a ring.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/runs.h"

enum { RING = 8 };

static void run(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    experiment.carrier = experiment.carrier ? experiment.carrier : "pool:3";
    experiment.stop = experiment.stop ? experiment.stop : "never";
    experiment.keep_loads = experiment.keep_trace = true;
    tests_try(&experiment, 0, outcome);
    cr_assert(outcome->status == EK_OK || outcome->status == EK_UNREACHED, "%s", outcome->error.sentence);
}

// What the simulation has counted, and the loads that it leaves.
struct counted {
    double load[RING];
    uint64_t invocations, announcements, parcels;
};

// Average dimension exchange on a ring whose links have two colours, or diffusion with a third over all of them at
// once: a link is used if either end invokes, and then both ends announce and one of them sends half of the difference.
static void simulate(struct counted *counted, bool exchange, unsigned operations, bool (*invokes)(double load))
{
    for (unsigned operation = 0; operation < operations; operation++) {
        bool invoker[RING];
        for (unsigned p = 0; p < RING; p++) {
            invoker[p] = invokes(counted->load[p]);
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

static bool has_much(double load)
{
    return load > 99.0;
}

Test(invocations, announcements_are_those_over_links_that_take_part)
{
    for (unsigned k = 0; k < 4; k++) {
        struct counted counted = {.load = {[3] = 800.0}};
        struct ek_experiment experiment = {.topology = "ring:8",
                                           .method = k % 2 ? "adf" : "ade",
                                           .load = "peak:800@3",
                                           .invoke = "outside:0:99",
                                           .operations_max = 6,
                                           .mailbox = k / 2 ? "spsc" : NULL};
        struct tests_outcome outcome;
        run(experiment, &outcome);
        simulate(&counted, k % 2 == 0, 6, has_much);
        const struct ek_report *report = &outcome.report;
        for (unsigned p = 0; p < RING; p++) {
            cr_expect_float_eq(report->final[p], counted.load[p], 1e-9, "%u: processor %u: %g", k, p, report->final[p]);
        }
        cr_expect_eq(report->invocations, counted.invocations, "%u: %lu", k, report->invocations);
        cr_expect_eq(report->messages, counted.announcements + counted.parcels, "%u: %lu, not %lu and %lu", k,
                     report->messages, counted.announcements, counted.parcels);
        tests_outcome_destroy(&outcome);
    }
}

// The peak on a torus of 64 invokes once: it tells its four neighbours, each tells it, and gets a parcel.
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

// At first every load differs from the 0 of no operation; afterwards none has changed by half.
Test(invocations, a_program_says_who_invokes)
{
    struct ek_experiment experiment = {
        .topology = "torus:4x4", .method = "random-neighbours:1:1.5", .load = "constant:100", .operations_max = 3};
    struct tests_outcome outcome;
    run(experiment, &outcome);
    const struct ek_report *report = &outcome.report;
    static const uint64_t wanted[] = {0, 16, 16, 0, 0, 0, 0}; // two steps each
    cr_expect_eq(report->invocations, 16, "%lu", report->invocations);
    cr_assert_eq(report->trace_count, sizeof wanted / sizeof *wanted, "%zu rows", report->trace_count);
    for (size_t i = 0; i < report->trace_count; i++) {
        cr_expect_eq(report->trace[i].invokers, wanted[i], "row %zu: %lu", i, report->trace[i].invokers);
    }
    tests_outcome_destroy(&outcome);
}

// Splitting ends before the operation in which nothing would move: it has no row, and nobody has invoked it.
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

// A step that does not count is no tick: row 0 is before the first step, and before the first work.
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
