// SPDX-License-Identifier: MIT
// Frames, the loads of all processors over time: in rounds and turns, those of a run that ends at that step, at
// evenly spread steps that fit into the memory; in free timing, those of snapshots, each of one possible moment; in
// virtual time, those of a run that ends at that time.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/support/must.h"

enum { PROCESSORS = 16 };

static bool same_loads(const double *a, const double *b)
{
    return memcmp(a, b, PROCESSORS * sizeof *a) == 0;
}

// Checks that the frames are the start, then all multiples of one power of two, then the end.
static void expect_spread(const struct ek_report *report, uint64_t most)
{
    size_t last = report->frame_count - 1;
    cr_assert(report->frame_count >= 2 && report->frame_count <= most, "%zu frames", report->frame_count);
    uint64_t every = report->frame[1].step < report->steps ? report->frame[1].step : 1;
    cr_expect_eq(every & (every - 1), 0, "every %lu-th step", (unsigned long)every);
    for (size_t i = 0; i < last; i++) {
        cr_expect_eq(report->frame[i].step, i * every, "%zu: step %lu of every %lu-th", i,
                     (unsigned long)report->frame[i].step, (unsigned long)every);
    }
    cr_expect_eq(report->frame[last].step, report->steps);
    // With half the distance between them the frames would not have fitted.
    cr_expect(every == 1 || report->steps / (every / 2) + 1 > most - 1, "every %lu-th of %lu steps",
              (unsigned long)every, (unsigned long)report->steps);
    cr_expect(same_loads(report->frame_load, report->initial));
    cr_expect(same_loads(report->frame_load + last * PROCESSORS, report->final));
}

Test(frames, are_what_a_run_has_that_ends_there)
{
    static const struct ek_experiment experiments[] = {
        {.topology = "torus:4x4", .method = "ade", .load = "peak:1600"},
        {.topology = "ring:16", .method = "adf", .load = "uniform:0:100", .ports = "one", .carrier = "pool:2"},
        {.topology = "mesh:4x4", .method = "sender:1/deg", .timing = "turns", .operations_max = 9},
        {.topology = "ring:16", .method = "adf", .delay = "fixed:2", .steps_max = 21, .stop = "never"},
        {.topology = "torus:4x4",
         .method = "ade",
         .units = "tokens",
         .work = "constant:0=3",
         .operations_max = 11,
         .stop = "never"},
        // Work comes before the uncounted steps of the next operation.
        {.topology = "ring:16",
         .method = "local-average",
         .load = "peak:600",
         .work = "constant:0=5,3=200",
         .working = "before",
         .steps_max = 20,
         .stop = "never"},
        {.topology = "torus:4x4",
         .method = "random-neighbours:2",
         .work = "normal:20:90:10",
         .working = "before",
         .steps_max = 20,
         .stop = "never"},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        for (uint64_t most = 3; most <= 48; most = 2 * most + 1) {
            struct tests_outcome outcome;
            struct ek_experiment experiment = experiments[i];
            experiment.frames = most;
            experiment.keep_trace = true;
            must_run(experiment, &outcome);
            expect_spread(&outcome.report, most);
            for (size_t f = 1; f + 1 < outcome.report.frame_count; f++) {
                struct tests_outcome shorter;
                experiment.steps_max = outcome.report.frame[f].step;
                experiment.frames = 0;
                must_run(experiment, &shorter);
                cr_expect(same_loads(outcome.report.frame_load + f * PROCESSORS, shorter.report.final),
                          "%zu: frame %zu is not what step %lu has left", i, f, (unsigned long)experiment.steps_max);
                cr_expect_eq(outcome.report.trace[experiment.steps_max].variance, shorter.report.variance_final,
                             "%zu: the row of step %lu is not what it has left", i,
                             (unsigned long)experiment.steps_max);
                cr_expect_null(shorter.report.frame);
                tests_outcome_destroy(&shorter);
            }
            tests_outcome_destroy(&outcome);
        }
    }
}

// Between two frames a processor's load changes by what crossed its links, as far as nothing is under way; at the end
// the flows are those of the whole run.
static void expect_flows(const struct ek_topology *topology, const struct ek_report *report, size_t f)
{
    double change[PROCESSORS] = {0.0};
    size_t link = 0;
    for (uint32_t port = 0; port < topology->ports; port++) {
        uint32_t p = topology->neighbour[topology->twin[port]];
        uint32_t q = topology->neighbour[port];
        if (p < q) {
            double flow =
                report->frame_flow[f * topology->links + link] - report->frame_flow[(f - 1) * topology->links + link];
            change[p] -= flow;
            change[q] += flow;
            link++;
        }
    }
    for (size_t p = 0; p < PROCESSORS; p++) {
        double changed = report->frame_load[f * PROCESSORS + p] - report->frame_load[(f - 1) * PROCESSORS + p];
        cr_expect_float_eq(changed, change[p], 1e-9, "frame %zu, processor %zu: %g, by its links %g", f, p, changed,
                           change[p]);
    }
}

