// SPDX-License-Identifier: MIT
// What a program brings itself, without a file: a graph, loads, families of topologies, an observer, a plugin. What the
// observer sees is held against runs that end there, a computation of its own, and the trace.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/runs.h"

enum { RING = 12, LOOKS_MAX = 4096, PROCESSORS_MAX = 64 };

// Both ways round and out of order: the ring of 12.
static const struct ek_link ring_links[RING] = {{3, 2}, {0, 1}, {11, 0}, {5, 4}, {6, 5},  {7, 6},
                                                {2, 1}, {3, 4}, {7, 8},  {9, 8}, {10, 9}, {10, 11}};
static const struct ek_graph ring = {RING, RING, ring_links};

static struct ek_machine *prepare(const struct ek_experiment *experiment)
{
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    return machine;
}

// The sentence with which an experiment is refused; the next call takes its place.
static const char *refusal(const struct ek_experiment *experiment)
{
    static struct ek_error error;
    struct ek_machine *machine = ek_prepare(experiment, &error);
    cr_expect_null(machine);
    cr_expect_eq(error.status, EK_BAD_INPUT);
    ek_machine_destroy(machine);
    return error.sentence;
}

static const char *axis_of(const struct ek_machine *machine, const char *option)
{
    size_t i = 0;
    while (strcmp(ek_axis_at(i)->option, option) != 0) {
        i++;
    }
    return ek_machine_axis(machine, i);
}

Test(own_graph, is_the_graph_of_the_spec)
{
    struct ek_machine *own = prepare(&(struct ek_experiment){.graph = &ring});
    struct ek_machine *built = prepare(&(struct ek_experiment){.topology = "ring:12"});
    const struct ek_topology *a = ek_machine_topology(own);
    const struct ek_topology *b = ek_machine_topology(built);
    struct ek_error error;
    cr_assert(ek_topology_valid(a, &error), "%s", error.sentence);
    cr_assert_eq(a->processors, b->processors);
    cr_assert_eq(a->ports, b->ports);
    cr_expect_arr_eq(a->first, b->first, (RING + 1) * sizeof *a->first);
    cr_expect_arr_eq(a->neighbour, b->neighbour, a->ports * sizeof *a->neighbour);
    cr_expect_eq(a->diameter, b->diameter);
    cr_expect_str_eq(axis_of(own, "topology"), "graph");
    ek_machine_destroy(own);
    ek_machine_destroy(built);
}

Test(own_graph, runs_as_the_one_of_the_spec)
{
    struct tests_outcome own;
    struct tests_outcome built;
    struct ek_experiment experiment = {.topology = "ring:12", .method = "adf", .load = "peak:1200", .keep_loads = true};
    tests_try(&experiment, 0, &built);
    experiment.topology = "mine";
    experiment.graph = &ring;
    tests_try(&experiment, 0, &own);
    cr_assert_eq(own.status, EK_OK, "%s", own.error.sentence);
    cr_expect_null(tests_report_differs(&own.report, &built.report, RING));
    cr_expect_str_eq(ek_machine_topology(own.machine)->spec, "mine");
    cr_expect_str_eq(axis_of(own.machine, "topology"), "mine");
    tests_outcome_destroy(&own);
    tests_outcome_destroy(&built);
}

Test(own_graph, of_one_processor)
{
    struct ek_graph alone = {1, 0, NULL};
    struct ek_machine *machine = prepare(&(struct ek_experiment){.graph = &alone, .method = "adf"});
    struct ek_error error;
    cr_expect(ek_topology_valid(ek_machine_topology(machine), &error), "%s", error.sentence);
    ek_machine_destroy(machine);
}

static void expect_graph_refused(struct ek_graph graph, const char *sentence)
{
    cr_expect_str_eq(refusal(&(struct ek_experiment){.graph = &graph}), sentence);
}

