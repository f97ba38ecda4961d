// SPDX-License-Identifier: MIT
// What operations do to the variance of their domains, by how these overlap: by hand, and by the law that all
// spheres together take what the variance loses. tests/theory/test_overlap_theory.c compares them with the paper.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/domains/overlap_pairs.h"
#include "tests/support/runs.h"

// ---- by hand ----

enum { PLACES = 16 };

// Measures operations with these parts. The parts of a row have the number of their operation. Places beyond them hold
// old parts of the same processors, which must not count.
static struct core_effects measure(const uint32_t *invokers, size_t operations, const struct core_part *parts,
                                   size_t count, uint32_t unknown, uint32_t missing)
{
    static struct core_part part[PLACES];
    static struct core_overlap_operation operation[PLACES];
    struct core_overlaps work = {.part = part, .operation = operation};
    struct core_effects effects = {0};
    for (size_t i = 0; i < operations; i++) {
        cr_assert_eq(core_overlaps_operation(&work, invokers[i]), i);
    }
    uint32_t last = 0;
    for (size_t i = 0; i < count; i++) {
        core_overlaps_part(&work, parts[i]);
        last = parts[i].processor > last ? parts[i].processor : last;
    }
    for (size_t i = count; i < PLACES; i++) {
        part[i] = (struct core_part){.begin = 1, .end = 99, .before = 1000.0, .processor = last};
    }
    if (unknown < operations) {
        core_overlaps_unknown(&work, unknown);
    }
    if (missing < operations) {
        core_overlaps_missing(&work, missing);
    }
    core_overlaps_measure(&work, 10.0, &effects);
    cr_assert(work.parts == 0 && work.operations == 0, "the parts were forgotten");
    return effects;
}

static void expect_effect(const char *what, const struct core_effect *effect, uint64_t count, double before,
                          double after)
{
    cr_expect(effect->count == count && effect->before == before && effect->after == after,
              "%s: %lu from %g to %g, not %lu from %g to %g", what, effect->count, effect->before, effect->after, count,
              before, after);
}

Test(overlaps, operations_that_do_not_meet_are_alone)
{
    // Processor 1 is in the first operation until moment 4 and in the second from moment 4 on.
    static const struct core_part parts[] = {
        {1, 4, 20, 15, 1, 0}, {1, 3, 10, 15, 0, 0}, {4, 6, 15, 12, 1, 1}, {1, 2, 9, 12, 2, 1}};
    struct core_effects effects = measure((const uint32_t[]){1, 2}, 2, parts, 4, UINT32_MAX, UINT32_MAX);
    expect_effect("alone", &effects.of[CORE_EFFECT_ALONE], 2, 100.0 + 25.0 + 1.0, 25.0 + 25.0 + 4.0 + 4.0);
    expect_effect("overlapped", &effects.of[CORE_EFFECT_OVERLAPPED], 0, 0.0, 0.0);
    cr_expect_eq(effects.unknown, 0);
}

