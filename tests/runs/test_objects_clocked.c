// SPDX-License-Identifier: MIT
// Objects without rounds: in free timing on threads that race and on a pool, and in virtual time. No object is lost,
// doubled or changed, each is on one processor, and virtual time is the same on any number of workers.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/runs.h"

// Reads a file whose text is the context.
static char *read_text(void *context, const char *path, size_t *length, struct ek_error *error)
{
    (void)path, (void)error;
    *length = strlen(context);
    return strdup(context);
}

static struct ek_report run(struct ek_experiment experiment)
{
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_assert(outcome.machine, "%s: %s", experiment.objects, outcome.error.sentence);
    bool restless = !experiment.stop && outcome.report.ended == EK_ENDED_GIVEN_UP;
    bool unreached = (experiment.seconds_max > 0.0 || restless) && outcome.status == EK_UNREACHED;
    cr_assert(unreached || outcome.status == EK_OK, "%s with %s: status %d, %s", experiment.objects, experiment.method,
              outcome.status, outcome.error.sentence);
    struct ek_report report = outcome.report;
    outcome.report = (struct ek_report){0};
    tests_outcome_destroy(&outcome);
    return report;
}

// Reads the new placement: the sum of the weights by processor, and a number of all objects in their order but for
// their places.
static uint64_t read_placement(const char *text, double *load, unsigned *count)
{
    uint64_t print = 0;
    *count = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1, (*count)++) {
        unsigned place;
        double weight, bytes;
        cr_assert_eq(sscanf(line, "%u,%lf,%lf", &place, &weight, &bytes), 3);
        load[place] += weight;
        print = print * 1000003 + (uint64_t)(1000.0 * weight) * 64 + (uint64_t)bytes;
    }
    return print;
}

// Machines on which objects move, with what can disturb them.
static const struct ek_experiment machines[] = {
    {.timing = "free", .method = "adf"},
    {.timing = "free", .method = "ade", .carrier = "pool:2", .ports = "one", .choose = "nearest"},
    {.timing = "free", .method = "adf", .announce = "pushed", .mailbox = "spsc:1", .choose = "communicating"},
    {.timing = "free", .method = "adf", .delay = "uniform:5us:50us", .mailbox = "wfcq", .carrier = "pool:3"},
    {.timing = "free", .method = "ade", .faults = "link:2000,processor:200,repair:1ms", .perturb = 0.05},
    {.timing = "free", .method = "odf", .domains = "exclusive", .remainder = "drop", .choose = "foreign"},
    {.timing = "free", .method = "nna", .domains = "overlap", .carrier = "pool:2", .seconds_max = 0.1},
    {.timing = "virtual", .method = "adf", .carrier = "pool:2", .choose = "nearest"},
    {.timing = "virtual", .method = "adf", .announce = "pushed", .remainder = "drop"},
    {.timing = "virtual", .method = "ade", .faults = "link:20000,processor:5000,repair:50us", .seconds_max = 0.01},
    {.timing = "virtual", .method = "nna", .domains = "exclusive", .choose = "communicating", .within = "3"},
    {.timing = "virtual", .method = "local-average", .byte_time = "2ns", .delay = "exponential:5us"},
    {.timing = "virtual", .method = "adf", .ports = "one", .mailbox = "spsc:1", .byte_time = "100ns", .gap = "1us"},
};