Test(own_graph, is_refused_where_it_is_none)
{
    static const struct ek_link beyond[] = {{0, 1}, {1, 3}};
    static const struct ek_link loop[] = {{0, 1}, {2, 2}};
    static const struct ek_link twice[] = {{0, 1}, {1, 2}, {1, 0}};
    static const struct ek_link apart[] = {{0, 1}, {2, 3}};
    expect_graph_refused((struct ek_graph){3, 2, beyond},
                         "link 1 is between processors 1 and 3, and the last of the 3 is 2");
    expect_graph_refused((struct ek_graph){3, 2, loop}, "link 1 links processor 2 to itself: leave it out");
    expect_graph_refused((struct ek_graph){3, 3, twice},
                         "the link between processors 0 and 1 is there twice: leave one out");
    expect_graph_refused((struct ek_graph){4, 2, apart},
                         "the graph falls into 2 parts of 2 and 2 processors: link them, or run each by itself");
    expect_graph_refused((struct ek_graph){0, 0, NULL}, "a graph needs a processor at least");
    expect_graph_refused((struct ek_graph){UINT32_MAX, 0, NULL},
                         "this makes 4294967295 processors: at most 67108864 are possible");
    expect_graph_refused((struct ek_graph){2, SIZE_MAX, beyond},
                         "this makes 18446744073709551615 links: at most 2147483647 are possible");
}

Test(own_loads, are_the_list_of_the_spec)
{
    static const double loads[] = {5.5, 0.0, 1.0, 0.25};
    struct ek_experiment experiment = {.topology = "ring:4", .load = "list:5.5,0,1,0.25", .keep_loads = true};
    struct tests_outcome listed;
    struct tests_outcome own;
    tests_try(&experiment, 0, &listed);
    experiment.load = NULL;
    experiment.loads = loads;
    experiment.loads_count = 4;
    tests_try(&experiment, 0, &own);
    cr_assert_eq(own.status, EK_OK, "%s", own.error.sentence);
    cr_expect_arr_eq(own.report.initial, loads, sizeof loads);
    cr_expect_null(tests_report_differs(&own.report, &listed.report, 4));
    cr_expect_str_eq(axis_of(own.machine, "load"), "array");
    tests_outcome_destroy(&own);
    tests_outcome_destroy(&listed);
}

static void expect_loads_refused(const char *units, size_t count, double last, const char *sentence)
{
    double loads[] = {1.0, 2.0, last};
    struct ek_experiment experiment = {.topology = "ring:3", .units = units, .loads = loads, .loads_count = count};
    cr_expect_str_eq(refusal(&experiment), sentence);
}

Test(own_loads, are_refused_where_they_are_none)
{
    expect_loads_refused("real", 2, 3.0, "there are 2 loads and the topology has 3 processors: give one each");
    expect_loads_refused("real", 3, -1.0, "load 2 is -1: give a number from 0 to 2^53");
    expect_loads_refused("real", 3, (double)NAN, "load 2 is nan: give a number from 0 to 2^53");
    expect_loads_refused("real", 3, (double)INFINITY, "load 2 is inf: give a number from 0 to 2^53");
    expect_loads_refused("tokens", 3, 1.5, "load 2 is 1.5: give a whole number from 0 to 2^53");
    expect_loads_refused("real", 3, 0x1p53,
                         "the loads can add up to more than 2^53, beyond which sums are not exact: make them smaller");
}

// All that an observer was shown, by the rule that a row may take the place of others.
struct seen {
    struct ek_machine *machine;
    uint64_t interrupt_at; // the step at which the run is to end; 0: none
    size_t count, calls;
    struct ek_trace_row row[LOOKS_MAX];
    double loads[LOOKS_MAX][PROCESSORS_MAX];
};

static struct seen seen;

static void note(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    cr_assert_eq(context, &seen);
    cr_assert_leq(processors, PROCESSORS_MAX);
    while (seen.count > 0 && seen.row[seen.count - 1].step >= row->step) {
        seen.count--;
    }
    cr_assert_lt(seen.count, LOOKS_MAX);
    seen.row[seen.count] = *row;
    memcpy(seen.loads[seen.count++], loads, processors * sizeof *loads);
    seen.calls++;
    if (seen.interrupt_at > 0 && row->step == seen.interrupt_at) {
        ek_interrupt(seen.machine);
    }
}

static const struct ek_observer observer = {.look = note, .context = &seen};

static void observe(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    seen.count = seen.calls = 0;
    experiment.observer = observer;
    tests_try(&experiment, 0, outcome);
    cr_assert(outcome->status == EK_OK || outcome->status == EK_UNREACHED, "%s", outcome->error.sentence);
}

