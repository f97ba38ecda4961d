// SPDX-License-Identifier: MIT
// Direct dimension exchange and tree walking against the paper (Wu & Shu): Example 1 on the chain and the ring,
// Table I, Theorem 1, the bounds on steps, Lemma 2's least cost by brute force, and locality.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/method.h"
#include "tests/support/must.h"
#include "base/random.h"

enum { DIMENSIONS_MAX = 4, SIDE_MAX = 7, RING_MAX = 7, LINE_MAX = 40, TREE_MAX = 40 };

static const char EXAMPLE_1[] = "list:9,7,4,1,4,6,1,5";

// Runs an experiment that must succeed, on a pool unless it names another carrier.
static void run(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    experiment.carrier = experiment.carrier ? experiment.carrier : "pool:1";
    must_run(experiment, outcome);
}

static void expect_example(const char *topology, const char *method, unsigned exchange_steps, double moved,
                           double squares, double stayed)
{
    static const double final[] = {5, 5, 5, 5, 5, 4, 4, 4};
    static const char *const carriers[] = {"threads", "pool:3"};
    for (unsigned c = 0; c < 2; c++) {
        struct tests_outcome outcome;
        run((struct ek_experiment){.topology = topology, .method = method, .load = EXAMPLE_1, .carrier = carriers[c]},
            &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect(report->scan_steps == 14 && report->exchange_steps == exchange_steps &&
                      report->steps == 14 + exchange_steps,
                  "%s %s: %u scan and %u exchange steps", topology, method, (unsigned)report->scan_steps,
                  (unsigned)report->exchange_steps);
        cr_expect_eq(report->moved, moved);
        cr_expect_float_eq(report->flow_l2 * report->flow_l2, squares, 1e-9);
        cr_expect_eq(report->stayed, stayed, "%s %s: %g tasks stayed", topology, method, report->stayed);
        for (unsigned p = 0; p < 8; p++) {
            cr_expect_eq(report->final[p], final[p]);
        }
        tests_outcome_destroy(&outcome);
    }
}

// Flows 4, 6, 5, 1, 0, 2, -1.
Test(dde, example_1_on_the_chain)
{
    expect_example("chain:8", "dde", 4, 19, 83, 28);
    expect_example("chain:8", "dde:receive-first", 4, 19, 83, 28);
    expect_example("chain:8", "dde:send-first", 2, 19, 83, 23);
}

// Flows 2, 4, 3, -1, -2, 0, -3, -2.
Test(dde, example_1_on_the_ring)
{
    expect_example("ring:8", "dde:receive-first", 3, 17, 47, 28);
    expect_example("ring:8", "dde:send-first", 1, 17, 47, 20);
}

struct drawn {
    char topology[64];
    char load[40];
    unsigned dimensions; // those with sides of at least 2
    uint64_t scan_steps;
    uint64_t exchange_steps_max;
};

// Draws a mesh or torus of up to four dimensions, some with sides of 1 or 2, and a load.
static struct drawn draw(uint64_t number)
{
    struct base_random random = base_random_start(5, number, BASE_STREAM_LOAD);
    struct drawn drawn = {0};
    bool torus = base_random_below(&random, 2) == 1;
    unsigned dimensions = 1 + (unsigned)base_random_below(&random, DIMENSIONS_MAX);
    int length = snprintf(drawn.topology, sizeof drawn.topology, torus ? "torus" : "mesh");
    for (unsigned d = 0; d < dimensions; d++) {
        unsigned side = 1 + (unsigned)base_random_below(&random, SIDE_MAX);
        length +=
            snprintf(drawn.topology + length, sizeof drawn.topology - (size_t)length, "%c%u", d == 0 ? ':' : 'x', side);
        drawn.dimensions += side > 1;
        drawn.scan_steps += 2 * (side - 1);
        drawn.exchange_steps_max += torus ? side / 2 : side - 1;
    }
    static const unsigned amounts[] = {1, 3, 40, 1000, 100000};
    static const char *const forms[] = {"uniform:0", "peak", "modulo:7919"};
    snprintf(drawn.load, sizeof drawn.load, "%s:%u", forms[base_random_below(&random, 3)],
             amounts[base_random_below(&random, 5)]);
    return drawn;
}

static void expect_alike(const struct tests_outcome *a, const struct tests_outcome *b, const char *what)
{
    cr_expect_eq(a->report.moved, b->report.moved, "%s", what);
    cr_expect_eq(a->report.flow_l2, b->report.flow_l2, "%s", what);
    for (uint32_t p = 0; p < ek_machine_topology(a->machine)->processors; p++) {
        cr_expect_eq(a->report.final[p], b->report.final[p], "%s", what);
    }
}

// Theorem 1 (the spread is at most n), the bounds on steps, and that neither the order of sending nor the ports
// change a flow.
Test(dde, theorem_1_and_bounds_on_steps)
{
    for (uint64_t number = 0; number < 300; number++) {
        struct drawn drawn = draw(number);
        struct ek_experiment experiment = {.topology = drawn.topology, .load = drawn.load, .seed = number};
        struct tests_outcome receive, send, one;
        experiment.method = "dde:receive-first";
        run(experiment, &receive);
        experiment.ports = "one";
        run(experiment, &one);
        experiment.ports = "all";
        experiment.method = "dde:send-first";
        run(experiment, &send);
        cr_expect_leq(receive.report.spread_final, drawn.dimensions, "%s %s", drawn.topology, drawn.load);
        cr_expect_eq(receive.report.operations, 1);
        cr_expect_eq(receive.report.scan_steps, drawn.scan_steps);
        cr_expect_leq(receive.report.exchange_steps, drawn.exchange_steps_max, "%s %s", drawn.topology, drawn.load);
        cr_expect_leq(send.report.exchange_steps, receive.report.exchange_steps, "%s %s", drawn.topology, drawn.load);
        cr_expect_geq(one.report.exchange_steps, receive.report.exchange_steps, "%s %s", drawn.topology, drawn.load);
        cr_expect_leq(send.report.stayed, receive.report.stayed, "%s %s", drawn.topology, drawn.load);
        cr_expect_eq(receive.report.total_final, receive.report.total_initial);
        expect_alike(&receive, &send, "send-first");
        expect_alike(&receive, &one, "one port");
        tests_outcome_destroy(&receive);
        tests_outcome_destroy(&send);
        tests_outcome_destroy(&one);
    }
}

static double quota(double total, unsigned side, unsigned position)
{
    return floor(total / side) + (position < fmod(total, side) ? 1.0 : 0.0);
}

// Returns the least cost. All flows that lead to the quotas are the chain's flows minus one number; every number
// that can matter is tried.
static double least_cost(const double *load, unsigned side)
{
    double flow[RING_MAX];
    double total = 0.0;
    double sum = 0.0;
    for (unsigned i = 0; i < side; i++) {
        total += load[i];
    }
    for (unsigned i = 0; i < side; i++) {
        sum += load[i] - quota(total, side, i);
        flow[i] = sum;
    }
    double least = INFINITY;
    for (double off = -total; off <= total; off++) {
        double cost = 0.0;
        for (unsigned i = 0; i < side; i++) {
            cost += fabs(flow[i] - off);
        }
        least = fmin(least, cost);
    }
    return least;
}

Test(dde, the_ring_s_flow_costs_least)
{
    for (uint64_t number = 0; number < 300; number++) {
        struct base_random random = base_random_start(6, number, BASE_STREAM_LOAD);
        unsigned side = 3 + (unsigned)base_random_below(&random, RING_MAX - 2);
        char topology[16];
        char load[32];
        snprintf(topology, sizeof topology, "ring:%u", side);
        snprintf(load, sizeof load, "uniform:0:%u", 1 + (unsigned)base_random_below(&random, 60));
        struct tests_outcome outcome;
        run((struct ek_experiment){.topology = topology, .method = "dde", .load = load, .seed = number}, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_expect_eq(report->moved, least_cost(report->initial, side), "%s %s, seed %u", topology, load,
                     (unsigned)number);
        for (unsigned p = 0; p < side; p++) {
            cr_expect_eq(report->final[p], quota(report->total_initial, side, p));
        }
        tests_outcome_destroy(&outcome);
    }
}

// On a chain receive-first keeps as many tasks as possible: min(w_i, q_i) at each processor.
Test(dde, receive_first_keeps_what_it_can)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct tests_outcome outcome;
        run((struct ek_experiment){.topology = "chain:13", .method = "dde", .load = "uniform:0:50", .seed = seed},
            &outcome);
        double stay = 0.0;
        for (unsigned p = 0; p < 13; p++) {
            stay += fmin(outcome.report.initial[p], quota(outcome.report.total_initial, 13, p));
        }
        cr_expect_eq(outcome.report.stayed, stay);
        tests_outcome_destroy(&outcome);
    }
}

