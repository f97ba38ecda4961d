// SPDX-License-Identifier: MIT
// Runs whose load consists of objects: the same on every carrier, with metrics that can be computed by hand. Known
// answers are in tests/methods/test_known_answers.c, the choice of objects in tests/unit/core/test_objects.c, and files
// of vt in tests/command/test_objects.sh.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tests/support/runs.h"
#include "threads/cargo/objects.h"
#include "threads/machine/machine.h"
#include "topologies/topology.h"

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
    cr_assert_eq(outcome.status, restless ? EK_UNREACHED : EK_OK, "%s with %s: status %d, %s", experiment.objects,
                 experiment.method, outcome.status, outcome.error.sentence);
    cr_assert(outcome.report.has_objects);
    struct ek_report report = outcome.report;
    outcome.report = (struct ek_report){0};
    tests_outcome_destroy(&outcome);
    return report;
}

static struct ek_experiment of_file(const char *topology, char *text)
{
    return (struct ek_experiment){.topology = topology,
                                  .objects = "file:x.csv",
                                  .method = "ade",
                                  .keep_loads = true,
                                  .reader = {.read = read_text, .context = text}};
}

static void expect_near(double got, double expected, const char *what)
{
    cr_expect(fabs(got - expected) <= 1e-12 * fmax(1.0, fabs(expected)), "%s is %.17g, not %.17g", what, got, expected);
}

Test(objects, every_carrier_gives_the_same, .timeout = 200)
{
    static const struct ek_experiment kinds[] = {
        {.topology = "torus:4x4", .objects = "weights:uniform:1:9", .load = "peak:300", .method = "adf"},
        {.topology = "mesh:3x4", .objects = "weights:uniform:1:9", .load = "uniform:0:20", .method = "ade"},
        {.topology = "torus:4x4",
         .objects = "mesh:20x20",
         .method = "sos",
         .choose = "communicating",
         .load = "peak:400"},
        {.topology = "hypercube:4",
         .objects = "mesh:9x9:exponential:5",
         .method = "gde:0.7",
         .choose = "foreign",
         .load = "peak:81"},
        {.topology = "ring:9",
         .objects = "weights:exponential:40",
         .load = "uniform:0:20",
         .method = "matching",
         .remainder = "drop",
         .choose = "nearest",
         .operations_max = 60,
         .stop = "never"},
        {.topology = "ring:9",
         .objects = "weights:modulo:7919:99",
         .load = "uniform:0:20",
         .method = "odf",
         .ports = "one"},
        {.topology = "torus:4x4",
         .objects = "weights:uniform:1:9",
         .load = "peak:300",
         .method = "adf",
         .invoke = "probability:0.4",
         .stop = "imbalance:0.5"},
        {.topology = "torus:4x4",
         .objects = "weights:uniform:1:9",
         .load = "peak:300",
         .method = "opt",
         .migrate = "end"},
        {.topology = "torus:4x4",
         .objects = "weights:uniform:1:9",
         .load = "peak:300",
         .method = "dde",
         .migrate = "end"},
        {.topology = "ring:9", .objects = "weights:uniform:1:9", .load = "uniform:0:20", .method = "nna"},
        {.topology = "ring:9",
         .objects = "weights:uniform:1:9",
         .load = "uniform:0:20",
         .method = "local-average",
         .operations_max = 50,
         .stop = "never"},
        {.topology = "torus:4x4",
         .objects = "weights:uniform:1:9",
         .load = "peak:300",
         .method = "sender:0.2",
         .timing = "turns"},
        {.topology = "torus:4x4",
         .objects = "mesh:20x20",
         .load = "peak:400",
         .method = "odf",
         .choose = "communicating",
         .timing = "turns:random"},
        {.topology = "torus:4x4",
         .objects = "mesh:20x20:uniform:1:9",
         .method = "partners:3",
         .choose = "communicating"},
        {.topology = "star:16", .objects = "mesh:20x20:uniform:1:9", .method = "partners:5", .timing = "turns"},
        {.topology = "torus:4x4",
         .objects = "mesh:20x20:uniform:1:9",
         .method = "tempered",
         .load = "peak:400",
         .migrate = "end"},
    };
    static const char *const carriers[] = {"threads", "pool:2", "pool:5"};
    static const char *const mailboxes[] = {"slot", "spsc", "wfcq", "mutex"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ek_experiment experiment = kinds[i];
        experiment.keep_loads = experiment.keep_trace = true;
        struct ek_report alone = run(experiment);
        experiment.carrier = carriers[i % 3];
        experiment.mailbox = experiment.timing ? NULL : mailboxes[i % 4];
        struct ek_report many = run(experiment);
        const char *differs = tests_report_differs(&alone, &many, 0);
        cr_expect_null(differs, "%s with %s on %s: %s", experiment.objects, experiment.method, experiment.carrier,
                       differs);
        ek_report_destroy(&alone);
        ek_report_destroy(&many);
    }
}

