// SPDX-License-Identifier: MIT
// Free timing with its other axes: workload, capacities, delays, faults, mailboxes, stragglers; and which
// combinations are refused.
#include "tests/support/free_laws.h"
#include "tests/support/text_file.h"

// Work is generated and consumed, by the clock or in every turn.
Test(free_axes, work_keeps_the_ledger)
{
    static const char *const works[] = {"normal:20:9:20", "normal:3:400:50", "constant:0=7,3=-9", "constant:1=-40"};
    for (unsigned k = 0; k < COMBINATIONS; k++) {
        struct ek_experiment experiment;
        if (!in_part(k / 3, 0) || !combine(k, &experiment) || k % 3 == 0) {
            continue;
        }
        if (strstr(experiment.topology, "ring:3")) {
            experiment.topology = "ring:5";
        }
        experiment.work = works[k % 4];
        experiment.tick_s = k % 5 < 3 ? 1e-4 : 0.0;
        experiment.operations_max = 200;
        experiment.load = "uniform:0:60";
        struct tests_outcome outcome;
        run_free(&experiment, k, &outcome);
        cr_expect(outcome.status == EK_OK && outcome.report.ended == EK_ENDED_OPERATIONS, "%s: reason %d",
                  said(&experiment), outcome.report.ended);
        cr_expect(experiment.tick_s > 0.0 || outcome.report.generated > 0.0 || k % 4 == 3, "%s", said(&experiment));
        cr_expect(experiment.tick_s > 0.0 || outcome.report.consumed > 0.0, "%s", said(&experiment));
        tests_outcome_destroy(&outcome);
    }
}

static char *read_either(void *context, const char *path, size_t *length, struct ek_error *error)
{
    struct tests_memory *memory = context;
    return tests_memory_read(&memory[is(path, "work")], path, length, error);
}

// Returns a reader of two files: one called work, and any other.
static struct ek_reader files(const char *work, const char *other)
{
    static struct tests_memory memory[2];
    memory[0] = (struct tests_memory){.text = other, .length = strlen(other)};
    memory[1] = (struct tests_memory){.text = work, .length = strlen(work)};
    return (struct ek_reader){.read = read_either, .context = memory};
}

Test(free_axes, a_file_of_work_comes_to_its_end)
{
    for (unsigned k = 0; k < 4; k++) {
        struct ek_experiment experiment = {
            .topology = "ring:4",
            .method = k < 2 ? "ade" : "adf",
            .units = k % 2 ? "tokens" : "real",
            .carrier = carriers[k],
            .invoke = "outside:300:800",
            .load = "constant:400",
            .work = "file:work",
            .tick_s = k % 2 ? 0.002 : 0.0,
            .reader = files("0 500 0 0\n0 0 0 0\n800 0 -300 0\n0 -400 -400 -400\n900 0 0 0\n", "")};
        struct tests_outcome outcome;
        run_free(&experiment, k, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect(outcome.status == EK_OK && report->ended == EK_ENDED_ITSELF && all_inside(&outcome, 300.0, 800.0),
                  "%s: status %d, reason %d", said(&experiment), outcome.status, report->ended);
        // The threads decide how much of the 1,500 wanted is there at its tick. The first consumer finds at
        // least 400.
        cr_expect(report->generated == 2200.0 && report->consumed <= 1500.0 && report->consumed >= 300.0,
                  "%g generated, %g consumed", report->generated, report->consumed);
        tests_outcome_destroy(&outcome);
    }
}

Test(free_axes, loads_balance_by_capacity_and_towards_targets)
{
    for (unsigned k = 0; k < 8; k++) {
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .method = k < 4 ? "adf" : "ade",
                                           .capacity = "semi",
                                           .weighting = k < 4 && k % 2 ? "capacity" : "target",
                                           .ports = k % 4 < 2 ? "all" : "one",
                                           .carrier = carriers[k % 4],
                                           .stop = "error:0.5"};
        struct tests_outcome outcome;
        run_free(&experiment, k, &outcome);
        cr_expect(outcome.status == EK_OK && outcome.report.ended == EK_ENDED_CRITERION, "%s %s: reason %d",
                  said(&experiment), experiment.weighting, outcome.report.ended);
        cr_expect(outcome.report.spread_final > 10.0, "%s: capacities differ", said(&experiment));
        tests_outcome_destroy(&outcome);
    }
}