// Of the loads alone, once more.
static double variance_of(const double *loads, uint32_t processors, double total)
{
    double sum = 0.0;
    for (uint32_t p = 0; p < processors; p++) {
        sum += pow(loads[p] - total / processors, 2.0);
    }
    return sum;
}

static double total_of(const double *loads, uint32_t processors)
{
    double sum = 0.0;
    for (uint32_t p = 0; p < processors; p++) {
        sum += loads[p];
    }
    return sum;
}

Test(observer, sees_the_loads_of_every_step)
{
    struct ek_experiment experiment = {.topology = "torus:4x4", .load = "modulo:7919:101", .keep_loads = true};
    static const char *const methods[] = {"ade", "adf", "sos", "dde"};
    static const char *const ports[] = {"all", "one"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct tests_outcome whole;
        experiment.method = methods[m];
        experiment.ports = ports[m % 2];
        experiment.steps_max = 0;
        observe(experiment, &whole);
        cr_assert_eq(seen.count, whole.report.steps + 1, "%s: %zu looks at %d steps", methods[m], seen.count,
                     (int)whole.report.steps);
        for (uint64_t step = 0; step < seen.count && step < 24; step++) {
            struct tests_outcome cut = {0};
            cr_expect_eq(seen.row[step].step, step);
            experiment.steps_max = step;
            if (step > 0) {
                tests_try(&experiment, 0, &cut);
            }
            cr_expect_arr_eq(seen.loads[step], step > 0 ? cut.report.final : whole.report.initial, 16 * sizeof(double),
                             "%s: step %d", methods[m], (int)step);
            tests_outcome_destroy(&cut);
        }
        cr_expect_arr_eq(seen.loads[seen.count - 1], whole.report.final, 16 * sizeof(double));
        tests_outcome_destroy(&whole);
    }
}

// Diffusion by its equation, on the 12-ring.
Test(observer, sees_what_the_equation_says)
{
    double load[2][RING] = {{1200.0}};
    struct tests_outcome outcome;
    observe((struct ek_experiment){.topology = "ring:12", .method = "diffusion:0.2", .load = "peak:1200"}, &outcome);
    cr_assert_gt(seen.count, 50);
    for (size_t step = 0; step < seen.count; step++) {
        const double *now = load[step % 2];
        double *next = load[(step + 1) % 2];
        cr_expect_float_eq(seen.row[step].variance, variance_of(now, RING, 1200.0), 1e-6);
        for (uint32_t p = 0; p < RING; p++) {
            cr_expect_float_eq(seen.loads[step][p], now[p], 1e-10, "processor %u at step %zu", p, step);
            next[p] = now[p] + 0.2 * (now[(p + 1) % RING] + now[(p + RING - 1) % RING] - 2.0 * now[p]);
        }
    }
    tests_outcome_destroy(&outcome);
}

static void expect_trace(const struct ek_report *report, const char *what)
{
    cr_assert_eq(seen.count, report->trace_count, "%s: %zu looks and %zu rows", what, seen.count, report->trace_count);
    for (size_t i = 0; i < seen.count; i++) { // NaN, as where there are no tokens, compares by its bits
        cr_expect_arr_eq(&seen.row[i], &report->trace[i], sizeof seen.row[i], "%s: row %zu", what, i);
    }
}

// Also where steps count apart (ded), an operation turns out to be none (splitting), or some invoke.
Test(observer, sees_the_trace)
{
    static const struct ek_experiment experiments[] = {
        {.topology = "torus:4x4", .method = "adf", .ports = "one", .invoke = "probability:0.3", .operations_max = 20},
        {.topology = "otis(mesh:2x3)", .method = "ded(fos)"},
        {.topology = "ring:16", .method = "splitting:1/2", .units = "tokens"},
        {.topology = "mesh:4x4", .method = "ade", .work = "normal:5:5:5", .operations_max = 20},
        {.topology = "ring:12", .method = "sos", .delay = "uniform:0:2", .operations_max = 20, .every = 3},
        {.topology = "ring:12", .method = "sender:0.1", .timing = "turns:random", .operations_max = 20},
        {.topology = "torus:4x4", .method = "adf", .timing = "free", .audit_s = 1e-3},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        struct tests_outcome outcome;
        struct ek_experiment experiment = experiments[i];
        experiment.keep_trace = true;
        observe(experiment, &outcome);
        expect_trace(&outcome.report, experiment.method);
        tests_outcome_destroy(&outcome);
    }
}

