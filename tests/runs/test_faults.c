// SPDX-License-Identifier: MIT
// Links and processors that fail and are repaired in rounds and turns: specs, drawn events against the same events
// from a file, load in flight when a link fails, the ends of runs, and methods that need all links. tests/property/
// recomputes such runs in another program.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/axes/fault.h"
#include "tests/support/text_file.h"
#include "tests/support/must.h"

static const struct ek_reader NO_FILES;

static void expect_rates(const char *spec, double link, double processor, double repair)
{
    struct ek_topology *ring = must_build("ring:5");
    struct ek_error error;
    struct core_faults faults;
    cr_assert(core_faults_parse(&faults, spec, ring, false, NO_FILES, &error), "%s: %s", spec, error.sentence);
    cr_expect(faults.link_rate == link && faults.processor_rate == processor && faults.repair_s == repair, "%s", spec);
    core_faults_destroy(&faults);
    ek_topology_destroy(ring);
}

Test(faults_in_steps, rates_and_means)
{
    expect_rates("link:0.25", 0.25, 0.0, 10.0);
    expect_rates("processor:2,repair:3.5", 0.0, 2.0, 3.5);
    expect_rates("repair:0,link:1,processor:3", 1.0, 3.0, 0.0);
}

Test(faults_in_steps, a_file_has_steps)
{
    struct ek_topology *ring = must_build("ring:5");
    struct tests_memory memory = {.text = "0 fail link 1 2\n7 fail processor 4\n7 repair link 2 1\n"};
    memory.length = strlen(memory.text);
    struct ek_error error;
    struct core_faults faults;
    cr_assert(core_faults_parse(&faults, "file:any", ring, false, tests_memory_reader(&memory), &error), "%s",
              error.sentence);
    static const uint64_t steps[] = {0, 7, 7};
    cr_assert_eq(faults.count, 3);
    for (size_t i = 0; i < faults.count; i++) {
        cr_expect_eq(core_fault_step(&faults.events[i]), steps[i]);
    }
    core_faults_destroy(&faults);
    ek_topology_destroy(ring);
}

Test(faults_in_steps, refusals)
{
    static const struct {
        const char *spec, *text, *part;
    } cases[] = {
        {"link:1,repair:5ms", "", "'m' cannot follow"},
        {"link:1,repair:2e6", "", "the mean number of steps until the repair must be from 0 to 1000000"},
        {"file:any", "20ms fail link 0 1\n", "write a line as in 20 fail link 3 4 or 50 repair processor 7"},
        {"file:any", "2000000000 fail link 0 1\n", "the step must be a whole number from 0 to 1000000000"},
        {"file:any", "5 fail link 0 1\n4 repair link 0 1\n", "this is before the line above it"},
        {"file:any", "5 fail link 0 2\n", "processors 0 and 2 are not linked"},
    };
    struct ek_topology *ring = must_build("ring:5");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tests_memory memory = {.text = cases[i].text, .length = strlen(cases[i].text)};
        struct ek_error error;
        struct core_faults faults;
        cr_expect_not(core_faults_parse(&faults, cases[i].spec, ring, false, tests_memory_reader(&memory), &error));
        cr_expect(strstr(error.sentence, cases[i].part), "%s: %s", cases[i].spec, error.sentence);
    }
    ek_topology_destroy(ring);
}

// Writes the events that a run of this many steps meets, as a file has them: each before the first step that is not
// before its time.
static void write_events(const char *spec, const struct ek_topology *topology, uint64_t seed, uint64_t steps,
                         char *text, size_t size)
{
    struct ek_error error;
    struct core_faults faults;
    cr_assert(core_faults_parse(&faults, spec, topology, false, NO_FILES, &error), "%s", error.sentence);
    struct core_fault_source source;
    struct base_arena memory = {.count = 0};
    core_fault_source_plan(&source, &faults, topology, seed, &memory);
    cr_assert(base_arena_take(&memory));
    core_fault_source_begin(&source);
    size_t length = 0;
    struct core_fault fault;
    while (core_fault_next(&source, &fault) && (double)fault.at_ns * 1e-9 <= (double)steps) {
        uint32_t port = fault.processor ? 0 : fault.which;
        uint32_t ends[2] = {fault.processor ? fault.which : topology->neighbour[topology->twin[port]],
                            topology->neighbour[port]};
        length += (size_t)snprintf(text + length, size - length, "%.0f %s %s %u", ceil((double)fault.at_ns * 1e-9),
                                   fault.repair ? "repair" : "fail", fault.processor ? "processor" : "link", ends[0]);
        length += (size_t)snprintf(text + length, size - length, fault.processor ? "\n" : " %u\n", ends[1]);
        cr_assert_lt(length, size);
    }
    base_arena_destroy(&memory);
    core_faults_destroy(&faults);
}

