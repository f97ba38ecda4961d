// SPDX-License-Identifier: MIT
// Diffusion between partners: an example by hand, and what is known before a run. The links between partners are tested
// in tests/unit/core/test_partners.c and, with whole runs, in tests/property/partners.py.
#include <criterion/criterion.h>
#include <math.h>

#include "tests/support/must.h"

static const double NEAR = 1e-9;

// The cells of a row of 12, placed on four processors of a star. The processors communicate along a chain, so the links
// of the star are not used.
static struct ek_experiment row_of_cells(const char *method)
{
    return (struct ek_experiment){.topology = "star:4",
                                  .method = method,
                                  .objects = "mesh:12x1",
                                  .load = "list:1,7,1,3",
                                  .choose = "communicating",
                                  .keep_links = true};
}

// With alpha = 1/3, processor 1 gives 2 of its cells 1 to 7 to each neighbour in the chain, at loads 1, 7 and 1, and
// processor 3 would give 2/3 of a cell. The cell beside the receiver's goes first, then the lowest one: 1 and 2 to the
// left, 7 and 3 to the right. The cuts are then 2-3, 3-4, 6-7 and 8-9.
Test(partners, row_of_cells)
{
    struct tests_outcome outcome;
    must_run(row_of_cells("partners:2"), &outcome);
    const struct ek_report *report = &outcome.report;
    cr_expect_eq(report->ended, EK_ENDED_ITSELF);
    cr_expect_eq(report->steps, 1);
    for (uint32_t p = 0; p < 4; p++) {
        cr_expect_eq(report->final[p], 3.0, "%u has %g", p, report->final[p]);
    }
    cr_expect_eq(report->objects.objects_moved, 4);
    cr_expect_eq(report->objects.edge_cut_initial, 3.0);
    cr_expect_eq(report->objects.edge_cut, 4.0);
    cr_expect_eq(report->flow_count, 3);
    static const double net[] = {-2.0, 2.0, 0.0};
    for (uint32_t i = 0; i < 3; i++) {
        cr_expect(report->flow[i].from == i && report->flow[i].to == i + 1, "link %u", i);
        cr_expect_eq(report->flow[i].net, net[i], "link %u: %g", i, report->flow[i].net);
    }
    tests_outcome_destroy(&outcome);
}

// The eigenvalues of a chain of four are 2 - 2 cos(pi k/4); with alpha = 1/(1+K) the second one decides.
Test(partners, facts)
{
    const double second = 2.0 - sqrt(2.0);
    cr_expect_eq(fact_of_experiment(row_of_cells("partners:2"), "partner_links"), 3.0);
    cr_expect_float_eq(fact_of_experiment(row_of_cells("partners:2"), "gamma"), 1.0 - second / 3.0, NEAR);
    cr_expect_float_eq(fact_of_experiment(row_of_cells("partners"), "gamma"), 1.0 - second / 5.0, NEAR);
    struct ek_machine *machine = must_prepare(row_of_cells("partners:9"));
    const struct ek_fact *fact = fact_of(machine, "partner_links");
    cr_expect_str_eq(fact->text, "Load moves over 3 links between partners. A processor has at most 2 partners, and a "
                                 "path between two processors at most 3 links.");
    ek_machine_destroy(machine);
}

// Numbers that divide come near to balance by the factor gamma in the long run.
Test(partners, gamma_is_that_of_numbers)
{
    struct ek_experiment experiment = row_of_cells("partners:2");
    struct tests_outcome outcome;
    experiment.migrate = "end";
    experiment.load = "list:9,1,1,1";
    experiment.stop = "never";
    experiment.operations_max = 60;
    experiment.keep_trace = true;
    must_run(experiment, &outcome);
    double gamma = fact_value(outcome.machine, "gamma");
    double before = outcome.report.trace[40].variance, after = outcome.report.trace[50].variance;
    cr_expect_float_eq(after / before, pow(gamma, 20.0), 1e-6);
    tests_outcome_destroy(&outcome);
}

Test(partners, refused)
{
    static const struct {
        struct ek_experiment experiment;
        const char *axis, *part;
    } cases[] = {
        {{.method = "partners:4"}, "method", "partners balances objects: use objects"},
        {{.method = "partners:4", .objects = "weights:constant:1", .load = "peak:9"}, "objects", "or vt:PATTERN"},
        {{.method = "partners:1", .objects = "mesh:5x5"}, "method", "a whole number from 2 to 1024"},
        {{.method = "partners:2:3", .objects = "mesh:5x5"}, "method", "cannot follow 'partners:2'"},
        {{.method = "partners", .objects = "mesh:5x5", .timing = "free"}, "method", "use timing rounds"},
        {{.method = "partners", .objects = "mesh:100x100", .topology = "ring:9000"}, "topology", "at most 8192"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        struct tests_outcome outcome;
        experiment.topology = experiment.topology ? experiment.topology : "ring:5";
        tests_try(&experiment, 0, &outcome);
        cr_assert_null(outcome.machine, "case %zu", i);
        cr_expect_eq(outcome.error.status, EK_BAD_INPUT);
        cr_expect_str_eq(outcome.error.axis, cases[i].axis, "case %zu: %s", i, outcome.error.sentence);
        cr_expect(strstr(outcome.error.sentence, cases[i].part), "case %zu: %s", i, outcome.error.sentence);
    }
}
