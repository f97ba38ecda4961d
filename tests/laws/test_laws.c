// SPDX-License-Identifier: MIT
// Laws of every experiment, tried on some hundred that are drawn at random: load is conserved; the carrier, the
// barrier and the mailbox change nothing; tokens stay whole; trace and report agree; and the theorems hold.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/method.h"
#include "tests/support/runs.h"
#include "topologies/topology.h"

enum { EXPERIMENTS = 200 }; // as many are drawn, or a part of them

// Runs a drawn experiment. It must run, but need not reach its criterion.
static void try_drawn(struct tests_drawn *drawn, uint64_t number, const char *carrier, struct tests_outcome *outcome)
{
    tests_draw(drawn, number);
    drawn->experiment.carrier = carrier;
    tests_try(&drawn->experiment, 0, outcome);
    cr_assert(outcome->status == EK_OK || outcome->status == EK_UNREACHED, "experiment %u (%s, %s): status %d, %s",
              (unsigned)number, drawn->topology, drawn->method, outcome->status, outcome->error.sentence);
}

static uint32_t processors_of(const struct tests_outcome *outcome)
{
    return ek_machine_topology(outcome->machine)->processors;
}

static double sum(const double *load, uint32_t count)
{
    double total = 0.0;
    for (uint32_t p = 0; p < count; p++) {
        total += load[p];
    }
    return total;
}

static bool near(double a, double b, double scale)
{
    return fabs(a - b) <= 1e-9 * fmax(1.0, fabs(scale));
}

Test(laws, load_is_conserved)
{
    for (unsigned number = 0; number < tests_part(EXPERIMENTS); number++) {
        struct tests_drawn drawn;
        struct tests_outcome outcome;
        try_drawn(&drawn, number, "pool", &outcome);
        const struct ek_report *report = &outcome.report;
        uint32_t processors = processors_of(&outcome);
        double handled = report->total_initial + report->moved;
        double allowed = drawn.experiment.units[0] == 't' && handled <= 0x1p53 ? 0.0 : 1e-12 * handled;
        cr_expect(fabs(report->total_final - report->total_initial) <= allowed, "experiment %u", number);
        cr_expect(fabs(sum(report->initial, processors) - report->total_initial) <= allowed, "experiment %u", number);
        cr_expect(fabs(sum(report->final, processors) - report->total_initial) <= 2 * allowed, "experiment %u", number);
        cr_expect(report->in_flight == 0.0 && report->generated == 0.0 && report->consumed == 0.0);
        tests_outcome_destroy(&outcome);
    }
}

// Everything that must not change results, one at a time. Each experiment tries every third of them, so that each is
// tried with some sixty experiments.
static const struct {
    const char *carrier, *mailbox, *barrier;
} variants[] = {
    {"pool:2", "slot", "auto"},    {"pool:3", "slot", "auto"},   {"threads", "slot", "auto"},
    {"pool:3", "slot", "spin"},    {"pool:3", "slot", "yield"},  {"pool:3", "slot", "sleep"},
    {"pool:3", "slot", "pthread"}, {"threads", "slot", "sleep"}, {"threads", "slot", "pthread"},
    {"pool:2", "spsc", "auto"},    {"pool:2", "wfcq", "auto"},   {"pool:2", "mutex", "auto"},
    {"threads", "spsc", "auto"},   {"threads", "wfcq", "auto"},  {"threads", "mutex", "auto"},
};

Test(laws, carriers_barriers_and_mailboxes_agree_to_the_last_bit)
{
    for (unsigned number = 0; number < tests_part(EXPERIMENTS); number++) {
        struct tests_drawn drawn;
        struct tests_outcome one, other;
        try_drawn(&drawn, number, "pool:1", &one);
        for (size_t i = number % 3; i < sizeof variants / sizeof *variants; i += 3) {
            drawn.experiment.carrier = variants[i].carrier;
            drawn.experiment.mailbox = variants[i].mailbox;
            drawn.experiment.barrier = variants[i].barrier;
            tests_try(&drawn.experiment, 0, &other);
            cr_assert_eq(other.status, one.status, "experiment %u: %s", number, other.error.sentence);
            const char *name = tests_report_differs(&one.report, &other.report, processors_of(&one));
            cr_assert_null(name, "experiment %u (%s %s %s %s) on %s with %s and %s: %s differs", number, drawn.topology,
                           drawn.method, drawn.experiment.units, drawn.experiment.ports, variants[i].carrier,
                           variants[i].mailbox, variants[i].barrier, name);
            tests_outcome_destroy(&other);
        }
        tests_outcome_destroy(&one);
    }
}

