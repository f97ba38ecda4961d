// SPDX-License-Identifier: MIT
// Tasks without rounds: in free timing and in virtual time, where their times can be computed by hand. Runs in virtual
// time are made again event by event in tests/property/.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/support/must.h"
#include "tests/support/text_file.h"

static struct ek_report run(struct ek_experiment experiment)
{
    struct tests_outcome outcome;
    must_run(experiment, &outcome);
    cr_assert(outcome.report.has_tasks && outcome.report.converged, "%s: ended %d", experiment.tasks,
              (int)outcome.report.ended);
    cr_assert_eq(outcome.report.ended, EK_ENDED_DONE);
    struct ek_report report = outcome.report;
    outcome.report = (struct ek_report){0};
    tests_outcome_destroy(&outcome);
    return report;
}

static void expect_ns(double got_s, double expected_ns, const char *what)
{
    cr_expect(fabs(1e9 * got_s - expected_ns) <= 1e-6, "%s is %.17g ns, not %.17g", what, 1e9 * got_s, expected_ns);
}

// A turn of 100 ns executes up to `grain` tasks; a unit of cost takes 1 us on a processor of capacity 1.
Test(clocked_tasks, one_processor_works)
{
    static const struct {
        const char *tasks;
        uint64_t grain;
        const char *task_time, *slow;
        double done_ns, work_ns, bound_ns;
    } cases[] = {
        {"queens:6", 1, NULL, NULL, 153 * 1100.0, 153000.0, 153000.0},
        {"queens:6", 10, NULL, NULL, 16 * 100.0 + 153000.0, 153000.0, 153000.0},
        {"queens:6", 1, "0", NULL, 153 * 100.0, 0.0, 0.0},
        {"queens:6", 1, "2.5ns", NULL, 153 * 103.0, 153 * 3.0, 153 * 2.5}, // each turn rounds to nanoseconds
        {"queens:6", 1, NULL, "0:3", 153 * 3300.0, 459000.0, 153000.0},
        {"bag:constant:7", 1, NULL, NULL, 5 * 7100.0, 35000.0, 35000.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool bag = strncmp(cases[i].tasks, "bag", 3) == 0;
        struct ek_report report = run((struct ek_experiment){.topology = "chain:1",
                                                             .timing = "virtual",
                                                             .method = "none",
                                                             .tasks = cases[i].tasks,
                                                             .load = bag ? "peak:5" : NULL,
                                                             .grain = cases[i].grain,
                                                             .task_time = cases[i].task_time,
                                                             .slow = cases[i].slow});
        expect_ns(report.tasks.done_s, cases[i].done_ns, "the end of the last task");
        expect_ns(report.virtual_s, cases[i].done_ns, "the end of the run");
        expect_ns(report.tasks.work_s, cases[i].work_ns, "the work");
        expect_ns(report.tasks.bound_s, cases[i].bound_ns, "the bound");
        expect_ns(report.tasks.idle_s, cases[i].done_ns - cases[i].work_ns, "the idle time");
        cr_expect(isnan(report.tasks.detection_s));
        ek_report_destroy(&report);
    }
}

// Two processors of capacities 2 and 1 have seven tasks each, and do not balance.
Test(clocked_tasks, capacities_divide_the_time_of_work)
{
    struct ek_report report = run((struct ek_experiment){.topology = "chain:2",
                                                         .timing = "virtual",
                                                         .method = "none",
                                                         .tasks = "bag:constant:3",
                                                         .load = "constant:7",
                                                         .capacity = "semi"});
    expect_ns(report.tasks.done_s, 7 * 3100.0, "the end of the last task");
    expect_ns(report.tasks.work_s, 7 * 1500.0 + 7 * 3000.0, "the work");
    expect_ns(report.tasks.bound_s, 42000.0 / 3.0, "the bound");
    expect_ns(report.tasks.idle_most_s, 7 * 3100.0 - 7 * 1500.0, "the idle time of the fast processor");
    cr_expect_lt(fabs(report.tasks.speedup - 42000.0 / (7 * 3100.0)), 1e-12);
    cr_expect_lt(fabs(report.tasks.efficiency - report.tasks.speedup / 3.0), 1e-12);
    ek_report_destroy(&report);
}

// On two processors, T = 100, o = 200, x = 50 and L = 1000 ns. Safra's token goes there and back: the root sends it at
// the end of its work, T + 3o + 2x + 2L before it has it again. Mattern's second wave begins a turn later.
Test(clocked_tasks, detection_takes_its_messages)
{
    static const struct {
        const char *detect;
        double ns;
        uint64_t messages;
    } cases[] = {{"safra", 2800.0, 2}, {"mattern", 5900.0, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_report report = run((struct ek_experiment){.topology = "chain:2",
                                                             .timing = "virtual",
                                                             .method = "none",
                                                             .tasks = "queens:6",
                                                             .detect = cases[i].detect});
        expect_ns(report.tasks.detection_s, cases[i].ns, cases[i].detect);
        cr_expect_eq(report.tasks.detection_messages, cases[i].messages);
        cr_expect_eq(report.messages, cases[i].messages);
        ek_report_destroy(&report);
    }
}

// Processor 3 pulls tasks from processor 2. They take 300 us over this link, which is not in the spanning tree, and all
// processors are passive meanwhile.
Test(clocked_tasks, parcels_under_way_are_not_forgotten)
{
    static const char *const detections[] = {"snapshot", "safra", "mattern"};
    for (size_t i = 0; i < sizeof detections / sizeof *detections; i++) {
        struct ek_report report = run((struct ek_experiment){.topology = "ring:5",
                                                             .timing = "virtual",
                                                             .method = "adf",
                                                             .tasks = "bag:constant:1",
                                                             .load = "list:0,0,12,0,0",
                                                             .invoke = "at:3",
                                                             .delay_load = "fixed:300us",
                                                             .detect = detections[i]});
        cr_expect_eq(report.tasks.executed, 12, "%s", detections[i]);
        cr_expect_gt(report.tasks.done_s, 300e-6, "%s", detections[i]);
        ek_report_destroy(&report);
    }
}

// Without an answer that comes too early: a wrong one would leave tasks, and the run would end as a violation.
Test(clocked_tasks, every_detection_waits_for_the_last_task, .timeout = 200)
{
    static const char *const detections[] = {"snapshot", "safra", "mattern"};
    static const char *const topologies[] = {"torus:3x3", "ring:5", "star:6", "chain:2", "hypercube:3"};
    for (unsigned i = 0; i < 30; i++) {
        struct ek_experiment experiment = {.topology = topologies[i % 5],
                                           .method = i % 2 ? "adf" : "ade",
                                           .tasks = "queens:6",
                                           .detect = detections[i % 3],
                                           .seed = i,
                                           .timing = i < 15 ? "virtual" : "free",
                                           .delay = i < 15 ? "uniform:0.1us:9us" : NULL,
                                           .perturb = i < 15 ? 0.0 : 0.1};
        struct ek_report report = run(experiment);
        cr_expect_eq(report.tasks.executed, 153, "%s on %s executed %u tasks", experiment.detect, experiment.topology,
                     (unsigned)report.tasks.executed);
        cr_expect(i < 15 || report.tasks.detection_s >= 0.0);
        ek_report_destroy(&report);
    }
}

// The results are those of a single processor, whatever the machine does.
Test(clocked_tasks, free_timing_finds_every_result, .timeout = 300)
{
    static const char *const programs[] = {"queens:7", "tsp:8:3", "flowshop:8x4:3"};
    static const struct ek_experiment machines[] = {
        {.method = "adf"},
        {.method = "ade", .carrier = "pool:2", .ports = "one"},
        {.method = "adf", .announce = "pushed", .mailbox = "spsc:1"},
        {.method = "adf", .delay = "uniform:5us:50us", .mailbox = "wfcq"},
        {.method = "ade", .faults = "link:2000,processor:200,repair:1ms", .perturb = 0.05},
        {.method = "odf", .domains = "exclusive", .give = "newest", .grain = 7},
        {.method = "adf", .carrier = "pool:2", .invoke = "below:2", .keep_links = true, .mailbox = "mutex"},
    };
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        struct ek_report alone =
            run((struct ek_experiment){.topology = "chain:1", .method = "none", .tasks = programs[k]});
        for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
            struct ek_experiment experiment = machines[i];
            experiment.topology = "torus:3x3";
            experiment.timing = "free";
            experiment.tasks = programs[k];
            struct ek_report report = run(experiment);
            cr_expect(report.tasks.has_result);
            cr_expect_eq(report.tasks.result, alone.tasks.result, "%s on machine %zu: %llu", programs[k], i,
                         (unsigned long long)report.tasks.result);
            cr_expect(report.tasks.work_s > 0.0 && report.tasks.done_s <= report.elapsed_s);
            ek_report_destroy(&report);
        }
        ek_report_destroy(&alone);
    }
}

