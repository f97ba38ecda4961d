// SPDX-License-Identifier: MIT
// The mesh walking algorithm: a mesh by hand, and what formulas say of every run: quotas, flows between rows, the tasks
// that stay, steps and messages.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "tests/support/flows.h"
#include "tests/support/must.h"

enum { PROCESSORS_MAX = 144 };

static const double NEAR = 1e-9;

static void run(struct ek_experiment experiment, struct tests_outcome *outcome)
{
    experiment.method = "mwa";
    experiment.keep_links = true;
    must_run(experiment, outcome);
    cr_assert_eq(outcome->status, EK_OK, "%s: %s", experiment.topology, outcome->report.why);
    cr_expect_eq(outcome->report.ended, EK_ENDED_ITSELF);
}

static double quota_of(const struct ek_report *report, uint32_t processors, uint32_t p)
{
    double total = report->total_initial;
    return report->has_stayed ? floor(total / processors) + (p < fmod(total, processors)) : total / processors;
}

// The rows hold 13, 1 and 17 tasks, with quotas of 12, 10 and 9: 1 goes down from the first row and 8 go up from the
// last. Of the surplus of 4 and 5 there 8/9 goes, rounded down from the last column on: 4 from processor 8 and 4
// from 7. Then the rows are 8 0 4, 1 5 4 and 2 3 4, with quotas of 4 4 4, 4 3 3 and 3 3 3.
Test(mwa, a_mesh_by_hand)
{
    static const struct {
        uint32_t from, to;
        double flow;
    } flows[] = {{0, 3, 1.0}, {1, 4, 0.0}, {2, 5, 0.0},  {3, 6, 0.0},  {4, 7, -4.0}, {5, 8, -4.0},
                 {0, 1, 4.0}, {1, 2, 0.0}, {3, 4, -3.0}, {4, 5, -1.0}, {6, 7, -1.0}, {7, 8, -1.0}};
    static const double final[] = {4, 4, 4, 4, 3, 3, 3, 3, 3};
    static const char *const ports[] = {"all", "one"};
    for (unsigned i = 0; i < 2; i++) {
        struct tests_outcome outcome;
        run(
            (struct ek_experiment){
                .topology = "mesh:3x3", .units = "tokens", .load = "list:9,0,4,0,1,0,2,7,8", .ports = ports[i]},
            &outcome);
        const struct ek_report *report = &outcome.report;
        for (size_t f = 0; f < sizeof flows / sizeof *flows; f++) {
            cr_expect_eq(tests_flow_of(report, flows[f].from, flows[f].to), flows[f].flow, "%u to %u", flows[f].from,
                         flows[f].to);
        }
        for (uint32_t p = 0; p < 9; p++) {
            cr_expect_eq(report->final[p], final[p]);
            cr_expect_eq(report->quota[p], final[p]);
        }
        cr_expect_eq(report->quota_dimensions, 1);
        cr_expect(report->moved == 19.0 && report->stayed == 17.0 && report->parcels == 8);
        cr_expect_eq(report->scan_steps, i == 0 ? 16 : 32);
        cr_expect(i > 0 || report->exchange_steps == 3, "%u", (unsigned)report->exchange_steps);
        tests_outcome_destroy(&outcome);
    }
}

// Load for a row further on stays in its column, and a row that needs some keeps the same share in each column: of 4 in
// each column of the first row, 2 remain everywhere.
Test(mwa, load_passes_through_rows)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = "mesh:3x2", .load = "list:4,4,4,0,0,0"}, &outcome);
    for (uint32_t p = 0; p < 3; p++) {
        cr_expect_eq(tests_flow_of(&outcome.report, p, p + 3), 2.0);
    }
    tests_outcome_destroy(&outcome);
    run((struct ek_experiment){.topology = "mesh:2x3", .units = "tokens", .load = "list:5,7,0,0,0,0"}, &outcome);
    static const double down[] = {3.0, 5.0, 1.0, 3.0}; // the row between keeps half
    for (uint32_t p = 0; p < 4; p++) {
        cr_expect_eq(tests_flow_of(&outcome.report, p, p + 2), down[p], "from %u: %g", p,
                     tests_flow_of(&outcome.report, p, p + 2));
    }
    cr_expect_eq(outcome.report.exchange_steps, 3);
    tests_outcome_destroy(&outcome);
}