Test(laws, observing_less_changes_nothing)
{
    for (unsigned number = 0; number < tests_part(EXPERIMENTS); number++) {
        struct tests_drawn drawn;
        struct tests_outcome one, other;
        try_drawn(&drawn, number, "pool:1", &one);
        struct ek_report all = one.report;
        drawn.experiment.every = 7;
        tests_try(&drawn.experiment, 0, &other);
        size_t row = 0;
        for (size_t i = 0; i < other.report.trace_count; i++) { // a thinner trace has some of the rows
            while (row < all.trace_count && all.trace[row].step < other.report.trace[i].step) {
                row++;
            }
            cr_assert(row < all.trace_count && all.trace[row].variance == other.report.trace[i].variance);
        }
        cr_assert(other.report.trace_count < 2 || other.report.trace[1].step % 7 == 0 ||
                  other.report.trace[1].step == all.steps);
        tests_outcome_destroy(&other);
        drawn.experiment.keep_trace = false;
        drawn.experiment.no_flows = true;
        tests_try(&drawn.experiment, 0, &other);
        cr_assert(isnan(other.report.flow_l1) && isnan(other.report.flow_l2) && other.report.trace_count == 0);
        other.report.flow_l1 = all.flow_l1;
        other.report.flow_l2 = all.flow_l2;
        all.trace_count = 0;
        const char *name = tests_report_differs(&all, &other.report, processors_of(&one));
        cr_assert_null(name, "experiment %u: %s differs", number, name);
        tests_outcome_destroy(&other);
        tests_outcome_destroy(&one);
    }
}

// A bound on the number of rows doubles the distance between them. The first row stays.
Test(laws, a_bounded_trace_is_a_thinner_one)
{
    for (unsigned number = 0; number < tests_part(EXPERIMENTS); number++) {
        struct tests_drawn drawn;
        struct tests_outcome all, few;
        try_drawn(&drawn, number, "pool:1", &all);
        drawn.experiment.trace_rows = 2 + number % 9;
        tests_try(&drawn.experiment, 0, &few);
        cr_assert_leq(few.report.trace_count, drawn.experiment.trace_rows);
        cr_assert_eq(few.report.trace[0].step, 0);
        for (size_t i = 1; i < few.report.trace_count; i++) {
            uint64_t step = few.report.trace[i].step;
            cr_assert_gt(step, few.report.trace[i - 1].step);
            cr_assert(memcmp(&few.report.trace[i], &all.report.trace[step], sizeof *few.report.trace) == 0);
        }
        tests_outcome_destroy(&few);
        tests_outcome_destroy(&all);
    }
}

Test(laws, trace_and_report_agree)
{
    for (unsigned number = 0; number < tests_part(EXPERIMENTS); number++) {
        struct tests_drawn drawn;
        struct tests_outcome outcome;
        try_drawn(&drawn, number, "pool:2", &outcome);
        const struct ek_report *report = &outcome.report;
        const struct ek_trace_row *last = &report->trace[report->trace_count - 1];
        double minimum = INFINITY;
        cr_assert_eq(report->trace_count, report->steps + 1, "experiment %u", number);
        for (size_t i = 0; i < report->trace_count; i++) {
            cr_assert_eq(report->trace[i].step, i);
            cr_assert_eq(report->trace[i].spread, report->trace[i].maximum - report->trace[i].minimum);
            cr_assert(i == 0 || report->trace[i].moved >= report->trace[i - 1].moved);
            minimum = fmin(minimum, report->trace[i].minimum);
        }
        cr_assert_eq(report->trace[0].variance, report->variance_initial);
        cr_assert_eq(report->trace[0].moved, 0.0);
        cr_assert_eq(last->variance, report->variance_final);
        cr_assert_eq(last->spread, report->spread_final);
        cr_assert_eq(last->minimum, report->minimum);
        cr_assert_eq(last->maximum, report->maximum);
        cr_assert_eq(last->moved, report->moved);
        cr_assert_eq(minimum, report->minimum_ever);
        cr_assert_eq(report->seed, drawn.experiment.seed);
        cr_assert(report->messages >= report->parcels);
        tests_outcome_destroy(&outcome);
    }
}

Test(laws, tokens_stay_whole_and_some_stay_home)
{
    for (unsigned number = 0; number < tests_part(EXPERIMENTS); number++) {
        struct tests_drawn drawn;
        struct tests_outcome outcome;
        tests_draw(&drawn, number);
        drawn.experiment.units = "tokens";
        drawn.experiment.operations_max = 1 + number % 10; // the loads of a diverging run are soon not exact
        tests_try(&drawn.experiment, 0, &outcome);
        cr_assert(outcome.report.final, "%s", outcome.error.sentence);
        const struct ek_report *report = &outcome.report;
        double stays = 0.0; // the most that can have stayed: the lesser of what was and what is there
        for (uint32_t p = 0; p < processors_of(&outcome); p++) {
            cr_assert_eq(report->final[p], floor(report->final[p]), "experiment %u", number);
            stays += fmax(0.0, fmin(report->initial[p], report->final[p]));
        }
        cr_assert(report->has_stayed && report->stayed == floor(report->stayed) && report->stayed >= 0.0);
        cr_assert(report->stayed <= fmin(stays, report->total_final), "experiment %u", number);
        cr_assert(report->stayed >= report->total_initial - report->moved, "experiment %u", number);
        cr_assert_eq(report->moved, floor(report->moved));
        tests_outcome_destroy(&outcome);
    }
}

