// SPDX-License-Identifier: MIT
// --window: bounds over a part of a run, with loads that are known by hand.
#include <criterion/criterion.h>
#include <math.h>

#include "tests/support/runs.h"
#include "threads/watch/window.h"

// Two processors: one grows by 2 and the other shrinks by 2 each tick. 8, 0 become 4, 4, and with the work 6, 2;
// this repeats.
static void run_window(const char *window, struct tests_outcome *outcome)
{
    struct ek_experiment experiment = {.topology = "chain:2",
                                       .load = "list:8,0",
                                       .work = "constant:0=2,1=-2",
                                       .stop = "never",
                                       .steps_max = 5,
                                       .carrier = "pool:1",
                                       .window = window};
    tests_try(&experiment, 0, outcome);
    cr_assert_eq(outcome->status, EK_OK, "%s", outcome->error.sentence);
}

Test(window, its_ends_belong_to_it)
{
    static const struct {
        const char *window;
        uint64_t moments;
        double bound, mean, most;
    } rows[] = {{"0", 6, 4.0, (32.0 + 5.0 * 8.0) / 6.0, 32.0}, // the load at the start and after five steps
                {"0:0", 1, 4.0, 32.0, 32.0},
                {"1", 5, 2.0, 8.0, 8.0},
                {"0:1", 2, 4.0, 20.0, 32.0},
                {"5:9", 1, 2.0, 8.0, 8.0},
                {"6", 0, NAN, NAN, NAN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tests_outcome outcome;
        run_window(rows[i].window, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect(report->has_window && report->window_moments == rows[i].moments && report->trace_count == 0, "%s",
                  rows[i].window);
        cr_expect(fabs(report->bound - rows[i].bound) < 1e-12 || (isnan(report->bound) && isnan(rows[i].bound)), "%g",
                  report->bound);
        cr_expect(fabs(report->variance_mean - rows[i].mean) < 1e-12 || isnan(rows[i].mean), "%g",
                  report->variance_mean);
        cr_expect(report->variance_most == rows[i].most || isnan(rows[i].most), "%g", report->variance_most);
        tests_outcome_destroy(&outcome);
    }
    struct tests_outcome none;
    run_window("none", &none);
    cr_expect_not(none.report.has_window);
    tests_outcome_destroy(&none);
}

// The work of the next tick does not belong to the step, though uncounted steps of the next operation come after it.
Test(window, ends_before_the_work_of_the_next_tick)
{
    struct tests_outcome outcome;
    struct ek_experiment experiment = {.topology = "ring:6",
                                       .method = "local-average",
                                       .load = "peak:600",
                                       .work = "constant:0=5",
                                       .working = "before",
                                       .stop = "never",
                                       .steps_max = 6,
                                       .carrier = "pool:1",
                                       .window = "0:0"};
    tests_try(&experiment, 0, &outcome);
    cr_assert_eq(outcome.status, EK_OK, "%s", outcome.error.sentence);
    cr_expect_eq(outcome.report.window_moments, 1);
    cr_expect_float_eq(outcome.report.bound, 500.0, 1e-9, "%g", outcome.report.bound);
    cr_expect_float_eq(outcome.report.variance_most, 3e5, 1e-6, "%g", outcome.report.variance_most);
    tests_outcome_destroy(&outcome);
}

// Of a step that is seen twice, before and after uncounted steps, the later look counts.
Test(window, the_last_row_of_a_place_counts)
{
    struct watch_window window = {.asked = true, .from = 1.0, .to = 2.0};
    struct ek_report report = {0};
    cr_expect(!watch_window_has(&window, 0.5) && watch_window_has(&window, 1.0) && watch_window_has(&window, 2.0) &&
              !watch_window_has(&window, 2.5));
    watch_window_add(&window, 1.0, &(struct ek_trace_row){.variance = 100.0, .deviation = 10.0});
    watch_window_add(&window, 1.0, &(struct ek_trace_row){.variance = 2.0, .deviation = 1.0});
    watch_window_add(&window, 2.0, &(struct ek_trace_row){.variance = 4.0, .deviation = 0.5});
    watch_window_report(&window, &report);
    cr_expect(report.window_moments == 2 && report.bound == 1.0 && report.variance_mean == 3.0 &&
              report.variance_most == 4.0);
}

// Splitting takes back the operation in which nothing moved. Its steps are in no window.
Test(window, an_operation_taken_back_is_in_none)
{
    struct ek_experiment experiment = {
        .topology = "ring:4", .method = "splitting:1/2", .load = "list:2,2,2,2", .ports = "one", .window = "1"};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_expect(outcome.report.has_window && outcome.report.steps == 0 && outcome.report.window_moments == 0, "%lu",
              (unsigned long)outcome.report.window_moments);
    tests_outcome_destroy(&outcome);
}

Test(window, what_is_none_is_refused)
{
    static const struct {
        const char *window, *timing;
    } rows[] = {{"3:2", "rounds"}, {"1ms", "rounds"}, {"", "rounds"},
                {"1:", "rounds"},  {"5", "free"},     {"2ms:1ms", "free"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ek_error error;
        struct ek_experiment experiment = {.window = rows[i].window, .timing = rows[i].timing};
        cr_expect_null(ek_prepare(&experiment, &error), "%s", rows[i].window);
        cr_expect_str_eq(error.axis, "window");
    }
}
