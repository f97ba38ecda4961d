// SPDX-License-Identifier: MIT
// Direct dimension exchange with its three scans, against a simulation of the paper's text: quotas, the chain's
// flows, Fig. 8 on rings, receive-first step by step. Only the number of scan steps may differ between scans.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/methods/lines/doubling.h"
#include "tests/support/runs.h"
#include "base/random.h"
#include "topologies/topology.h"

enum { SIDE_MAX = 17, PROCESSORS_MAX = 600, SCANS = 3, CASES = 150 };

static const char *const scans[SCANS] = {"", ",middle", ",doubling"};

struct simulated {
    double load[PROCESSORS_MAX];
    double moved;
    double squares;
    unsigned exchange_steps;
};

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

// Fig. 8. flow[e] is the flow over (e, e+1), the last over the wrap link.
static void take_off(double *flow, unsigned side)
{
    double sorted[SIDE_MAX];
    unsigned positive = 0;
    unsigned negative = 0;
    for (unsigned e = 0; e < side; e++) {
        positive += flow[e] > 0.0;
        negative += flow[e] < 0.0;
        sorted[e] = flow[e];
    }
    unsigned zero = side - positive - negative;
    unsigned m = (side + 1) / 2;
    qsort(sorted, side, sizeof *sorted, compare);
    double off = 0.0;
    if (negative + zero < positive) {
        off = sorted[side - m];
    } else if (positive + zero < negative) {
        off = sorted[m - 1];
    }
    for (unsigned e = 0; e < side; e++) {
        flow[e] -= off;
    }
}

// A processor sends its tasks once it has received all that it will receive. Returns the number of steps.
static unsigned receive_first(const double *flow, unsigned side)
{
    bool gone[SIDE_MAX] = {false};
    unsigned steps = 0;
    for (bool more = true; more;) {
        bool goes[SIDE_MAX] = {false};
        more = false;
        for (unsigned e = 0; e < side; e++) {
            unsigned from = flow[e] > 0.0 ? e : (e + 1) % side; // its links are from - 1 and from
            unsigned below = (from + side - 1) % side;
            bool waits = (flow[below] > 0.0 && !gone[below]) || (flow[from] < 0.0 && !gone[from]);
            goes[e] = flow[e] != 0.0 && !gone[e] && !waits;
            more = more || goes[e];
        }
        for (unsigned e = 0; e < side; e++) {
            gone[e] = gone[e] || goes[e];
        }
        steps += more;
    }
    return steps;
}

static unsigned balance_line(double *load, unsigned side, unsigned stride, bool ring, struct simulated *result)
{
    double flow[SIDE_MAX] = {0};
    double total = 0.0;
    double over = 0.0;
    for (unsigned i = 0; i < side; i++) {
        total += load[i * stride];
    }
    for (unsigned i = 0; i < side; i++) {
        double quota = floor(total / side) + (i < fmod(total, side));
        over += load[i * stride] - quota;
        flow[i] = over;
        load[i * stride] = quota;
    }
    if (ring) {
        take_off(flow, side);
    }
    for (unsigned e = 0; e < side; e++) {
        result->moved += fabs(flow[e]);
        result->squares += flow[e] * flow[e];
    }
    return receive_first(flow, side);
}

static void simulate(const struct ek_topology *topology, const double *load, struct simulated *result)
{
    *result = (struct simulated){.moved = 0.0};
    memcpy(result->load, load, topology->processors * sizeof *load);
    unsigned stride = 1;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        unsigned side = topology->side[d];
        unsigned longest = 0;
        for (uint32_t p = 0; p < topology->processors; p++) {
            if (p / stride % side == 0) {
                unsigned steps = balance_line(result->load + p, side, stride, topology->wraps && side >= 3, result);
                longest = steps > longest ? steps : longest;
            }
        }
        result->exchange_steps += longest;
        stride *= side;
    }
}

static unsigned ceil_log2(unsigned n)
{
    return (unsigned)ceil(log2(n) - 1e-12);
}

// Counts the steps of the scan with all ports. Doubling also counts uncounted steps: for the second number of each
// message down the tree, and on a ring for the loads of a subtree after the first.
static void count_scan(const struct ek_topology *topology, unsigned scan, bool one_port, uint64_t *steps,
                       uint64_t *apart)
{
    *steps = *apart = 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        unsigned k = topology->side[d];
        bool ring = topology->wraps && k >= 3;
        unsigned colours = k <= 2 ? k - 1 : ring && k % 2 == 1 ? 3 : 2;
        unsigned height = ceil_log2(k);
        if (scan == 2) {
            *steps += 2 * height;
            *apart += height + (ring ? k - 1 - height : 0);
        } else {
            *steps += (uint64_t)2 * (scan == 1 ? k / 2 : k - 1) * (one_port ? colours : 1);
        }
    }
}

