// SPDX-License-Identifier: MIT
// Free timing as users rely on it: how runs end, and that no load is lost.
#include "tests/support/free_laws.h"

Test(free_timing, a_static_run_ends_with_every_load_inside_the_bounds)
{
    for (unsigned k = 0; k < COMBINATIONS; k++) {
        struct ek_experiment experiment;
        if (!in_part(k, 0) || !combine(k, &experiment) || k % METHODS >= METHODS - ONE_WAY) {
            continue;
        }
        experiment.load = "uniform:100:900";
        experiment.invoke = "outside:250:750";
        struct tests_outcome outcome;
        run_free(&experiment, k, &outcome);
        cr_expect(outcome.status == EK_OK && outcome.report.ended == EK_ENDED_ITSELF && outcome.report.converged &&
                      all_inside(&outcome, 250.0, 750.0),
                  "%s: status %d, reason %d, %g to %g, mean %g", said(&experiment), outcome.status,
                  outcome.report.ended, outcome.report.minimum, outcome.report.maximum,
                  outcome.report.total_final / ek_machine_topology(outcome.machine)->processors);
        tests_outcome_destroy(&outcome);
    }
}

// A worker with thousands of processors prefetches their memory, to the last of them, whatever its mailboxes.
Test(free_timing, a_worker_with_many_processors_ends_as_any_other)
{
    static const struct ek_experiment cases[] = {
        {.topology = "ring:4096", .method = "adf", .carrier = "pool:1"},
        {.topology = "torus:110x83", .method = "diffusion:0.2", .carrier = "pool:2", .mailbox = "spsc:2"},
        {.topology = "mesh:91x47", .method = "sender:1/(deg+1)", .carrier = "pool:1", .mailbox = "mutex"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i];
        experiment.stop = "never";
        experiment.operations_max = 20000;
        struct tests_outcome outcome;
        run_free(&experiment, i, &outcome);
        cr_expect(outcome.status == EK_OK && outcome.report.ended == EK_ENDED_OPERATIONS &&
                      outcome.report.operations == 20000,
                  "%s: status %d, reason %d, %s", said(&experiment), outcome.status, outcome.report.ended,
                  outcome.error.sentence);
        tests_outcome_destroy(&outcome);
    }
}

Test(free_timing, who_cannot_get_there_ends_and_says_so)
{
    static const struct ek_experiment cases[] = {
        {.topology = "ring:8", .method = "adf", .invoke = "outside:250:400", .load = "uniform:450:1000"},
        {.topology = "ring:7", .method = "ade", .invoke = "outside:0:400", .load = "uniform:450:1000", .ports = "one"},
        {.topology = "star:6", .method = "local-average", .invoke = "below:600", .load = "uniform:0:500"},
        {.topology = "ring:8",
         .method = "nna",
         .invoke = "outside:600:700",
         .load = "uniform:0:500",
         .units = "tokens"},
        {.topology = "ring:8",
         .method = "adf",
         .invoke = "outside:103:105",
         .units = "tokens",
         .load = "list:100,102,104,106,108,106,104,102"},
        {.topology = "mesh:2x3",
         .method = "diffusion:0.001",
         .units = "tokens",
         .domains = "exclusive",
         .stop = "spread:1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (unsigned c = 0; c < 2; c++) {
            if (c == 0 && !in_part((unsigned)i, 2)) { // many threads take long to find that they must give up
                continue;
            }
            struct ek_experiment experiment = cases[i];
            experiment.carrier = carriers[c];
            struct tests_outcome outcome;
            run_free(&experiment, i, &outcome);
            cr_expect(outcome.status == EK_UNREACHED && !outcome.report.converged &&
                          (outcome.report.ended == EK_ENDED_FROZEN || outcome.report.ended == EK_ENDED_GIVEN_UP),
                      "%s: status %d, reason %d", said(&experiment), outcome.status, outcome.report.ended);
            const char *sentence = outcome.report.why;
            cr_expect(strstr(sentence, i < 4 ? "lies outside the bounds" : "move nothing at differences"), "%s: %s",
                      said(&experiment), sentence);
            tests_outcome_destroy(&outcome);
        }
    }
}

