// SPDX-License-Identifier: MIT
// The profile of runs with tasks: by hand in rounds and in virtual time, and in every timing as the report's other
// fields have the same times and tasks. How times are put into intervals is in tests/unit/threads/test_profile.c.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/support/must.h"

static struct ek_report run(struct ek_experiment experiment)
{
    struct tests_outcome outcome;
    must_run(experiment, &outcome);
    cr_assert_not_null(outcome.report.profile.interval, "%s %s", experiment.tasks, experiment.method);
    struct ek_report report = outcome.report;
    outcome.report = (struct ek_report){0};
    tests_outcome_destroy(&outcome);
    return report;
}

static double sum(const double *of, size_t count)
{
    double all = 0.0;
    for (size_t i = 0; i < count; i++) {
        all += of[i];
    }
    return all;
}

static double sum_of(const struct ek_report *report, enum ek_profile_kind kind, uint32_t processors)
{
    return sum(report->profile.processor + (size_t)kind * processors, processors);
}

// Checks the times of one kind in all intervals of a group.
static void expect_times(const struct ek_report *report, enum ek_profile_kind kind, size_t group, double unit,
                         const double *wanted)
{
    const struct ek_profile *profile = &report->profile;
    for (size_t i = 0; i < profile->intervals; i++) {
        double found = profile->time[(i * EK_PROFILE_TIMES + kind) * profile->groups + group] / unit;
        cr_expect(fabs(found - wanted[i]) <= 1e-6, "kind %u of group %zu in interval %zu: %.17g, not %.17g", kind,
                  group, i, found, wanted[i]);
    }
}

static void expect_processors(const struct ek_report *report, double unit, const double *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double found = report->profile.processor[i] / (i < count / EK_PROFILE_KINDS * EK_PROFILE_TIMES ? unit : 1.0);
        cr_expect(fabs(found - wanted[i]) <= 1e-6, "value %zu: %.17g, not %.17g", i, found, wanted[i]);
    }
}

static void expect_near(double found, double wanted, const char *what)
{
    cr_expect(fabs(found - wanted) <= 1e-12 * fmax(1.0, fabs(wanted)), "%s is %.17g, not %.17g", what, found, wanted);
}

// Seven tasks of cost 3 take one processor 11 ticks of 2 units; the other one has nothing to do.
Test(profiles, one_processor_works_in_rounds)
{
    struct ek_report report = run((struct ek_experiment){.topology = "chain:2",
                                                         .tasks = "bag:constant:3",
                                                         .load = "peak:7",
                                                         .method = "none",
                                                         .grain = 2,
                                                         .profile = 3});
    cr_assert_eq(report.profile.intervals, 3); // of 4 ticks
    cr_expect_eq(report.profile.interval[2].from, 8.0);
    cr_expect_eq(report.profile.interval[2].to, 11.0);
    expect_times(&report, EK_PROFILE_WORK, 0, 1.0, (double[]){4, 4, 3});
    expect_times(&report, EK_PROFILE_IDLE, 1, 1.0, (double[]){4, 4, 3});
    expect_processors(&report, 1.0, (double[]){11, 0, 0, 0, 0, 11, 7, 0, 7, 0}, 10);
    ek_report_destroy(&report);
}

// Processors 0 and 1 balance in each step, so they leave out every tick; processor 2 executes its three tasks.
Test(profiles, balancing_is_overhead_if_work_is_suspended)
{
    struct ek_report report = run((struct ek_experiment){.topology = "chain:3",
                                                         .tasks = "bag:constant:1",
                                                         .load = "list:2,2,3",
                                                         .method = "adf",
                                                         .invoke = "at:0",
                                                         .working = "suspended",
                                                         .steps_max = 8,
                                                         .profile = 8});
    cr_assert_eq(report.profile.intervals, 8);
    expect_times(&report, EK_PROFILE_WORK, 2, 1.0, (double[]){1, 1, 1, 0, 0, 0, 0, 0});
    expect_times(&report, EK_PROFILE_IDLE, 2, 1.0, (double[]){0, 0, 0, 1, 1, 1, 1, 1});
    expect_processors(&report, 1.0, (double[]){0, 0, 3, 8, 8, 0, 0, 0, 5, 0, 0, 3, 2, 2, 3}, 15);
    ek_report_destroy(&report);
}