// Objects neither vanish nor divide, whatever the method: the load is that of the start, to the last bit, no processor
// falls below 0, and the imbalance is that of the final loads.
Test(objects, every_method_keeps_them, .timeout = 200)
{
    static const char *const methods[] = {
        "ade",       "ode",      "gde:0.9",  "adf",     "odf",      "fos", "sos",           "opt",
        "ops",       "adi(opt)", "mdi(fos)", "de(opt)", "matching", "nna", "local-average", "random-neighbours:2",
        "partners:4"};
    static const char *const chooses[] = {"fit", "nearest", "foreign", "communicating"};
    for (unsigned i = 0; i < 4 * sizeof methods / sizeof *methods; i++) {
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .objects = "mesh:16x16:uniform:1:20",
                                           .load = "peak:256",
                                           .method = methods[i / 4],
                                           .choose = chooses[i % 4],
                                           .migrate = i % 3 == 2 ? "end" : "each",
                                           .remainder = i % 5 == 0 ? "drop" : "carry",
                                           .stop = "never",
                                           .operations_max = 25,
                                           .keep_loads = true};
        struct ek_report report = run(experiment);
        double total = 0.0, most = 0.0;
        for (unsigned p = 0; p < 16; p++) {
            total += report.final[p];
            most = fmax(most, report.final[p]);
            cr_expect_eq(report.final[p], floor(report.final[p]), "%s", experiment.method);
        }
        cr_expect_eq(total, report.total_initial, "%s with %s", experiment.method, experiment.choose);
        cr_expect_geq(report.minimum_ever, 0.0, "%s", experiment.method);
        expect_near(report.objects.imbalance, most * 16.0 / total - 1.0, "the imbalance");
        expect_near(report.objects.imbalance_initial, 15.0, "the imbalance at the start");
        cr_expect_lt(report.objects.imbalance, 15.0, "%s with %s", experiment.method, experiment.choose);
        cr_expect_eq(report.objects.object_count, 256);
        ek_report_destroy(&report);
    }
}

// Sums of tenths are exact: three objects of 0.1 balance one of 0.3.
Test(objects, sums_are_exact)
{
    struct ek_report report = run(of_file("chain:2", (char[]){"0,0.1\n0,0.1\n0,0.1\n1,0.3\n"}));
    cr_expect_eq(report.final[0], 0.3);
    cr_expect_eq(report.final[1], 0.3);
    cr_expect_eq(report.objects.imbalance, 0.0);
    cr_expect_eq(report.operations, 0);
    ek_report_destroy(&report);
}

