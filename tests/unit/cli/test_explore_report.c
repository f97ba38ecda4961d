// SPDX-License-Identifier: MIT
// What `explore` writes of a failed exploration, and of one that was not complete.
#include <criterion/criterion.h>

#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/report/explore_report.h"
#include "tests/support/golden.h"

// Returns the JSON report, which is written to standard output.
static json_t *report_of(const struct lab_exploration *explored, enum ek_status status)
{
    const struct report_exploration shown = {
        .of = explored, .format = CLI_JSON, .command = "explore", .strategy = "random", .recording = "a.ek"};
    FILE *file = tmpfile();
    int before = dup(STDOUT_FILENO);
    fflush(stdout);
    cr_assert(file && before >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    cr_expect_eq(report_exploration_write(&shown, status), status);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(file);
    json_t *report = json_loadf(file, 0, NULL);
    fclose(file);
    cr_assert(report);
    return report;
}

static bool is_true(const json_t *report, const char *name)
{
    return json_is_true(json_object_get(report, name));
}

static struct lab_exploration explored;

static void begin(void)
{
    explored = (struct lab_exploration){.schedules = 9, .turns = 90, .turns_most = 20, .ends = 1, .recorded = true};
}

// An exploration that was interrupted before a schedule ended has checked nothing to its end.
Test(explore_report, no_schedule_ended, .init = begin)
{
    explored.schedules = explored.ends = 0;
    explored.turns = explored.all.turns = 7;
    for (int exhaustive = 0; exhaustive < 2; exhaustive++) {
        explored.exhaustive = exhaustive;
        json_t *report = report_of(&explored, EK_UNREACHED);
        cr_expect_str_eq(json_string_value(json_object_get(report, "verdict")),
                         "0 schedules: none was made to its end; all checks passed in 7 turns");
        json_decref(report);
    }
}

// The recording is of the failure, not of the schedule that was cut before.
Test(explore_report, a_failure_after_a_cut, .init = begin)
{
    explored.cut = 1;
    explored.cut_first = 4;
    json_t *report = report_of(&explored, EK_OK);
    const json_t *cut = json_object_get(report, "too_long");
    cr_expect_eq(json_integer_value(json_object_get(cut, "schedule")), 4);
    cr_expect_str_eq(json_string_value(json_object_get(cut, "recording")), "a.ek");
    cr_expect_eq(json_array_size(json_object_get(report, "violations")), 0);
    json_decref(report);
    explored.failed = true;
    explored.failure = (struct lab_explore_failure){.schedule = 7, .turns = 5};
    report = report_of(&explored, EK_VIOLATION);
    cr_expect(json_is_null(json_object_get(report, "too_long")));
    const json_t *failure = json_array_get(json_object_get(report, "violations"), 0);
    cr_expect_eq(json_integer_value(json_object_get(failure, "schedule")), 7);
    cr_expect_str_eq(json_string_value(json_object_get(failure, "recording")), "a.ek");
    json_decref(report);
}

// An exploration ends at its first failure, so it has not made all schedules.
Test(explore_report, complete, .init = begin)
{
    explored.exhaustive = true;
    explored.all = (struct ek_explore_all){.complete = true, .schedules = 3.0};
    json_t *report = report_of(&explored, EK_OK);
    cr_expect(is_true(report, "complete"));
    json_decref(report);
    explored.failed = true;
    report = report_of(&explored, EK_VIOLATION);
    cr_expect_not(is_true(report, "complete"));
    json_decref(report);
}

static const enum cli_format formats[] = {CLI_TABLE, CLI_JSON, CLI_CSV};

static void show(const char *what, enum ek_status status, const char *after)
{
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        const struct report_exploration shown = {.of = &explored,
                                                 .format = formats[f],
                                                 .verbose = f == 0,
                                                 .command = "evenkeel explore --seed 1",
                                                 .strategy = "pct:3",
                                                 .recording = "a.ek",
                                                 .after = after,
                                                 .until = 1012};
        printf("\n== %s\n", what);
        fflush(stdout);
        printf("status %d\n", (int)report_exploration_write(&shown, status));
    }
}

static void set_failure(uint64_t tried)
{
    static char topology[] = "ring:2", load[] = "peak:1";
    explored.failed = true;
    explored.failure = (struct lab_explore_failure){.schedule = 1007,
                                                    .turns = 1705,
                                                    .what = {.sentence = "load is lost"},
                                                    .topology = tried ? topology : NULL,
                                                    .load = tried > 5 ? load : NULL,
                                                    .small_turns = 6,
                                                    .small_what = {.sentence = "load is lost at once"},
                                                    .tried = tried};
}

static void begin_many(void)
{
    explored = (struct lab_exploration){.schedules = 1000,
                                        .turns = 123457,
                                        .ends = 4,
                                        .turns_most = 2000,
                                        .elapsed_s = 2.5,
                                        .hash = "abcdef",
                                        .met = {{.part = "asked", .engaged = true, .message = "pull", .times = 0},
                                                {.part = "told", .message = "give", .times = 1},
                                                {.part = "free", .engaged = true, .message = "ask", .times = 5},
                                                {.part = "free", .message = "give", .times = 0}},
                                        .met_count = 4,
                                        .reached = 2};
}

// A schedule that failed, one that was cut, and an exploration of all schedules, in every format.
Test(explore_report, all_of_it)
{
    struct golden golden = golden_begin();
    begin_many();
    show("all passed", EK_OK, NULL);
    show("continued, and interrupted", EK_UNREACHED, "before.ek");
    explored.cut = 1;
    explored.cut_first = 1003;
    explored.recorded = true;
    show("one was cut", EK_OK, NULL);
    explored.cut = 12;
    explored.endless = true;
    show("some were cut that may be endless", EK_OK, NULL);
    set_failure(1009);
    show("one failed", EK_VIOLATION, NULL);
    set_failure(5);
    explored.recorded = false;
    explored.unrecorded = (struct ek_error){.status = EK_BAD_INPUT, .sentence = "a.ek cannot be written", .at = -1};
    show("one failed on a smaller topology and was not recorded", EK_VIOLATION, NULL);
    show("not recorded", EK_OK, NULL);
    begin_many();
    set_failure(0);
    show("one failed that is as small as can be", EK_VIOLATION, NULL);
    begin_many();
    explored.exhaustive = true;
    explored.all =
        (struct ek_explore_all){.complete = true, .schedules = 1e15, .states = 1204, .turns = 9001, .longest = 77};
    show("all schedules", EK_OK, NULL);
    explored.all.complete = false;
    explored.ends = 1;
    show("not all schedules", EK_OK, NULL);
    set_failure(3);
    show("one of all schedules failed", EK_VIOLATION, NULL);
    explored = (struct lab_exploration){.elapsed_s = 1.0};
    show("none", EK_OK, NULL);
    golden_end(&golden, "tests/data/reports/explore.txt");
}