// Tree walking from the middle has the chain's flows, in at most 2k steps. On the binomial tree it takes at most 4
// log2 k; with one port, one level of the tree a step, at most 4 ceil(log2 k). Both end with the quotas.
Test(twa, quotas_flows_and_bounds_on_steps)
{
    for (uint64_t number = 0; number < 200; number++) {
        unsigned side = 1 + (unsigned)(number % LINE_MAX);
        char topology[16];
        snprintf(topology, sizeof topology, "chain:%u", side);
        struct ek_experiment experiment = {.topology = topology, .load = "uniform:0:300", .seed = number};
        struct tests_outcome direct, middle, binomial, one;
        experiment.method = "dde";
        run(experiment, &direct);
        experiment.method = "twa:middle";
        run(experiment, &middle);
        experiment.method = "twa:binomial";
        run(experiment, &binomial);
        experiment.ports = "one";
        run(experiment, &one);
        expect_alike(&direct, &middle, topology);
        expect_alike(&binomial, &one, topology);
        unsigned log = (unsigned)floor(log2(side));
        cr_expect_eq(middle.report.scan_steps, 2 * (side / 2));
        cr_expect_eq(binomial.report.scan_steps, 2 * log);
        cr_expect_leq(middle.report.steps, 2 * side);
        cr_expect_leq(binomial.report.steps, 4 * log, "%s", topology);
        const unsigned levels = (unsigned)ceil(log2(side));
        cr_expect_eq(one.report.scan_steps, 2 * levels, "%s", topology);
        cr_expect_leq(one.report.steps, 4 * levels, "%s", topology);
        for (unsigned p = 0; p < side; p++) {
            cr_expect_eq(binomial.report.final[p], direct.report.final[p], "%s", topology);
        }
        tests_outcome_destroy(&direct);
        tests_outcome_destroy(&middle);
        tests_outcome_destroy(&binomial);
        tests_outcome_destroy(&one);
    }
}

