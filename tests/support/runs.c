// SPDX-License-Identifier: MIT
#include "tests/support/runs.h"
#include "base/sanitizers.h"
#include "core/method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned tests_one_in(void)
{
    const char *part = getenv("TESTS_PART");
    unsigned long number = part ? strtoul(part, NULL, 10) : 1;
    return number > 0 ? (unsigned)number : 1;
}

unsigned tests_part(unsigned all)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return all / (tests_one_in() > 1 ? 12 : 8);
#else
    return all / tests_one_in();
#endif
}

void tests_try(const struct ek_experiment *experiment, uint64_t run, struct tests_outcome *outcome)
{
    *outcome = (struct tests_outcome){0};
    struct ek_experiment carried = *experiment;
    if (!carried.carrier && !(carried.timing && strcmp(carried.timing, "free") == 0)) {
        carried.carrier = "pool:1";
        carried.unpinned = true; // the tests that run at the same time would all pin their worker to the first core
    }
    outcome->machine = ek_prepare(&carried, &outcome->error);
    outcome->status = outcome->machine ? ek_run(outcome->machine, run, &outcome->report, NULL, NULL, &outcome->error)
                                       : outcome->error.status;
}

void tests_outcome_destroy(struct tests_outcome *outcome)
{
    ek_report_destroy(&outcome->report);
    ek_machine_destroy(outcome->machine);
}

static const char *const topologies[] = {
    "chain:2",    "chain:9",    "ring:3",      "ring:8",         "ring:13",      "mesh:3x4x2",  "mesh:1x6",
    "torus:4x4",  "torus:5x3",  "torus:2x3x4", "torus:6x6",      "hypercube:4",  "hypercube:1", "kary:3^2",
    "complete:7", "complete:8", "star:6",      "otis(mesh:2x3)", "otis(ring:4)", "random:12:3", "random:20:5",
};
static const char *const methods[] = {"ade", "ode", "gde:L", "adf", "odf", "diffusion:A", "matching"};
static const char *const stops[] = {"variance:1", "spread:1", "error:0.5", "shared", "neighbours:1", "never"};

enum {
    TOPOLOGIES = sizeof topologies / sizeof *topologies,
    METHODS = sizeof methods / sizeof *methods,
    STOPS = sizeof stops / sizeof *stops
};

static void draw_load(struct tests_drawn *drawn, struct base_random *random)
{
    unsigned amount = 1 + (unsigned)base_random_below(random, 5000);
    switch (base_random_below(random, 4)) {
    case 0:
        snprintf(drawn->load, sizeof drawn->load, "peak:%u", amount);
        break;
    case 1:
        snprintf(drawn->load, sizeof drawn->load, "modulo:7919:%u", amount);
        break;
    default:
        snprintf(drawn->load, sizeof drawn->load, "uniform:0:%u", amount);
        break;
    }
}

void tests_draw(struct tests_drawn *drawn, uint64_t number)
{
    struct base_random random = base_random_start(2024, number, BASE_STREAM_LOAD);
    const char *method = methods[base_random_below(&random, METHODS)];
    snprintf(drawn->topology, sizeof drawn->topology, "%s", topologies[base_random_below(&random, TOPOLOGIES)]);
    if (strchr(method, ':')) {
        // The family's name, and a parameter from 0 to 1.
        snprintf(drawn->method, sizeof drawn->method, "%.*s:%.3f", (int)strcspn(method, ":"), method,
                 base_random_unit(&random));
    } else {
        snprintf(drawn->method, sizeof drawn->method, "%s", method);
    }
    draw_load(drawn, &random);
    drawn->experiment = (struct ek_experiment){
        .topology = drawn->topology,
        .method = drawn->method,
        .load = drawn->load,
        .units = base_random_below(&random, 2) ? "real" : "tokens",
        .ports = base_random_below(&random, 2) ? "all" : "one",
        .stop = stops[base_random_below(&random, STOPS)],
        .operations_max = 1 + base_random_below(&random, 30),
        .seed = base_random_below(&random, 1000),
        .every = 1,
        .keep_loads = true,
        .keep_trace = true,
    };
}

// Returns one of the values, or NULL for every second draw.
static const char *draw_value(struct base_random *random, const char *const *values, unsigned count)
{
    unsigned value = (unsigned)base_random_below(random, 2 * count);
    return value < count ? values[value] : NULL;
}

