// SPDX-License-Identifier: MIT
// What went over each link (keep_links): the flows of Wu & Shu's Example 1, and in every method that what leaves over
// the links is what is missing.
#include <criterion/criterion.h>

#include <math.h>

#include "tests/runs.h"

static void run(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    experiment.keep_loads = experiment.keep_links = true;
    tests_try(&experiment, 0, outcome);
    cr_assert(outcome->status == EK_OK || outcome->status == EK_UNREACHED, "%s %s: %s", experiment.topology,
              experiment.method, outcome->error.sentence);
}

// Flows on (e, e+1), the last on the ring over the wrap link (7, 0), whose lower end is 0.
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

// A processor's last load is its first less what went out over its links, net.
Test(links, loads_follow_from_the_flows)
{
    static const struct ek_experiment experiments[] = {
        {.topology = "torus:4x5", .method = "ade", .operations_max = 3},
        {.topology = "random:12:3", .method = "odf", .ports = "one", .operations_max = 3},
        {.topology = "mesh:3x4", .method = "adi(ops)"},
        {.topology = "torus:5x3", .method = "dde:doubling"},
        {.topology = "mesh:5x6", .method = "dem:folded"},
        {.topology = "chain:11", .method = "twa:binomial"},
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