// The binomial tree's links are a valid topology.
Test(twa, the_binomial_tree_s_links)
{
    for (unsigned side = 1; side <= LINE_MAX; side++) {
        char spec[16];
        struct ek_error error;
        snprintf(spec, sizeof spec, "chain:%u", side);
        struct ek_topology *chain = ek_topology_create(spec, 0, (struct ek_reader){0}, &error);
        struct ek_setting setting = {.topology = chain, .units = EK_TOKENS, .ports = EK_ALL_PORTS};
        struct ek_plan plan = {0};
        const struct ek_method *twa = ek_method_find("twa");
        cr_assert(twa->prepare(&plan, "binomial", 0, &setting, &error));
        cr_expect(ek_topology_valid(plan.overlay, &error), "%s", error.sentence);
        for (uint32_t port = 0; port < plan.overlay->ports; port++) {
            uint32_t a = plan.overlay->neighbour[plan.overlay->twin[port]];
            uint32_t b = plan.overlay->neighbour[port];
            cr_expect_eq(a < b ? a : b, a < b ? b & (b - 1) : a & (a - 1));
        }
        twa->destroy(&plan);
        ek_topology_destroy(chain);
    }
}

// The processors of a tree, found again by a search in depth from processor 0, which takes neighbours in ascending
// order.
struct search {
    const struct ek_topology *topology;
    uint32_t order[TREE_MAX], parent[TREE_MAX], count;
    unsigned height;
};

static void visit(struct search *search, uint32_t p, uint32_t parent, unsigned depth)
{
    const struct ek_topology *topology = search->topology;
    search->order[search->count++] = p;
    search->parent[p] = parent;
    search->height = depth > search->height ? depth : search->height;
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        if (topology->neighbour[port] != parent) {
            visit(search, topology->neighbour[port], p, depth + 1);
        }
    }
}