void tests_draw_axes(struct ek_experiment *experiment, struct base_random *random)
{
    const struct {
        const char **place;
        const char *values[8];
        unsigned count;
    } axes[] = {
        {&experiment->units, {"real", "tokens"}, 2},
        {&experiment->ports, {"one"}, 1},
        {&experiment->timing, {"turns", "turns:random"}, 2},
        {&experiment->clock, {"step"}, 1},
        {&experiment->invoke,
         {"below:300", "outside:200:800", "probability:0.4", "above:500", "every:3", "at:0,1", "global:spread:300"},
         7},
        {&experiment->work, {"normal:20:9:20", "constant:0=7,1=-3"}, 2},
        {&experiment->demand, {"bounded"}, 1},
        {&experiment->working, {"before"}, 1},
        {&experiment->capacity, {"semi", "cs", "uniform:1:9"}, 3},
        {&experiment->weighting, {"target"}, 1},
        {&experiment->link_limit, {"25"}, 1},
        {&experiment->delay, {"fixed:2", "uniform:0:4", "exponential:1.5"}, 3},
        {&experiment->faults, {"link:0.7,repair:4", "link:0.2,processor:0.2,repair:3"}, 2},
        {&experiment->rounding, {"nearest", "random", "carry"}, 3},
    };
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        *axes[i].place = draw_value(random, axes[i].values, axes[i].count);
    }
}

// Returns whether the method works with the links that are left: a rule without memory and without an end of its
// own.
static bool does_without_links(const struct ek_experiment *experiment, const struct ek_method *method)
{
    bool remembers = strcmp(method->name, "sos") == 0 || strcmp(method->name, "chebyshev") == 0;
    return !method->rounds->act && !method->direct && !remembers && !strstr(experiment->method, "(opt");
}

bool tests_axes_supported(const struct ek_experiment *experiment, const struct ek_method *method)
{
    bool target = experiment->weighting && strcmp(experiment->weighting, "target") == 0;
    bool tokens = experiment->units ? strcmp(experiment->units, "tokens") == 0 : method->supports.units == EK_TOKENS;
    bool settled = method->direct && method->rounds->act; // its transfers wait for each other
    bool works_by_step = experiment->work && experiment->clock && strcmp(experiment->clock, "step") == 0;
    bool linear = method->rule && method->rule->flow && method->rule->flow_tokens;
    return (method->supports.units & (tokens ? EK_TOKENS : EK_REAL)) && (!experiment->rounding || (tokens && linear)) &&
           (!experiment->ports || (method->supports.ports & EK_ONE_PORT)) &&
           (!experiment->timing ||
            (method->supports.turns && !experiment->ports && !experiment->invoke && !experiment->capacity)) &&
           (!experiment->invoke || !method->rounds->act || method->rounds->reads_invokes) &&
           (!experiment->delay || method->supports.delays) &&
           (!experiment->capacity || target || method->supports.capacities) &&
           (!target || ((method->supports.units & EK_REAL) && !(tokens && method->supports.quotas))) &&
           (!experiment->faults || does_without_links(experiment, method)) &&
           !(settled && (experiment->link_limit || works_by_step));
}

static bool trace_differs(const struct ek_report *a, const struct ek_report *b)
{
    return a->trace_count != b->trace_count ||
           (a->trace_count > 0 && memcmp(a->trace, b->trace, a->trace_count * sizeof *a->trace) != 0);
}

static bool profile_differs(const struct ek_report *a, const struct ek_report *b, uint32_t processors)
{
    const struct ek_profile *one = &a->profile, *other = &b->profile;
    size_t times = one->intervals * EK_PROFILE_TIMES * one->groups;
    return one->intervals != other->intervals || one->group != other->group ||
           (one->intervals > 0 &&
            (memcmp(one->interval, other->interval, one->intervals * sizeof *one->interval) != 0 ||
             memcmp(one->time, other->time, times * sizeof *one->time) != 0 ||
             memcmp(one->processor, other->processor, (size_t)EK_PROFILE_KINDS * processors * sizeof(double)) != 0));
}

