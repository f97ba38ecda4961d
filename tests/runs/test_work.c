// SPDX-License-Identifier: MIT
// What work does to loads, against a few lines of arithmetic: consumed, negative and unmet load, and load that never
// left.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/support/by_hand.h"
#include "tests/support/text_file.h"
#include "tests/support/runs.h"

static void run(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    experiment.carrier = "pool:2";
    experiment.keep_loads = true;
    tests_try(&experiment, 0, outcome);
    cr_assert_eq(outcome->status, EK_OK, "%s", outcome->error.sentence);
}

// No load crosses a link: processor 0 should consume 4 a tick, and generates nothing.
static struct ek_experiment lonely(void)
{
    return (struct ek_experiment){.topology = "ring:5",
                                  .method = "sender:1/deg",
                                  .load = "constant:10",
                                  .link_limit = "0",
                                  .work = "constant:0=-4,1=3",
                                  .stop = "never",
                                  .operations_max = 5};
}

Test(demand, what_is_not_there_is_owed_or_unmet)
{
    static const struct {
        const char *timing, *units, *demand, *effective;
    } cases[] = {
        {"rounds", "real", NULL, "owed"},        {"rounds", "real", "owed", "owed"},
        {"turns", "real", NULL, "owed"},         {"rounds", "real", "bounded", "bounded"},
        {"turns", "real", "bounded", "bounded"}, {"rounds", "tokens", NULL, "bounded"},
        {"turns", "tokens", NULL, "bounded"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = lonely();
        experiment.timing = cases[i].timing;
        experiment.units = cases[i].units;
        experiment.demand = cases[i].demand;
        bool owed = strcmp(cases[i].effective, "owed") == 0;
        double held = 10.0;
        double consumed = 0.0;
        for (int tick = 0; tick < 5; tick++) {
            double taken = owed || held >= 4.0 ? 4.0 : held;
            held -= taken;
            consumed += taken;
        }
        struct tests_outcome outcome;
        run(experiment, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect(report->final[0] == held && report->final[1] == 25.0, "%zu: %g, %g", i, report->final[0],
                  report->final[1]);
        cr_expect(report->consumed == consumed && report->generated == 15.0 && report->unmet == 20.0 - consumed,
                  "%zu: %g, %g, %g", i, report->consumed, report->generated, report->unmet);
        cr_expect_eq(report->minimum_ever, held, "%zu", i);
        size_t axis = 0;
        while (strcmp(ek_axis_at(axis)->option, "demand") != 0) {
            axis++;
        }
        cr_expect_str_eq(ek_machine_axis(outcome.machine, axis), cases[i].effective, "%zu", i);
        tests_outcome_destroy(&outcome);
    }
}

// There is load for two and a half ticks of 4. The number of ticks is not known.
Test(demand, free_timing_takes_no_more_than_is_there)
{
    struct ek_experiment experiment = lonely();
    experiment.timing = "free";
    experiment.method = "ade";
    experiment.operations_max = 2000;
    struct tests_outcome outcome;
    run(experiment, &outcome);
    const struct ek_report *report = &outcome.report;
    cr_expect(report->final[0] == 0.0 && report->minimum_ever == 0.0 && report->consumed == 10.0, "%g, %g, %g",
              report->final[0], report->minimum_ever, report->consumed);
    cr_expect(report->unmet >= 2.0 && fmod(report->unmet + 10.0, 4.0) == 0.0, "%g", report->unmet);
    tests_outcome_destroy(&outcome);
}

Test(demand, tokens_are_never_owed_whatever_is_drawn)
{
    struct ek_experiment experiment = {.topology = "ring:8",
                                       .method = "ade",
                                       .units = "tokens",
                                       .load = "constant:10",
                                       .work = "normal:100:900:100",
                                       .stop = "never",
                                       .steps_max = 20};
    struct tests_outcome outcome;
    run(experiment, &outcome);
    cr_expect(outcome.report.minimum_ever >= 0.0 && outcome.report.unmet > 0.0, "%g, %g", outcome.report.minimum_ever,
              outcome.report.unmet);
    tests_outcome_destroy(&outcome);
    experiment.units = "real"; // the papers allow negative real loads
    run(experiment, &outcome);
    cr_expect(outcome.report.minimum_ever < 0.0 && outcome.report.unmet == 0.0, "%g, %g", outcome.report.minimum_ever,
              outcome.report.unmet);
    tests_outcome_destroy(&outcome);
}

Test(demand, is_refused_where_nothing_can_be_owed)
{
    static const struct ek_experiment cases[] = {
        {.demand = "owed", .units = "tokens"}, {.demand = "owed", .timing = "free"}, {.demand = "none"}};
    static const char *const parts[] = {"tokens cannot be owed", "at most what it holds", "kind of demand"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error;
        cr_assert_null(ek_prepare(&cases[i], &error), "%zu", i);
        cr_expect_str_eq(error.axis, "demand");
        cr_expect(strstr(error.sentence, parts[i]), "%s", error.sentence);
    }
}

// 10 and 0 become 5 and 5. Processor 1 consumes 3 of those that came; then one more comes, and processor 0 consumes
// 2 of the 4 that never left. So 4 never left: 2 that are there, and 2 that were consumed.
Test(stayed, counts_what_was_consumed_where_it_began)
{
    struct tests_memory memory = {.text = "0 -3\n-2 0\n", .length = 10};
    struct ek_experiment experiment = {.topology = "chain:2",
                                       .method = "ade",
                                       .units = "tokens",
                                       .load = "list:10,0",
                                       .work = "file:any",
                                       .reader = tests_memory_reader(&memory),
                                       .stop = "never",
                                       .operations_max = 2};
    struct tests_outcome outcome;
    run(experiment, &outcome);
    cr_expect(outcome.report.final[0] == 2.0 && outcome.report.final[1] == 3.0);
    cr_expect_eq(outcome.report.stayed, 4.0, "%g", outcome.report.stayed);
    tests_outcome_destroy(&outcome);
}

// If no load crosses a link, everything stayed: what is there and what was consumed.
Test(stayed, is_all_where_nothing_moves)
{
    static const char *const timings[] = {"rounds", "turns", "free"};
    for (size_t i = 0; i < 3; i++) {
        struct ek_experiment experiment = lonely();
        experiment.timing = timings[i];
        experiment.method = i == 2 ? "ade" : experiment.method;
        experiment.units = "tokens";
        struct tests_outcome outcome;
        run(experiment, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect(report->consumed > 0.0 && report->stayed == report->total_initial + report->generated, "%s: %g of %g",
                  timings[i], report->stayed, report->total_initial + report->generated);
        tests_outcome_destroy(&outcome);
    }
}

// 10 and 0. With work after: 5 and 5, then 6 come. With work before: 16 and 0 become 8 and 8. Row 0 has the loads of
// the start in both.
Test(working, before_or_after_the_balancing)
{
    static const char *const timings[] = {"rounds", "turns"};
    for (unsigned k = 0; k < 8; k++) {
        bool before = k % 2;
        struct ek_experiment experiment = {.topology = "chain:2",
                                           .timing = timings[k / 2 % 2],
                                           .method = "sender:1/(2deg)",
                                           .load = "list:10,0",
                                           .work = "constant:0=6",
                                           .working = before ? "before" : NULL,
                                           .clock = k / 4 ? "step" : NULL,
                                           .stop = "never",
                                           .operations_max = 1,
                                           .keep_trace = true};
        struct tests_outcome outcome;
        run(experiment, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect(report->final[0] == (before ? 8.0 : 11.0) && report->final[1] == (before ? 8.0 : 5.0), "%u: %g, %g",
                  k, report->final[0], report->final[1]);
        cr_expect(report->generated == 6.0 && report->trace[0].maximum == 10.0, "%u: %g, %g", k, report->generated,
                  report->trace[0].maximum);
        tests_outcome_destroy(&outcome);
        experiment.operations_max = 5;
        run(experiment, &outcome);
        cr_expect_eq(outcome.report.generated, 30.0, "%u: %g", k, outcome.report.generated);
        tests_outcome_destroy(&outcome);
    }
}

// Work that comes first decides who invokes: 40 is not below 40 before the work of the tick, and 39 is after it.
Test(working, before_decides_who_invokes)
{
    struct ek_experiment experiment = {.topology = "chain:2",
                                       .method = "ade",
                                       .load = "list:40,100",
                                       .work = "constant:0=-1",
                                       .invoke = "below:40",
                                       .working = "before",
                                       .stop = "never",
                                       .operations_max = 1};
    struct tests_outcome outcome;
    run(experiment, &outcome);
    cr_expect_eq(outcome.report.final[0], 69.5, "%g", outcome.report.final[0]);
    tests_outcome_destroy(&outcome);
    experiment.invoke = "global:spread:60"; // 61 after the work
    run(experiment, &outcome);
    cr_expect_eq(outcome.report.final[0], 69.5, "%g", outcome.report.final[0]);
    tests_outcome_destroy(&outcome);
}

enum { RING = 8 };

// A processor with more than 99 invokes. A processor that takes part does not work in that tick. In exchange a tick
// is a colour.
static double simulate_suspended(bool exchange, unsigned operations, double *load)
{
    double generated = 0.0;
    for (unsigned operation = 0; operation < operations; operation++) {
        bool invoker[RING];
        for (unsigned p = 0; p < RING; p++) {
            invoker[p] = load[p] > 99.0;
        }
        for (unsigned colour = 0; colour < (exchange ? 2 : 1); colour++) {
            double next[RING];
            bool part[RING] = {false};
            memcpy(next, load, sizeof next);
            for (unsigned p = colour; p < RING; p += exchange ? 2 : 1) {
                unsigned q = (p + 1) % RING;
                double flow = (load[p] - load[q]) / (exchange ? 2.0 : 3.0);
                if (invoker[p] || invoker[q]) {
                    part[p] = part[q] = true;
                    next[p] -= flow;
                    next[q] += flow;
                }
            }
            for (unsigned p = 0; p < RING; p++) {
                next[p] += part[p] ? 0.0 : 1.0;
                generated += part[p] ? 0.0 : 1.0;
            }
            memcpy(load, next, sizeof next);
        }
    }
    return generated;
}

Test(working, is_suspended_while_a_processor_balances)
{
    for (unsigned k = 0; k < 2; k++) {
        double load[RING] = {[3] = 800.0};
        struct ek_experiment experiment = {.topology = "ring:8",
                                           .method = k ? "adf" : "ade",
                                           .clock = k ? "operation" : "step",
                                           .load = "peak:800@3",
                                           .invoke = "above:99",
                                           .work = "constant:0=1,1=1,2=1,3=1,4=1,5=1,6=1,7=1",
                                           .working = "suspended",
                                           .stop = "never",
                                           .operations_max = 6};
        double generated = simulate_suspended(k == 0, 6, load);
        struct tests_outcome outcome;
        run(experiment, &outcome);
        cr_expect_eq(outcome.report.generated, generated, "%u: %g, not %g", k, outcome.report.generated, generated);
        for (unsigned p = 0; p < RING; p++) {
            cr_expect_float_eq(outcome.report.final[p], load[p], 1e-9, "%u: processor %u: %g", k, p,
                               outcome.report.final[p]);
        }
        tests_outcome_destroy(&outcome);
    }
}

// An operation takes at least 100 ms, and the next begins at once: nearly all ticks are within one. By hand, since a
// processor that gets no core between two operations has its ticks there.
Test(working, is_suspended_on_free_processors)
{
    double generated[2] = {0.0, 0.0};
    for (unsigned k = 0; k < 2; k++) {
        struct free_run *run = begin((struct ek_experiment){.topology = "chain:2",
                                                            .method = "adf",
                                                            .load = "constant:10",
                                                            .delay = "fixed:50ms",
                                                            .work = "constant:0=1,1=1",
                                                            .working = k ? "suspended" : "after",
                                                            .tick_s = 1e-3,
                                                            .stop = "never",
                                                            .seconds_max = 0.5});
        let_run(run, 500000);
        cr_expect(clock_ns >= 500000000);
        generated[k] = run->processor[0].generated + run->processor[1].generated;
        end(run);
    }
    cr_expect(generated[0] > 900.0 && generated[1] < generated[0] / 4.0, "%g of %g", generated[1], generated[0]);
}

Test(working, is_refused_where_it_means_nothing)
{
    static const struct ek_experiment cases[] = {
        {.working = "before", .timing = "free"},
        {.working = "suspended", .timing = "turns", .method = "adf"},
        {.working = "suspended", .method = "random-neighbours:2"},
        {.working = "never"},
    };
    static const char *const parts[] = {"its own ticks", "takes part in every step", "draws the members",
                                        "time to work"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error;
        cr_assert_null(ek_prepare(&cases[i], &error), "%zu", i);
        cr_expect_str_eq(error.axis, i == 2 ? "method" : "working");
        cr_expect(strstr(error.sentence, parts[i]), "%s", error.sentence);
    }
}

// 10.4 becomes ten tokens, 10.6 eleven.
Test(work, whole_work_in_tokens_is_rounded)
{
    static const char *const works[] = {"normal:10.4:0:0", "normal:10.6:0:0"};
    for (int k = 0; k < 2; k++) {
        struct tests_outcome outcome;
        run((struct ek_experiment){.topology = "ring:5",
                                   .method = "adf",
                                   .units = "tokens",
                                   .load = "constant:0",
                                   .work = works[k],
                                   .clock = "step",
                                   .stop = "never",
                                   .steps_max = 4},
            &outcome);
        double each = k == 0 ? 10.0 : 11.0;
        double ticks = outcome.report.generated / (5.0 * each);
        cr_expect(ticks == floor(ticks) && ticks >= 4.0, "%s: %g generated", works[k], outcome.report.generated);
        tests_outcome_destroy(&outcome);
    }
}