Test(observer, changes_nothing)
{
    struct ek_experiment experiment = {
        .topology = "mesh:4x4", .method = "dde:doubling", .units = "tokens", .load = "peak:1600", .keep_loads = true};
    struct tests_outcome alone;
    struct tests_outcome observed;
    tests_try(&experiment, 0, &alone);
    observe(experiment, &observed);
    cr_expect_null(tests_report_differs(&alone.report, &observed.report, 16));
    cr_expect_gt(seen.calls, seen.count, "no step counts apart");
    tests_outcome_destroy(&alone);
    tests_outcome_destroy(&observed);
}

Test(observer, is_not_thinned)
{
    struct tests_outcome outcome;
    observe((struct ek_experiment){.topology = "ring:12", .keep_trace = true, .trace_rows = 4}, &outcome);
    cr_expect_leq(outcome.report.trace_count, 4);
    cr_expect_eq(seen.count, outcome.report.steps + 1);
    tests_outcome_destroy(&outcome);
}

// Wants every so many-th look, by counting how often it is asked.
static unsigned asked, wanted_every;

static bool wants(void *context)
{
    (void)context;
    return asked++ % wanted_every == 0;
}

Test(observer, looks_where_it_wants)
{
    static const char *const timings[] = {"rounds", "turns", "free"};
    for (size_t i = 0; i < sizeof timings / sizeof *timings; i++) {
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .method = "adf",
                                           .timing = timings[i],
                                           .every = 1000000,
                                           .audit_s = i == 2 ? 1e-4 : 0.0,
                                           .observer = {.look = note, .context = &seen, .wants = wants}};
        struct tests_outcome outcome;
        asked = 0;
        wanted_every = UINT32_MAX;
        seen.count = seen.calls = 0;
        tests_try(&experiment, 0, &outcome);
        cr_assert_eq(outcome.status, EK_OK, "%s", outcome.error.sentence);
        cr_expect_eq(seen.calls, 1, "%s: %zu", timings[i], seen.calls); // the first time that it is asked
        tests_outcome_destroy(&outcome);
        asked = 0;
        wanted_every = 1;
        seen.count = seen.calls = 0;
        tests_try(&experiment, 0, &outcome);
        cr_expect_geq(seen.calls, outcome.report.timed ? 2 : outcome.report.steps + 1, "%s: %zu", timings[i],
                      seen.calls);
        // In rounds each processor announces its load to its four neighbours, and then come the parcels.
        uint64_t messages = 4 * 16 * outcome.report.steps + outcome.report.parcels;
        cr_expect(i > 0 || seen.row[seen.count - 1].messages == messages, "%d", (int)messages);
        tests_outcome_destroy(&outcome);
    }
}

Test(observer, may_end_the_run)
{
    struct ek_experiment experiment = {.topology = "ring:12", .observer = observer};
    struct ek_report report;
    struct ek_error error;
    seen = (struct seen){.machine = prepare(&experiment), .interrupt_at = 5};
    cr_expect_eq(ek_run(seen.machine, 0, &report, NULL, NULL, &error), EK_UNREACHED);
    cr_expect_eq(report.ended, EK_ENDED_INTERRUPT);
    cr_expect_eq(report.steps, 5);
    ek_report_destroy(&report);
    ek_machine_destroy(seen.machine);
}

// Runs on which too few looks fell, or none with load under way, are made once more: who looks may get no core.
static double look_at_all_load(void)
{
    struct tests_outcome outcome;
    observe((struct ek_experiment){.topology = "ring:16", // so that load is under way for long
                                   .method = "ade",
                                   .units = "tokens",
                                   .timing = "free",
                                   .load = "peak:16000",
                                   .delay = "uniform:200us:600us",
                                   .audit_s = 1e-4,
                                   .seconds_max = 0.6,
                                   .stop = "never"},
            &outcome);
    double under_way = 0.0;
    for (size_t i = 0; i < seen.count; i++) {
        double held = total_of(seen.loads[i], 16);
        cr_expect_eq(held + seen.row[i].in_flight, 16000.0, "look %zu", i);
        cr_expect_float_eq(seen.row[i].variance, variance_of(seen.loads[i], 16, 16000.0), 1e-6 * 16000.0 * 16000.0);
        cr_expect(i == 0 || seen.row[i].time > seen.row[i - 1].time);
        under_way += seen.row[i].in_flight;
    }
    tests_outcome_destroy(&outcome);
    return seen.count > 3 ? under_way : 0.0;
}