// The final placement has every object of the start once, in their order, and the loads are the sums of their weights.
Test(objects_clocked, every_object_is_kept)
{
    enum { PROCESSORS = 16 };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct ek_experiment experiment = machines[i];
        double load[PROCESSORS] = {0}, start[PROCESSORS] = {0};
        unsigned count, first_count;
        experiment.topology = "torus:4x4";
        experiment.objects = "mesh:20x20:uniform:1:9";
        experiment.load = "peak:400";
        experiment.keep_placement = experiment.keep_loads = true;
        struct ek_report report = run(experiment);
        experiment.method = "none";
        experiment.timing = experiment.faults = experiment.announce = experiment.domains = experiment.byte_time = NULL;
        experiment.delay = experiment.mailbox = experiment.within = experiment.ports = experiment.gap = NULL;
        experiment.carrier = "pool:1";
        experiment.perturb = experiment.seconds_max = 0.0;
        struct ek_report first = run(experiment);
        uint64_t print = read_placement(report.objects.file[0].text, load, &count);
        uint64_t first_print = read_placement(first.objects.file[0].text, start, &first_count);
        cr_expect_eq(print, first_print, "machine %zu", i);
        cr_expect_eq(count, first_count);
        cr_expect_arr_eq(load, report.final, sizeof load, "machine %zu", i);
        cr_expect_eq(report.total_final, report.total_initial, "machine %zu", i);
        cr_expect_lt(report.objects.imbalance, machines[i].seconds_max > 0.0 ? 15.0 : 1.0, "machine %zu: %g", i,
                     report.objects.imbalance);
        cr_expect_gt(report.objects.objects_moved, 0);
        cr_expect(report.has_stayed && report.stayed < 400.0);
        cr_expect_geq(report.minimum_ever, 0.0);
        ek_report_destroy(&report);
        ek_report_destroy(&first);
    }
}

Test(objects_clocked, virtual_time_does_not_depend_on_workers)
{
    static const char *const carriers[] = {"pool:2", "pool:5", "pool:3"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct ek_experiment experiment = machines[i];
        if (strcmp(experiment.timing, "virtual") != 0) {
            continue;
        }
        experiment.topology = "torus:4x4";
        experiment.objects = "mesh:20x20:uniform:1:9";
        experiment.load = "peak:400";
        experiment.keep_loads = experiment.keep_trace = true;
        experiment.carrier = "pool:1";
        struct ek_report alone = run(experiment);
        experiment.carrier = carriers[i % 3];
        struct ek_report many = run(experiment);
        const char *differs = tests_report_differs(&alone, &many, 16);
        cr_expect_null(differs, "machine %zu: %s", i, differs);
        cr_expect_eq(alone.objects.bytes_moved, many.objects.bytes_moved, "machine %zu", i);
        cr_expect_eq(alone.objects.edge_cut, many.objects.edge_cut, "machine %zu", i);
        ek_report_destroy(&alone);
        ek_report_destroy(&many);
    }
}

static struct ek_experiment pair(char *text)
{
    return (struct ek_experiment){.topology = "chain:2",
                                  .objects = "file:x.csv",
                                  .timing = "virtual",
                                  .method = "ade",
                                  .invoke = "at:0",
                                  .operations_max = 1,
                                  .stop = "never",
                                  .keep_loads = true,
                                  .reader = {.read = read_text, .context = text}};
}

// Processor 0 holds 6 units in objects of 1,000 bytes, and gives half of them. ASK, TELL and GIVE have 16 bytes each,
// and GIVE the bytes of three objects.
Test(objects_clocked, parcels_have_the_bytes_of_their_objects)
{
    struct ek_experiment experiment = pair((char[]){"0,1,1000\n0,1,1000\n0,1,1000\n0,1,1000\n0,1,1000\n0,1,1000\n"});
    struct ek_report light = run(experiment);
    experiment.byte_time = "3ns";
    struct ek_report heavy = run(experiment);
    cr_expect_eq(light.final[1], 3.0);
    cr_expect_eq(heavy.final[1], 3.0);
    cr_expect_eq(light.objects.bytes_moved, 3000);
    cr_expect_float_eq(heavy.virtual_s - light.virtual_s, 3e-9 * (3.0 * 16.0 + 3000.0), 1e-15);
    ek_report_destroy(&light);
    ek_report_destroy(&heavy);
}

