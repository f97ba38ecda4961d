// SPDX-License-Identifier: MIT
// The profile of a run: times in intervals that become longer, processors in groups, and what is left as idle.
#include <criterion/criterion.h>

#include <math.h>

#include "threads/api/run.h"
#include "threads/watch/profile.h"

static struct base_arena memory;

static void begin(struct watch_profile *profile, uint64_t most, uint32_t processors)
{
    memory = (struct base_arena){0};
    watch_profile_plan(profile, most, processors, &memory);
    cr_assert(base_arena_take(&memory));
    watch_profile_begin(profile);
}

static struct ek_report end(struct watch_profile *profile, uint64_t end, double unit)
{
    struct ek_report report = {0};
    watch_profile_settle(profile, end);
    watch_profile_give(profile, end, unit, &memory, &report);
    base_arena_destroy(&memory);
    return report;
}

static double time_of(const struct ek_profile *profile, size_t interval, unsigned kind, size_t group)
{
    return profile->time[(interval * EK_PROFILE_TIMES + kind) * profile->groups + group];
}

static void expect_times(const struct ek_profile *profile, unsigned kind, size_t group, const double *wanted)
{
    for (size_t i = 0; i < profile->intervals; i++) {
        double found = time_of(profile, i, kind, group);
        cr_expect(fabs(found - wanted[i]) < 1e-12, "kind %u of group %zu in interval %zu: %.17g, not %.17g", kind,
                  group, i, found, wanted[i]);
    }
}

// Times of any length are split at the ends of intervals: at 11 units, four intervals have 4 units each.
Test(profile, divides_time_among_intervals)
{
    struct watch_profile profile;
    begin(&profile, 4, 2);
    watch_profile_add(&profile, 0, EK_PROFILE_WORK, 0, 1);
    watch_profile_add(&profile, 0, EK_PROFILE_OVERHEAD, 1, 3);
    watch_profile_add(&profile, 0, EK_PROFILE_WORK, 3, 9);
    watch_profile_add(&profile, 0, EK_PROFILE_WORK, 10, 10); // nothing
    watch_profile_add(&profile, 1, EK_PROFILE_WORK, 2, 3);
    watch_profile_count(&profile, 1, 3.0, 5.0);
    watch_profile_count(&profile, 1, 1.0, 0.0);
    struct ek_report report = end(&profile, 11, 0.5);
    const struct ek_profile *given = &report.profile;
    cr_assert_eq(given->intervals, 3);
    cr_assert_eq(given->groups, 2);
    cr_expect_eq(given->group, 1);
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq(given->interval[i].from, 2.0 * (double)i);
        cr_expect_eq(given->interval[i].to, i < 2 ? 2.0 * (double)i + 2.0 : 5.5);
    }
    expect_times(given, EK_PROFILE_WORK, 0, (double[]){1.0, 2.0, 0.5});
    expect_times(given, EK_PROFILE_OVERHEAD, 0, (double[]){1.0, 0.0, 0.0});
    expect_times(given, EK_PROFILE_IDLE, 0, (double[]){0.0, 0.0, 1.0});
    expect_times(given, EK_PROFILE_WORK, 1, (double[]){0.5, 0.0, 0.0});
    expect_times(given, EK_PROFILE_IDLE, 1, (double[]){1.5, 2.0, 1.5});
    static const double wanted[EK_PROFILE_KINDS][2] = {{3.5, 0.5}, {1.0, 0.0}, {1.0, 5.0}, {0.0, 4.0}, {0.0, 5.0}};
    for (size_t i = 0; i < 2 * (size_t)EK_PROFILE_KINDS; i++) {
        cr_expect_eq(given->processor[i], wanted[i / 2][i % 2], "kind %zu of processor %zu", i / 2, i % 2);
    }
    ek_report_destroy(&report);
    cr_expect_null(report.profile.interval);
    cr_expect_null(report.profile.time);
    cr_expect_null(report.profile.processor);
    cr_expect_eq(report.profile.intervals, 0);
}

