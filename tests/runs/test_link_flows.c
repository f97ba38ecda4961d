// SPDX-License-Identifier: MIT
// The flow over each link (keep_links): the flows of Wu & Shu's Example 1, and in every method, that the flows
// explain the loads. And the quotas from which flows follow.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/support/must.h"

static void run(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    experiment.keep_links = true;
    must_run(experiment, outcome);
}

// Checks flows on (e, e+1). The last flow on the ring is over the wrap link (7, 0), whose lower end is 0.
static void expect_example(const char *topology, const char *method, const char *carrier, const double *flow)
{
    struct tests_outcome outcome;
    run(
        (struct ek_experiment){
            .topology = topology, .method = method, .load = "list:9,7,4,1,4,6,1,5", .carrier = carrier},
        &outcome);
    const struct ek_topology *line = ek_machine_topology(outcome.machine);
    cr_assert_eq(outcome.report.flow_count, line->links);
    for (uint32_t i = 0; i < line->links; i++) {
        const struct ek_flow_report *link = &outcome.report.flow[i];
        bool wrap = link->from == 0 && link->to == 7;
        double expected = wrap ? -flow[7] : flow[link->from];
        cr_expect_eq(link->net, expected, "%s: %u to %u: %g, not %g", topology, link->from, link->to, link->net,
                     expected);
        cr_expect(link->forth == fmax(expected, 0.0) && link->back == fmax(-expected, 0.0));
        cr_expect_eq(link->colour, wrap ? 1 : link->from % 2);
        cr_expect_eq(link->dimension, 0);
    }
    tests_outcome_destroy(&outcome);
}

Test(links, flows_of_example_1)
{
    static const double chain[] = {4, 6, 5, 1, 0, 2, -1};
    static const double ring[] = {2, 4, 3, -1, -2, 0, -3, -2};
    static const char *const carriers[] = {"threads", "pool:3"};
    static const char *const methods[] = {"dde", "dde:middle", "dde:send-first"};
    for (unsigned i = 0; i < 6; i++) {
        expect_example("chain:8", methods[i % 3], carriers[i / 3], chain);
        expect_example("ring:8", methods[i % 3], carriers[i / 3], ring);
    }
}

// A processor's last load is its first load minus the net flow over its links.
Test(links, loads_follow_from_the_flows)
{
    static const struct ek_experiment experiments[] = {
        {.topology = "torus:4x5", .method = "ade", .operations_max = 3},
        {.topology = "random:12:3", .method = "odf", .ports = "one", .operations_max = 3},
        {.topology = "mesh:3x4", .method = "adi(ops)"},
        {.topology = "torus:5x3", .method = "dde:doubling"},
        {.topology = "mesh:5x6", .method = "dem:folded"},
        {.topology = "chain:11", .method = "twa:binomial"},
        {.topology = "tree:2:3", .method = "twa"},
        {.topology = "mesh:4x5", .method = "mwa", .units = "tokens"},
        {.topology = "star:6", .method = "sender:1/deg", .timing = "turns", .operations_max = 4, .stop = "never"},
        {.topology = "ring:9", .method = "liquid:c5", .operations_max = 8, .no_flows = true},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        struct ek_experiment experiment = experiments[i];
        experiment.load = "modulo:7919:101";
        experiment.carrier = "pool:2";
        struct tests_outcome outcome;
        run(experiment, &outcome);
        const struct ek_report *report = &outcome.report;
        uint32_t processors = ek_machine_topology(outcome.machine)->processors;
        double moved = 0.0;
        for (size_t link = 0; link < report->flow_count; link++) {
            report->initial[report->flow[link].from] -= report->flow[link].net;
            report->initial[report->flow[link].to] += report->flow[link].net;
            moved += report->flow[link].forth + report->flow[link].back;
        }
        cr_expect_float_eq(moved, report->moved, 1e-9, "%s", experiment.method);
        for (uint32_t p = 0; p < processors; p++) {
            cr_expect_float_eq(report->initial[p], report->final[p], 1e-9, "%s: processor %u", experiment.method, p);
        }
        tests_outcome_destroy(&outcome);
    }
}

// Returns q_j = floor(T/k) + (j < T mod k): what p should hold after a dimension in which lines held `load`. T is
// the total of the line of k processors through p, j the place of p in it.
static double quota_of(const double *load, uint32_t p, uint32_t stride, uint32_t k)
{
    uint32_t position = p / stride % k, begin = p - position * stride;
    double total = 0.0;
    for (uint32_t x = 0; x < k; x++) {
        total += load[begin + x * stride];
    }
    return floor(total / k) + (position < fmod(total, k));
}

static void expect_quotas(struct ek_experiment experiment, const unsigned *order, unsigned settled)
{
    enum { PROCESSORS_MAX = 64 };
    struct tests_outcome outcome;
    run(experiment, &outcome);
    const struct ek_report *report = &outcome.report;
    const struct ek_topology *topology = ek_machine_topology(outcome.machine);
    uint32_t processors = topology->processors;
    double load[PROCESSORS_MAX], next[PROCESSORS_MAX];
    cr_assert_eq(report->quota_dimensions, topology->dimensions);
    memcpy(load, report->initial, processors * sizeof *load);
    for (unsigned i = 0; i < topology->dimensions; i++) {
        uint32_t stride = 1;
        for (unsigned d = 0; d < order[i]; d++) {
            stride *= topology->side[d];
        }
        const double *quota = report->quota + order[i] * processors;
        bool none = i >= settled || topology->side[order[i]] == 1;
        for (uint32_t p = 0; p < processors; p++) {
            next[p] = quota_of(load, p, stride, topology->side[order[i]]);
            cr_expect(none ? isnan(quota[p]) : quota[p] == next[p], "%s %s: %g for %u in dimension %u, not %g",
                      experiment.topology, experiment.method, quota[p], p, order[i], next[p]);
        }
        memcpy(load, next, processors * sizeof *load);
    }
    tests_outcome_destroy(&outcome);
}

Test(links, quotas)
{
    static const char *const methods[] = {"dde", "dde:send-first", "dde:middle", "dde:doubling"};
    static const char *const products[] = {"mesh:3x4x5", "torus:3x4x5", "mesh:4x1x3", "torus:2x5x3"};
    for (unsigned i = 0; i < 16; i++) {
        struct ek_experiment experiment = {.topology = products[i / 4],
                                           .method = methods[i % 4],
                                           .load = "modulo:7919:101",
                                           .ports = i % 3 ? "all" : "one",
                                           .carrier = i % 2 ? "pool:2" : "threads"};
        expect_quotas(experiment, (unsigned[]){0, 1, 2}, 3);
        experiment.order = "2,0,1";
        expect_quotas(experiment, (unsigned[]){2, 0, 1}, 3);
        experiment.steps_max = 1; // no line has its total yet
        expect_quotas(experiment, (unsigned[]){2, 0, 1}, 0);
    }
    expect_quotas((struct ek_experiment){.topology = "chain:11", .method = "twa:binomial"}, (unsigned[]){0}, 1);
}

// No other method has quotas, nor does a run that does not keep links.
Test(links, no_quotas)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = "ring:8", .method = "liquid:c2r", .operations_max = 2}, &outcome);
    cr_expect(!outcome.report.quota && outcome.report.quota_dimensions == 0);
    tests_outcome_destroy(&outcome);
    tests_try(&(struct ek_experiment){.topology = "ring:8", .method = "dde"}, 0, &outcome);
    cr_expect(!outcome.report.quota && outcome.report.quota_dimensions == 0);
    tests_outcome_destroy(&outcome);
}