Test(frames, have_flows)
{
    static const struct ek_experiment experiments[] = {
        {.topology = "torus:4x4", .method = "ade", .load = "peak:1600"},
        {.topology = "ring:16", .method = "adf", .load = "uniform:0:100", .units = "tokens", .carrier = "pool:2"},
        {.topology = "mesh:4x4", .method = "sender:1/deg", .timing = "turns", .operations_max = 9},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        for (uint64_t most = 5; most <= 500; most *= 10) { // frames that are dropped, and all
            struct tests_outcome outcome;
            struct ek_experiment experiment = experiments[i];
            experiment.frames = most;
            experiment.frame_flows = experiment.keep_links = experiment.no_flows = true;
            must_run(experiment, &outcome);
            const struct ek_topology *topology = ek_machine_topology(outcome.machine);
            size_t last = outcome.report.frame_count - 1;
            cr_assert(last > 1 && outcome.report.flow_count == topology->links);
            for (size_t f = 1; f <= last; f++) {
                expect_flows(topology, &outcome.report, f);
            }
            for (size_t link = 0; link < topology->links; link++) {
                cr_expect_eq(outcome.report.frame_flow[link], 0.0);
                cr_expect_eq(outcome.report.frame_flow[last * topology->links + link], outcome.report.flow[link].net);
            }
            tests_outcome_destroy(&outcome);
        }
    }
}

// In virtual time load is under way: what has left all processors together is what they lack.
Test(frames, of_virtual_time_have_flows)
{
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = "chain:16",
                                    .method = "adf",
                                    .timing = "virtual",
                                    .latency = "50us",
                                    .load = "peak:1600",
                                    .stop = "variance:1",
                                    .frames = 9,
                                    .frame_flows = true},
             &outcome);
    const struct ek_report *report = &outcome.report;
    cr_assert(report->frame_flow && report->frame_count > 3);
    size_t last = report->frame_count - 1;
    // On a chain, link p is all that leads from the first p + 1 processors to the others. At the end all has arrived.
    double left = report->frame_load[0] - report->frame_load[last * PROCESSORS];
    for (size_t p = 0; p + 1 < PROCESSORS; p++) {
        cr_expect_float_eq(report->frame_flow[last * (PROCESSORS - 1) + p], left, 1e-9);
        left -= report->frame_load[last * PROCESSORS + p + 1];
    }
    for (size_t f = 1; f < last; f++) { // the first processor only sends
        double first = report->frame_load[0] - report->frame_load[f * PROCESSORS];
        double sent = report->frame_flow[f * (PROCESSORS - 1)];
        cr_expect(sent > 0.0 && sent <= first + 1e-9, "frame %zu: %g left, %g were sent", f, first, sent);
    }
    tests_outcome_destroy(&outcome);
    must_run((struct ek_experiment){.topology = "ring:16",
                                    .method = "adf",
                                    .timing = "free",
                                    .stop = "never",
                                    .seconds_max = 0.01,
                                    .frames = 9,
                                    .frame_flows = true},
             &outcome);
    cr_expect_null(outcome.report.frame_flow);
    tests_outcome_destroy(&outcome);
    must_run(
        (struct ek_experiment){
            .topology = "ring:16", .method = "steal:random", .tasks = "queens:6", .frames = 9, .frame_flows = true},
        &outcome);
    cr_expect(outcome.report.frame_count > 3 && outcome.report.frame_flow == NULL);
    tests_outcome_destroy(&outcome);
}

// An operation in which nothing would move is taken back, together with its frames.
Test(frames, end_where_the_run_does)
{
    struct tests_outcome outcome;
    must_run(
        (struct ek_experiment){
            .topology = "ring:16", .method = "splitting:1/3", .units = "tokens", .load = "peak:400", .frames = 1000},
        &outcome);
    cr_expect_eq(outcome.report.frame_count, outcome.report.steps + 1);
    expect_spread(&outcome.report, 1000);
    tests_outcome_destroy(&outcome);
}

