// SPDX-License-Identifier: MIT
// The report of a run: who carried the processors, and every count of one operation by hand.
#include <criterion/criterion.h>
#include <math.h>

#include "core/method.h"
#include "tests/support/runs.h"
#include "topologies/topology.h"

Test(reports, say_who_carried_the_processors)
{
    static const struct {
        const char *carrier, *barrier;
        unsigned workers;
    } cases[] = {{"threads", "sleep", 9},
                 {"pool:2", "spin", 2},
                 {"pool:3", "yield", 3},
                 {"pool:1", "pthread", 1},
                 {"pool:64", "sleep", 9}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tests_outcome outcome;
        tests_try(
            &(struct ek_experiment){.topology = "torus:3x3", .carrier = cases[i].carrier, .barrier = cases[i].barrier},
            0, &outcome);
        cr_assert_eq(outcome.status, EK_OK);
        cr_assert_eq(outcome.report.workers, cases[i].workers);
        cr_assert(outcome.report.elapsed_s >= 0.0 && !outcome.report.final && !outcome.report.trace);
        tests_outcome_destroy(&outcome);
    }
}

// A ring of three, one operation with alpha = 1/4, by hand.
Test(reports, count_what_happened)
{
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.topology = "ring:3",
                                      .method = "diffusion:0.25",
                                      .load = "list:8,0,4",
                                      .stop = "never",
                                      .units = "tokens",
                                      .operations_max = 1,
                                      .keep_loads = true},
              0, &outcome);
    const struct ek_report *report = &outcome.report;
    cr_assert_eq(outcome.status, EK_OK);
    cr_assert(report->final[0] == 5 && report->final[1] == 3 && report->final[2] == 4);
    cr_assert(report->initial[0] == 8 && report->initial[1] == 0 && report->initial[2] == 4);
    cr_assert(report->operations == 1 && report->steps == 1 && report->idle == 0);
    cr_assert(report->parcels == 3 && report->messages == 9 && report->moved == 4);
    cr_assert(report->has_stayed && report->stayed == 8);
    cr_assert(report->flow_l1 == 4 && fabs(report->flow_l2 - sqrt(6)) < 1e-15);
    cr_assert(report->total_initial == 12 && report->total_final == 12 && report->minimum_ever == 0);
    cr_assert(report->variance_initial == 32 && report->variance_final == 2 && report->spread_final == 2);
    cr_assert(report->minimum == 3 && report->maximum == 5 && report->seed == 0);
    tests_outcome_destroy(&outcome);
}

Test(reports, know_the_machine)
{
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.topology = "chain:4", .method = "gde:0.72"}, 0, &outcome);
    cr_assert_eq(ek_machine_topology(outcome.machine)->processors, 4);
    cr_assert_str_eq(ek_machine_method(outcome.machine)->name, "gde");
    cr_assert_eq(ek_machine_parameter(outcome.machine), 0.72);
    tests_outcome_destroy(&outcome);
}
