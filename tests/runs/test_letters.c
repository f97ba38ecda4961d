// SPDX-License-Identifier: MIT
// Methods whose processors write letters: the same on every carrier, exact results in every timing, and what they
// refuse. tests/command/test_letters.sh compares runs with another machine.
#include <criterion/criterion.h>

#include <string.h>

#include "tests/support/runs.h"

static const char *const methods[] = {
    "steal:random",     "steal:neighbour",    "steal:lifeline", "place:random", "gradient",        "cwn",
    "initiated:sender", "initiated:receiver", "central",        "steal:direct", "steal:lifeline:0"};
enum { METHODS = sizeof methods / sizeof *methods };

static const char *topology_of(const char *method)
{
    return strcmp(method, "central") == 0 ? "star:12" : "torus:4x3";
}

static struct ek_report run(struct ek_experiment experiment)
{
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_assert(outcome.machine, "%s: %s", experiment.method, outcome.error.sentence);
    cr_assert_eq(outcome.status, EK_OK, "%s: status %d, %s", experiment.method, outcome.status, outcome.error.sentence);
    cr_assert_eq(outcome.report.ended, EK_ENDED_DONE);
    struct ek_report report = outcome.report;
    outcome.report = (struct ek_report){0};
    tests_outcome_destroy(&outcome);
    return report;
}

Test(letters, every_carrier_gives_the_same, .timeout = 200)
{
    static const char *const carriers[] = {"threads", "pool:2", "pool:5"};
    static const char *const programs[] = {"queens:6", "tsp:8:1", "uts:geo:linear:5:3:1"};
    static const char *const timings[] = {NULL, NULL, "turns", "turns:random"};
    for (unsigned i = 0; i < 4 * METHODS; i++) {
        struct ek_experiment experiment = {.topology = topology_of(methods[i % METHODS]),
                                           .method = methods[i % METHODS],
                                           .tasks = programs[i % 3],
                                           .timing = timings[i / METHODS],
                                           .grain = i / METHODS == 1 ? 3 : 0,
                                           .seed = i,
                                           .keep_loads = true,
                                           .keep_trace = true};
        struct ek_report alone = run(experiment);
        experiment.carrier = carriers[i % 3];
        struct ek_report many = run(experiment);
        const char *differs = tests_report_differs(&alone, &many, 0);
        cr_expect_null(differs, "%s with %s on %s: %s", experiment.tasks, experiment.method, experiment.carrier,
                       differs);
        cr_expect_eq(alone.tasks.requests, many.tasks.requests);
        cr_expect_eq(alone.tasks.requests_failed, many.tasks.requests_failed);
        cr_expect_eq(alone.tasks.letter_hops, many.tasks.letter_hops);
        cr_expect(alone.tasks.has_letters && alone.tasks.letter_hops > 0);
        ek_report_destroy(&alone);
        ek_report_destroy(&many);
    }
}

// The nodes of a tree and the optimum of a search do not depend on who executes them.
Test(letters, results_are_exact, .timeout = 200)
{
    static const struct {
        const char *tasks;
        uint64_t executed, result; // executed: 0 if it depends on the machine
    } programs[] = {{"queens:8", 2057, 92}, {"tsp:9:1", 0, 3299}, {"uts:geo:linear:5:3:1", 0, 0}};
    for (unsigned i = 0; i < 3 * METHODS; i++) {
        struct ek_experiment experiment = {
            .topology = "ring:4", .method = "none", .tasks = programs[i / METHODS].tasks, .timing = NULL};
        struct ek_report serial = run(experiment);
        experiment.topology = topology_of(methods[i % METHODS]);
        experiment.method = methods[i % METHODS];
        experiment.timing = i % 2 ? "turns" : NULL;
        struct ek_report report = run(experiment);
        cr_expect_eq(report.tasks.result, serial.tasks.result, "%s with %s", experiment.tasks, experiment.method);
        if (i / METHODS != 1) {
            cr_expect_eq(report.tasks.executed, serial.tasks.executed, "%s with %s", experiment.tasks,
                         experiment.method);
        }
        if (programs[i / METHODS].executed > 0) {
            cr_expect_eq(report.tasks.executed, programs[i / METHODS].executed);
            cr_expect_eq(report.tasks.result, programs[i / METHODS].result);
        }
        ek_report_destroy(&serial);
        ek_report_destroy(&report);
    }
}

// Two processors with one link. Processor 0 has tasks of cost 1, and 1 asks at once: it gets half of what is there in
// the same step, so both work in every tick and end after half of the time.
Test(letters, two_processors_share_at_once)
{
    struct ek_report report = run((struct ek_experiment){
        .topology = "chain:2", .tasks = "bag:constant:1", .load = "peak:64", .method = "steal:neighbour"});
    cr_expect_eq(report.tasks.ticks, 32);
    cr_expect_eq(report.tasks.requests, 1);
    cr_expect_eq(report.tasks.requests_failed, 0);
    cr_expect_eq(report.tasks.letter_hops, 2);
    cr_expect_eq(report.messages, 2);
    cr_expect_eq(report.parcels, 1);
    cr_expect_eq(report.moved, 32.0);
    ek_report_destroy(&report);
}

