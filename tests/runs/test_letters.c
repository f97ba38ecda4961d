// SPDX-License-Identifier: MIT
// Methods whose processors write letters: the same on every carrier, exact results in every timing, and what they
// refuse. tests/command/test_letters.sh compares runs with another machine.
#include <criterion/criterion.h>

#include <string.h>

#include "tests/support/runs.h"
#include "tests/support/text_file.h"

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

// Without rounds the nodes of a tree and the optimum of a search are the same too, whatever the links and processors do
// meanwhile, and however the machine detects its end.
Test(letters, results_are_exact_without_rounds, .timeout = 300)
{
    static const char *const programs[] = {"queens:6", "tsp:7:3", "uts:geo:linear:5:3:1"};
    static const struct ek_experiment machines[] = {
        {.timing = "virtual", .detect = "safra"},
        {.timing = "virtual", .detect = "mattern", .delay = "uniform:0.1us:30us", .mailbox = "spsc:1"},
        {.timing = "virtual", .faults = "link:20000,processor:3000,repair:20us", .byte_time = "3ns", .load_bytes = "9"},
        {.timing = "free", .carrier = "pool:2", .detect = "safra"},
        {.timing = "free", .carrier = "threads", .mailbox = "spsc:1", .perturb = 0.02},
        {.timing = "free", .carrier = "pool:3", .delay = "uniform:5us:50us", .detect = "mattern"},
        {.timing = "free", .carrier = "pool:2", .faults = "link:2000,processor:200,repair:1ms"},
    };
    enum { MACHINES = sizeof machines / sizeof *machines };
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        struct ek_report alone =
            run((struct ek_experiment){.topology = "chain:1", .method = "none", .tasks = programs[k]});
        for (unsigned i = 0; i < MACHINES * METHODS; i++) {
            struct ek_experiment experiment = machines[i % MACHINES];
            experiment.method = methods[i / MACHINES];
            experiment.topology = topology_of(experiment.method);
            experiment.tasks = programs[k];
            experiment.seed = i;
            experiment.hops = strcmp(experiment.method, "place:random") == 0 ? 1 + i % 3 : 0;
            if (strcmp(experiment.method, "steal:direct") == 0 || (i + k) % tests_one_in() != 0) {
                continue;
            }
            struct ek_report report = run(experiment);
            cr_expect_eq(report.tasks.result, alone.tasks.result, "%s with %s on machine %u", experiment.tasks,
                         experiment.method, i % MACHINES);
            cr_expect(k == 1 || report.tasks.executed == alone.tasks.executed, "%s executed %u tasks",
                      experiment.method, (unsigned)report.tasks.executed);
            cr_expect(report.tasks.has_letters && report.tasks.letter_hops > 0 && report.in_flight == 0.0);
            ek_report_destroy(&report);
        }
        ek_report_destroy(&alone);
    }
}

// In virtual time the number of workers does not matter.
Test(letters, workers_of_virtual_time_give_the_same, .timeout = 200)
{
    static const char *const programs[] = {"queens:6", "tsp:8:1", "flowshop:7x4:3"};
    for (unsigned i = 0; i < METHODS; i++) {
        struct ek_experiment experiment = {.topology = topology_of(methods[i]),
                                           .method = methods[i],
                                           .tasks = programs[i % 3],
                                           .timing = "virtual",
                                           .delay = i % 2 ? "uniform:0.5us:9us" : NULL,
                                           .detect = i % 4 == 3 ? "safra" : NULL,
                                           .carrier = "pool:1",
                                           .seed = i,
                                           .keep_loads = true,
                                           .keep_links = true,
                                           .keep_trace = true};
        if (strcmp(methods[i], "steal:direct") == 0) {
            continue;
        }
        struct ek_report alone = run(experiment);
        experiment.carrier = i % 2 ? "pool:5" : "pool:2";
        struct ek_report many = run(experiment);
        const char *differs = tests_report_differs(&alone, &many, 0);
        cr_expect_null(differs, "%s with %s on %s: %s", experiment.tasks, experiment.method, experiment.carrier,
                       differs);
        cr_expect_eq(alone.virtual_s, many.virtual_s);
        cr_expect_eq(alone.tasks.done_s, many.tasks.done_s);
        cr_expect_eq(alone.tasks.requests, many.tasks.requests);
        cr_expect_eq(alone.tasks.letter_hops, many.tasks.letter_hops);
        ek_report_destroy(&alone);
        ek_report_destroy(&many);
    }
}

// By hand: a turn costs T = 100 ns, a message o = 200 ns at both ends, its wire 50 ns and its latency 1000 ns; a task
// takes 1000 ns. Processor 1 asks in its first turn, which ends at 300. The request arrives at 1350. Processor 0 reads
// it in its third turn, from 2200 on, when it has 62 tasks left, and gives 31 of them. Then it executes another one, so
// the answer departs at 3700 and arrives at 4750. Processor 0 executes its other 30 tasks until 36,700, and asks: its
// request arrives at 37,950, when the last turn of processor 1 with a task begins.
Test(letters, two_processors_in_virtual_time)
{
    struct ek_report report = run((struct ek_experiment){.topology = "chain:2",
                                                         .tasks = "bag:constant:1",
                                                         .load = "peak:64",
                                                         .method = "steal:neighbour",
                                                         .timing = "virtual"});
    cr_expect_lt(report.tasks.done_s - 39250e-9, 1e-15);
    cr_expect_gt(report.tasks.done_s - 39250e-9, -1e-15);
    cr_expect_eq(report.tasks.requests, 3); // processor 1 asks again when it has nothing left
    cr_expect_eq(report.tasks.requests_failed, 2);
    cr_expect_eq(report.tasks.letter_hops, 6);
    cr_expect_eq(report.messages, 5); // its request meets the refusal in the same turn of processor 1
    cr_expect_eq(report.parcels, 1);
    cr_expect_eq(report.moved, 31.0);
    ek_report_destroy(&report);
}