static void draw(uint64_t number, char *topology, size_t size, char *load, size_t load_size)
{
    struct base_random random = base_random_start(31, number, BASE_STREAM_LOAD);
    unsigned dimensions = 1 + (unsigned)base_random_below(&random, 3);
    unsigned side_max = dimensions == 1 ? SIDE_MAX : dimensions == 2 ? 9 : 6;
    bool torus = base_random_below(&random, 3) > 0;
    int length = snprintf(topology, size, torus ? "torus" : "mesh");
    for (unsigned d = 0; d < dimensions; d++) {
        unsigned side = 1 + (unsigned)base_random_below(&random, side_max);
        length += snprintf(topology + length, size - (size_t)length, "%c%u", d == 0 ? ':' : 'x', side);
    }
    static const unsigned amounts[] = {1, 3, 40, 1000, 100000};
    snprintf(load, load_size, base_random_below(&random, 4) > 0 ? "uniform:0:%u" : "peak:%u",
             amounts[base_random_below(&random, 5)]);
}

static void expect_simulated(const struct ek_experiment *experiment, unsigned scan)
{
    struct tests_outcome outcome;
    tests_try(experiment, 0, &outcome);
    cr_assert(outcome.status == EK_OK, "%s %s: %s", experiment->topology, experiment->method, outcome.error.sentence);
    const struct ek_topology *topology = ek_machine_topology(outcome.machine);
    const struct ek_report *report = &outcome.report;
    bool one_port = experiment->ports && strcmp(experiment->ports, "one") == 0;
    struct simulated simulated;
    simulate(topology, report->initial, &simulated);
    uint64_t steps, apart;
    count_scan(topology, scan, one_port, &steps, &apart);
    cr_expect_eq(report->scan_steps, steps, "%s %s %s: %u scan steps, not %u", experiment->topology, experiment->method,
                 experiment->ports, (unsigned)report->scan_steps, (unsigned)steps);
    cr_expect_eq(report->reduction_steps, apart, "%s %s: %u apart, not %u", experiment->topology, experiment->method,
                 (unsigned)report->reduction_steps, (unsigned)apart);
    cr_expect_eq(report->steps, report->scan_steps + report->exchange_steps);
    cr_expect(one_port || report->exchange_steps == simulated.exchange_steps, "%s %s: %u exchange steps, not %u",
              experiment->topology, experiment->method, (unsigned)report->exchange_steps, simulated.exchange_steps);
    cr_expect_eq(report->moved, simulated.moved, "%s %s: %g moved, not %g", experiment->topology, experiment->method,
                 report->moved, simulated.moved);
    for (uint32_t p = 0; p < topology->processors; p++) {
        cr_expect_eq(report->final[p], simulated.load[p], "%s %s: processor %u", experiment->topology,
                     experiment->method, p);
    }
    bool chain =
        topology->dimensions == 1; // with more dimensions the flows of two of them meet on no link, but their sums do
    cr_expect(!chain || fabs(report->flow_l2 * report->flow_l2 - simulated.squares) <= 1e-6 * (1.0 + simulated.squares),
              "%s %s: the flow's norm", experiment->topology, experiment->method);
    tests_outcome_destroy(&outcome);
}

Test(dde_scans, flows_and_loads_are_the_paper_s)
{
    for (uint64_t number = 0; number < CASES; number++) {
        char topology[32];
        char load[32];
        draw(number, topology, sizeof topology, load, sizeof load);
        for (unsigned scan = 0; scan < SCANS; scan++) {
            char method[40];
            snprintf(method, sizeof method, "dde:receive-first%s", scans[scan]);
            struct ek_experiment experiment = {.topology = topology,
                                               .method = method,
                                               .load = load,
                                               .ports = number % 3 == 0 ? "one" : "all",
                                               .carrier = number % 50 == 0 ? "threads" : "pool:2",
                                               .seed = number,
                                               .keep_loads = true};
            expect_simulated(&experiment, scan);
        }
    }
}

