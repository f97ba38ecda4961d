// SPDX-License-Identifier: MIT
// How runs end: by each criterion, at the first operation that fulfils it; by each limit; and when no progress is
// possible.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/support/text_file.h"
#include "tests/support/runs.h"
#include "threads/api/axis.h"

// The criteria, computed in the plainest way.
static double variance_of(const struct ek_topology *topology, const double *load)
{
    double total = 0.0, squares = 0.0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        total += load[p];
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        squares += (load[p] - total / topology->processors) * (load[p] - total / topology->processors);
    }
    return squares;
}

static double error_of(const struct ek_topology *topology, const double *load)
{
    return sqrt(variance_of(topology, load));
}

static double spread_of(const struct ek_topology *topology, const double *load)
{
    double low = load[0], high = load[0];
    for (uint32_t p = 0; p < topology->processors; p++) {
        low = fmin(low, load[p]);
        high = fmax(high, load[p]);
    }
    return high - low;
}

static double idle_of(const struct ek_topology *topology, const double *load)
{
    double idle = 0.0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        idle += load[p] == 0.0;
    }
    return idle;
}

static double gradient_of(const struct ek_topology *topology, const double *load)
{
    double largest = 0.0;
    for (uint32_t port = 0; port < topology->ports; port++) {
        uint32_t here = topology->neighbour[topology->twin[port]];
        largest = fmax(largest, fabs(load[here] - load[topology->neighbour[port]]));
    }
    return largest;
}

static double imbalance_of(const struct ek_topology *topology, const double *load)
{
    double most = 0.0, total = 0.0;
    for (uint32_t p = 0; p < topology->processors; p++) {
        most = fmax(most, load[p]);
        total += load[p];
    }
    return most * topology->processors / total - 1.0;
}

static const struct {
    const char *stop;
    double limit;
    double (*measure)(const struct ek_topology *topology, const double *load);
} criteria[] = {
    {"variance:1", 1.0, variance_of},       {"variance:0.001", 0.001, variance_of},
    {"spread:1", 1.0, spread_of},           {"spread:40", 40.0, spread_of},
    {"error:0.01", 0.01, error_of},         {"shared", 0.0, idle_of},
    {"discrepancy:3", 3.0, spread_of},      {"neighbours:2", 2.0, gradient_of},
    {"imbalance:0.05", 0.05, imbalance_of}, {"imbalance:0", 1e-12, imbalance_of},
};

static void expect_exact_end(size_t criterion, struct ek_experiment experiment)
{
    struct tests_outcome reached, before;
    experiment.stop = criteria[criterion].stop;
    experiment.keep_loads = true;
    tests_try(&experiment, 0, &reached);
    cr_assert_eq(reached.status, EK_OK, "%s: %s", experiment.stop, reached.error.sentence);
    cr_assert(reached.report.converged && reached.report.ended == EK_ENDED_CRITERION && !reached.report.why[0]);
    const struct ek_topology *topology = ek_machine_topology(reached.machine);
    double slack = 1e-9;
    cr_assert(criteria[criterion].measure(topology, reached.report.final) <= criteria[criterion].limit + slack);
    cr_assert_gt(reached.report.operations, 0);
    experiment.operations_max = reached.report.operations - 1;
    if (experiment.operations_max > 0) {
        tests_try(&experiment, 0, &before);
        cr_assert_eq(before.status, EK_UNREACHED);
        cr_assert(!before.report.converged && before.report.ended == EK_ENDED_OPERATIONS);
        cr_assert(criteria[criterion].measure(topology, before.report.final) > criteria[criterion].limit - slack,
                  "%s: it should have ended sooner", experiment.stop);
        tests_outcome_destroy(&before);
    }
    tests_outcome_destroy(&reached);
}

// Loads that differ by exactly the limit are near enough, so the run ends before its first operation.
Test(stops, a_discrepancy_equal_to_the_limit)
{
    static const struct {
        const char *stop;
        bool moves;
    } cases[] = {{"discrepancy:3", false}, {"discrepancy:2", true}};
    for (size_t i = 0; i < 2; i++) {
        struct ek_experiment experiment = {
            .topology = "chain:2", .method = "ade", .units = "tokens", .load = "list:5,2", .stop = cases[i].stop};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_expect(outcome.report.converged && (outcome.report.operations > 0) == cases[i].moves, "%s: %llu operations",
                  cases[i].stop, (unsigned long long)outcome.report.operations);
        tests_outcome_destroy(&outcome);
    }
}