// The ledger of free timing: what processors hold and what is under way is all that there is, in every snapshot.
Test(observer, sees_all_load_in_free_timing)
{
    enum { RUNS_MAX = 50 };
    double under_way = 0.0;
    for (unsigned run = 0; under_way == 0.0 && run < RUNS_MAX; run++) {
        under_way = look_at_all_load();
    }
    cr_expect_gt(under_way, 0.0, "nothing was ever under way: the test sees too little");
}

// wheel:N, N spokes; with another seed, another hub.
static struct ek_link *make_wheel(const char *parameter, uint64_t seed, uint32_t *processors, size_t *links,
                                  struct ek_error *error)
{
    unsigned spokes = parameter ? (unsigned)strtoul(parameter, NULL, 10) : 5;
    if (spokes == 1) {
        return NULL; // and says nothing
    }
    if (spokes < 3) {
        snprintf(error->sentence, sizeof error->sentence, "a wheel has 3 spokes and more");
        return NULL;
    }
    struct ek_link *link = malloc(2 * spokes * sizeof *link);
    uint32_t hub = (uint32_t)(seed % (spokes + 1));
    for (uint32_t i = 0; link && i < spokes; i++) {
        uint32_t from = (hub + 1 + i) % (spokes + 1);
        uint32_t to = (hub + 1 + (i + 1) % spokes) % (spokes + 1);
        link[2 * i] = (struct ek_link){hub, from};
        link[2 * i + 1] = (struct ek_link){to, from};
    }
    *processors = spokes + 1;
    *links = 2 * spokes;
    return link;
}

static const struct ek_family wheel = {
    .name = "wheel", .choice = {"wheel:N", "a hub and N spokes"}, .drawn = true, .make = make_wheel};

static struct ek_topology *build(const char *spec, uint64_t seed, struct ek_error *error)
{
    return ek_topology_create(spec, seed, (struct ek_reader){0}, error);
}

static uint32_t hub_of(const struct ek_topology *topology)
{
    uint32_t p = 0;
    while (topology->first[p + 1] - topology->first[p] != topology->degree_max) {
        p++;
    }
    return p;
}

Test(own_family, makes_topologies)
{
    struct ek_error error;
    cr_assert(ek_family_register(&wheel, &error), "%s", error.sentence);
    static const struct {
        const char *spec;
        uint32_t processors, links;
    } cases[] = {{"wheel", 6, 10}, {"wheel:9", 10, 18}, {"otis(wheel:4)", 25, 50}, {"otis(otis(wheel:3))", 256, 600}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_topology *topology = build(cases[i].spec, 1, &error);
        cr_assert(topology, "%s: %s", cases[i].spec, error.sentence);
        cr_expect(ek_topology_valid(topology, &error), "%s: %s", cases[i].spec, error.sentence);
        cr_expect_str_eq(topology->spec, cases[i].spec);
        cr_expect_eq(topology->processors, cases[i].processors);
        cr_expect_eq(topology->links, cases[i].links, "%s: %u", cases[i].spec, topology->links);
        ek_topology_destroy(topology);
    }
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct ek_topology *topology = build("wheel", seed, &error);
        cr_expect(topology->drawn);
        cr_expect_eq(hub_of(topology), seed);
        ek_topology_destroy(topology);
    }
}

static void expect_spec_refused(const char *spec, int at, const char *sentence)
{
    struct ek_error error;
    cr_expect_null(build(spec, 1, &error));
    cr_expect_str_eq(error.sentence, sentence);
    cr_expect_str_eq(error.axis, "topology");
    cr_expect_eq(error.at, at, "%s: %d", spec, error.at);
}

