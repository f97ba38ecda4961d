// SPDX-License-Identifier: MIT
// Each axis of free timing in virtual time: the experiment runs to the end that it asks for, keeps the ledger, moves
// load, and a second run, with other workers, has the same report.
#include <math.h>
#include <string.h>

#include "tests/support/must.h"
#include "tests/support/text_file.h"
#include "tests/support/virtual_experiments.h"

#define ANY (-1)

struct row {
    struct ek_experiment experiment;
    int ended; // enum ek_ended, or ANY
};

// Fills what a row leaves open.
static struct ek_experiment whole(const struct ek_experiment *row, struct tests_memory *file)
{
    struct ek_experiment experiment = *row;
    experiment.timing = "virtual";
    experiment.topology = row->topology ? row->topology : "torus:4x4";
    experiment.method = row->method ? row->method : "ade";
    experiment.load = row->load ? row->load : "modulo:7919:160";
    experiment.seconds_max = row->seconds_max > 0.0 ? row->seconds_max : 1e-3;
    experiment.unpinned = true;
    experiment.keep_loads = experiment.keep_trace = true;
    experiment.reader = tests_memory_reader(file);
    return experiment;
}

static const char faults[] = "0ns fail link 0 1\n3us fail processor 5\n9us repair processor 5\n20us repair link 0 1\n";
static const char loads_in_time[] = "1 0 3 0\n0 2 0 -4\n0 0 0 9\n";

#define TOKENS .units = "tokens"
#define FOR(us) .seconds_max = 1e-6 * (us)

static const struct row rows[] = {
    // units, ports, domains, announcements
    {{.method = "ade"}, EK_ENDED_CRITERION},
    {{.method = "adf", FOR(50)}, EK_ENDED_TIME},
    {{TOKENS}, ANY},
    {{.method = "ade", TOKENS, .ports = "one"}, ANY},
    {{.method = "ade", .ports = "one"}, EK_ENDED_CRITERION},
    {{.method = "adf", .ports = "one"}, ANY},
    {{.domains = "overlap"}, EK_ENDED_CRITERION},
    {{.domains = "once"}, EK_ENDED_CRITERION},
    {{.domains = "exclusive"}, EK_ENDED_CRITERION},
    {{.method = "local-average"}, EK_ENDED_CRITERION},
    {{.method = "random-neighbours:2"}, ANY},
    {{.method = "liquid:c1", .topology = "ring:8", TOKENS}, ANY},
    {{.method = "diffusion:0.1", .announce = "pushed"}, EK_ENDED_CRITERION},
    {{.method = "sender:0.2/deg", .announce = "pushed", TOKENS}, ANY},
    // invocation
    {{.invoke = "below:60"}, EK_ENDED_ITSELF},
    {{.invoke = "above:130"}, EK_ENDED_ITSELF},
    {{.invoke = "outside:30:130"}, EK_ENDED_ITSELF},
    {{.invoke = "probability:0.2"}, EK_ENDED_CRITERION},
    {{.invoke = "every:5"}, EK_ENDED_CRITERION},
    {{.invoke = "at:0,3", .operations_max = 9, .stop = "never"}, EK_ENDED_OPERATIONS},
    {{.invoke = "gradient:20"}, EK_ENDED_ITSELF},
    {{.invoke = "global:spread:40"}, ANY},
    // work
    {{.work = "constant:0=7,5=-3", FOR(30)}, EK_ENDED_TIME},
    {{.work = "constant:0=7,5=-3", .tick_s = 1e-6, FOR(30)}, EK_ENDED_TIME},
    {{.work = "constant:0=7", .tick_s = 1e-6, .working = "suspended", FOR(30)}, EK_ENDED_TIME},
    {{.work = "pareto:1:3:5", .tick_s = 1e-6, FOR(30), TOKENS}, EK_ENDED_TIME},
    {{.work = "normal:5:9:5", .tick_s = 1e-6, FOR(30), TOKENS}, EK_ENDED_TIME},
    {{.topology = "ring:4", .work = "file:any", .tick_s = 2e-6}, EK_ENDED_CRITERION},
    // costs, links, slow processors, faults
    {{.slow = "3:7,4:2"}, EK_ENDED_CRITERION},
    {{.delay = "uniform:100ns:3us", .delay_load = "exponential:2us"}, EK_ENDED_CRITERION},
    {{.byte_time = "2ns", .load_bytes = "8", .mailbox = "spsc:1", .gap = "900ns"}, EK_ENDED_CRITERION},
    {{.turn_cost = "1ns", .overhead = "0ns", .gap = "1ns", .latency = "0ns"}, EK_ENDED_CRITERION},
    {{.link_limit = "5"}, EK_ENDED_CRITERION},
    {{.method = "adf", .capacity = "cs", .invoke = "probability:0.1", FOR(100)}, ANY},
    {{.capacity = "uniform:1:4", .weighting = "target"}, EK_ENDED_CRITERION},
    {{.faults = "file:any", FOR(60), .stop = "never"}, EK_ENDED_TIME},
    {{.faults = "link:200000,processor:20000,repair:5us", FOR(60), .stop = "never"}, EK_ENDED_TIME},
    // several levels of the agenda, several blocks of messages, and more processors than a cache holds
    {{.topology = "torus:12x12", .load = "modulo:7919:160", .delay = "uniform:100ns:2us"}, EK_ENDED_CRITERION},
    {{.topology = "torus:128x128", .load = "modulo:7919:160", .domains = "exclusive", FOR(12)}, EK_ENDED_TIME},
    // ends
    {{.stop = "variance:50"}, EK_ENDED_CRITERION},
    {{.stop = "spread:5"}, EK_ENDED_CRITERION},
    {{.stop = "error:5"}, EK_ENDED_CRITERION},
    {{.stop = "neighbours:5"}, EK_ENDED_CRITERION},
    {{.stop = "shared", .load = "peak:1600@3"}, EK_ENDED_CRITERION},
    {{.stop = "never", .operations_max = 50}, EK_ENDED_OPERATIONS},
    {{.stop = "never", FOR(9)}, EK_ENDED_TIME},
    {{.stop = "never", FOR(9), .sample_s = 2e-6, .window = "2us:7us"}, EK_ENDED_TIME},
};