// With capacities of 2 and 1 the loads 20 and 10 are in balance. Loads in flight may arrive anywhere.
Test(stops, discrepancy_divides_loads_by_capacities)
{
    static const char *const timings[] = {"rounds", "virtual", "free"};
    for (size_t i = 0; i < 3; i++) {
        struct tests_outcome outcome;
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .method = "adf",
                                           .timing = timings[i],
                                           .domains = i > 0 ? "exclusive" : NULL,
                                           .capacity = "semi",
                                           .load = "peak:2400",
                                           .stop = "discrepancy:2",
                                           .keep_loads = true};
        tests_try(&experiment, 0, &outcome);
        cr_assert_eq(outcome.status, EK_OK, "%s", outcome.error.sentence);
        double least = INFINITY;
        double most = -INFINITY;
        for (uint32_t p = 0; p < 16; p++) {
            double level = outcome.report.final[p] / (p < 8 ? 2.0 : 1.0);
            least = fmin(least, level);
            most = fmax(most, level);
        }
        cr_expect(outcome.report.has_discrepancy && outcome.report.converged && most - least <= 2.0);
        cr_expect(fabs(outcome.report.discrepancy_final - (most - least)) < 1e-9);
        cr_expect(outcome.report.spread_final > 50.0, "%g", outcome.report.spread_final); // 100 and 200
        tests_outcome_destroy(&outcome);
    }
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.topology = "ring:8", .method = "adf"}, 0, &outcome);
    cr_assert_eq(outcome.status, EK_OK);
    cr_expect_not(outcome.report.has_discrepancy);
    tests_outcome_destroy(&outcome);
}

Test(stops, each_criterion_ends_at_the_first_operation_that_meets_it)
{
    for (size_t i = 0; i < sizeof criteria / sizeof *criteria; i++) {
        expect_exact_end(i, (struct ek_experiment){.topology = "torus:5x4", .load = "peak:5000", .method = "adf"});
        expect_exact_end(i, (struct ek_experiment){.topology = "mesh:6x3", .load = "peak:5000@7", .carrier = "pool:2"});
        expect_exact_end(i, (struct ek_experiment){.topology = "ring:12", .load = "peak:900", .method = "matching"});
        expect_exact_end(
            i, (struct ek_experiment){.topology = "hypercube:4", .load = "peak:5000", .method = "adf", .ports = "one"});
    }
}

Test(stops, a_balanced_load_needs_no_operation)
{
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.load = "constant:5", .keep_trace = true}, 0, &outcome);
    cr_assert(outcome.status == EK_OK && outcome.report.operations == 0 && outcome.report.steps == 0);
    cr_assert(outcome.report.moved == 0.0 && outcome.report.messages == outcome.report.parcels);
    cr_assert_eq(outcome.report.trace_count, 1);
    tests_outcome_destroy(&outcome);
}

// A torus of even sides has four colours, so an operation has four steps.
Test(stops, steps_may_end_within_an_operation)
{
    for (unsigned steps = 1; steps <= 12; steps++) {
        struct ek_experiment experiment = {
            .topology = "torus:4x4", .stop = "never", .steps_max = steps, .keep_loads = true};
        struct tests_outcome cut, whole;
        tests_try(&experiment, 0, &cut);
        cr_assert_eq(cut.status, EK_OK);
        cr_assert(cut.report.ended == EK_ENDED_STEPS && !cut.report.converged);
        cr_assert_eq(cut.report.steps, steps);
        cr_assert_eq(cut.report.operations, steps / 4);
        cr_assert_float_eq(cut.report.total_final, cut.report.total_initial, 1e-6);
        if (steps % 4 == 0) {
            experiment.steps_max = 0;
            experiment.operations_max = steps / 4;
            tests_try(&experiment, 0, &whole);
            whole.report.ended = cut.report.ended; // one ended by --steps, the other by --operations
            cr_assert_null(tests_report_differs(&cut.report, &whole.report, 16));
            tests_outcome_destroy(&whole);
        }
        tests_outcome_destroy(&cut);
    }
}

Test(stops, limits_without_the_criterion_are_a_failure_to_reach_it)
{
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.topology = "ring:64", .operations_max = 3}, 0, &outcome);
    cr_assert(outcome.status == EK_UNREACHED && outcome.report.operations == 3 &&
              outcome.report.ended == EK_ENDED_OPERATIONS);
    tests_outcome_destroy(&outcome);
    tests_try(&(struct ek_experiment){.topology = "ring:64", .steps_max = 3}, 0, &outcome);
    cr_assert(outcome.status == EK_UNREACHED && outcome.report.steps == 3 && outcome.report.operations == 1);
    tests_outcome_destroy(&outcome);
}

Test(stops, time_ends_a_run)
{
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.topology = "ring:8", .stop = "never", .seconds_max = 0.05, .carrier = "pool:1"},
              0, &outcome);
    cr_assert_eq(outcome.status, EK_OK);
    cr_assert(outcome.report.ended == EK_ENDED_TIME && outcome.report.steps > 0);
    cr_assert(outcome.report.elapsed_s >= 0.05, "%g s", outcome.report.elapsed_s);
    tests_outcome_destroy(&outcome);
}