// Example 1 on both carriers: its loads, and 4 or 2 steps of exchange on the chain, 3 or 1 on the ring.
Test(dde_scans, example_1)
{
    static const double final[] = {5, 5, 5, 5, 5, 4, 4, 4};
    static const struct {
        const char *topology, *method;
        uint64_t scan_steps, exchange_steps;
        double moved, stayed;
    } rows[] = {
        {"chain:8", "dde:receive-first,middle", 8, 4, 19, 28},
        {"chain:8", "dde:send-first,middle", 8, 2, 19, 23},
        {"chain:8", "dde:doubling", 6, 4, 19, 28},
        {"chain:8", "dde:doubling,send-first", 6, 2, 19, 23},
        {"ring:8", "dde:middle", 8, 3, 17, 28},
        {"ring:8", "dde:send-first,middle", 8, 1, 17, 20},
        {"ring:8", "dde:receive-first,doubling", 6, 3, 17, 28},
        {"ring:8", "dde:send-first,doubling", 6, 1, 17, 20},
    };
    static const char *const carriers[] = {"threads", "pool:3"};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        struct ek_experiment experiment = {.topology = rows[i / 2].topology,
                                           .method = rows[i / 2].method,
                                           .load = "list:9,7,4,1,4,6,1,5",
                                           .carrier = carriers[i % 2],
                                           .keep_loads = true};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect(report->scan_steps == rows[i / 2].scan_steps && report->exchange_steps == rows[i / 2].exchange_steps,
                  "%s %s: %u scan and %u exchange steps", experiment.topology, experiment.method,
                  (unsigned)report->scan_steps, (unsigned)report->exchange_steps);
        cr_expect(report->moved == rows[i / 2].moved && report->stayed == rows[i / 2].stayed,
                  "%s %s: %g moved, %g stayed", experiment.topology, experiment.method, report->moved, report->stayed);
        cr_expect_arr_eq(report->final, final, sizeof final, "%s %s", experiment.topology, experiment.method);
        tests_outcome_destroy(&outcome);
    }
}

// The links of the trees lead to the parents, the links of the lines stay the same, and no processor has two links
// of a colour.
Test(dde_scans, the_links_of_doubling)
{
    static const char *const specs[] = {"chain:1", "chain:2",   "ring:3",    "ring:5",      "ring:9",
                                        "ring:17", "chain:16",  "ring:16",   "torus:5x3x2", "mesh:7x1x6",
                                        "ring:12", "torus:9x4", "mesh:3x5x9"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_error error;
        struct ek_topology *product = ek_topology_create(specs[i], 0, (struct ek_reader){0}, &error);
        struct ek_topology *overlay = method_doubling_overlay(product, &error);
        cr_assert(product && overlay, "%s: %s", specs[i], error.sentence);
        uint32_t own = 0;
        for (uint32_t p = 0; p < overlay->processors; p++) {
            for (uint32_t port = overlay->first[p]; port < overlay->first[p + 1]; port++) {
                own += overlay->colour[port] < product->colours;
                cr_expect_eq(overlay->neighbour[overlay->twin[port]], p);
                for (uint32_t other = overlay->first[p]; other < port; other++) {
                    cr_expect_neq(overlay->colour[other], overlay->colour[port], "%s: processor %u", specs[i], p);
                }
            }
        }
        cr_expect_eq(own, product->ports, "%s: %u ports have a line's colour", specs[i], own);
        cr_expect(product->dimensions > 1 || product->wraps || ek_topology_valid(overlay, &error), "%s: %s", specs[i],
                  error.sentence);
        ek_topology_destroy(overlay);
        ek_topology_destroy(product);
    }
}

Test(dde_scans, refusals)
{
    static const struct {
        const char *topology, *method;
        int at;
    } refused[] = {
        {"ring:8", "dde:middle,send", 11},
        {"ring:8", "dde:middle,doubling", 11},
        {"ring:8", "dde:send-first,receive-first", 15},
        {"ring:8", "dde:send-first,", 15},
        {"ring:8", "dde:send-first middle", 14},
        {"star:8", "dde:send-first,middle", 0},
        {"complete:8", "dde:doubling", 0},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ek_experiment experiment = {.topology = refused[i].topology, .method = refused[i].method};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_expect(outcome.status == EK_BAD_INPUT && outcome.error.at == refused[i].at, "%s: at %d, %s",
                  refused[i].method, outcome.error.at, outcome.error.sentence);
        tests_outcome_destroy(&outcome);
    }
}