static double largest_difference(const struct tests_outcome *outcome)
{
    const struct ek_topology *topology = ek_machine_topology(outcome->machine);
    double largest = 0.0;
    for (uint32_t port = 0; port < topology->ports; port++) {
        double here = outcome->report.final[topology->neighbour[topology->twin[port]]];
        largest = fmax(largest, here - outcome->report.final[topology->neighbour[port]]);
    }
    return largest;
}

Test(free_timing, who_invokes_below_or_at_a_gradient_ends_in_quiet)
{
    for (unsigned k = 0; k < COMBINATIONS; k++) {
        struct ek_experiment experiment;
        bool below = k % 3;
        if (!in_part(k / 3, 1) || !combine(k, &experiment) || k % METHODS >= METHODS - ONE_WAY ||
            is(experiment.units, "tokens") ||
            (!below && strcmp(experiment.method, "ade") != 0 && strcmp(experiment.method, "adf") != 0)) {
            continue;
        }
        experiment.load = "uniform:100:900";
        experiment.invoke = below ? "below:300" : "gradient:150";
        struct tests_outcome outcome;
        run_free(&experiment, k, &outcome);
        cr_expect(outcome.status == EK_OK && outcome.report.ended == EK_ENDED_ITSELF &&
                      (below ? outcome.report.minimum >= 300.0 : largest_difference(&outcome) <= 600.0),
                  "%s: status %d, reason %d, from %g, differs by %g", said(&experiment), outcome.status,
                  outcome.report.ended, outcome.report.minimum, largest_difference(&outcome));
        tests_outcome_destroy(&outcome);
    }
}

Test(free_timing, so_many_operations_are_exactly_so_many)
{
    static const uint64_t limits[] = {1, 2, 7, 100};
    for (unsigned k = 0; k < COMBINATIONS; k++) {
        struct ek_experiment experiment;
        if (!in_part(k, 2) || !combine(k, &experiment)) {
            continue;
        }
        experiment.invoke = k % 5 == 0 ? "probability:0.2" : "always";
        experiment.stop = k % 2 ? "never" : "variance:0";
        experiment.operations_max = limits[k / 2 % 4];
        struct tests_outcome outcome;
        run_free(&experiment, k, &outcome);
        bool all =
            outcome.report.operations == experiment.operations_max && outcome.report.ended == EK_ENDED_OPERATIONS;
        bool rests = k % 2 == 0 && outcome.report.operations <= experiment.operations_max &&
                     outcome.report.ended == EK_ENDED_FROZEN; // tokens that cannot move any more, before the limit
        cr_expect((all || rests) && outcome.status == (k % 2 ? EK_OK : EK_UNREACHED),
                  "%s: %lu operations of %lu, reason %d, status %d", said(&experiment), outcome.report.operations,
                  experiment.operations_max, outcome.report.ended, outcome.status);
        tests_outcome_destroy(&outcome);
    }
}