struct watched {
    struct ek_machine *machine;
    struct ek_progress last;
    unsigned calls;
};

static void interrupt_third(void *context, const struct ek_progress *so_far)
{
    struct watched *watched = context;
    cr_assert(so_far->steps >= watched->last.steps && so_far->operations >= watched->last.operations);
    cr_assert(so_far->elapsed_s >= watched->last.elapsed_s);
    watched->last = *so_far;
    if (++watched->calls == 3) {
        ek_interrupt(watched->machine);
    }
}

Test(stops, an_interrupt_ends_a_run_that_still_reports)
{
    struct ek_error error;
    struct ek_report report;
    struct ek_experiment experiment = {
        .topology = "ring:32", .stop = "never", .seconds_max = 200.0, .carrier = "pool:2"};
    struct watched watched = {.machine = ek_prepare(&experiment, &error)};
    cr_assert(watched.machine, "%s", error.sentence);
    cr_assert_eq(ek_run(watched.machine, 0, &report, interrupt_third, &watched, &error), EK_UNREACHED);
    cr_assert_eq(report.ended, EK_ENDED_INTERRUPT);
    cr_assert(watched.calls >= 3 && report.steps >= watched.last.steps && watched.last.steps > 0);
    cr_assert(report.elapsed_s < 150.0);
    ek_report_destroy(&report);
    ek_machine_destroy(watched.machine);
}

static void expect_hopeless(struct ek_experiment experiment, enum ek_ended ended, const char *word)
{
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_assert_eq(outcome.status, EK_UNREACHED, "%s on %s: status %d", experiment.method, experiment.topology,
                 outcome.status);
    cr_assert_eq(outcome.report.ended, ended, "%s on %s: ended %d", experiment.method, experiment.topology,
                 (int)outcome.report.ended);
    cr_assert(strstr(outcome.report.why, word), "%s on %s: '%s'", experiment.method, experiment.topology,
              outcome.report.why);
    tests_outcome_destroy(&outcome);
}

Test(stops, runs_that_cannot_end_say_why)
{
    struct tests_memory two = {.text = "2\n0\n", .length = 4};
    expect_hopeless((struct ek_experiment){.topology = "chain:2",
                                           .method = "gde:0.4",
                                           .units = "tokens",
                                           .load = "file:load.txt",
                                           .stop = "neighbours:1",
                                           .reader = tests_memory_reader(&two)},
                    EK_ENDED_FROZEN, "move nothing");
    expect_hopeless((struct ek_experiment){.topology = "ring:8", .method = "diffusion:0.5"}, EK_ENDED_REPEATS, "-1");
    expect_hopeless((struct ek_experiment){.topology = "ring:8", .method = "diffusion:0.5", .ports = "one"},
                    EK_ENDED_REPEATS, "-1");
    expect_hopeless((struct ek_experiment){.topology = "torus:6x4", .method = "diffusion:0.25"}, EK_ENDED_REPEATS,
                    "-1");
    expect_hopeless((struct ek_experiment){.topology = "ring:8", .method = "diffusion:0.9"}, EK_ENDED_DIVERGES, "");
    expect_hopeless((struct ek_experiment){.topology = "chain:5", .method = "gde:1"}, EK_ENDED_REPEATS, "");
    expect_hopeless((struct ek_experiment){.topology = "chain:5", .method = "gde:0"}, EK_ENDED_FROZEN, "");
    expect_hopeless(
        (struct ek_experiment){.topology = "ring:8", .method = "adf", .units = "tokens", .stop = "spread:1"},
        EK_ENDED_FROZEN, "");
    // Exchange gets no further than a slope of one token a link.
    struct tests_memory slope = {.text = "0\n1\n2\n3\n", .length = 8};
    expect_hopeless((struct ek_experiment){.topology = "chain:4",
                                           .units = "tokens",
                                           .load = "file:slope",
                                           .stop = "spread:1",
                                           .reader = tests_memory_reader(&slope)},
                    EK_ENDED_FROZEN, "nothing can move any more");
}

