// SPDX-License-Identifier: MIT
// The common axis of several traces: where it ends, and what a run that has ended counts with.
#include <criterion/criterion.h>

#include "lab/record/traces.h"
#include "threads/api/report.h"

enum { RUNS = 2 };

// Two runs with a row for each moment up to their ends. Their variance is the moment.
static struct ek_trace_row rows[RUNS][8];
static struct ek_report runs[RUNS];

static void set_runs(bool timed, enum ek_ended first, size_t first_rows, enum ek_ended second, size_t second_rows)
{
    const size_t count[RUNS] = {first_rows, second_rows};
    for (size_t r = 0; r < RUNS; r++) {
        runs[r] = (struct ek_report){
            .timed = timed, .ended = r == 0 ? first : second, .trace = rows[r], .trace_count = count[r]};
        for (size_t i = 0; i < count[r]; i++) {
            rows[r][i] = (struct ek_trace_row){.step = i, .time = (double)i, .variance = (double)i};
        }
    }
}

// Returns the last place of the axis.
static double last_place(void)
{
    struct lab_traces traces;
    cr_assert(lab_traces_begin(&traces, runs, RUNS));
    const double last = lab_traces_moment(&traces, lab_traces_moments(&traces) - 1);
    cr_expect_eq(lab_traces_end_early(&traces), last < lab_trace_end(traces.longest));
    lab_traces_destroy(&traces);
    return last;
}

Test(traces, a_run_whose_loads_stay_keeps_its_last_value)
{
    static const enum ek_ended over[] = {EK_ENDED_CRITERION, EK_ENDED_ITSELF, EK_ENDED_FROZEN};
    for (size_t i = 0; i < sizeof over / sizeof *over; i++) {
        set_runs(false, over[i], 4, EK_ENDED_CRITERION, 8);
        cr_expect_eq(last_place(), 7.0);
        set_runs(true, over[i], 4, EK_ENDED_CRITERION, 8);
        cr_expect_eq(last_place(), 7.0);
    }
    struct lab_traces traces;
    cr_assert(lab_traces_begin(&traces, runs, RUNS));
    cr_expect_eq(lab_traces_value(&traces, 0, 7.0, lab_trace_field_named("variance")), 3.0);
    lab_traces_destroy(&traces);
}

Test(traces, the_axis_ends_where_loads_would_have_changed)
{
    static const enum ek_ended cut[] = {EK_ENDED_STEPS,   EK_ENDED_OPERATIONS, EK_ENDED_TIME,     EK_ENDED_INTERRUPT,
                                        EK_ENDED_REPEATS, EK_ENDED_DIVERGES,   EK_ENDED_GIVEN_UP, EK_ENDED_STUCK};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        for (int timed = 0; timed < 2; timed++) {
            set_runs(timed, cut[i], 4, EK_ENDED_CRITERION, 8);
            cr_expect_eq(last_place(), 3.0);
            set_runs(timed, EK_ENDED_CRITERION, 4, cut[i], 8); // the longest itself is cut
            cr_expect_eq(last_place(), 7.0);
        }
    }
}

Test(traces, work_changes_loads_after_the_end)
{
    set_runs(false, EK_ENDED_CRITERION, 4, EK_ENDED_CRITERION, 8);
    runs[0].generated = 1.0;
    cr_expect_eq(last_place(), 3.0);
    set_runs(false, EK_ENDED_CRITERION, 4, EK_ENDED_CRITERION, 8);
    runs[0].consumed = 1.0;
    cr_expect_eq(last_place(), 3.0);
}

// The trace of free timing begins with its first snapshot. Before it only the variance is known, from the start.
Test(traces, in_free_timing_the_start_is_no_row)
{
    struct lab_traces traces;
    set_runs(true, EK_ENDED_CRITERION, 4, EK_ENDED_CRITERION, 8);
    for (size_t i = 0; i < 4; i++) {
        rows[0][i] = (struct ek_trace_row){.time = 1.0 + (double)i, .variance = 16.0, .maximum = 5.0};
    }
    runs[0].variance_initial = 64.0;
    cr_assert(lab_traces_begin(&traces, runs, 1));
    cr_expect_eq(lab_traces_moments(&traces), 5);
    for (size_t i = 0; i < 5; i++) {
        cr_expect_eq(lab_traces_moment(&traces, i), (double)i);
    }
    const struct lab_field *variance = lab_trace_field_named("variance"), *maximum = lab_trace_field_named("maximum");
    cr_expect_eq(lab_traces_value(&traces, 0, 0.0, variance), 64.0);
    cr_expect_float_eq(lab_traces_value(&traces, 0, 0.5, variance), 32.0, 1e-9);
    cr_expect_eq(lab_traces_value(&traces, 0, 0.5, maximum), 5.0);
    cr_expect_eq(lab_traces_value(&traces, 0, 1.0, variance), 16.0);
    lab_traces_destroy(&traces);
}