// A sender that gives more than it has has a negative load. None of its own tokens is left then, and not fewer than
// none.
Test(laws, who_owes_load_has_none_that_stayed)
{
    const struct ek_experiment experiment = {.topology = "chain:4",
                                             .method = "sender:1.5",
                                             .units = "tokens",
                                             .timing = "turns",
                                             .load = "peak:40@1",
                                             .stop = "never",
                                             .steps_max = 5,
                                             .seed = 1};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_expect(outcome.report.minimum < 0.0);
    cr_expect_eq(outcome.report.stayed, 0.0, "%g stayed", outcome.report.stayed);
    tests_outcome_destroy(&outcome);
}

// Checks that the flows over the links lead from the initial to the final loads. On a chain and on a star the loads
// determine the net flow over each link.
static void expect_flows(const struct tests_outcome *outcome, bool chain, unsigned number)
{
    const struct ek_report *report = &outcome->report;
    double flow = 0.0, flow_l1 = 0.0, squares = 0.0;
    for (uint32_t p = chain ? 0 : 1; p + chain < processors_of(outcome); p++) {
        flow = (chain ? flow : 0.0) + report->initial[p] - report->final[p];
        flow_l1 += fabs(flow);
        squares += flow * flow;
    }
    cr_assert(near(report->flow_l1, flow_l1, report->moved), "experiment %u: %.17g, not %.17g", number, report->flow_l1,
              flow_l1);
    cr_assert(near(report->flow_l2, sqrt(squares), report->moved), "experiment %u", number);
    cr_assert(report->flow_l1 <= report->moved * (1.0 + 1e-12), "experiment %u", number);
}

Test(laws, net_flow_takes_the_initial_to_the_final_loads)
{
    for (unsigned number = 0; number < tests_part(EXPERIMENTS); number++) {
        struct tests_drawn drawn;
        struct tests_outcome outcome;
        tests_draw(&drawn, number);
        bool chain = number % 2;
        drawn.experiment.topology = chain ? "chain:11" : "star:7";
        drawn.experiment.operations_max = 1 + number % 5; // few, since a diverging run soon has only rounding errors
        tests_try(&drawn.experiment, 0, &outcome);
        cr_assert(outcome.report.final, "%s", outcome.error.sentence);
        expect_flows(&outcome, chain, number);
        tests_outcome_destroy(&outcome);
    }
}

// The flow of diffusion is the shortest in the 2-norm (Hu & Blake 1999; Diekmann, Frommer & Monien 1999). On a ring
// it is the one without a circular part.
Test(laws, the_flow_of_diffusion_is_the_shortest)
{
    static const char *const methods[] = {"adf", "odf", "diffusion:0.1", "diffusion:0.31"};
    for (unsigned number = 0; number < 40; number++) {
        struct ek_experiment experiment = {.topology = "ring:10",
                                           .method = methods[number % 4],
                                           .seed = number,
                                           .ports = number % 3 ? "all" : "one",
                                           .keep_loads = true};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_assert_eq(outcome.status, EK_OK);
        double flow[10], running = 0.0, mean = 0.0, squares = 0.0;
        for (unsigned p = 0; p < 10; p++) {
            running += outcome.report.initial[p] - outcome.report.final[p];
            flow[p] = running;
            mean += running / 10;
        }
        for (unsigned p = 0; p < 10; p++) {
            squares += (flow[p] - mean) * (flow[p] - mean);
        }
        cr_assert(near(outcome.report.flow_l2, sqrt(squares), outcome.report.moved), "%.17g, not %.17g",
                  outcome.report.flow_l2, sqrt(squares));
        tests_outcome_destroy(&outcome);
    }
}

static double parameter_of(const struct tests_outcome *outcome)
{
    return ek_machine_parameter(outcome->machine);
}