Test(overlaps, pairs_are_told_apart_by_whom_they_share)
{
    // Invokers 0 and 9, and the processors that they share. Their own loads change from 12 to 11, and a shared
    // load from 20 to 17 and on to 14.
    static const struct {
        uint32_t shared[3], count;
        enum core_effect_kind kind;
    } cases[] = {{{5}, 1, CORE_EFFECT_ONE_SHARED}, {{5, 6}, 2, CORE_EFFECT_TWO_SHARED},
                 {{5, 6, 7}, 3, CORE_EFFECT_MANY}, {{0}, 1, CORE_EFFECT_ADJACENT},
                 {{9}, 1, CORE_EFFECT_ADJACENT},   {{5, 0}, 2, CORE_EFFECT_ADJACENT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct core_part parts[PLACES];
        size_t count = 0;
        bool shares[2] = {false, false};
        for (uint32_t k = 0; k < cases[i].count; k++) {
            uint32_t p = cases[i].shared[k];
            parts[count++] = (struct core_part){1, 5, 20, 17, p, 0};
            parts[count++] = (struct core_part){3, 7, 18, 14, p, 1};
            shares[0] = shares[0] || p == 0;
            shares[1] = shares[1] || p == 9;
        }
        for (uint32_t own = 0; own < 2; own++) {
            if (!shares[own]) {
                parts[count++] = (struct core_part){1, 9, 12, 11, own ? 9 : 0, own};
            }
        }
        struct core_effects effects = measure((const uint32_t[]){0, 9}, 2, parts, count, UINT32_MAX, UINT32_MAX);
        double own = 2.0 - shares[0] - shares[1];
        double shared = cases[i].count;
        expect_effect("the sphere", &effects.of[cases[i].kind], 1, own * 4.0 + shared * 100.0, own + shared * 16.0);
        expect_effect("its operations", &effects.of[CORE_EFFECT_OVERLAPPED], 2, own * 4.0 + shared * (100.0 + 64.0),
                      own + shared * (49.0 + 16.0));
        cr_expect_eq(effects.of[CORE_EFFECT_ALONE].count, 0);
    }
}

// 0 and 1 are at 5 and at 6 at the same time, which is one overlap. 2 is at 7, where the invoker of 3 is, at the
// same time as 1 and 3. 3 and 1 were there one after the other. 4 lacks a part.
Test(overlaps, every_two_that_overlap_are_of_a_kind)
{
    static struct core_part part[PLACES];
    static struct core_overlap_operation operation[PLACES];
    static const uint32_t invokers[] = {10, 11, 12, 7, 14};
    static const struct core_part parts[] = {{1, 3, 1, 1, 5, 0},  {2, 4, 1, 1, 5, 1}, {1, 4, 1, 1, 6, 0},
                                             {3, 6, 1, 1, 6, 1},  {1, 3, 1, 1, 7, 1}, {2, 9, 1, 1, 7, 2},
                                             {4, 8, 1, 1, 7, 3},  {5, 6, 1, 1, 7, 4}, {1, 9, 1, 1, 10, 0},
                                             {1, 9, 1, 1, 11, 1}, {1, 9, 1, 1, 12, 2}};
    struct core_overlaps work = {.part = part, .operation = operation};
    for (size_t i = 0; i < sizeof invokers / sizeof *invokers; i++) {
        core_overlaps_operation(&work, invokers[i]);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        core_overlaps_part(&work, parts[i]);
    }
    core_overlaps_missing(&work, 4);
    core_overlaps_join(&work, 1.0);
    uint32_t room[2 * PLACES + 1];
    uint64_t count[CORE_EFFECTS] = {0};
    core_overlap_pairs_count(&work, room, count);
    cr_expect_eq(count[CORE_EFFECT_TWO_SHARED], 1, "0 and 1: %lu", count[CORE_EFFECT_TWO_SHARED]);
    cr_expect_eq(count[CORE_EFFECT_ONE_SHARED], 1, "1 and 2: %lu", count[CORE_EFFECT_ONE_SHARED]);
    cr_expect_eq(count[CORE_EFFECT_ADJACENT], 1, "2 and 3: %lu", count[CORE_EFFECT_ADJACENT]);
    cr_expect_eq(count[CORE_EFFECT_MANY] + count[CORE_EFFECT_ALONE], 0);
}

// Operations 0 and 1 meet at 5, and both were at 6, one after the other. An operation between them at 6, which met
// neither, has changed the load of 6 and belongs to the sphere. So does an operation at 7 that began before this one
// ended.
Test(overlaps, what_comes_between_belongs_to_the_sphere)
{
    static const struct core_part parts[] = {{1, 4, 20, 18, 5, 0}, {2, 6, 19, 14, 5, 1}, {1, 2, 8, 9, 6, 0},
                                             {3, 4, 9, 13, 6, 2},  {5, 6, 13, 12, 6, 1}, {1, 9, 30, 26, 7, 2},
                                             {8, 11, 27, 22, 7, 3}};
    struct core_effects effects = measure((const uint32_t[]){1, 2, 3, 4}, 4, parts, 7, UINT32_MAX, UINT32_MAX);
    expect_effect("the sphere", &effects.of[CORE_EFFECT_MANY], 1, 100.0 + 4.0 + 400.0, 16.0 + 4.0 + 144.0);
    cr_expect_eq(effects.of[CORE_EFFECT_OVERLAPPED].count, 4);
    for (uint32_t unknown = 0; unknown < 4; unknown++) {
        effects = measure((const uint32_t[]){1, 2, 3, 4}, 4, parts, 7, unknown, UINT32_MAX);
        cr_expect(effects.unknown == 0 && effects.of[CORE_EFFECT_MANY].count == 0 &&
                      effects.of[CORE_EFFECT_OVERLAPPED].count == 4,
                  "where %u may have met others, the sphere does not count", unknown);
        effects = measure((const uint32_t[]){1, 2, 3, 4}, 4, parts, 7, UINT32_MAX, unknown);
        cr_expect(effects.unknown == 1 && effects.of[CORE_EFFECT_MANY].count == 0 &&
                      effects.of[CORE_EFFECT_OVERLAPPED].count == 3,
                  "and what %u did is not known", unknown);
    }
    effects = measure((const uint32_t[]){1, 2, UINT32_MAX, 4}, 4, parts, 7, UINT32_MAX, 2);
    cr_expect(effects.unknown == 0 && effects.of[CORE_EFFECT_OVERLAPPED].count == 3,
              "one of which nothing is known is not counted");
    effects = measure((const uint32_t[]){1}, 1, parts, 1, 0, UINT32_MAX);
    cr_expect(effects.unknown == 1 && effects.of[CORE_EFFECT_ALONE].count == 0,
              "an operation that may have met others");
}

Test(overlaps, the_error_of_what_is_left_is_that_of_a_ratio)
{
    struct core_effect effect = {0};
    cr_expect(isnan(core_effect_left(&effect)) && isnan(core_effect_left_error(&effect)));
    core_effect_add(&effect, 4.0, 1.0);
    cr_expect(core_effect_left(&effect) == 0.25 && isnan(core_effect_left_error(&effect)));
    core_effect_add(&effect, 8.0, 5.0);
    // left = 6/12; residuals 1 - 2 and 5 - 4; sqrt((1 + 1) / 1 / 2) / 6.
    cr_expect_eq(core_effect_left(&effect), 0.5);
    cr_expect_float_eq(core_effect_left_error(&effect), 1.0 / 6.0, 1e-15);
}

// ---- the law ----

static double taken(const struct ek_effect *effect)
{
    return effect->count > 0 ? (double)effect->count * (effect->before - effect->after) : 0.0;
}

// All load moves in spheres, and a processor is in one at a time, so what the spheres take is what the variance
// loses.
static void expect_law(struct ek_experiment experiment)
{
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    const struct ek_report *report = &outcome.report;
    const struct ek_effects *effects = &report->effects;
    cr_assert(outcome.machine && report->has_effects, "%s: %s", experiment.method, outcome.error.sentence);
    double all = taken(&effects->alone) + taken(&effects->adjacent) + taken(&effects->one_shared) +
                 taken(&effects->two_shared) + taken(&effects->many);
    double fell = report->variance_initial - report->variance_final;
    cr_expect(effects->unknown == 0 && fabs(all - fell) <= 1e-9 * report->variance_initial,
              "%s, %s, %s: spheres took %.17g of %.17g, %lu are unknown", experiment.topology, experiment.method,
              experiment.invoke, all, fell, effects->unknown);
    cr_expect(effects->alone.count + effects->overlapped.count == report->invocations, "%lu and %lu of %lu",
              effects->alone.count, effects->overlapped.count, report->invocations);
    tests_outcome_destroy(&outcome);
}

Test(overlaps, in_rounds_all_that_the_variance_falls_by_is_in_spheres)
{
    static const char *const topologies[] = {"torus:6x6", "mesh:5x7", "hypercube:5", "star:9", "random:40:5"};
    static const char *const methods[] = {
        "ade", "adf", "odf", "gde:0.7", "local-average", "sender:0.1", "random-neighbours:2:1.3"};
    static const char *const invocations[] = {"always", "probability:0.03", "probability:0.3", "outside:300:700"};
    uint64_t seed = 1;
    for (size_t t = 0; t < sizeof topologies / sizeof *topologies; t++) {
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            for (size_t i = 0; i < sizeof invocations / sizeof *invocations; i++) {
                expect_law((struct ek_experiment){.topology = topologies[t],
                                                  .method = methods[m],
                                                  .invoke = invocations[i],
                                                  .ports = seed % 3 || m == 4 || m == 6 ? "all" : "one",
                                                  .carrier = "pool:1",
                                                  .stop = "never",
                                                  .operations_max = 12,
                                                  .overlaps = true,
                                                  .seed = seed});
                seed++;
            }
        }
    }
}