// The flow between two rows is the difference of the loads and the quotas of all rows above. No column has a flow in
// the other direction.
static void expect_between_rows(const struct ek_report *report, uint32_t columns, uint32_t rows, const char *what)
{
    double over = 0.0;
    for (uint32_t p = 0; p + columns < columns * rows; p++) {
        over += report->initial[p] - quota_of(report, columns * rows, p);
        if ((p + 1) % columns == 0) {
            double sum = 0.0;
            for (uint32_t above = p + 1 - columns; above <= p; above++) {
                double flow = tests_flow_of(report, above, above + columns);
                cr_expect(flow * over >= -NEAR, "%s: %g from %u, where %g crosses", what, flow, above, over);
                sum += flow;
            }
            cr_expect(fabs(sum - over) < NEAR, "%s: %g after %u, not %g", what, sum, p, over);
        }
    }
}

// Returns the number of pairs of rows between which load has to move.
static unsigned crossings(const struct ek_report *report, uint32_t columns, uint32_t rows)
{
    unsigned count = 0;
    double over = 0.0;
    for (uint32_t p = 0; p + columns < columns * rows; p++) {
        over += report->initial[p] - quota_of(report, columns * rows, p);
        count += (p + 1) % columns == 0 && fabs(over) > NEAR;
    }
    return count;
}

// Checks loads and counts of a run with r rows of c processors against formulas.
static void expect_walk(const struct ek_report *report, uint32_t columns, uint32_t rows, bool one_port,
                        const char *what)
{
    const uint32_t n = columns * rows;
    const bool tokens = report->has_stayed, plane = rows > 1 && columns > 1;
    double stay = 0.0;
    for (uint32_t p = 0; p < n; p++) {
        double quota = quota_of(report, n, p);
        cr_expect(tokens ? report->final[p] == quota : fabs(report->final[p] - quota) < NEAR, "%s: %g at %u, not %g",
                  what, report->final[p], p, quota);
        stay += fmin(report->initial[p], quota);
    }
    cr_expect(!tokens || report->stayed == stay, "%s: %g stay, not %g", what, report->stayed, stay);
    cr_expect(report->minimum_ever >= 0.0, "%s: %g", what, report->minimum_ever);
    const uint32_t along = (columns - 1) * (columns > 2 && one_port ? 2 : 1); // steps over the colours of rows, columns
    const uint32_t across = (rows - 1) * (rows > 2 && one_port ? 2 : 1);
    const uint32_t beside = 2 * (columns > 2 && one_port ? 2 : 1);
    cr_expect_eq(report->scan_steps, 2 * along + 2 * across + (plane ? 2 * along + across + beside : 0), "%s: %u", what,
                 (unsigned)report->scan_steps);
    cr_expect(one_port || report->exchange_steps <= columns + rows - 2, "%s: %u steps", what,
              (unsigned)report->exchange_steps);
    // Two sums over every link, two of surplus over those of the rows. Where load crosses between rows, a split over
    // each link and all but one of it to a neighbour.
    const uint64_t in_rows = (uint64_t)rows * (columns - 1), in_columns = (uint64_t)columns * (rows - 1);
    const uint64_t told = report->messages - report->parcels, sums = 2 * in_rows + 2 * in_columns;
    const uint64_t split = (uint64_t)crossings(report, columns, rows) * (2 * columns - 1);
    const uint64_t all = sums + (plane ? 2 * in_rows + split : 0);
    cr_expect(tokens ? told == all : told >= all, "%s: %u announcements, not %u", what, (unsigned)told, (unsigned)all);
    cr_expect_leq(report->parcels, in_rows + in_columns);
}