// The load that is held or under way, and the load that work has made and used up.
static void expect_ledger(const struct ek_report *report, const char *said)
{
    double wanted = report->total_initial + report->generated - report->consumed;
    cr_expect_float_eq(report->total_final, wanted, 1e-9 * (1.0 + wanted), "%s: %g of %g", said, report->total_final,
                       wanted);
    cr_expect_geq(report->minimum_ever, 0.0, "%s", said);
    cr_expect(report->has_virtual && report->virtual_s > 0.0, "%s", said);
    cr_expect_gt(report->moved, 0.0, "%s", said);
    cr_expect_gt(report->messages, 0, "%s", said);
}

static void try_row(const struct row *row, const char *said)
{
    struct tests_memory file = {.text = row->experiment.faults ? faults : loads_in_time};
    file.length = strlen(file.text);
    struct ek_experiment experiment = whole(&row->experiment, &file);
    struct tests_outcome one, again;
    experiment.carrier = "pool:1";
    must_run(experiment, &one);
    experiment.carrier = "pool:3";
    must_run(experiment, &again);
    cr_expect(row->ended == ANY || (int)one.report.ended == row->ended, "%s: it ended by %d", said, one.report.ended);
    expect_ledger(&one.report, said);
    const char *name = tests_virtual_differs(&one.report, &again.report, ek_machine_topology(one.machine)->processors);
    cr_expect_null(name, "%s: %s differs", said, name);
    tests_outcome_destroy(&one);
    tests_outcome_destroy(&again);
}

Test(each_axis, runs_keeps_the_ledger_and_repeats)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tests_virtual said = {.experiment = rows[i].experiment};
        try_row(&rows[i], tests_virtual_said(&said));
    }
}

// Work, delays and faults in virtual time really have an effect at their time.
static struct ek_report report_of(struct ek_experiment experiment)
{
    static struct tests_memory file = {.text = faults, .length = sizeof faults - 1};
    struct ek_experiment all = whole(&experiment, &file);
    struct tests_outcome outcome;
    all.carrier = "pool:1";
    must_run(all, &outcome);
    struct ek_report report = outcome.report;
    tests_outcome_destroy(&outcome); // only numbers are used after this
    return report;
}

Test(faults, act_at_their_time)
{
    struct ek_experiment experiment = {.faults = "file:any", .stop = "never", FOR(2.9)};
    cr_expect_eq(report_of(experiment).free.faults.link_failures, 1);
    cr_expect_eq(report_of(experiment).free.faults.processor_failures, 0);
    experiment.seconds_max = 3e-6;
    cr_expect_eq(report_of(experiment).free.faults.processor_failures, 1);
    experiment.seconds_max = 20e-6;
    cr_expect_eq(report_of(experiment).free.faults.repairs, 2);
}

Test(ticks, fall_at_multiples_of_their_time)
{
    struct ek_experiment experiment = {
        .work = "constant:0=1", .tick_s = 1e-6, .invoke = "at:1", .operations_max = 100, .stop = "never", FOR(5)};
    cr_expect_eq(report_of(experiment).generated, 5.0); // at 1us, 2us, .. 5us: a turn that begins at the end happens
    experiment.seconds_max = 4.999e-6;
    cr_expect_eq(report_of(experiment).generated, 4.0);
}

Test(limits, end_a_run_in_virtual_seconds)
{
    struct ek_experiment experiment = {.stop = "never", FOR(12.345)};
    struct ek_report report = report_of(experiment);
    cr_expect_float_eq(report.virtual_s, 12.345e-6, 1e-15);
    cr_expect_float_eq(report.busy_s + report.idle_s, 16 * 12.345e-6, 1e-13);
    cr_expect_gt(report.in_flight, 0.0);
}