Test(overlaps, in_free_timing_too)
{
    static const char *const methods[] = {"ade", "adf", "diffusion:0.3", "local-average"};
    static const char *const domains[] = {"overlap", "once", "exclusive"};
    static const char *const invocations[] = {"always", "probability:0.02", "outside:400:600"};
    uint64_t seed = 1;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        for (size_t d = 0; d < sizeof domains / sizeof *domains; d++) {
            for (size_t i = 0; i < sizeof invocations / sizeof *invocations; i++) {
                expect_law((struct ek_experiment){.topology = "torus:5x6",
                                                  .method = methods[m],
                                                  .timing = "free",
                                                  .domains = domains[d],
                                                  .invoke = invocations[i],
                                                  .ports = seed % 3 || m == 3 ? "all" : "one",
                                                  .carrier = seed % 2 ? "pool:2" : "threads",
                                                  .perturb = 0.05,
                                                  .stop = "never",
                                                  .operations_max = 400,
                                                  .watchdog_s = 60.0,
                                                  .seed = seed});
                seed++;
            }
        }
    }
}

// If the log has lost parts, what is left of them does not count as operations.
Test(overlaps, what_the_log_has_lost_is_unknown)
{
    struct ek_experiment experiment = {.topology = "torus:8x8",
                                       .method = "adf",
                                       .timing = "free",
                                       .invoke = "probability:0.02",
                                       .carrier = "pool:2",
                                       .stop = "never",
                                       .operations_max = 60000,
                                       .watchdog_s = 60.0,
                                       .seed = 3};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    const struct ek_effects *effects = &outcome.report.effects;
    uint64_t known = effects->alone.count + effects->overlapped.count;
    cr_expect(known > 10000 && effects->unknown > 0 && known + effects->unknown == outcome.report.operations,
              "%lu are known, %lu unknown, of %lu", known, effects->unknown, outcome.report.operations);
    tests_outcome_destroy(&outcome);
}