// A run without a criterion ends when no object is lighter than a difference over a link.
Test(objects, comes_to_rest)
{
    struct ek_report report = run(of_file("chain:3", (char[]){"0,1,10\n0,1\n0,1\n0,1\n0,1\n0,1\n"}));
    cr_expect_eq(report.ended, EK_ENDED_ITSELF);
    cr_expect(report.converged);
    for (unsigned p = 0; p < 3; p++) { // 3 objects go to the second processor, and 1 goes on
        expect_near(report.final[p], 3.0 - p, "a load");
    }
    expect_near(report.objects.imbalance, 0.5, "the imbalance");
    expect_near(report.objects.imbalance_initial, 2.0, "the imbalance at the start");
    cr_expect_eq(report.objects.objects_moved, 4);
    cr_expect_eq(report.objects.bytes_moved, 22, "the first object goes on");
    cr_expect_eq(report.objects.most_bytes, 12);
    expect_near(report.objects.moved_once, 5.0 / 6.0, "the part that moved at most once");
    expect_near(report.stayed, 3.0, "the objects that stayed");
    expect_near(report.moved, 4.0, "what moved");
    ek_report_destroy(&report);
    report = run(of_file("chain:2", (char[]){"0,10\n"}));
    cr_expect_eq(report.operations, 0, "an object as heavy as the difference stays");
    ek_report_destroy(&report);
}

// A criterion that objects cannot reach is missed when they are at rest.
Test(objects, unreachable_criterion)
{
    struct tests_outcome outcome;
    struct ek_experiment experiment = of_file("chain:2", (char[]){"0,5\n0,3\n"});
    experiment.stop = "imbalance:0.1";
    tests_try(&experiment, 0, &outcome);
    cr_assert_eq(outcome.status, EK_UNREACHED);
    cr_expect_eq(outcome.report.ended, EK_ENDED_FROZEN);
    cr_expect(strstr(outcome.report.why, "no object can move any more"), "%s", outcome.report.why);
    tests_outcome_destroy(&outcome);
    experiment.stop = "imbalance:0.25"; // 5 and 3
    struct ek_report report = run(experiment);
    cr_expect_eq(report.ended, EK_ENDED_CRITERION);
    ek_report_destroy(&report);
}

// Half of each difference goes over all four links of a torus, so objects go to and fro. That is only suspected, so a
// run with a limit goes on.
Test(objects, to_and_fro)
{
    static const struct {
        const char *timing;
        uint64_t operations_max; // more than a run without a limit has
    } timings[] = {{"rounds", 500}, {"virtual", 10000}};
    for (size_t t = 0; t < sizeof timings / sizeof *timings; t++) {
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .method = "diffusion:0.5",
                                           .objects = "weights:uniform:1:9",
                                           .load = "uniform:0:20",
                                           .timing = timings[t].timing,
                                           .seed = 1};
        struct ek_report report = run(experiment);
        cr_expect_eq(report.ended, EK_ENDED_GIVEN_UP, "%s: %d", timings[t].timing, (int)report.ended);
        cr_expect(report.hopeless && !report.converged);
        cr_expect(strstr(report.why, "objects went to and fro"), "%s", report.why);
        cr_expect_lt(report.operations, timings[t].operations_max);
        ek_report_destroy(&report);
        experiment.operations_max = timings[t].operations_max;
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_assert_eq(outcome.status, EK_UNREACHED);
        cr_expect_eq(outcome.report.ended, EK_ENDED_OPERATIONS);
        cr_expect_geq(outcome.report.operations, timings[t].operations_max);
        cr_expect(outcome.report.hopeless && !outcome.report.converged);
        tests_outcome_destroy(&outcome);
    }
}

// Each object moves once, straight to its place: the last one of a chain gets its objects from the first.
Test(objects, migrate_at_the_end)
{
    struct ek_experiment experiment =
        of_file("chain:4", (char[]){"0,1,5\n0,1,5\n0,1,5\n0,1,5\n0,1,5\n0,1,5\n0,1,5\n0,1,5\n"});
    experiment.migrate = "end";
    struct ek_report report = run(experiment);
    for (unsigned p = 0; p < 4; p++) {
        expect_near(report.final[p], 2.0, "a load");
    }
    cr_expect_eq(report.objects.objects_moved, 6);
    cr_expect_eq(report.objects.bytes_moved, 30);
    cr_expect_eq(report.objects.most_bytes, 30);
    expect_near(report.objects.moved_once, 1.0, "the part that moved at most once");
    expect_near(report.moved, 6.0, "what moved");
    expect_near(report.stayed, 2.0, "the objects that stayed");
    cr_expect(report.converged);
    ek_report_destroy(&report);
    experiment.migrate = "each";
    report = run(experiment);
    cr_expect_gt(report.objects.objects_moved, 6, "step by step they cross more links");
    ek_report_destroy(&report);
}