// Each processor executes seven tasks of 3 us, or half of that on a processor of capacity 2, each in a turn of its own
// that begins with 100 ns of overhead. Intervals have 8192 ns.
Test(profiles, capacities_divide_the_time_of_work)
{
    struct ek_report report = run((struct ek_experiment){.topology = "chain:2",
                                                         .timing = "virtual",
                                                         .method = "none",
                                                         .tasks = "bag:constant:3",
                                                         .load = "constant:7",
                                                         .capacity = "semi",
                                                         .profile = 4});
    cr_assert_eq(report.profile.intervals, 3);
    cr_expect_lt(fabs(1e9 * report.profile.interval[1].to - 16384.0), 1e-6);
    cr_expect_lt(fabs(1e9 * report.profile.interval[2].to - 21700.0), 1e-6);
    expect_times(&report, EK_PROFILE_WORK, 0, 1e-9, (double[]){5 * 1500 + 92, 1408 + 1500, 0});
    expect_times(&report, EK_PROFILE_OVERHEAD, 0, 1e-9, (double[]){600, 100, 0});
    expect_times(&report, EK_PROFILE_IDLE, 0, 1e-9, (double[]){0, 8192 - 3008, 21700 - 16384});
    expect_times(&report, EK_PROFILE_OVERHEAD, 1, 1e-9, (double[]){300, 300, 100});
    expect_processors(&report, 1e-9, (double[]){10500, 21000, 700, 700, 10500, 0, 7, 7, 7, 7}, 10);
    ek_report_destroy(&report);
}

// In ticks, the processors' time without work is what idle_ticks counts.
static void expect_ticks(const struct ek_report *report, uint32_t processors)
{
    double most = 0.0;
    for (uint32_t p = 0; p < processors; p++) {
        double not_working = report->profile.processor[EK_PROFILE_OVERHEAD * processors + p] +
                             report->profile.processor[EK_PROFILE_IDLE * processors + p];
        most = fmax(most, not_working);
        expect_near(report->profile.processor[p] + not_working, (double)report->tasks.ticks, "a processor's time");
    }
    expect_near(most, report->tasks.idle_ticks_most, "the longest time without work");
    expect_near(sum_of(report, EK_PROFILE_OVERHEAD, processors) + sum_of(report, EK_PROFILE_IDLE, processors),
                report->tasks.idle_ticks * processors, "the time without work");
}

static void expect_whole(const struct ek_report *report, uint32_t processors)
{
    const struct ek_profile *profile = &report->profile;
    cr_expect_eq(sum_of(report, EK_PROFILE_EXECUTED, processors), (double)report->tasks.executed);
    cr_expect_eq(sum_of(report, EK_PROFILE_CREATED, processors), report->total_initial + report->generated);
    for (unsigned kind = 0; kind < EK_PROFILE_TIMES; kind++) {
        double all = 0.0;
        for (size_t i = 0; i < profile->intervals; i++) {
            all += sum(profile->time + (i * EK_PROFILE_TIMES + kind) * profile->groups, profile->groups);
        }
        expect_near(all, sum_of(report, kind, processors), "the times of all intervals");
    }
}