Test(mwa, quotas_flows_and_counts)
{
    static const char *const units[] = {"tokens", "real"}, *const ports[] = {"all", "one"};
    static const char *const loads[] = {"uniform:0:60", "peak:1001", "exponential:9", "peak:900000000001",
                                        "constant:7"};
    for (unsigned number = 0; number < tests_part(400); number++) {
        uint32_t columns = 1 + number % 12, rows = 1 + number / 5 % 12;
        char topology[32];
        snprintf(topology, sizeof topology, "mesh:%ux%u", columns, rows);
        struct tests_outcome outcome;
        struct ek_experiment experiment = {.topology = topology,
                                           .load = loads[number / 4 % 4 == 3 && number % 2 ? 4 : number / 4 % 4],
                                           .units = units[number % 2],
                                           .ports = ports[number / 2 % 2],
                                           .carrier = number % 3 ? "pool:2" : "threads",
                                           .seed = number};
        run(experiment, &outcome);
        expect_walk(&outcome.report, columns, rows, number / 2 % 2, topology);
        expect_between_rows(&outcome.report, columns, rows, topology);
        tests_outcome_destroy(&outcome);
    }
}

// With weighting target the quotas are shares in proportion to the capacities.
Test(mwa, balances_to_targets)
{
    struct tests_outcome outcome;
    run(
        (struct ek_experiment){
            .topology = "mesh:5x4", .load = "uniform:0:100", .capacity = "semi", .weighting = "target"},
        &outcome);
    for (uint32_t p = 0; p < 20; p++) { // 2 for the first ten, 1 for the others
        double share = (p < 10 ? 2.0 : 1.0) * outcome.report.total_initial / 30.0;
        cr_expect(fabs(outcome.report.final[p] - share) < NEAR, "%g at %u, not %g", outcome.report.final[p], p, share);
        cr_expect(fabs(outcome.report.quota[p] - share) < NEAR, "a quota of %g at %u", outcome.report.quota[p], p);
    }
    cr_expect(outcome.report.minimum_ever >= 0.0);
    tests_outcome_destroy(&outcome);
}

// Real loads are shared without rounding: of the surplus of 3, 2 and 0 in the first row 3/5 goes; and a row between
// keeps half of 3 and 5.
Test(mwa, shares_of_real_loads)
{
    struct tests_outcome outcome;
    run((struct ek_experiment){.topology = "mesh:3x2", .load = "list:7,6,2,3,3,3"}, &outcome);
    static const double surplus[] = {1.8, 1.2, 0.0};
    for (uint32_t p = 0; p < 3; p++) {
        cr_expect_float_eq(tests_flow_of(&outcome.report, p, p + 3), surplus[p], NEAR);
    }
    tests_outcome_destroy(&outcome);
    run((struct ek_experiment){.topology = "mesh:2x3", .load = "list:5,7,0,0,0,0"}, &outcome);
    static const double down[] = {3.0, 5.0, 1.5, 2.5};
    for (uint32_t p = 0; p < 4; p++) {
        cr_expect_float_eq(tests_flow_of(&outcome.report, p, p + 2), down[p], NEAR);
    }
    tests_outcome_destroy(&outcome);
}

// The same load comes to the same flows with one port, to the last bit: only the steps differ.
Test(mwa, ports_change_steps_only)
{
    struct tests_outcome all, one;
    struct ek_experiment experiment = {.topology = "mesh:7x6", .load = "uniform:0:100", .seed = 5};
    run(experiment, &all);
    experiment.ports = "one";
    run(experiment, &one);
    cr_assert_eq(all.report.flow_count, one.report.flow_count);
    for (size_t i = 0; i < all.report.flow_count; i++) {
        cr_expect_eq(all.report.flow[i].net, one.report.flow[i].net);
    }
    tests_outcome_destroy(&all);
    tests_outcome_destroy(&one);
}

Test(mwa, refusals)
{
    static const char *const topologies[] = {"torus:4x4", "mesh:3x3x3", "ring:8", "star:6",
                                             "product(tree:2:2,chain:3)"};
    struct ek_error error;
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        struct ek_experiment experiment = {.topology = topologies[i], .method = "mwa", .carrier = "pool:1"};
        cr_expect_null(ek_prepare(&experiment, &error), "%s", topologies[i]);
        cr_expect_str_eq(error.axis, "topology", "%s: %s", topologies[i], error.sentence);
    }
    struct ek_experiment given = {.topology = "mesh:4x4", .method = "mwa:middle", .carrier = "pool:1"};
    cr_expect_null(ek_prepare(&given, &error));
    cr_expect_str_eq(error.axis, "method");
}
