// SPDX-License-Identifier: MIT
// The profile of a run.
#include "threads/watch/profile.h"
#include "threads/api/report.h"

#include <math.h>
#include <string.h>

enum { PARTS = WATCH_PROFILE_PARTS };

void watch_profile_plan(struct watch_profile *profile, uint64_t most, uint32_t processors, struct base_arena *memory)
{
    uint32_t group = (processors + WATCH_PROFILE_GROUPS - 1) / WATCH_PROFILE_GROUPS;
    uint32_t groups = (processors + group - 1) / group;
    uint64_t planned = most > 0 ? processors : 0;
    *profile = (struct watch_profile){
        .processors = processors, .most = (uint32_t)most, .group = group, .groups = groups, .report = {0}};
    base_arena_plan(memory, &profile->row, planned, sizeof *profile->row);
    base_arena_plan(memory, &profile->time, planned * PARTS * most, sizeof *profile->time);
    base_arena_plan(memory, &profile->tasks, planned * PARTS, sizeof *profile->tasks);
    base_arena_plan(memory, &profile->report.interval, most, sizeof *profile->report.interval);
    base_arena_plan(memory, &profile->report.time, most * EK_PROFILE_TIMES * groups, sizeof *profile->report.time);
    base_arena_plan(memory, &profile->report.processor, planned * EK_PROFILE_KINDS, sizeof *profile->report.processor);
}

void watch_profile_begin(struct watch_profile *profile)
{
    if (profile->most > 0) {
        memset(profile->row, 0, profile->processors * sizeof *profile->row);
        memset(profile->time, 0, (size_t)profile->processors * PARTS * profile->most * sizeof *profile->time);
        memset(profile->tasks, 0, (size_t)profile->processors * PARTS * sizeof *profile->tasks);
    }
}

static double *times_of(const struct watch_profile *profile, uint32_t p, unsigned kind)
{
    return profile->time + ((size_t)p * PARTS + kind) * profile->most;
}

// Joins each two intervals of a processor.
static void coarsen(struct watch_profile *profile, uint32_t p)
{
    uint32_t most = profile->most;
    for (unsigned kind = 0; kind < PARTS; kind++) {
        double *time = times_of(profile, p, kind);
        for (uint32_t i = 0; i < most; i++) {
            double first = 2 * (uint64_t)i < most ? time[2 * i] : 0.0;
            time[i] = first + (2 * (uint64_t)i + 1 < most ? time[2 * i + 1] : 0.0);
        }
    }
    profile->row[p].k++;
}

// Returns whether intervals of 2^k units, `most` of them, reach to `end`.
static bool reaches(const struct watch_profile *profile, unsigned k, uint64_t end)
{
    return end == 0 || (end - 1) >> k < profile->most;
}

void watch_profile_add(struct watch_profile *profile, uint32_t p, enum ek_profile_kind kind, uint64_t from,
                       uint64_t end)
{
    struct watch_profile_row *row = &profile->row[p];
    while (!reaches(profile, row->k, end)) {
        coarsen(profile, p);
    }
    double *time = times_of(profile, p, kind);
    while (from < end) {
        uint64_t i = from >> row->k;
        uint64_t until = (i + 1) << row->k;
        until = until < end ? until : end;
        time[i] += (double)(until - from);
        from = until;
    }
    row->last = end > row->last ? end : row->last;
}

// Returns the end of the run, or of the latest time that was added.
static uint64_t last_of(const struct watch_profile *profile, uint64_t end)
{
    for (uint32_t p = 0; p < profile->processors; p++) {
        end = profile->row[p].last > end ? profile->row[p].last : end;
    }
    return end;
}

void watch_profile_settle(struct watch_profile *profile, uint64_t end)
{
    unsigned k = 0;
    end = profile->most > 0 ? last_of(profile, end) : 0;
    while (!reaches(profile, k, end)) {
        k++;
    }
    for (uint32_t p = 0; profile->most > 0 && p < profile->processors; p++) {
        while (profile->row[p].k < k) {
            coarsen(profile, p);
        }
    }
}

// Adds up the times of a processor over the run, and those of its group in each interval. Time that was not added is
// idle; free timing estimates work, so it can exceed the interval.
static void sum_up(struct watch_profile *profile, uint32_t p, uint64_t end)
{
    struct ek_profile *report = &profile->report;
    unsigned k = profile->row[p].k;
    size_t processors = profile->processors;
    for (uint32_t i = 0; i < report->intervals; i++) {
        double *of_group = report->time + (size_t)i * EK_PROFILE_TIMES * profile->groups + p / profile->group;
        uint64_t from = (uint64_t)i << k, until = (uint64_t)(i + 1) << k;
        double work = times_of(profile, p, EK_PROFILE_WORK)[i];
        double overhead = times_of(profile, p, EK_PROFILE_OVERHEAD)[i];
        double idle = fmax((double)((until < end ? until : end) - from) - work - overhead, 0.0);
        const double time[EK_PROFILE_TIMES] = {work, overhead, idle};
        for (unsigned kind = 0; kind < EK_PROFILE_TIMES; kind++) {
            of_group[(size_t)kind * profile->groups] += time[kind];
            report->processor[kind * processors + p] += time[kind];
        }
    }
    report->processor[EK_PROFILE_EXECUTED * processors + p] = profile->tasks[(size_t)p * PARTS];
    report->processor[EK_PROFILE_CREATED * processors + p] = profile->tasks[(size_t)p * PARTS + 1];
}

static void scale(double *time, size_t count, double unit)
{
    for (size_t i = 0; i < count; i++) {
        time[i] *= unit;
    }
}

void watch_profile_give(struct watch_profile *profile, uint64_t end, double unit, struct base_arena *memory,
                        struct ek_report *report)
{
    struct ek_profile *given = &profile->report;
    if (profile->most == 0) {
        return;
    }
    end = last_of(profile, end);
    unsigned k = profile->row[0].k;
    given->group = profile->group;
    given->groups = profile->groups;
    given->intervals = end > 0 ? ((end - 1) >> k) + 1 : 0;
    for (size_t i = 0; i < given->intervals; i++) {
        uint64_t until = (uint64_t)(i + 1) << k;
        given->interval[i] = (struct ek_interval){.from = (double)((uint64_t)i << k) * unit,
                                                  .to = (double)(until < end ? until : end) * unit};
    }
    for (uint32_t p = 0; p < profile->processors; p++) {
        sum_up(profile, p, end);
    }
    scale(given->time, given->intervals * EK_PROFILE_TIMES * given->groups, unit);
    scale(given->processor, (size_t)EK_PROFILE_TIMES * profile->processors, unit);
    report->profile = *given;
    report->profile.interval = base_arena_detach(memory, &given->interval);
    report->profile.time = base_arena_detach(memory, &given->time);
    report->profile.processor = base_arena_detach(memory, &given->processor);
}