// The profile changes nothing else, and is the same on any number of workers.
Test(profiles, say_what_the_report_says, .timeout = 200)
{
    static const struct ek_experiment kinds[] = {
        {.topology = "torus:4x4", .tasks = "queens:7", .method = "adf"},
        {.topology = "torus:4x4", .tasks = "flowshop:8x4:3", .method = "sender:0.2", .timing = "turns"},
        {.topology = "torus:4x4", .tasks = "queens:7", .method = "steal:lifeline"},
        {.topology = "torus:4x4",
         .tasks = "queens:7",
         .method = "ade",
         .working = "suspended",
         .invoke = "probability:0.2",
         .steps_max = 300},
        {.topology = "torus:4x4", .tasks = "queens:7", .method = "adf", .timing = "virtual"},
        {.topology = "torus:4x4",
         .tasks = "queens:7",
         .method = "adf",
         .timing = "virtual",
         .slow = "3:4",
         .within = "2",
         .seconds_max = 5e-5},
        {.topology = "torus:4x4", .tasks = "tsp:9:1", .method = "ade", .timing = "virtual", .detect = "safra"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ek_experiment experiment = kinds[i];
        struct tests_outcome plain;
        must_run(experiment, &plain);
        experiment.profile = 20;
        struct ek_report alone = run(experiment);
        experiment.carrier = "pool:3";
        struct ek_report many = run(experiment);
        const char *differs = tests_report_differs(&alone, &many, 16);
        cr_expect_null(differs, "%zu: %s", i, differs);
        cr_expect_null(plain.report.profile.interval);
        plain.report.profile = alone.profile;
        differs = tests_report_differs(&alone, &plain.report, 16);
        cr_expect_null(differs, "%zu: %s changes", i, differs);
        plain.report.profile = (struct ek_profile){0};
        expect_whole(&alone, 16);
        if (alone.tasks.has_ticks) {
            expect_ticks(&alone, 16);
            cr_expect_eq(alone.profile.interval[alone.profile.intervals - 1].to, (double)alone.tasks.ticks);
        } else {
            expect_near(sum_of(&alone, EK_PROFILE_WORK, 16), alone.tasks.work_s, "the work");
            expect_near(sum_of(&alone, EK_PROFILE_OVERHEAD, 16), alone.busy_s - alone.tasks.work_s, "the overhead");
            cr_expect_gt(sum_of(&alone, EK_PROFILE_OVERHEAD, 16), alone.overhead_s);
        }
        ek_report_destroy(&alone);
        ek_report_destroy(&many);
        tests_outcome_destroy(&plain);
    }
}

// In free timing each execution is timed, so the profile has all of the work.
Test(profiles, of_free_timing, .timeout = 200)
{
    static const char *const carriers[] = {"pool:2", "pool:3", "threads"};
    for (size_t i = 0; i < sizeof carriers / sizeof *carriers; i++) {
        struct ek_report report = run((struct ek_experiment){.topology = "torus:3x3",
                                                             .timing = "free",
                                                             .carrier = carriers[i],
                                                             .method = "adf",
                                                             .tasks = "queens:8",
                                                             .invoke = "below:2",
                                                             .profile = 9});
        const struct ek_profile *profile = &report.profile;
        cr_assert(profile->intervals > 4 && profile->intervals <= 9);
        expect_whole(&report, 9);
        double work = sum_of(&report, EK_PROFILE_WORK, 9), overhead = sum_of(&report, EK_PROFILE_OVERHEAD, 9);
        cr_expect_lt(fabs(work - report.tasks.work_s), 1e-9 * (double)report.tasks.executed, "work %.17g, not %.17g",
                     work, report.tasks.work_s); // times are rounded to nanoseconds
        cr_expect(overhead > 0.0 && overhead < 9 * report.elapsed_s);
        cr_expect_geq(profile->interval[profile->intervals - 1].to, report.elapsed_s - 1e-9);
        ek_report_destroy(&report);
    }
}

// More than 1,024 processors are added up in groups; one tick executes a task of each.
Test(profiles, of_many_processors_have_groups)
{
    struct ek_report report = run((struct ek_experiment){.topology = "ring:1500",
                                                         .tasks = "bag:constant:1",
                                                         .load = "constant:2",
                                                         .method = "none",
                                                         .carrier = "pool:3",
                                                         .profile = 2});
    cr_assert_eq(report.profile.group, 2);
    cr_assert_eq(report.profile.groups, 750);
    cr_assert_eq(report.profile.intervals, 2);
    for (size_t g = 0; g < 750; g++) {
        expect_times(&report, EK_PROFILE_WORK, g, 1.0, (double[]){2, 2});
    }
    cr_expect_eq(report.profile.processor[1499], 2.0);
    ek_report_destroy(&report);
}

Test(profiles, need_tasks)
{
    struct ek_error error;
    struct ek_experiment experiment = {.topology = "ring:8", .method = "adf", .profile = 5};
    cr_assert_null(ek_prepare(&experiment, &error));
    cr_expect_eq(error.status, EK_BAD_INPUT);
    cr_expect_str_eq(error.axis, "profile");
    cr_expect_str_eq(error.sentence, "a profile shows how processors execute tasks: use tasks queens:8, or another "
                                     "program of tasks, or leave profile out");
}