// Without --stop a run ends at the method's own criterion, which it reaches.
Test(stops, without_a_criterion_it_is_the_method_s)
{
    static const struct {
        const char *topology, *method, *units, *stop;
    } rows[] = {
        {"torus:6x6", "adf", "real", "variance:1"},
        {"torus:6x6", "ade", "tokens", "neighbours:1"},
        {"ring:8", "gde:0.4", "tokens", "neighbours:2"}, // floor(0.4 * 2) is 0
        {"torus:6x6", "matching", "tokens", "neighbours:1"},
        {"torus:6x6", "adf", "tokens", "neighbours:4"}, // floor(4/5) is 0
        {"torus:6x6", "diffusion:0.1", "tokens", "neighbours:9"},
        {"star:9", "sender:1/(deg+1)", "tokens", "neighbours:8"},
        {"complete:49", "adf", "tokens", "neighbours:49"}, // 49 * (1/49) is below 1 in doubles
        {"torus:6x6", "liquid:c3", "tokens", "spread:2"},
        {"ring:9", "liquid:c5", "tokens", "spread:1"},
        {"ring:9", "liquid:c1", "tokens", "shared"},
        {"torus:6x6", "dde", "tokens", "its own end"},
        {"torus:6x6", "opt", "real", "its own end"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tests_outcome outcome;
        tests_try(
            &(struct ek_experiment){
                .topology = rows[i].topology, .method = rows[i].method, .units = rows[i].units, .carrier = "pool:1"},
            0, &outcome);
        cr_assert_eq(outcome.status, EK_OK, "%s on %s: %s", rows[i].method, rows[i].topology, outcome.report.why);
        for (size_t axis = 0; ek_axis_at(axis); axis++) {
            if (strcmp(ek_axis_at(axis)->option, "stop") == 0) {
                cr_expect_str_eq(ek_machine_axis(outcome.machine, axis), rows[i].stop, "%s on %s", rows[i].method,
                                 rows[i].topology);
            }
        }
        tests_outcome_destroy(&outcome);
    }
}

// On an odd ring alpha = 1/2 converges: there is no eigenvalue -1.
Test(stops, what_can_end_does)
{
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.topology = "ring:9", .method = "diffusion:0.5"}, 0, &outcome);
    cr_assert_eq(outcome.status, EK_OK);
    tests_outcome_destroy(&outcome);
}

Test(stops, never_needs_a_limit)
{
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.stop = "never"}, 0, &outcome);
    cr_assert(outcome.status == EK_BAD_INPUT && !outcome.machine);
    cr_assert(strstr(outcome.error.sentence, "one of steps, operations and for"), "%s", outcome.error.sentence);
    cr_assert_str_eq(outcome.error.axis, "stop");
    tests_outcome_destroy(&outcome);
}

// After the first of two colours the loads may fulfil the criterion, though the operation is not over. `ended` names
// what ended the run.
Test(stops, a_run_that_a_limit_cut_has_converged_where_its_loads_have)
{
    static const struct {
        struct ek_experiment experiment;
        enum ek_ended ended;
        bool converged;
    } rows[] = {
        {{.load = "list:8,0,4,4", .stop = "variance:0", .steps_max = 1}, EK_ENDED_STEPS, true},
        {{.load = "list:8,0,4,5", .stop = "variance:0", .steps_max = 1}, EK_ENDED_STEPS, false},
        {{.load = "list:8,0,4,4", .stop = "never", .steps_max = 1}, EK_ENDED_STEPS, false},
        {{.load = "list:4,4,4,4", .stop = "spread:0", .steps_max = 1}, EK_ENDED_CRITERION, true},
        {{.load = "list:8,0,4,4", .stop = "spread:4", .steps_max = 1, .method = "diffusion:0.25", .timing = "turns"},
         EK_ENDED_CRITERION,
         true},
        {{.load = "list:8,0,4,4", .stop = "spread:1", .steps_max = 1, .method = "diffusion:0.25", .timing = "turns"},
         EK_ENDED_STEPS,
         false},
        {{.load = "list:8,0,4,4", .stop = "spread:8", .seconds_max = 20.0, .timing = "free"}, EK_ENDED_CRITERION, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ek_experiment experiment = rows[i].experiment;
        experiment.topology = "chain:4";
        experiment.carrier = "pool:1";
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_expect_eq(outcome.report.ended, rows[i].ended, "%zu: %d", i, (int)outcome.report.ended);
        cr_expect_eq(outcome.report.converged, rows[i].converged, "%zu", i);
        bool never = strcmp(experiment.stop, "never") == 0;
        cr_expect_eq(outcome.status, rows[i].converged || never ? EK_OK : EK_UNREACHED, "%zu", i);
        tests_outcome_destroy(&outcome);
    }
}

// In free timing the only operation allowed fulfils the criterion, before or after a snapshot has seen it.
Test(stops, a_free_run_that_a_limit_cut_has_converged_where_its_loads_have)
{
    struct ek_experiment experiment = {.topology = "chain:2",
                                       .load = "list:8,0",
                                       .timing = "free",
                                       .stop = "variance:0",
                                       .carrier = "pool:1",
                                       .operations_max = 1};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_expect(outcome.status == EK_OK && outcome.report.converged && outcome.report.operations == 1);
    tests_outcome_destroy(&outcome);
    experiment.load = "list:8,1";
    experiment.units = "tokens";
    tests_try(&experiment, 0, &outcome);
    cr_expect(outcome.status == EK_UNREACHED && !outcome.report.converged && outcome.report.operations == 1);
    tests_outcome_destroy(&outcome);
}