Test(free_axes, no_message_is_faster_than_its_delay)
{
    static const struct {
        const char *delay;
        double least, mean;
    } delays[] = {{"fixed:2ms", 2e-3, 2e-3},
                  {"uniform:1ms:3ms", 1e-3, 2e-3},
                  {"exponential:1ms", 0.0, 1e-3},
                  {"file:any", 1e-3, 0.0}};
    for (unsigned k = 0; k < 16; k++) {
        struct ek_experiment experiment = {.topology = "ring:4",
                                           .method = k % 2 ? "ade" : "adf",
                                           .delay = delays[k / 4].delay,
                                           .stop = "never",
                                           .ports = k % 4 < 2 ? "all" : "one",
                                           .units = "tokens",
                                           .carrier = carriers[k % 4],
                                           .operations_max = 40,
                                           .mailbox = k % 3 ? "spsc:4" : "spsc:1",
                                           .reader = files("", "0 1 1ms\n1 2 2ms\n2 3 1ms\n0 3 4ms\n")};
        struct tests_outcome outcome;
        run_free(&experiment, k, &outcome);
        const struct ek_free_report *running = &outcome.report.free;
        cr_expect(running->delay_asked.count == outcome.report.messages &&
                      running->delay_realised.count == running->latency.count,
                  "%s: %lu delays", said(&experiment), running->delay_asked.count);
        cr_expect(running->delay_realised.mean >= running->delay_asked.mean &&
                      running->latency.median >= 0.99 * delays[k / 4].least &&
                      running->delay_realised.median >= 0.98 * running->delay_asked.median &&
                      running->delay_realised.maximum >= running->delay_asked.maximum,
                  "%s: %g of %g", said(&experiment), running->delay_realised.mean, running->delay_asked.mean);
        cr_expect(fabs(running->delay_asked.mean - delays[k / 4].mean) <= 0.2 * delays[k / 4].mean || k >= 12, "%s: %g",
                  said(&experiment), running->delay_asked.mean);
        tests_outcome_destroy(&outcome);
    }
}

// Returns the load over all links. Load that a failed link returned did not cross it, and has not moved.
static double load_over_links(const struct ek_free_report *running)
{
    double sum = 0.0;
    for (size_t i = 0; i < running->link_count; i++) {
        sum += running->link[i].load;
    }
    return sum;
}

// Load keeps moving, since work keeps it from balance, and a run ends when enough has moved. The thread that makes
// links fail may get no core all that time, so the run may be repeated.
static void fail_and_come_back(unsigned k, uint64_t run, struct ek_faults_report *sum)
{
    struct ek_experiment experiment;
    if (!in_part(k / 3, 2) || !combine(k, &experiment)) {
        return;
    }
    experiment.stop = "never";
    experiment.operations_max = 500;
    experiment.work = "normal:20:400:20";
    experiment.tick_s = 1e-4;
    experiment.keep_links = true;
    experiment.faults = k % 2 ? "link:6000,repair:1ms" : "link:500,processor:300,repair:3ms";
    experiment.delay = k % 4 < 3 ? "fixed:500us" : NULL;
    experiment.perturb = k % 5 == 0 ? 0.1 : 0.0;
    struct tests_outcome outcome;
    run_free(&experiment, run, &outcome);
    const struct ek_free_report *running = &outcome.report.free;
    cr_expect(outcome.status == EK_OK && outcome.report.ended == EK_ENDED_OPERATIONS, "%s: reason %d",
              said(&experiment), outcome.report.ended);
    cr_expect(running->faults.repairs <= running->faults.link_failures + running->faults.processor_failures &&
                  (k % 2 == 0 || running->faults.processor_failures == 0) &&
                  running->faults.returned <= outcome.report.parcels,
              "%s: faults", said(&experiment));
    cr_expect(fabs(load_over_links(running) - outcome.report.moved) <= 1e-9 * outcome.report.moved, "%s: %g, not %g",
              said(&experiment), outcome.report.moved, load_over_links(running));
    sum->link_failures += running->faults.link_failures;
    sum->repairs += running->faults.repairs;
    sum->returned += running->faults.returned;
    sum->load_returned += running->faults.load_returned;
    tests_outcome_destroy(&outcome);
}