unsigned tests_report_values(const struct ek_report *report, struct tests_value values[TESTS_VALUES_MAX])
{
    const struct tests_value all[] = {
        {"seed", (double)report->seed},
        {"ended", report->ended},
        {"operations", (double)report->operations},
        {"invocations", (double)report->invocations},
        {"steps", (double)report->steps},
        {"variance_initial", report->variance_initial},
        {"variance_final", report->variance_final},
        {"spread_final", report->spread_final},
        {"minimum", report->minimum},
        {"maximum", report->maximum},
        {"total_initial", report->total_initial},
        {"total_final", report->total_final},
        {"minimum_ever", report->minimum_ever},
        {"parcels", (double)report->parcels},
        {"messages", (double)report->messages},
        {"moved", report->moved},
        {"stayed", report->stayed},
        {"flow_l1", report->flow_l1},
        {"flow_l2", report->flow_l2},
        {"idle", (double)report->idle},
        {"generated", report->generated},
        {"consumed", report->consumed},
        {"unmet", report->unmet},
        {"in_flight", report->in_flight},
        {"scan_steps", (double)report->scan_steps},
        {"exchange_steps", (double)report->exchange_steps},
        {"reduction_steps", (double)report->reduction_steps},
        {"shifts", report->shifts},
        {"cycle", (double)report->cycle},
        {"virtual_s", report->virtual_s},
        {"link_failures", (double)report->faults.link_failures},
        {"processor_failures", (double)report->faults.processor_failures},
        {"repairs", (double)report->faults.repairs},
        {"returned", (double)report->faults.returned},
        {"load_returned", report->faults.load_returned},
        {"executed", (double)report->tasks.executed},
        {"nodes", (double)report->tasks.nodes},
        {"result", (double)report->tasks.result},
        {"ticks", (double)report->tasks.ticks},
        {"cost", (double)report->tasks.cost},
        {"speedup", report->tasks.speedup},
        {"efficiency", report->tasks.efficiency},
        {"bound_ticks", report->tasks.bound_ticks},
        {"idle_ticks", report->tasks.idle_ticks},
        {"idle_ticks_most", report->tasks.idle_ticks_most},
        {"shared_tick", (double)report->tasks.shared_tick},
        {"native_fraction", report->tasks.native_fraction},
        {"most_held", (double)report->tasks.most_held},
        {"imbalance", report->objects.imbalance},
        {"edge_cut", report->objects.edge_cut},
        {"bytes_moved", (double)report->objects.bytes_moved},
        {"most_bytes", (double)report->objects.most_bytes},
        {"objects_moved", (double)report->objects.objects_moved},
        {"moved_once", report->objects.moved_once},
    };
    memcpy(values, all, sizeof all);
    return sizeof all / sizeof *all;
}

const char *tests_values_differ(const struct tests_value *a, const struct tests_value *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (memcmp(&a[i].value, &b[i].value, sizeof(double)) != 0) {
            return a[i].name;
        }
    }
    return NULL;
}

// Returns whether the tasks of two runs computed the same picture, or none.
static bool same_picture(const struct ek_tasks_report *a, const struct ek_tasks_report *b)
{
    size_t points = (size_t)a->picture_width * a->picture_height;
    return !a->picture == !b->picture &&
           (!a->picture || memcmp(a->picture, b->picture, points * sizeof *a->picture) == 0);
}

const char *tests_report_differs(const struct ek_report *a, const struct ek_report *b, uint32_t processors)
{
    struct tests_value values[TESTS_VALUES_MAX], others[TESTS_VALUES_MAX];
    unsigned count = tests_report_values(a, values);
    tests_report_values(b, others);
    const char *name = tests_values_differ(values, others, count);
    if (name) {
        return name;
    }
    if (processors > 0 && memcmp(a->final, b->final, processors * sizeof *a->final) != 0) {
        return "final";
    }
    if (!same_picture(&a->tasks, &b->tasks)) {
        return "picture";
    }
    return trace_differs(a, b) ? "trace" : profile_differs(a, b, processors) ? "profile" : NULL;
}

bool tests_waits_fit(const struct ek_report *report, uint32_t processors)
{
    double sum = 0.0;
    for (int cause = 0; cause < EK_WAITS; cause++) {
        sum += report->free.waited[cause];
    }
    return sum <= processors * (report->elapsed_s + 1.0);
}