// On every carrier and with every mailbox, drawn faults are the events of their seed.
Test(faults_in_steps, drawn_ones_are_as_from_a_file)
{
    enum { STEPS = 60, TEXT = 1 << 16 };
    static const struct ek_experiment machines[] = {
        {.carrier = "threads"}, {.carrier = "pool:2"}, {.carrier = "pool:3", .mailbox = "mutex"}};
    static const struct ek_experiment subjects[] = {
        {.topology = "torus:4x4", .method = "adf", .faults = "link:1,repair:4"},
        {.topology = "torus:4x4", .method = "ade", .faults = "link:0.4,processor:0.2", .delay = "uniform:0:4"},
        {.topology = "star:9", .method = "sender:1/deg", .faults = "processor:0.5,repair:2", .delay = "exponential:2"},
        {.topology = "ring:9", .method = "odf", .faults = "link:2,repair:1.5", .ports = "one", .units = "tokens"},
        {.topology = "mesh:3x4", .method = "matching", .faults = "link:0.5", .capacity = "semi", .weighting = "target"},
        {.topology = "mesh:3x4", .method = "adi(fos)", .faults = "link:1", .invoke = "below:400"},
        {.topology = "ring:9", .method = "adf", .faults = "link:1,repair:3", .delay = "fixed:3", .timing = "turns"},
    };
    static char text[TEXT];
    for (size_t k = 0; k < 3 * sizeof subjects / sizeof *subjects; k++) {
        struct ek_experiment experiment = subjects[k / 3];
        experiment.carrier = machines[k % 3].carrier;
        experiment.mailbox = machines[k % 3].mailbox;
        experiment.seed = 11 + k / 3;
        experiment.stop = "never";
        experiment.steps_max = STEPS;
        experiment.keep_loads = experiment.keep_trace = true;
        struct tests_outcome drawn, read;
        tests_try(&experiment, 0, &drawn);
        cr_assert_eq(drawn.status, EK_OK, "%s: %s", experiment.method, drawn.error.sentence);
        const struct ek_topology *topology = ek_machine_topology(drawn.machine);
        write_events(experiment.faults, topology, experiment.seed, STEPS, text, TEXT);
        struct tests_memory memory = {.text = text, .length = strlen(text)};
        experiment.faults = "file:any";
        experiment.reader = tests_memory_reader(&memory);
        tests_try(&experiment, 0, &read);
        const char *differs = tests_report_differs(&drawn.report, &read.report, topology->processors);
        cr_expect_null(differs, "%s on %s: %s", experiment.method, experiment.carrier, differs);
        cr_expect(drawn.report.faults.repairs > 0, "%s: nothing came back", experiment.method);
        tests_outcome_destroy(&read);
        tests_outcome_destroy(&drawn);
    }
}

static void run_with(const char *events, struct ek_experiment experiment, struct tests_outcome *outcome)
{
    struct tests_memory memory = {.text = events, .length = strlen(events)};
    experiment.faults = "file:any";
    experiment.reader = tests_memory_reader(&memory);
    experiment.carrier = "pool:1";
    experiment.keep_loads = true;
    tests_try(&experiment, 0, outcome);
    cr_assert(outcome->machine, "%s", outcome->error.sentence);
}