Test(free_axes, links_and_processors_fail_and_come_back)
{
    enum { ENOUGH = 200, RUNS_MAX = 60 };
    struct ek_faults_report sum = {0};
    for (uint64_t run = 0; run < RUNS_MAX && sum.returned < ENOUGH; run++) {
        for (unsigned k = 0; k < COMBINATIONS; k += 3) {
            fail_and_come_back(k, run, &sum);
        }
    }
    cr_expect(sum.returned >= ENOUGH && sum.load_returned > 0.0 && sum.link_failures > 0 && sum.repairs > 0,
              "%lu parcels with a load of %g were returned by %lu links that failed", sum.returned, sum.load_returned,
              sum.link_failures);
}

// A failure comes before the work that makes the difference.
Test(free_axes, faults_from_a_file)
{
    static const char *const halves = "1ms fail link 0 7\n1ms fail link 3 4\n";
    static const char *const healed = "1ms fail link 0 7\n1ms fail link 3 4\n700ms repair link 3 4\n";
    static const char *const without = "1ms fail processor 3\n";
    static const char *const later = "1ms fail processor 0\n600ms repair processor 0\n";
    const struct {
        const char *faults;
        enum ek_status status;
    } cases[] = {{halves, EK_UNREACHED}, {healed, EK_OK}, {without, EK_OK}, {later, EK_OK}};
    for (unsigned k = 0; k < 8; k++) {
        struct ek_experiment experiment = {.topology = "ring:8",
                                           .method = k % 2 ? "ade" : "adf",
                                           .carrier = carriers[k % 4],
                                           .ports = k % 3 ? "all" : "one",
                                           .invoke = "outside:400:700",
                                           .load = "constant:500",
                                           .tick_s = 0.3,
                                           .work = "file:work",
                                           .faults = "file:faults",
                                           .reader = files("900 0 0 0 0 0 0 0", cases[k / 2].faults)};
        struct tests_outcome outcome;
        run_free(&experiment, k, &outcome);
        const struct ek_report *report = &outcome.report;
        bool good = cases[k / 2].status == EK_OK;
        cr_expect(outcome.status == cases[k / 2].status &&
                      (good ? report->ended == EK_ENDED_ITSELF
                            : report->ended == EK_ENDED_FROZEN || report->ended == EK_ENDED_GIVEN_UP) &&
                      all_inside(&outcome, 400.0, 700.0) == good && (good || *report->why),
                  "%s: status %d, reason %d, %g to %g", said(&experiment), outcome.status, report->ended,
                  report->minimum, report->maximum);
        cr_expect(report->generated == 900.0, "%s: %g generated", said(&experiment), report->generated);
        cr_expect(k / 2 != 2 || report->final[3] == 500.0, "a failed processor keeps its load, not %g",
                  report->final[3]);
        cr_expect(report->free.faults.link_failures == (k < 4 ? 2 : 0) &&
                      report->free.faults.processor_failures == (k < 4 ? 0 : 1) &&
                      report->free.faults.repairs == k / 2 % 2,
                  "%s: faults", said(&experiment));
        tests_outcome_destroy(&outcome);
    }
}

// A link that is down from the start is down before the first turn of any processor.
Test(free_axes, a_link_that_is_down_from_the_start_carries_nothing)
{
    for (unsigned k = 0; k < 4; k++) {
        struct ek_experiment experiment = {.topology = "chain:3",
                                           .method = k % 2 ? "ade" : "adf",
                                           .carrier = carriers[k],
                                           .load = "list:0,100,900",
                                           .stop = "never",
                                           .operations_max = 200,
                                           .faults = "file:faults",
                                           .reader = files("", "0us fail link 0 1\n")};
        struct tests_outcome outcome;
        run_free(&experiment, k, &outcome);
        cr_expect(outcome.report.final[0] == 0.0 && outcome.report.parcels > 0, "%s: %g", said(&experiment),
                  outcome.report.final[0]);
        tests_outcome_destroy(&outcome);
    }
}