// Two invokers share a neighbour. The operation of the slow one has not ended when the run ends. So the operation of
// the other one was not alone.
Test(overlaps, an_operation_that_is_open_at_the_end_overlaps_with_others)
{
    for (unsigned slow = 0; slow < 2; slow++) {
        struct ek_experiment experiment = {.topology = "chain:3",
                                           .method = "adf",
                                           .timing = "virtual",
                                           .load = "list:90,0,60",
                                           .invoke = "at:0,2",
                                           .slow = slow ? "2:8" : "2:12",
                                           .stop = "never",
                                           .seconds_max = 4.6e-6,
                                           .overlaps = true};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect_eq(report->effects.alone.count, 1 - slow, "%u: %lu alone", slow, report->effects.alone.count);
        cr_expect_eq(report->effects.overlapped.count, slow, "%u: %lu overlapped", slow,
                     report->effects.overlapped.count);
        cr_expect_eq(report->effects.unknown, 0);
        cr_expect_eq(report->free.operation_time.count, 1, "one has ended");
        tests_outcome_destroy(&outcome);
    }
}

Test(overlaps, spheres_have_the_operations_that_are_open_at_the_end)
{
    struct ek_experiment experiment = {.topology = "torus:16x16",
                                       .method = "adf",
                                       .timing = "virtual",
                                       .load = "peak:4096",
                                       .invoke = "every:40",
                                       .stop = "never",
                                       .seconds_max = 30e-6,
                                       .overlaps = true};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    const struct ek_report *report = &outcome.report;
    cr_expect(report->free.logged > report->free.operation_time.count && report->free.logged <= report->operations &&
                  report->free.log_lost == 0,
              "%lu logged, %lu ended, %lu begun", report->free.logged, report->free.operation_time.count,
              report->operations);
    tests_outcome_destroy(&outcome);
}

// ---- what overlapping costs ----

// odf's parameter on a ring is 1/2: two neighbours that invoke at once give each other all they hold, and over their
// common link twice that. One worker lets all invoke in one pass, so a seed determines the run.
Test(overlaps, a_link_that_both_use_can_keep_loads_swinging)
{
    for (unsigned once = 0; once < 2; once++) {
        struct ek_experiment experiment = {.topology = "ring:64",
                                           .method = "odf",
                                           .timing = "free",
                                           .invoke = "outside:200:800",
                                           .domains = once ? "once" : "overlap",
                                           .carrier = "pool:1",
                                           .watchdog_s = 60.0,
                                           .seed = 1};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect_eq(outcome.status, once ? EK_OK : EK_UNREACHED);
        cr_expect(once ? report->ended == EK_ENDED_ITSELF && report->operations < 200
                       : report->ended == EK_ENDED_GIVEN_UP && strstr(report->why, "try domains once or exclusive"),
                  "%u: %s after %lu operations", once, report->why, report->operations);
        tests_outcome_destroy(&outcome);
    }
}
