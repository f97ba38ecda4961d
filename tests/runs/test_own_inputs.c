// SPDX-License-Identifier: MIT
// What a program brings without a file: a graph, loads, families of topologies, a plugin.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/method.h"
#include "tests/support/must.h"
#include "threads/api/axis.h"

struct ek_plan;
struct ek_setting;
struct ek_view;

enum { RING = 12 };

// The ring of 12. Its links are in any order, and either end may come first.
static const struct ek_link ring_links[RING] = {{3, 2}, {0, 1}, {11, 0}, {5, 4}, {6, 5},  {7, 6},
                                                {2, 1}, {3, 4}, {7, 8},  {9, 8}, {10, 9}, {10, 11}};
static const struct ek_graph ring = {RING, RING, ring_links};

// Returns the sentence with which an experiment is refused. The next call overwrites it.
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
    struct ek_machine *own = must_prepare((struct ek_experiment){.graph = &ring});
    struct ek_machine *built = must_prepare((struct ek_experiment){.topology = "ring:12"});
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
    struct ek_machine *machine = must_prepare((struct ek_experiment){.graph = &alone, .method = "adf"});
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
                         "link 1 is between processors 1 and 3, but the last of the 3 processors is 2");
    expect_graph_refused((struct ek_graph){3, 2, loop}, "link 1 links processor 2 to itself: leave it out");
    expect_graph_refused((struct ek_graph){3, 3, twice},
                         "the link between processors 0 and 1 is there twice: leave one out");
    expect_graph_refused((struct ek_graph){4, 2, apart},
                         "the graph falls into 2 parts of 2 and 2 processors: link them, or run each part alone");
    expect_graph_refused((struct ek_graph){0, 0, NULL}, "a graph needs at least one processor");
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
    expect_loads_refused("real", 2, 3.0, "there are 2 loads and the topology has 3 processors: give one for each");
    expect_loads_refused("real", 3, -1.0, "load 2 is -1: give a number from 0 to 2^53");
    expect_loads_refused("real", 3, (double)NAN, "load 2 is nan: give a number from 0 to 2^53");
    expect_loads_refused("real", 3, (double)INFINITY, "load 2 is inf: give a number from 0 to 2^53");
    expect_loads_refused("tokens", 3, 1.5, "load 2 is 1.5: give a whole number from 0 to 2^53");
    expect_loads_refused("real", 3, 0x1p53,
                         "the loads can add up to more than 2^53, beyond which sums are not exact: make them smaller");
}

// wheel:N has N spokes. Another seed has another hub.
static struct ek_link *make_wheel(const char *parameter, uint64_t seed, uint32_t *processors, size_t *links,
                                  struct ek_error *error)
{
    unsigned spokes = parameter ? (unsigned)strtoul(parameter, NULL, 10) : 5;
    if (spokes == 1) {
        return NULL; // without a sentence
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
    expect_spec_refused("nonsense", 8, "link 0 is between processors 0 and 7, but the last of the 2 processors is 1");
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

static const struct ek_texts untitled, titled = {.title = "a quarter of the difference"};
static struct ek_method quarter = {
    .name = "quarter",
    .texts = &untitled,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS},
    .prepare = prepare_nothing,
    .rule = &(const struct ek_rule){.flow = flow_quarter},
    .rounds = &(const struct ek_rounds_part){0},
};

Test(plugin, registers_all_that_it_has)
{
    static const struct ek_method *const methods[] = {&quarter, NULL};
    static const struct ek_family *const families[] = {&wheel, NULL};
    struct ek_plugin plugin = {.version = "0.0.1", .methods = methods, .families = families};
    struct ek_error error;
    cr_expect_not(ek_plugin_register(&plugin, &error));
    cr_expect(strstr(error.sentence, "built for evenkeel 0.0.1, and this is " EK_VERSION), "%s", error.sentence);
    plugin.version = NULL;
    cr_expect_not(ek_plugin_register(&plugin, &error));
    cr_expect_null(ek_method_find("quarter"));
    plugin.version = EK_VERSION;
    cr_expect_not(ek_plugin_register(&plugin, &error));
    cr_expect_str_eq(error.sentence, "the method quarter needs a title: set texts");
    quarter.texts = &titled;
    cr_expect(ek_plugin_register(&plugin, &error), "%s", error.sentence);
    ek_machine_destroy(must_prepare((struct ek_experiment){.topology = "wheel:6", .method = "quarter"}));
    cr_expect_not(ek_plugin_register(&plugin, &error), "its names are taken");
    cr_expect(ek_plugin_register(&(struct ek_plugin){.version = EK_VERSION}, &error));
}