Test(free_axes, mailboxes_of_one_place_do)
{
    static const char *const boxes[] = {"spsc:1", "wfcq:1", "mutex:1"};
    for (unsigned k = 0; k < COMBINATIONS; k++) {
        struct ek_experiment experiment;
        if (!in_part(k / 3, 1) || !combine(k, &experiment)) {
            continue;
        }
        experiment.mailbox = boxes[k % 3];
        experiment.stop = "never";
        experiment.operations_max = 300;
        experiment.perturb = k % 2 ? 0.1 : 0.0;
        experiment.audit_s = 0.001;
        struct tests_outcome outcome;
        run_free(&experiment, k, &outcome);
        cr_expect(outcome.status == EK_OK && outcome.report.operations == 300 &&
                      outcome.report.free.mailbox_capacity == 1,
                  "%s: status %d", said(&experiment), outcome.status);
        tests_outcome_destroy(&outcome);
    }
}

// Processor 2 is slow. A processor that asks it waits; the others go on.
Test(free_axes, a_straggler_does_not_stop_the_others)
{
    struct ek_experiment experiment = {.topology = "chain:3",
                                       .method = "adf",
                                       .carrier = "pool:1",
                                       .slow = "2:1000",
                                       .stop = "never",
                                       .operations_max = 3000};
    struct tests_outcome outcome;
    run_free(&experiment, 0, &outcome);
    const struct ek_free_report *running = &outcome.report.free;
    cr_expect(outcome.status == EK_OK && running->operation_time.maximum > 20.0 * running->operation_time.median,
              "%g and %g", running->operation_time.maximum, running->operation_time.median);
    tests_outcome_destroy(&outcome);
}

Test(free_axes, what_cannot_run_free_is_refused)
{
    const struct {
        struct ek_experiment experiment;
        const char *axis;
        int at;
        const char *sentence;
    } cases[] = {
        {{.steps_max = 5}, "steps", 0, "without rounds there are no steps: use operations or for"},
        {{.method = "sos"}, "method", 0, "sos works in rounds only: use timing rounds, or a method like adf or ade"},
        {{.method = "liquid:c4r", .topology = "ring:8"}, "method", 7, "c4r"},
        {{.mailbox = "slot"}, "mailbox", 0, "slot is ordered by the barrier of rounds: use spsc, wfcq or mutex"},
        {{.mailbox = "spsc:0"}, "mailbox", 5, "the capacity"},
        {{.mailbox = "spcs"}, "mailbox", 0, "spsc"},
        {{.clock = "step"}, "clock", 0, "leave it out, and use tick"},
        {{.method = "nna", .ports = "one"}, "method", 0, "needs all its ports in a step: use ports all"},
        {{.delay = "fixed:3"}, "delay", 7, "a delay is a time, as in fixed:20us"},
        {{.domains = "inclusive"}, "domains", 0, "exclusive"},
        {{.invoke = "gradient:-1"}, "invoke", 9, "the difference"},
        {{.slow = "99:2"}, "slow", 0, "the processor"},
        {{.faults = "link:-1"}, "faults", 5, ""},
        {{.perturb = 1.5}, "perturb", 0, "a number from 0 to 1"},
        {{.stop = "never"}, "stop", 0, "set one of steps, operations and for"},
        {{.timing = "rounds", .invoke = "gradient:3"}, "invoke", 0, "gradient needs free timing"},
        {{.timing = "rounds", .domains = "exclusive"}, "domains", 0, "use timing free"},
        {{.timing = "rounds", .tick_s = 1.0}, "tick", 0, "use timing free"},
        {{.timing = "rounds", .method = "sender:0.1", .delay = "fixed:3us"}, "delay", 7, "timing free"},
        {{.timing = "rounds", .mailbox = "spsc:4"}, "mailbox", 4, "or use timing free"},
        {{.timing = "freely"}, "timing", 0, "free"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        experiment.timing = experiment.timing ? experiment.timing : "free";
        experiment.seed = 1;
        struct ek_error error;
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_expect(!machine && error.status == EK_BAD_INPUT && is(error.axis, cases[i].axis) &&
                      error.at == cases[i].at && strstr(error.sentence, cases[i].sentence),
                  "case %zu: %s at %d: %s", i, error.axis, error.at, error.sentence);
        ek_machine_destroy(machine);
    }
}