// Objects of weight 1 follow whole numbers exactly, over any links and on any way.
Test(objects, follow_whole_numbers)
{
    static const struct ek_experiment kinds[] = {
        {.topology = "mesh:3x5", .method = "dem:folded"},
        {.topology = "torus:4x4", .method = "dde"},
        {.topology = "torus:4x3", .method = "dde:doubling"},
        {.topology = "hypercube:4", .method = "dem"},
        {.topology = "chain:9", .method = "twa:binomial"},
        {.topology = "ring:8", .method = "liquid:c5", .stop = "never", .operations_max = 5},
        {.topology = "torus:4x4", .method = "rotor:2", .stop = "never", .operations_max = 9},
        {.topology = "ring:8", .method = "splitting:1/2", .stop = "never", .operations_max = 6},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct tests_outcome tokens, objects;
        struct ek_experiment experiment = kinds[i];
        experiment.load = "peak:400";
        experiment.keep_loads = true;
        experiment.units = "tokens";
        tests_try(&experiment, 0, &tokens);
        experiment.units = NULL;
        experiment.objects = "mesh:20x20";
        experiment.migrate = "end";
        tests_try(&experiment, 0, &objects);
        cr_assert(tokens.machine && objects.machine, "%s: %s", experiment.method, objects.error.sentence);
        uint32_t processors = ek_machine_topology(tokens.machine)->processors;
        cr_expect_arr_eq(objects.report.final, tokens.report.final, processors * sizeof(double), "%s",
                         experiment.method);
        cr_expect_lt(objects.report.objects.imbalance, processors - 1.0, "%s", experiment.method);
        tests_outcome_destroy(&tokens);
        tests_outcome_destroy(&objects);
    }
}

// In turns processor 1 would pass on at once what it has just received.
Test(objects, one_link_in_a_turn)
{
    struct ek_experiment experiment = of_file("chain:3", (char[]){"0,1\n0,1\n0,1\n0,1\n0,1\n0,1\n"});
    experiment.timing = "turns";
    experiment.method = "odf";
    experiment.stop = "never";
    experiment.operations_max = 1;
    struct ek_report report = run(experiment);
    expect_near(report.final[2], 0.0, "the load of the last processor");
    cr_expect_gt(report.final[1], 0.0);
    ek_report_destroy(&report);
}

// The new placement can be read again.
Test(objects, placement_comes_back)
{
    struct ek_experiment experiment = of_file("ring:5", (char[]){"0,2.5,7\n0,0.25\n0,3,8\n3,1.125,2\n0,10,1\n"});
    experiment.keep_placement = true;
    struct ek_report report = run(experiment);
    cr_assert_eq(report.objects.file_count, 1);
    cr_expect_str_eq(report.objects.file[0].name, "placement.csv");
    struct ek_experiment again = of_file("ring:5", report.objects.file[0].text);
    again.method = "none";
    again.keep_placement = true;
    struct ek_report second = run(again);
    cr_expect_arr_eq(second.final, report.final, 5 * sizeof(double));
    cr_expect_str_eq(second.objects.file[0].text, report.objects.file[0].text);
    cr_expect_eq(second.objects.imbalance_initial, report.objects.imbalance);
    ek_report_destroy(&report);
    ek_report_destroy(&second);
}