// The loads held in a snapshot add up to the row of the trace that is from the same snapshot.
Test(frames, of_free_timing_are_snapshots)
{
    enum { RUNS_MAX = 50 };
    struct tests_outcome outcome = {.machine = NULL};
    for (unsigned runs = 0; runs < RUNS_MAX && outcome.report.frame_count < 3;
         runs++) { // the thread that takes snapshots may get no core
        tests_outcome_destroy(&outcome);
        must_run((struct ek_experiment){.topology = "torus:4x4",
                                        .method = "adf",
                                        .timing = "free",
                                        .load = "uniform:0:1000",
                                        .work = "constant:0=1",
                                        .stop = "never",
                                        .seconds_max = 0.2,
                                        .audit_s = 0.002,
                                        .keep_trace = true,
                                        .frames = 7},
                 &outcome);
    }
    const struct ek_report *report = &outcome.report;
    size_t last = report->frame_count - 1;
    cr_assert(report->frame_count >= 3 && report->frame_count <= 7);
    cr_expect(same_loads(report->frame_load, report->initial) && report->frame[0].time == 0.0);
    cr_expect(same_loads(report->frame_load + last * PROCESSORS, report->final));
    cr_expect_eq(report->frame[last].time, report->elapsed_s);
    for (size_t f = 1; f < last; f++) {
        cr_expect_gt(report->frame[f].time, report->frame[f - 1].time);
        const struct ek_trace_row *row = report->trace;
        while (row < report->trace + report->trace_count && row->time != report->frame[f].time) {
            row++;
        }
        cr_assert(row < report->trace + report->trace_count, "frame %zu belongs to no snapshot", f);
        double held = 0.0;
        for (size_t p = 0; p < PROCESSORS; p++) {
            held += report->frame_load[f * PROCESSORS + p];
        }
        cr_expect_float_eq(held / PROCESSORS, row->mean, 1e-9 * row->mean);
    }
    tests_outcome_destroy(&outcome);
}

// Checks the loads of frame `f` against a run that ends then. Turns that begin at the limit of time still happen, those
// at the end of a window do not belong to it.
static void expect_cut(struct ek_experiment experiment, const struct ek_report *report, size_t f)
{
    struct tests_outcome shorter;
    experiment.seconds_max = report->frame[f].time - 1e-9;
    experiment.frames = 0;
    must_run(experiment, &shorter);
    cr_expect(same_loads(report->frame_load + f * PROCESSORS, shorter.report.final),
              "frame %zu is not what a run of %g s has left", f, experiment.seconds_max);
    tests_outcome_destroy(&shorter);
}

Test(frames, of_virtual_time_are_what_a_run_has_that_ends_then)
{
    struct ek_experiment experiment = {.topology = "torus:4x4",
                                       .method = "ade",
                                       .timing = "virtual",
                                       .load = "uniform:0:1000",
                                       .carrier = "pool:2",
                                       .stop = "variance:1e-3",
                                       .keep_loads = true};
    static const double samples[] = {0.0, 7e-6};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        for (uint64_t most = 5; most <= 1000; most *= 10) {
            struct tests_outcome outcome;
            experiment.sample_s = samples[i];
            experiment.frames = most;
            experiment.seconds_max = 0.0;
            must_run(experiment, &outcome);
            const struct ek_report *report = &outcome.report;
            size_t last = report->frame_count - 1;
            cr_assert(last >= 2 && last < most, "%zu frames of at most %zu", last + 1, (size_t)most);
            cr_expect(same_loads(report->frame_load, report->initial) && report->frame[0].time == 0.0);
            cr_expect(same_loads(report->frame_load + last * PROCESSORS, report->final));
            cr_expect_eq(report->frame[last].time, report->virtual_s);
            for (size_t f = 1; f < last; f++) {
                cr_expect_gt(report->frame[f].time, report->frame[f - 1].time);
                expect_cut(experiment, report, f);
            }
            tests_outcome_destroy(&outcome);
        }
    }
}

// The windows of 1.05 us that the times below lie in do not begin there, so a frame is at most a window late.
Test(frames, of_virtual_time_are_evenly_spaced)
{
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = "torus:4x4",
                                    .method = "adf",
                                    .timing = "virtual",
                                    .work = "constant:0=1",
                                    .stop = "never",
                                    .seconds_max = 200e-6,
                                    .sample_s = 10e-6,
                                    .frames = 12},
             &outcome);
    // 20 rows do not fit, every second one does.
    cr_assert_eq(outcome.report.frame_count, 12, "%zu frames", outcome.report.frame_count);
    for (size_t f = 1; f < 11; f++) {
        double late = outcome.report.frame[f].time - (20e-6 * (double)f - 10e-6);
        cr_expect(late >= 0.0 && late <= 1.05e-6, "frame %zu is %g s late", f, late);
    }
    cr_expect_eq(outcome.report.frame[11].time, 200e-6);
    tests_outcome_destroy(&outcome);
}