Test(free_timing, criteria_are_tested_on_snapshots)
{
    static const struct ek_experiment cases[] = {
        {.method = "adf", .stop = "variance:100"},
        {.method = "ade", .stop = "spread:10", .ports = "one"},
        {.method = "sender:1/(deg+1)", .stop = "error:5"},
        {.method = "odf", .stop = "neighbours:4"},
        {.method = "local-average", .stop = "shared", .load = "peak:6400", .domains = "exclusive"},
        {.method = "adf", .stop = "variance:4000", .units = "tokens"},
        {.method = "liquid:c5", .topology = "ring:12", .stop = "spread:8", .load = "uniform:0:30"},
        {.method = "ade", .stop = "neighbours:1", .domains = "exclusive", .units = "tokens"},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i / 2];
        experiment.topology = experiment.topology ? experiment.topology : "torus:4x4";
        experiment.carrier = carriers[i % 2];
        experiment.audit_s = 0.002;
        struct tests_outcome outcome;
        run_free(&experiment, i, &outcome);
        cr_expect(outcome.status == EK_OK && outcome.report.ended == EK_ENDED_CRITERION && outcome.report.converged &&
                      outcome.report.variance_final < outcome.report.variance_initial,
                  "%s: status %d, reason %d", said(&experiment), outcome.status, outcome.report.ended);
        tests_outcome_destroy(&outcome);
    }
}

// The run checks the criterion when the workers' sums fulfil it, so it ends soon afterwards. It reports when the
// criterion began to hold, and how precisely this is known.
Test(free_timing, the_report_says_when_the_criterion_held)
{
    static const char *const stops[] = {"spread:1", "variance:1",   "error:1",
                                        "shared",   "neighbours:1", "imbalance:0.01"};
    for (unsigned i = 0; i < 6; i++) {
        struct ek_experiment experiment = {
            .topology = "torus:4x4", .method = "ade", .load = "peak:16000", .stop = stops[i]};
        struct tests_outcome outcome;
        run_free(&experiment, i, &outcome);
        const struct ek_free_report *running = &outcome.report.free;
        cr_assert_eq(outcome.status, EK_OK, "%s: status %d", stops[i], outcome.status);
        cr_expect(running->reached_s > 0.0 && running->reached_s <= outcome.report.elapsed_s, "%s: %g s", stops[i],
                  running->reached_s);
        cr_expect(running->reached_window_s > 0.0 && running->reached_window_s <= running->reached_s);
        cr_expect(running->reached_operations > 0.0 &&
                  running->reached_operations <= (double)outcome.report.operations);
        tests_outcome_destroy(&outcome);
        experiment.stop = "error:0";
        experiment.operations_max = 50;
        run_free(&experiment, i, &outcome);
        cr_expect(isnan(outcome.report.free.reached_s) && isnan(outcome.report.free.reached_operations));
        tests_outcome_destroy(&outcome);
    }
}

static void interrupt_when_under_way(void *machine, const struct ek_progress *so_far)
{
    if (so_far->operations > 0) {
        ek_interrupt(machine);
    }
}

Test(free_timing, a_run_that_is_cut_is_drained)
{
    struct ek_experiment experiment = {.topology = "torus:4x4", .method = "adf", .stop = "never", .seconds_max = 0.03};
    struct tests_outcome outcome;
    run_free(&experiment, 0, &outcome);
    cr_expect(outcome.status == EK_OK && outcome.report.ended == EK_ENDED_TIME && !outcome.report.converged);
    tests_outcome_destroy(&outcome);
    experiment.stop = "variance:0";
    experiment.units = "tokens";
    experiment.method = "local-average"; // the loads do not show its rest, so standing still does not end the run
    experiment.invoke = "probability:0.5";
    run_free(&experiment, 0, &outcome);
    cr_expect(outcome.status == EK_UNREACHED && outcome.report.ended == EK_ENDED_TIME);
    tests_outcome_destroy(&outcome);

    experiment.seconds_max = 600.0;
    experiment.work = "normal:20:9:20";
    experiment.carrier = "pool:2";
    outcome = (struct tests_outcome){.machine = ek_prepare(&experiment, &outcome.error)};
    cr_assert(outcome.machine);
    outcome.status =
        ek_run(outcome.machine, 0, &outcome.report, interrupt_when_under_way, outcome.machine, &outcome.error);
    check_laws(&experiment, &outcome);
    cr_expect(outcome.status == EK_UNREACHED && outcome.report.ended == EK_ENDED_INTERRUPT);
    tests_outcome_destroy(&outcome);
}