// With any number of intervals, odd ones too, nothing is lost, and there are more than half as many as there may be.
Test(profile, keeps_all_time)
{
    for (uint64_t most = 2; most < 12; most++) {
        struct watch_profile profile;
        begin(&profile, most, 3);
        for (uint64_t t = 0; t < 1000; t++) {
            watch_profile_add(&profile, (uint32_t)(t % 2), t % 3 > 0 ? EK_PROFILE_WORK : EK_PROFILE_OVERHEAD, t, t + 1);
        }
        struct ek_report report = end(&profile, 1000, 1.0);
        const struct ek_profile *given = &report.profile;
        uint64_t length = (uint64_t)given->interval[0].to;
        cr_assert(given->intervals <= most && 1000 / (length / 2) + (1000 % (length / 2) > 0) > most,
                  "%zu intervals of at most %zu", given->intervals, (size_t)most);
        for (size_t i = 0; i < given->intervals; i++) {
            cr_expect_eq(given->interval[i].to, i + 1 < given->intervals ? given->interval[i + 1].from : 1000.0);
            for (size_t p = 0; p < 3; p++) {
                double work = 0.0, overhead = 0.0;
                for (uint64_t t = i * length; t < 1000 && t < (i + 1) * length; t++) {
                    work += p == t % 2 && t % 3 > 0;
                    overhead += p == t % 2 && t % 3 == 0;
                }
                cr_expect_eq(time_of(given, i, EK_PROFILE_WORK, p), work);
                cr_expect_eq(time_of(given, i, EK_PROFILE_OVERHEAD, p), overhead);
                cr_expect_eq(time_of(given, i, EK_PROFILE_IDLE, p),
                             given->interval[i].to - given->interval[i].from - work - overhead);
            }
        }
        ek_report_destroy(&report);
    }
}

// 2,050 processors are 684 groups of three, the last of which has one.
Test(profile, of_many_processors_has_groups)
{
    enum { PROCESSORS = 2050, GROUPS = 684 };
    struct watch_profile profile;
    begin(&profile, 2, PROCESSORS);
    for (uint32_t p = 0; p < PROCESSORS; p++) {
        watch_profile_add(&profile, p, EK_PROFILE_WORK, 0, p % 4);
    }
    struct ek_report report = end(&profile, 4, 1.0);
    cr_assert_eq(report.profile.group, 3);
    cr_assert_eq(report.profile.groups, GROUPS);
    cr_assert_eq(report.profile.intervals, 2);
    for (uint32_t g = 0; g < GROUPS; g++) {
        double first = 0.0, second = 0.0, idle = 0.0;
        for (uint32_t p = 3 * g; p < 3 * g + 3 && p < PROCESSORS; p++) {
            first += fmin(p % 4, 2.0);
            second += fmax(p % 4 - 2.0, 0.0);
            idle += 2.0;
        }
        cr_expect_eq(time_of(&report.profile, 0, EK_PROFILE_WORK, g), first);
        cr_expect_eq(time_of(&report.profile, 1, EK_PROFILE_WORK, g), second);
        cr_expect_eq(time_of(&report.profile, 0, EK_PROFILE_IDLE, g), idle - first);
        cr_expect_eq(time_of(&report.profile, 1, EK_PROFILE_IDLE, g), idle - second);
    }
    cr_expect_eq(report.profile.processor[PROCESSORS - 1], 1.0);
    ek_report_destroy(&report);
}

// Work that is estimated can exceed its interval: no time is idle then. Time after the end of the run makes it longer.
Test(profile, of_estimates)
{
    struct watch_profile profile;
    begin(&profile, 2, 1);
    watch_profile_add(&profile, 0, EK_PROFILE_WORK, 0, 2);
    watch_profile_add(&profile, 0, EK_PROFILE_WORK, 0, 2);
    watch_profile_add(&profile, 0, EK_PROFILE_OVERHEAD, 2, 4);
    struct ek_report report = end(&profile, 3, 1.0);
    cr_assert_eq(report.profile.intervals, 2);
    expect_times(&report.profile, EK_PROFILE_WORK, 0, (double[]){4.0, 0.0});
    expect_times(&report.profile, EK_PROFILE_IDLE, 0, (double[]){0.0, 0.0});
    cr_expect_eq(report.profile.interval[1].to, 4.0);
    ek_report_destroy(&report);
}

// A run that began anew has only what came then; without intervals there is no profile.
Test(profile, begins_anew)
{
    struct watch_profile profile;
    begin(&profile, 2, 1);
    watch_profile_add(&profile, 0, EK_PROFILE_WORK, 0, 100);
    watch_profile_count(&profile, 0, 1.0, 1.0);
    watch_profile_begin(&profile);
    watch_profile_add(&profile, 0, EK_PROFILE_WORK, 1, 2);
    struct ek_report report = end(&profile, 2, 1.0);
    cr_assert_eq(report.profile.intervals, 2);
    expect_times(&report.profile, EK_PROFILE_WORK, 0, (double[]){0.0, 1.0});
    cr_expect_eq(report.profile.processor[EK_PROFILE_EXECUTED], 0.0);
    ek_report_destroy(&report);
    struct watch_profile none;
    begin(&none, 0, 5);
    report = end(&none, 9, 1.0);
    cr_expect_null(report.profile.interval);
}