// With alpha up to 1/D an operation takes weighted means (Cybenko 1989). So does each of its steps with one port.
Test(laws, gentle_diffusion_stays_within_the_initial_loads)
{
    unsigned tried = 0;
    for (unsigned number = 0; number < tests_part(600); number++) {
        struct tests_drawn drawn;
        struct tests_outcome outcome;
        try_drawn(&drawn, number, "pool:1", &outcome);
        const struct ek_report *report = &outcome.report;
        bool gentle = ek_machine_method(outcome.machine)->links == EK_LINKS_ALL &&
                      parameter_of(&outcome) * ek_machine_topology(outcome.machine)->degree_max <= 1.0;
        double slack = 1e-9 * report->trace[0].maximum;
        for (size_t i = 0; gentle && i < report->trace_count; i++) {
            cr_assert(report->trace[i].minimum >= report->trace[0].minimum - slack, "experiment %u", number);
            cr_assert(report->trace[i].maximum <= report->trace[0].maximum + slack, "experiment %u", number);
        }
        tried += gentle;
        tests_outcome_destroy(&outcome);
    }
    cr_assert_gt(tried, tests_part(100));
}

// If a pair moves its loads towards each other, the sum of squares does not grow.
Test(laws, exchange_never_raises_the_variance)
{
    unsigned tried = 0;
    for (unsigned number = 0; number < tests_part(300); number++) {
        struct tests_drawn drawn;
        struct tests_outcome outcome;
        try_drawn(&drawn, number, "pool:1", &outcome);
        const struct ek_report *report = &outcome.report;
        bool exchange = ek_machine_method(outcome.machine)->links != EK_LINKS_ALL;
        for (size_t i = 1; exchange && i < report->trace_count; i++) {
            cr_assert(report->trace[i].variance <= report->trace[i - 1].variance + 1e-9 * report->variance_initial,
                      "experiment %u, step %zu", number, i);
        }
        tried += exchange;
        tests_outcome_destroy(&outcome);
    }
    cr_assert_gt(tried, tests_part(100));
}

// Wu & Shu: in tokens, exchange with lambda from 1/2 to below 1 ends with neighbours that differ by at most 1.
Test(laws, token_exchange_ends_with_neighbours_alike)
{
    for (unsigned number = 0; number < tests_part(EXPERIMENTS); number++) {
        struct tests_drawn drawn;
        struct tests_outcome outcome;
        char method[32];
        tests_draw(&drawn, number);
        snprintf(method, sizeof method, "gde:%.3f", 0.5 + 0.0024 * number);
        drawn.experiment.method = method;
        drawn.experiment.units = "tokens";
        drawn.experiment.stop = "neighbours:1";
        drawn.experiment.operations_max = 0;
        tests_try(&drawn.experiment, 0, &outcome);
        cr_assert_eq(outcome.status, EK_OK, "%s on %s: status %d", method, drawn.topology, outcome.status);
        const struct ek_topology *topology = ek_machine_topology(outcome.machine);
        for (uint32_t port = 0; port < topology->ports; port++) {
            double here = outcome.report.final[topology->neighbour[topology->twin[port]]];
            cr_assert(fabs(here - outcome.report.final[topology->neighbour[port]]) <= 1.0, "%s on %s", method,
                      drawn.topology);
        }
        tests_outcome_destroy(&outcome);
    }
}

// Runs are independent: run r of seed s is run 0 of seed s + r, on one topology. A random topology is drawn once,
// from the first seed.
Test(laws, runs_count_on_from_the_seed)
{
    for (unsigned number = 0; number < tests_part(EXPERIMENTS); number++) {
        struct tests_drawn drawn;
        struct tests_outcome one, other;
        tests_draw(&drawn, number);
        if (strncmp(drawn.topology, "random", 6) == 0) {
            continue;
        }
        tests_try(&drawn.experiment, 5, &one);
        drawn.experiment.seed += 5;
        tests_try(&drawn.experiment, 0, &other);
        cr_assert_eq(one.status, other.status, "experiment %u on %s", number, drawn.topology);
        const char *name = tests_report_differs(&one.report, &other.report, processors_of(&one));
        cr_assert_null(name, "experiment %u on %s: %s differs", number, drawn.topology, name);
        tests_outcome_destroy(&other);
        tests_outcome_destroy(&one);
    }
}

// A machine can run again and again: no run changes a later one.
Test(laws, a_machine_runs_again)
{
    for (unsigned number = 0; number < 40; number++) {
        struct tests_drawn drawn;
        struct tests_outcome outcome;
        struct ek_report again;
        try_drawn(&drawn, number, "pool:2", &outcome);
        cr_assert_eq(ek_run(outcome.machine, 0, &again, NULL, NULL, &outcome.error), outcome.status);
        const char *name = tests_report_differs(&outcome.report, &again, processors_of(&outcome));
        cr_assert_null(name, "experiment %u: %s differs", number, name);
        ek_report_destroy(&again);
        tests_outcome_destroy(&outcome);
    }
}