// Only new tasks are placed. Independent tasks stay where the load placed them.
Test(letters, first_tasks_stay)
{
    struct ek_report report = run((struct ek_experiment){
        .topology = "star:3", .tasks = "bag:constant:1", .load = "list:1,0,100", .method = "place:random"});
    cr_expect_eq(report.tasks.ticks, 100);
    cr_expect_eq(report.tasks.letter_hops, 0);
    ek_report_destroy(&report);
}

// On complete graphs a large tree keeps all processors busy.
Test(letters, stealing_is_efficient_on_complete_graphs)
{
    struct ek_report report =
        run((struct ek_experiment){.topology = "complete:8", .tasks = "queens:9", .method = "steal:random", .seed = 3});
    cr_expect_gt(report.tasks.efficiency, 0.95, "the efficiency is %g", report.tasks.efficiency);
    ek_report_destroy(&report);
}

// Tasks in letters are in flight when a limit cuts a run, and nothing is lost.
Test(letters, cut_with_tasks_in_flight)
{
    unsigned in_flight = 0;
    for (unsigned steps = 1; steps < 60; steps++) {
        struct tests_outcome outcome;
        struct ek_experiment experiment = {.topology = "torus:4x5",
                                           .tasks = "queens:7",
                                           .method = methods[steps % 8],
                                           .hops = steps % 8 == 3 ? 4 : 0,
                                           .steps_max = 8 + steps % 13};
        tests_try(&experiment, 0, &outcome);
        cr_assert_eq(outcome.status, EK_UNREACHED, "%s: %s", experiment.method, outcome.error.sentence);
        const struct ek_report *report = &outcome.report;
        cr_expect_eq(report->held_final + report->in_flight, 1.0 + report->generated - report->consumed);
        in_flight += report->in_flight > 0.0;
        tests_outcome_destroy(&outcome);
    }
    cr_expect_gt(in_flight, 10);
}

Test(letters, refused)
{
    static const struct {
        struct ek_experiment experiment;
        const char *axis, *part;
    } cases[] = {
        {{.method = "steal:random"}, "method", "steal moves tasks: use tasks queens:8"},
        {{.method = "steal:anyone", .tasks = "queens:5"}, "method", "there is no victim called 'anyone'"},
        {{.method = "steal:lifeline:x", .tasks = "queens:5"}, "method", "the number of requests before the lifelines"},
        {{.method = "steal:random:2", .tasks = "queens:5"}, "method", "cannot follow"},
        {{.method = "steal:random", .tasks = "queens:5", .units = "tokens"}, "units", "use units tasks"},
        {{.method = "steal:random", .tasks = "queens:5", .link_limit = "1"},
         "method",
         "leave link-limit and links out"},
        {{.method = "steal:random", .tasks = "queens:5", .keep_links = true},
         "method",
         "leave link-limit and links out"},
        {{.method = "steal:random", .tasks = "queens:5", .ports = "one"}, "method", "use ports all"},
        {{.method = "steal:random", .tasks = "queens:5", .invoke = "below:3"}, "method", "use invoke always"},
        {{.method = "steal:random", .tasks = "queens:5", .timing = "free"}, "method", "use timing rounds"},
        {{.method = "place:best", .tasks = "queens:5"}, "method", "placement"},
        {{.method = "adf", .tasks = "queens:5", .hops = 3}, "hops", "use method place:random"},
        {{.method = "steal:random", .tasks = "queens:5", .hops = 3}, "hops", "use method place:random"},
        {{.method = "central", .tasks = "queens:5"}, "topology", "use topology star:N"},
        {{.method = "central:1", .tasks = "queens:5", .topology = "star:4"}, "method", "no parameter"},
        {{.method = "gradient:0", .tasks = "queens:5"}, "method", "the low mark"},
        {{.method = "gradient:3:2", .tasks = "queens:5"}, "method", "the high mark"},
        {{.method = "cwn:0", .tasks = "queens:5"}, "method", "the radius"},
        {{.method = "cwn:3:4", .tasks = "queens:5"}, "method", "the horizon"},
        {{.method = "cwn", .tasks = "queens:5", .capacity = "semi"}, "method", "equal capacities"},
        {{.method = "initiated:both", .tasks = "queens:5"}, "method", "there is no side called 'both'"},
        {{.method = "initiated:sender:0", .tasks = "queens:5"}, "method", "the threshold"},
        {{.method = "initiated:sender:1:0", .tasks = "queens:5"}, "method", "the number of requests"},
        {{.method = "steal:random", .tasks = "queens:5", .topology = "random:5000:4"}, "topology", "at most 4096"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        struct tests_outcome outcome;
        experiment.topology = experiment.topology ? experiment.topology : "ring:5";
        tests_try(&experiment, 0, &outcome);
        cr_assert_null(outcome.machine, "case %zu", i);
        cr_expect_eq(outcome.error.status, EK_BAD_INPUT);
        cr_expect_str_eq(outcome.error.axis, cases[i].axis, "%s", outcome.error.sentence);
        cr_expect(strstr(outcome.error.sentence, cases[i].part), "%s", outcome.error.sentence);
    }
}

// A lone processor has nobody to ask.
Test(letters, one_processor)
{
    for (unsigned i = 0; i < METHODS; i++) {
        struct ek_report report =
            run((struct ek_experiment){.topology = "mesh:1x1", .tasks = "queens:5", .method = methods[i]});
        cr_expect_eq(report.tasks.executed, 54, "%s", methods[i]);
        cr_expect_eq(report.tasks.letter_hops, 0, "%s", methods[i]);
        ek_report_destroy(&report);
    }
}