// A receiver that pauses after refusals has turns by itself until the pause is over, whether letters come or not.
// Otherwise it would lose half of its time. The pauses are three turns long, which takes little time.
Test(letters, a_pause_ends_by_itself)
{
    static const char *const receivers[] = {"initiated:receiver:1:1000000", "initiated:receiver",
                                            "initiated:receiver:1:1"};
    double done_s[3];
    for (size_t i = 0; i < 3; i++) {
        struct ek_report report = run((struct ek_experiment){
            .topology = "ring:8", .method = receivers[i], .tasks = "queens:7", .timing = "virtual"});
        done_s[i] = report.tasks.done_s;
        ek_report_destroy(&report);
    }
    cr_expect(done_s[1] < 1.1 * done_s[0], "%g s, without pauses %g", done_s[1], done_s[0]);
    cr_expect(done_s[2] < 1.1 * done_s[0], "%g s, without pauses %g", done_s[2], done_s[0]);
}

// Letters to processors far away: on a chain of five, processor 4 waits for an answer over four links. Each processor
// on the path spends a turn and two overheads on a letter. A lone task cannot be stolen, so processors 1 to 4 are
// refused again and again, but sleep meanwhile.
Test(letters, waiting_costs_nothing)
{
    struct ek_report report = run((struct ek_experiment){.topology = "chain:5",
                                                         .tasks = "bag:constant:1000",
                                                         .load = "peak:1",
                                                         .method = "steal:lifeline",
                                                         .timing = "virtual"});
    cr_expect_eq(report.tasks.executed, 1);
    cr_expect_lt(report.free.turns, 200, "%u turns", (unsigned)report.free.turns);
    ek_report_destroy(&report);
}

// A link that fails stops letters, but not tasks: those that processor 0 has asked for stay with processor 1. If the
// link is repaired, processor 0 learns that it was refused, and asks again. Otherwise it never works.
Test(letters, failed_links_stop_letters)
{
    static const char *const faults[] = {"1us fail link 0 1\n20us repair link 0 1\n", "1us fail link 0 1\n"};
    for (size_t i = 0; i < 2; i++) {
        struct tests_memory memory = {.text = faults[i], .length = strlen(faults[i])};
        struct ek_report report = run((struct ek_experiment){.topology = "chain:3",
                                                             .tasks = "bag:constant:1",
                                                             .load = "peak:64@1",
                                                             .method = "steal:neighbour",
                                                             .timing = "virtual",
                                                             .faults = "file:any",
                                                             .reader = tests_memory_reader(&memory)});
        cr_expect_eq(report.tasks.executed, 64);
        cr_expect_eq(report.tasks.idle_most_s < report.tasks.done_s, i == 0, "case %zu", i);
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

// A run in virtual time that is cut keeps its tasks where they are, also those in letters that could not leave yet. A
// run in free timing lets them arrive.
Test(letters, cut_without_rounds)
{
    unsigned in_flight = 0;
    for (unsigned i = 0; i < 24; i++) {
        struct tests_outcome outcome;
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .tasks = "queens:9",
                                           .method = methods[i % 8],
                                           .hops = i % 8 == 3 ? 4 : 0,
                                           .timing = i < 18 ? "virtual" : "free",
                                           .carrier = "pool:2",
                                           .mailbox = "spsc:1",
                                           .byte_time = i < 18 ? "20ns" : NULL,
                                           .seconds_max = i < 18 ? 1e-6 * (30 + 7 * i) : 1e-3,
                                           .seed = i};
        tests_try(&experiment, 0, &outcome);
        cr_assert_eq(outcome.status, EK_UNREACHED, "%s: %s", experiment.method, outcome.error.sentence);
        const struct ek_report *report = &outcome.report;
        cr_expect_eq(report->ended, EK_ENDED_TIME);
        cr_expect_eq(report->held_final + report->in_flight, 1.0 + report->generated - report->consumed);
        cr_expect(i < 18 || report->in_flight == 0.0);
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
        {{.method = "steal:random", .tasks = "queens:5", .timing = "free", .invoke = "below:3"},
         "method",
         "use invoke always"},
        {{.method = "steal:random", .tasks = "queens:5", .timing = "virtual", .link_limit = "1"},
         "method",
         "leave link-limit out"},
        {{.method = "steal:random", .tasks = "queens:5", .timing = "virtual", .operations_max = 9},
         "operations",
         "has no operations"},
        {{.method = "cwn", .tasks = "queens:5", .timing = "free", .announce = "pushed"}, "announce", "announce asked"},
        {{.method = "steal:direct", .tasks = "queens:5", .timing = "virtual"}, "method", "on topology complete:N"},
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