// The amount is 2.5 of a difference of 5, so the object of 3 does not fit, and a rest of 2.5 stays. In the second
// operation 5 are to go: 3. Without the rest nothing ever goes; with `nearest` the object goes at once.
Test(objects_clocked, the_rest_of_an_amount)
{
    static const struct {
        const char *remainder, *choose;
        uint64_t operations;
        double given;
    } kinds[] = {
        {"carry", "fit", 1, 0.0},    {"carry", "fit", 2, 3.0},     {"drop", "fit", 9, 0.0},
        {"drop", "nearest", 1, 3.0}, {"carry", "nearest", 1, 3.0},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ek_experiment experiment = pair((char[]){"0,3\n0,3\n1,1\n"});
        experiment.remainder = kinds[i].remainder;
        experiment.choose = kinds[i].choose;
        experiment.operations_max = kinds[i].operations;
        struct ek_report report = run(experiment);
        cr_expect_eq(report.final[1] - 1.0, kinds[i].given, "%s, %s: %g", kinds[i].remainder, kinds[i].choose,
                     report.final[1]);
        ek_report_destroy(&report);
        experiment.invoke = "at:1"; // the other one requests the load: the giver keeps the rest
        report = run(experiment);
        cr_expect_eq(report.final[1] - 1.0, kinds[i].given, "requested: %s, %s: %g", kinds[i].remainder,
                     kinds[i].choose, report.final[1]);
        ek_report_destroy(&report);
    }
}

// An object that weighs as much as the difference stays, and then the run is over.
Test(objects_clocked, comes_to_rest)
{
    static const char *const timings[] = {"free", "virtual"};
    for (size_t t = 0; t < 2; t++) {
        struct ek_experiment experiment = pair((char[]){"0,4\n0,4\n1,4\n"});
        experiment.timing = timings[t];
        experiment.invoke = experiment.stop = NULL;
        experiment.operations_max = 0;
        struct ek_report report = run(experiment);
        cr_expect_eq(report.ended, EK_ENDED_ITSELF, "%s", timings[t]);
        cr_expect(report.converged);
        cr_expect_eq(report.objects.objects_moved, 0);
        cr_expect_eq(report.stayed, 3.0);
        ek_report_destroy(&report);
        experiment.stop = "imbalance:0.1";
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_expect_eq(outcome.status, EK_UNREACHED, "%s", timings[t]);
        cr_expect_eq(outcome.report.ended, EK_ENDED_FROZEN);
        cr_expect(strstr(outcome.report.why, "no object can move any more"), "%s", outcome.report.why);
        tests_outcome_destroy(&outcome);
    }
}

// Objects that communicate stay together, although a giver knows only what it has seen of their partners.
Test(objects_clocked, communicating_objects_stay_together)
{
    static const char *const methods[] = {"adf", "ade", "nna"};
    for (size_t m = 0; m < 3; m++) {
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .objects = "mesh:32x32",
                                           .load = "peak:1024",
                                           .timing = "virtual",
                                           .method = methods[m]};
        struct ek_report fit = run(experiment);
        experiment.choose = "communicating";
        struct ek_report near = run(experiment);
        cr_expect_lt(near.objects.edge_cut, 0.95 * fit.objects.edge_cut, "%s: %g, not %g", methods[m],
                     near.objects.edge_cut, fit.objects.edge_cut);
        ek_report_destroy(&fit);
        ek_report_destroy(&near);
    }
}

// Each object moves once: what moves is what is not where it began.
Test(objects_clocked, migrate_at_the_end)
{
    static const char *const timings[] = {"free", "virtual"};
    for (size_t t = 0; t < 2; t++) {
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .objects = "mesh:20x20",
                                           .load = "peak:400",
                                           .timing = timings[t],
                                           .method = "adf",
                                           .migrate = "end",
                                           .keep_loads = true};
        struct ek_report report = run(experiment);
        double left = 0.0;
        for (unsigned p = 1; p < 16; p++) {
            left += report.final[p];
            cr_expect_float_eq(report.final[p], 25.0, 3.5, "%s", timings[t]);
        }
        cr_expect_eq(report.objects.objects_moved, (uint64_t)left);
        cr_expect_eq(report.moved, left);
        cr_expect_eq(report.objects.moved_once, 1.0);
        cr_expect_eq(report.total_final, 400.0);
        ek_report_destroy(&report);
    }
}