// Checks quotas, the flow over each link, its sum and the steps of a run against the sums over the subtrees.
static void expect_tree_flows(const struct tests_outcome *outcome, const char *what)
{
    const struct ek_report *report = &outcome->report;
    struct search search = {.topology = ek_machine_topology(outcome->machine)};
    const uint32_t processors = search.topology->processors;
    double up[TREE_MAX], moved = 0.0; // what goes to the parent
    cr_assert_leq(processors, TREE_MAX);
    visit(&search, 0, UINT32_MAX, 0);
    for (uint32_t rank = 0; rank < processors; rank++) {
        const uint32_t p = search.order[rank];
        cr_expect_eq(report->final[p], quota(report->total_initial, processors, rank), "%s: processor %u", what, p);
        up[p] = report->initial[p] - report->final[p];
    }
    for (uint32_t rank = processors - 1; rank > 0; rank--) {
        const uint32_t p = search.order[rank];
        up[search.parent[p]] += up[p];
        moved += fabs(up[p]);
    }
    for (size_t i = 0; i < report->flow_count; i++) {
        const struct ek_flow_report *link = &report->flow[i];
        const bool rises = search.parent[link->from] == link->to;
        const double net = rises ? up[link->from] : -up[link->to];
        cr_expect(link->net == net && link->forth == fmax(net, 0.0) && link->back == fmax(-net, 0.0),
                  "%s: %u to %u: %g, not %g", what, link->from, link->to, link->net, net);
    }
    cr_expect_eq(report->moved, moved, "%s", what);
    cr_expect_eq(report->flow_count, processors - 1);
    cr_expect_leq(report->spread_final, 1.0, "%s", what);
    if (report->scan_steps == 2 * search.height) { // with one port it takes more steps
        cr_expect_leq(report->exchange_steps, 2 * search.height, "%s", what);
    }
}

// Each link carries the difference between the sum and the quota of the subtree below it, and no more. The scan takes
// twice the height of the tree, times the number of colours with one port.
Test(twa, on_trees)
{
    static const struct {
        const char *topology, *method;
        unsigned height;
    } rows[] = {{"tree:2:4", "twa", 4}, {"tree:3:2", "twa", 2},         {"tree:5:1", "twa", 1},
                {"star:9", "twa", 1},   {"chain:12", "twa:whole", 11},  {"tree:2:3", "twa:whole", 3},
                {"tree:4:2", "twa", 2}, {"hypercube:1", "twa:whole", 1}};
    static const char *const loads[] = {"uniform:0:300", "peak:1000", "constant:7", "modulo:7919:101"};
    for (unsigned number = 0; number < 8 * sizeof rows / sizeof *rows; number++) {
        const size_t row = number / 8;
        struct ek_experiment experiment = {.topology = rows[row].topology,
                                           .method = rows[row].method,
                                           .load = loads[number % 4],
                                           .ports = number % 8 < 4 ? "all" : "one",
                                           .keep_links = true,
                                           .seed = number};
        struct tests_outcome outcome;
        run(experiment, &outcome);
        const uint32_t colours = number % 8 < 4 ? 1 : ek_machine_topology(outcome.machine)->colours;
        cr_expect_eq(outcome.report.scan_steps, 2 * rows[row].height * colours, "%s", rows[row].topology);
        expect_tree_flows(&outcome, rows[row].topology);
        tests_outcome_destroy(&outcome);
    }
}

// 12 tokens at the root of a tree of 7: quotas 2 for the root and the next four in preorder (1, 3, 4, 2), else 1. Its
// left half gets 6 and its right half 4; in the left half 2 go to each leaf, in the right half 1.
Test(twa, a_tree_by_hand)
{
    static const double final[] = {2, 2, 2, 2, 2, 1, 1};
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = "tree:2:2", .method = "twa", .load = "peak:12"}, &outcome);
    cr_expect_eq(outcome.report.moved, 6 + 4 + 2 + 2 + 1 + 1);
    cr_expect_eq(outcome.report.scan_steps, 4);
    cr_expect_eq(outcome.report.exchange_steps, 2);
    for (unsigned p = 0; p < 7; p++) {
        cr_expect_eq(outcome.report.final[p], final[p]);
    }
    tests_outcome_destroy(&outcome);
}

enum { SAMPLE = 60 };

// Mean and standard error of a value of the report over SAMPLE runs.
struct sample {
    double mean, error;
};

static double operations_of(const struct ek_report *report)
{
    return (double)report->operations;
}

static double cost_of(const struct ek_report *report)
{
    return report->moved / report->total_initial;
}

static double local_of(const struct ek_report *report)
{
    return report->stayed / report->total_initial;
}

static double spread_of(const struct ek_report *report)
{
    return report->spread_final;
}