// Objects that are lost or changed are noticed at the end.
Test(objects, changes_are_noticed)
{
    struct ek_error error;
    struct cargo_objects objects;
    struct base_arena memory = {.count = 0};
    struct ek_experiment experiment = of_file("chain:2", (char[]){"0,3\n0,2\n1,1\n"});
    experiment.carrier = "pool:1";
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    cargo_objects_plan(&objects, &machine->plan, machine->plan.topology, &memory);
    cr_assert(base_arena_take(&memory));
    cargo_objects_begin(&objects);
    cr_expect(cargo_objects_good(&objects, &error));
    uint32_t head = objects.held[0].head;
    objects.held[0].head = objects.next[head]; // lost
    cr_expect_not(cargo_objects_good(&objects, &error));
    cr_expect_eq(error.status, EK_VIOLATION);
    objects.next[head] = head; // doubled
    objects.held[0].head = head;
    cr_expect_not(cargo_objects_good(&objects, &error));
    objects.next[head] = head + 1;
    cr_expect(cargo_objects_good(&objects, &error));
    machine->plan.objects->object[head].bytes++; // changed
    cr_expect_not(cargo_objects_good(&objects, &error));
    cr_expect(strstr(error.sentence, "lost, doubled or changed"), "%s", error.sentence);
    base_arena_destroy(&memory);
    ek_machine_destroy(machine);
}

Test(objects, refused)
{
    static const struct {
        struct ek_experiment experiment;
        const char *axis, *part;
    } cases[] = {
        {{.units = "objects"}, "units", "need a source"},
        {{.units = "tokens", .objects = "mesh:3x3"}, "units", "use units objects"},
        {{.tasks = "queens:6", .objects = "mesh:3x3"}, "units", "leave one of them out"},
        {{.objects = "mash:3x3"}, "objects", "did you mean mesh?"},
        {{.objects = "weights:uniform:3:2"}, "objects", "the lowest weight comes first"},
        {{.objects = "mesh:3x3", .load = "peak:8"}, "load", "has 9 cells, and this load places 8"},
        {{.objects = "weights:constant:1", .load = "peak:0"}, "objects", "there are no objects"},
        {{.objects = "weights:constant:2000000000", .load = "peak:9000000"}, "objects", "more than 9.00719925e+15"},
        {{.objects = "weights:constant:1", .load = "peak:8000000000"}, "objects", "no memory for 8000000000 objects"},
        {{.objects = "mesh:3x3", .work = "constant:0=1"}, "work", "use work none"},
        {{.objects = "mesh:3x3", .capacity = "cs", .method = "adf"}, "capacity", "use capacity homo"},
        {{.objects = "mesh:3x3", .delay = "fixed:2", .method = "adf"}, "delay", "or delay none"},
        {{.objects = "mesh:3x3", .link_limit = "2"}, "link-limit", "use link-limit none"},
        {{.objects = "mesh:3x3", .faults = "link:0.1", .method = "adf"}, "faults", "or faults none"},
        {{.objects = "mesh:3x3", .timing = "free", .work = "constant:0=1"}, "work", "use work none"},
        {{.objects = "mesh:3x3", .timing = "virtual", .load_bytes = "8"}, "load-bytes", "have their own sizes"},
        {{.objects = "weights:constant:1", .timing = "virtual", .load = "peak:8000000000"}, "objects", "no memory for"},
        {{.objects = "mesh:3x3", .rounding = "nearest"}, "rounding", "real loads are not rounded"},
        {{.objects = "mesh:3x3", .phase = "3"}, "phase", "only files of vt have phases"},
        {{.objects = "mesh:3x3", .choose = "foreigner"}, "choose", "did you mean foreign?"},
        {{.objects = "mesh:3x3", .method = "liquid:c5"}, "method", "use migrate end"},
        {{.choose = "nearest"}, "choose", "choose is for objects"},
        {{.migrate = "end"}, "migrate", "migrate is for objects"},
        {{.objects = "file:x"}, "objects", "no files can be read here"},
        {{.objects = "vt:x.json"}, "objects", "has %p for the rank"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        struct tests_outcome outcome;
        experiment.topology = "ring:5";
        tests_try(&experiment, 0, &outcome);
        cr_assert_null(outcome.machine, "case %zu", i);
        cr_expect_eq(outcome.error.status, EK_BAD_INPUT);
        cr_expect_str_eq(outcome.error.axis, cases[i].axis, "case %zu: %s", i, outcome.error.sentence);
        cr_expect(strstr(outcome.error.sentence, cases[i].part), "case %zu: %s", i, outcome.error.sentence);
    }
}