// One worker keeps one core busy, whatever the computer has. Each snapshot sends a marker over every link both ways.
Test(clocked_tasks, efficiency_is_a_share_of_the_cores_that_worked)
{
    struct ek_report report = run((struct ek_experiment){
        .topology = "torus:3x3", .timing = "free", .carrier = "pool:1", .method = "adf", .tasks = "queens:8"});
    cr_expect_eq(report.tasks.efficiency, report.tasks.speedup);
    cr_expect_lt(fabs(report.tasks.speedup * report.tasks.done_s - report.tasks.work_s), 1e-12);
    cr_expect_lt(fabs(report.tasks.done_s + report.tasks.detection_s - report.elapsed_s), 1e-12);
    cr_expect_eq(report.tasks.detection_messages, 36 * report.free.audits);
    ek_report_destroy(&report);
}

// A run that was cut keeps its tasks, and says how far it came.
Test(clocked_tasks, cut)
{
    struct tests_outcome outcome;
    struct ek_experiment experiment = {.topology = "ring:4",
                                       .timing = "virtual",
                                       .tasks = "queens:8",
                                       .method = "adf",
                                       .seconds_max = 50e-6,
                                       .keep_loads = true};
    tests_try(&experiment, 0, &outcome);
    cr_assert_eq(outcome.status, EK_UNREACHED, "%s", outcome.error.sentence);
    cr_expect_eq(outcome.report.ended, EK_ENDED_TIME);
    expect_ns(outcome.report.tasks.done_s, 50000.0, "the end");
    double held = 0.0;
    for (uint32_t p = 0; p < 4; p++) {
        held += outcome.report.final[p];
    }
    cr_expect_gt(held + outcome.report.in_flight, 0.0);
    tests_outcome_destroy(&outcome);
}

// The tasks of a processor that is cut off for good are never executed. The others execute theirs, and the run ends.
Test(clocked_tasks, cut_off)
{
    static const char *const timings[] = {"virtual", "free"};
    for (size_t i = 0; i < sizeof timings / sizeof *timings; i++) {
        static const char text[] = "0ns fail processor 0\n";
        struct tests_memory memory = {.text = text, .length = strlen(text)};
        struct tests_outcome outcome;
        struct ek_experiment experiment = {.topology = "chain:3",
                                           .timing = timings[i],
                                           .tasks = "bag:constant:1",
                                           .load = "list:9,5,0",
                                           .method = "adf",
                                           .faults = "file:any",
                                           .reader = tests_memory_reader(&memory)};
        tests_try(&experiment, 0, &outcome);
        cr_assert_eq(outcome.status, EK_UNREACHED, "%s", outcome.error.sentence);
        cr_expect_eq(outcome.report.ended, EK_ENDED_FROZEN, "%s", timings[i]);
        cr_expect_eq(outcome.report.tasks.executed, 5, "%s", timings[i]);
        tests_outcome_destroy(&outcome);
    }
}