static struct ek_link *make_nonsense(const char *parameter, uint64_t seed, uint32_t *processors, size_t *links,
                                     struct ek_error *error)
{
    (void)parameter, (void)seed, (void)error;
    struct ek_link *link = malloc(sizeof *link);
    *link = (struct ek_link){0, 7};
    *processors = 2;
    *links = 1;
    return link;
}

Test(own_family, is_refused_where_it_makes_none)
{
    struct ek_error error;
    static const struct ek_family nonsense = {"nonsense", {"nonsense", "no graph"}, false, make_nonsense};
    cr_assert(ek_family_register(&wheel, &error) && ek_family_register(&nonsense, &error), "%s", error.sentence);
    expect_spec_refused("wheel:2", 5, "a wheel has 3 spokes and more");
    expect_spec_refused("otis(wheel:1)", 10, "wheel makes no graph of this");
    expect_spec_refused("nonsense", 8, "link 0 is between processors 0 and 7, and the last of the 2 is 1");
    expect_spec_refused("wheal:4", 0, "there is no topology called 'wheal': did you mean wheel?");
}

Test(own_family, is_registered_once_and_whole)
{
    struct ek_error error;
    struct ek_family family = wheel;
    cr_expect(ek_family_register(&family, &error));
    cr_expect_not(ek_family_register(&family, &error), "its name is taken");
    static const char *const wrong[] = {NULL, "", "torus", "a b", "x:y", "a-name-of-thirty-two-characters-"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        family.name = wrong[i];
        cr_expect_not(ek_family_register(&family, &error), "%s", wrong[i] ? wrong[i] : "NULL");
    }
    family.name = "whole";
    family.make = NULL;
    cr_expect_not(ek_family_register(&family, &error));
    family.make = make_wheel;
    family.choice.summary = NULL;
    cr_expect_not(ek_family_register(&family, &error));
    const struct ek_axis *axis = ek_axis_named("topology");
    size_t last = 0;
    while (ek_axis_choice(axis, last + 1)) {
        last++;
    }
    cr_expect_str_eq(ek_axis_choice(axis, last)->form, "wheel:N");
    static struct ek_family many[64];
    static char name[64][16];
    for (unsigned i = 0; i < 64; i++) {
        snprintf(name[i], sizeof name[i], "wheel-%u", i);
        many[i] = wheel;
        many[i].name = name[i];
        cr_expect_eq(ek_family_register(&many[i], &error), i < 63, "number %u", i);
    }
    cr_expect_str_eq(error.sentence, "no more than 64 families can be registered");
}

static bool prepare_nothing(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                            struct ek_error *error)
{
    (void)plan, (void)parameter, (void)at, (void)setting, (void)error;
    return true;
}

static double flow_quarter(const struct ek_view *view, unsigned port)
{
    return 0.25 * (view->load - view->announced[port]);
}

Test(plugin, registers_all_that_it_has)
{
    static struct ek_method quarter = {
        .name = "quarter", .units = EK_REAL, .ports = EK_ALL_PORTS, .prepare = prepare_nothing, .flow = flow_quarter};
    static const struct ek_method *const methods[] = {&quarter, NULL};
    static const struct ek_family *const families[] = {&wheel, NULL};
    struct ek_plugin plugin = {"0.0.1", methods, families};
    struct ek_error error;
    cr_expect_not(ek_plugin_register(&plugin, &error));
    cr_expect(strstr(error.sentence, "built for evenkeel 0.0.1, and this is " EK_VERSION), "%s", error.sentence);
    plugin.version = NULL;
    cr_expect_not(ek_plugin_register(&plugin, &error));
    cr_expect_null(ek_method_find("quarter"));
    plugin.version = EK_VERSION;
    cr_expect_not(ek_plugin_register(&plugin, &error));
    cr_expect_str_eq(error.sentence, "its method quarter lacks a title, which a list shows");
    quarter.title = "a quarter of the difference";
    cr_expect(ek_plugin_register(&plugin, &error), "%s", error.sentence);
    ek_machine_destroy(prepare(&(struct ek_experiment){.topology = "wheel:6", .method = "quarter"}));
    cr_expect_not(ek_plugin_register(&plugin, &error), "its names are taken");
    cr_expect(ek_plugin_register(&(struct ek_plugin){EK_VERSION, NULL, NULL}, &error));
}