static struct sample sample(const char *method, const char *load, double (*value)(const struct ek_report *report))
{
    double sum = 0.0;
    double squares = 0.0;
    struct ek_experiment experiment = {.topology = "mesh:8x8",
                                       .method = method,
                                       .units = "tokens",
                                       .load = load,
                                       .stop = method[0] == 'g' ? "neighbours:1" : NULL};
    for (unsigned seed = 0; seed < SAMPLE; seed++) {
        struct tests_outcome outcome;
        experiment.seed = seed;
        run(experiment, &outcome);
        double x = value(&outcome.report);
        sum += x;
        squares += x * x;
        tests_outcome_destroy(&outcome);
    }
    double mean = sum / SAMPLE;
    return (struct sample){mean, sqrt((squares / SAMPLE - mean * mean) / (SAMPLE - 1))};
}

// The paper's means are of 100 cases, so their standard error is that of the runs here times sqrt(SAMPLE / 100).
Test(dde, table_1_sweeps_of_gde)
{
    static const struct {
        const char *load;
        double sweeps;
    } rows[] = {{"uniform:0:200", 7.28},
                {"uniform:0:600", 9.20},
                {"uniform:0:2000", 11.08},
                {"uniform:0:6000", 13.02},
                {"uniform:0:20000", 14.67}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sample sweeps = sample("gde:0.723", rows[i].load, operations_of);
        double allowed = 3.0 * sweeps.error * sqrt(1.0 + SAMPLE / 100.0);
        cr_expect_float_eq(sweeps.mean, rows[i].sweeps, allowed, "%s: %g sweeps, the paper has %g +- %g", rows[i].load,
                           sweeps.mean, rows[i].sweeps, allowed);
    }
}

// The paper's text on Figs 12, 15 and 16, on the 8x8 mesh: gde's spread is 4 to 6 times larger than dde's and its
// cost about 50 % (recomputed: 64 %) larger; with receive-first, dde keeps 20 to 50 % more tasks.
Test(dde, spread_cost_and_locality_beside_gde)
{
    const char *load = "uniform:0:2000";
    double spread = sample("gde:0.723", load, spread_of).mean / sample("dde", load, spread_of).mean;
    double cost = sample("gde:0.723", load, cost_of).mean / sample("dde", load, cost_of).mean;
    double local = sample("gde:0.723", load, local_of).mean;
    cr_expect(spread > 4.0 && spread < 6.0, "%g", spread);
    cr_expect(cost > 1.5 && cost < 1.8, "%g", cost);
    double gain = sample("dde:receive-first", load, local_of).mean / local;
    cr_expect(gain > 1.2 && gain < 1.5, "%g", gain);
    gain = sample("dde:send-first", load, local_of).mean / local;
    cr_expect(gain > 0.9 && gain < 1.05, "%g", gain);
}

static void expect_refused(const char *topology, const char *method, const char *axis, int at)
{
    struct ek_experiment experiment = {.topology = topology, .method = method, .carrier = "pool:1"};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_expect_eq(outcome.status, EK_BAD_INPUT, "%s %s", topology, method);
    cr_expect_str_eq(outcome.error.axis, axis);
    cr_expect_eq(outcome.error.at, at, "%s %s: at %d, %s", topology, method, outcome.error.at, outcome.error.sentence);
    tests_outcome_destroy(&outcome);
}

Test(dde, refusals)
{
    expect_refused("complete:5", "dde", "topology", 0);
    expect_refused("otis(ring:3)", "dde:send-first", "topology", 0);
    expect_refused("ring:20000", "dde", "topology", -1); // needs 3 GB
    expect_refused("ring:8", "dde:receive", "method", 4);
    expect_refused("ring:8", "dde:", "method", 4);
    expect_refused("ring:8", "twa", "topology", 0);
    expect_refused("mesh:4x4", "twa:binomial", "topology", 0);
    expect_refused("mesh:4x1", "twa", "topology", 0);
    expect_refused("ring:8", "twa:whole", "topology", 0);
    expect_refused("star:8", "twa:middle", "topology", 0);
    expect_refused("product(tree:2:2,chain:1)", "twa", "topology", 0);
    expect_refused("chain:8", "twa:left", "method", 4);
    struct ek_experiment limited = {.method = "dde", .link_limit = "3", .carrier = "pool:1"}; // would run without end
    struct ek_error error;
    cr_expect_null(ek_prepare(&limited, &error));
}