// By hand: 4 and 2 of 8 are in flight, for one step and two, when the link fails; they return. After the repair no
// announcement is due for three steps, so the first parcel leaves in the fourth.
Test(faults_in_steps, what_is_under_way_goes_back)
{
    static const struct {
        const char *timing, *events;
        uint64_t steps, returned;
        double held, in_flight;
    } cases[] = {
        {"rounds", "2 fail link 0 1\n", 9, 2, 8.0, 0.0},
        {"rounds", "2 fail processor 1\n4 repair processor 1\n", 7, 2, 8.0, 0.0},
        {"rounds", "2 fail processor 1\n4 repair processor 1\n", 8, 2, 4.0, 4.0},
        {"turns", "2 fail link 0 1\n", 9, 2, 8.0, 0.0},
        {"turns", "2 fail link 1 0\n4 repair link 0 1\n", 7, 2, 8.0, 0.0},
        {"turns", "2 fail link 1 0\n4 repair link 0 1\n", 8, 2, 4.0, 4.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tests_outcome outcome;
        run_with(cases[i].events,
                 (struct ek_experiment){.topology = "chain:2",
                                        .method = "sender:0.5",
                                        .load = "peak:8",
                                        .delay = "fixed:3",
                                        .timing = cases[i].timing,
                                        .stop = "never",
                                        .steps_max = cases[i].steps},
                 &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect(report->final[0] == cases[i].held && report->in_flight == cases[i].in_flight, "%zu: %g and %g", i,
                  report->final[0], report->in_flight);
        cr_expect(report->faults.returned == cases[i].returned && report->faults.load_returned == 6.0);
        cr_expect(report->moved == cases[i].in_flight && report->flow_l1 == cases[i].in_flight, "%zu: %g moved", i,
                  report->moved);
        tests_outcome_destroy(&outcome);
    }
}

// A ring that is cut in two never balances. If its links are known to be repaired, the run waits.
Test(faults_in_steps, what_is_down_ends_a_run_and_what_comes_back_does_not)
{
    static const char *const cut = "0 fail link 0 7\n0 fail link 3 4\n";
    static const char *const mended =
        "0 fail link 0 7\n0 fail link 3 4\n140000 repair link 3 4\n140000 repair link 0 7\n";
    static const struct {
        struct ek_experiment experiment;
        enum ek_ended ended;
        const char *why;
    } cases[] = {
        {{.method = "ade", .units = "tokens"}, EK_ENDED_FROZEN, "nothing can move any more over the links that are up"},
        {{.method = "adf", .units = "tokens", .delay = "fixed:2"},
         EK_ENDED_FROZEN,
         "nothing can move any more over the links that are up"},
        {{.method = "adf"}, EK_ENDED_GIVEN_UP, "perhaps failed links or processors separate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        struct tests_outcome outcome;
        experiment.topology = "ring:8";
        experiment.load = "peak:160";
        run_with(cut, experiment, &outcome);
        cr_expect(outcome.status == EK_UNREACHED && outcome.report.ended == cases[i].ended, "%zu: %s", i,
                  outcome.report.why);
        cr_expect(strstr(outcome.report.why, cases[i].why), "%zu: %s", i, outcome.report.why);
        tests_outcome_destroy(&outcome);
        run_with(mended, experiment, &outcome);
        cr_expect(outcome.status == EK_OK && outcome.report.steps > 140000, "%zu: %s", i, outcome.report.why);
        tests_outcome_destroy(&outcome);
    }
}

// Tokens freeze under drawn faults, too: after all repairs nothing would move.
Test(faults_in_steps, tokens_freeze_whatever_fails)
{
    struct tests_outcome outcome;
    struct ek_experiment experiment = {.topology = "torus:4x4",
                                       .method = "ade",
                                       .units = "tokens",
                                       .load = "peak:640",
                                       .stop = "variance:0.001",
                                       .faults = "link:0.5,repair:3",
                                       .carrier = "pool:1",
                                       .seed = 2};
    tests_try(&experiment, 0, &outcome);
    cr_expect(outcome.report.ended == EK_ENDED_FROZEN || outcome.report.converged, "%s", outcome.report.why);
    cr_expect_lt(outcome.report.operations, 10000);
    tests_outcome_destroy(&outcome);
}

Test(faults_in_steps, who_needs_all_links)
{
    static const struct {
        const char *topology, *method;
        bool goes_on;
    } cases[] = {
        {"torus:4x4", "ade", true},      {"torus:4x4", "ode", true},        {"torus:4x4", "gde:0.6", true},
        {"torus:4x4", "adf", true},      {"torus:4x4", "sender:0.1", true}, {"torus:4x4", "fos", true},
        {"torus:4x4", "matching", true}, {"mesh:4x4", "mdi(fos)", true},    {"mesh:4x4", "adi(opt)", false},
        {"torus:4x4", "sos", false},     {"torus:4x4", "opt", false},       {"torus:4x4", "ops", false},
        {"torus:4x4", "dde", false},     {"chain:8", "twa", false},         {"otis(ring:4)", "ded(fos)", false},
        {"ring:8", "liquid:c5", false},  {"ring:8", "nna", false},          {"ring:8", "splitting:1/2", false},
        {"hypercube:3", "dem", false},   {"mesh:4x4", "dem:folded", false}, {"torus:4x4", "local-average", false},
        {"torus:4x4", "de(fos)", false}, {"mesh:4x4", "adi(ops)", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error;
        struct ek_experiment experiment = {
            .topology = cases[i].topology, .method = cases[i].method, .carrier = "pool:1", .faults = "link:0.1"};
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_expect_eq(machine != NULL, cases[i].goes_on, "%s: %s", cases[i].method, error.sentence);
        cr_expect(machine || (strcmp(error.axis, "method") == 0 && strstr(error.sentence, "needs all its links")),
                  "%s: %s", cases[i].method, error.sentence);
        ek_machine_destroy(machine);
    }
}
