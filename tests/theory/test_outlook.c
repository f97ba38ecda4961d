// SPDX-License-Identifier: MIT
// Each fact is stated of the runs for which it is true, and of no others. Each row is a run, a fact, and whether it
// is stated. If it is not stated, some run like it contradicts the fact.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/theory/domain_variance.h"
#include "tests/support/must.h"

// Looks for the fact among those of an experiment.
static bool find(const struct ek_experiment *given, const char *name, struct ek_fact *found)
{
    struct ek_experiment experiment = *given;
    experiment.carrier = "pool:1";
    struct ek_machine *machine = must_prepare(experiment);
    const struct ek_fact *fact = fact_of(machine, name);
    if (fact) {
        *found = *fact;
    }
    ek_machine_destroy(machine);
    return fact != NULL;
}

struct row {
    const char *fact;
    bool told;
    struct ek_experiment of;
};

static void expect_told(const struct row *row)
{
    struct ek_fact fact;
    bool told = find(&row->of, row->fact, &fact);
    cr_expect_eq(told, row->told, "%s %s is %stold: %s", row->of.method, row->fact, told ? "" : "not ",
                 told ? fact.text : "");
}

#define FREE .timing = "free", .operations_max = 9
#define WORKS .operations_max = 9, .stop = "never"

static const struct row rows[] = {
    // Bounds for operations of all processors. An operation of free timing is that of one processor.
    {"gamma", true, {.method = "fos"}},
    {"gamma", false, {.method = "fos", FREE}},
    {"gamma", false, {.method = "fos", .invoke = "below:300"}},
    {"gamma", false, {.method = "fos", .delay = "fixed:2"}},
    {"gamma", true, {.method = "fos", .work = "constant:0=1", WORKS}},
    {"operations_most", true, {.method = "fos"}},
    {"operations_most", false, {.method = "fos", FREE}},
    {"operations_most", false, {.method = "fos", .work = "constant:0=1", .operations_max = 9}},
    {"operations_most", false, {.method = "sos", .delay = "fixed:1"}},
    {"operations_most", false, {.topology = "mesh:4x4", .method = "adi(fos)", .link_limit = "5"}},
    {"first_stage_most", true, {.topology = "otis(mesh:2x2)", .method = "ded(fos)"}},
    // The spread that a direct method leaves. dem with delay fixed:4 leaves 80.
    {"spread_most", true, {.topology = "hypercube:3", .method = "dem"}},
    {"spread_most", false, {.topology = "hypercube:3", .method = "dem", .delay = "fixed:4"}},
    {"spread_most", false, {.topology = "hypercube:3", .method = "dem", .link_limit = "5"}},
    {"spread_most", false, {.topology = "hypercube:3", .method = "dem", .invoke = "below:300"}},
    {"spread_most", false, {.topology = "hypercube:3", .method = "dem", .work = "constant:0=100"}},
    {"spread_most", true, {.topology = "torus:4x4", .method = "dde"}},
    {"moved_least", false, {.topology = "ring:8", .method = "dde", .work = "constant:0=100"}},
    {"operations_shared", true, {.topology = "ring:8", .method = "liquid:c5", .load = "peak:80"}},
    {"operations_shared", false, {.topology = "ring:8", .method = "liquid:c5", .load = "peak:80", FREE}},
    // A sender that balances towards a target sends more than it holds, and work, too, makes loads negative.
    {"share_sent_most", true, {.topology = "star:8", .method = "sender:1/(deg+1)"}},
    {"share_sent_most",
     false,
     {.topology = "star:8", .method = "sender:1/(deg+1)", .capacity = "cs", .weighting = "target"}},
    {"share_sent_most",
     false,
     {.topology = "ring:8", .method = "sender:0.3", .work = "constant:0=-50,4=50", .link_limit = "1", WORKS}},
    {"share_sent_most", false, {.topology = "ring:8", .method = "sender:0.3", .timing = "turns"}},
    {"c_limit", true, {.topology = "ring:8", .method = "sender:0.3", .timing = "turns"}},
    {"c_limit", false, {.topology = "ring:8", .method = "sender:0.3", FREE}},
    // One operation from independent loads. A sender in free timing gives and never requests, which is no
    // diffusion.
    {"domain_diffusion", true, {.method = "adf", .invoke = "below:300"}},
    {"domain_diffusion", false, {.method = "adf"}},
    {"domain_diffusion", true, {.method = "adf", FREE}},
    {"domain_diffusion", true, {.method = "sender:0.2", .invoke = "below:300"}},
    {"domain_diffusion", false, {.method = "sender:0.2", .domains = "exclusive", FREE}},
    {"domain_diffusion", false, {.method = "adf", .invoke = "below:300", .link_limit = "5"}},
    {"domain_diffusion", false, {.method = "adf", .invoke = "below:300", .delay = "fixed:1"}},
    {"domain_diffusion", false, {.method = "adf", .invoke = "below:300", .units = "tokens"}},
    {"domain_diffusion", false, {.method = "adf", .invoke = "below:300", .work = "constant:0=1", WORKS}},
    {"domain_diffusion", true, {.method = "adf", .invoke = "below:300", .work = "normal:100:30:100", WORKS}},
    {"domain_diffusion", false, {.method = "adf", .faults = "link:1", FREE}},
    {"domain_diffusion", false, {.method = "ade", .invoke = "below:300", .capacity = "semi", .weighting = "target"}},
    {"domain_average", true, {.method = "local-average", .invoke = "below:300"}},
    {"domain_average", true, {.method = "local-average"}}, // by default few processors invoke
    {"domain_average", false, {.method = "local-average", .invoke = "always"}},
    {"domain_average", false, {.method = "local-average", .invoke = "below:300", .units = "tokens"}},
    {"domain_average", false, {.method = "local-average", .invoke = "below:300", .work = "constant:0=1", WORKS}},
    // Free timing measures operations that overlap with no other. If links fail, neither a parameter nor
    // a bound holds.
    {"gamma", false, {.method = "fos", .faults = "link:0.1"}},
    {"operations_most", false, {.method = "fos", .faults = "link:0.1"}},
    {"spread_most", true, {.method = "ade", .stop = "neighbours:1"}},
    {"spread_most", false, {.method = "ade", .stop = "neighbours:1", .faults = "link:0.1"}},
    {"c_limit", true, {.method = "sender:0.3"}},
    {"c_limit", false, {.method = "sender:0.3", .faults = "link:0.1"}},
    {"cut_ratio", false, {.topology = "ring:8", .method = "ade", .work = "constant:0=1", .faults = "link:0.1", WORKS}},
    {"variance_expected", false, {.method = "adf", .work = "normal:100:30:100", .faults = "link:0.1", WORKS}},
    {"left_alone", true, {.method = "adf", .invoke = "probability:0.01", FREE}},
    {"left_alone", true, {.method = "ade", FREE}},
    {"left_alone", false, {.method = "ade"}},
    {"left_alone", false, {.method = "adf", .invoke = "outside:200:800", FREE}},
    {"left_alone", false, {.method = "adf", .work = "normal:100:30:100", FREE}},
    {"left_alone", false, {.topology = "mesh:8x8", .method = "adf", FREE}},
    {"left_alone", false, {.method = "sender:0.2", FREE}},
    {"left_alone", true, {.method = "ade", .invoke = "probability:0.01", .overlaps = true}},
    {"left_alone", true, {.method = "ade", .invoke = "at:3", .overlaps = true}},
    {"left_alone", true, {.method = "ade", .invoke = "every:3", .overlaps = true}},
    {"left_alone", false, {.method = "ade", .invoke = "probability:0.01"}},
    {"left_alone", false, {.method = "ade", .invoke = "above:600", .overlaps = true}},
    {"left_alone", false, {.method = "ade", .overlaps = true}},
    {"left_adjacent", true, {.method = "adf", .invoke = "at:3,4", .overlaps = true}},
    {"left_adjacent", true, {.method = "adf", FREE}},
    {"left_adjacent_most", false, {.method = "ade", FREE}}, // both use their common link
    {"left_adjacent_most", true, {.method = "ade", .domains = "once", FREE}},
    {"left_adjacent_most", true, {.method = "ade", .invoke = "at:3,4", .overlaps = true}},
    {"left_one_shared", true, {.method = "adf", FREE}},
    {"pair_adjacent_best", false, {.method = "adf", FREE}},
    {"pair_adjacent_best", true, {.method = "adf", .domains = "once", FREE}},
    {"pair_adjacent_most", false, {.method = "ade", FREE}},
    {"pair_adjacent_most", true, {.method = "ade", .domains = "once", FREE}},
    {"pair_adjacent_step", false, {.method = "ade", FREE}},
    {"pair_adjacent_step", true, {.method = "ade", .domains = "once", FREE}},
    {"left_alone", true, {.method = "adf", .delay = "fixed:20us", FREE}},
    {"left_two_shared_most", true, {.method = "ade", FREE}},
    {"left_two_shared_most", false, {.method = "gde:0.7", FREE}},
    // Work.
    {"cut_ratio", true, {.topology = "ring:8", .method = "ade", .work = "constant:0=1", WORKS}},
    {"cut_ratio", false, {.topology = "ring:8", .method = "ade", .work = "normal:100:30:100", WORKS}},
    {"deviation_work", true, {.topology = "ring:8", .method = "adf", .work = "constant:0=1", WORKS}},
    {"deviation_work", false, {.topology = "ring:8", .method = "ade", .work = "constant:0=1", WORKS}},
    {"deviation_work", false, {.topology = "ring:8", .method = "sender:0.9", .work = "constant:0=1", WORKS}},
    {"deviation_work",
     false,
     {.topology = "ring:8", .method = "adf", .work = "constant:0=1", .delay = "fixed:1", WORKS}},
    {"deviation_work", false, {.method = "adf", .work = "constant:0=1", .ports = "one", .clock = "step", WORKS}},
    {"variance_expected", true, {.method = "adf", .work = "normal:100:30:100", WORKS}},
    {"variance_expected", true, {.method = "adf", .work = "pareto:2.1:30:100", WORKS}},
    {"variance_expected", false, {.method = "adf", .work = "pareto:2:30:100", WORKS}},
    {"variance_expected", true, {.method = "adf", .work = "normal:100:30:100", .working = "before", WORKS}},
    {"variance_expected", false, {.method = "adf", .work = "normal:100:30:100", .working = "suspended", WORKS}},
    {"variance_limit", false, {.method = "adf", .work = "normal:100:30:100", .working = "suspended", WORKS}},
    {"deviation_work",
     false,
     {.topology = "ring:8", .method = "adf", .work = "constant:0=1", .working = "suspended", WORKS}},
    {"cut_ratio",
     false,
     {.topology = "ring:8", .method = "ade", .work = "constant:0=1", .working = "suspended", WORKS}},
    {"variance_expected", false, {.method = "adf", .work = "normal:100:30:100", .invoke = "below:300", WORKS}},
    {"variance_expected", false, {.method = "adf", .work = "normal:100:30:100", .units = "tokens", WORKS}},
    {"variance_expected", false, {.method = "adf", .work = "normal:100:30:100", .delay = "fixed:1", WORKS}},
    {"variance_expected", false, {.method = "adf", .work = "normal:100:30:100", .timing = "turns", WORKS}},
    {"variance_limit", false, {.method = "diffusion:0.25", .work = "normal:100:30:100", WORKS}},
    {"flow_l2_least", true, {.method = "ade", .delay = "fixed:3"}},
    {"flow_l2_least", false, {.method = "ade", .work = "constant:0=1", WORKS}},
};

Test(outlook, what_is_told_of_which_runs)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_told(&rows[i]);
    }
}

static void expect_text(struct ek_experiment experiment, const char *name, const char *part, bool there)
{
    struct ek_fact fact = {.text = ""};
    cr_assert(find(&experiment, name, &fact), "no %s", name);
    cr_expect_eq(strstr(fact.text, part) != NULL, there, "%s: %s", name, fact.text);
}

// With a link limit a cut can be too narrow, for any method and work. Without one the facts state no bound, since a
// diverging method has none.
Test(outlook, what_the_cut_condition_says)
{
    struct ek_experiment experiment = {
        .topology = "ring:16", .method = "sender:0.3", .work = "constant:0=4,8=-4", .stop = "never", .steps_max = 10};
    expect_text(experiment, "cut_ratio", "the load that has to cross each link", true);
    experiment.method = "sender:0.9";
    expect_text(experiment, "cut_ratio", "bounded", false);
    static const char *const methods[] = {"sender:0.3", "adf", "ade"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        experiment.method = methods[i];
        experiment.link_limit = "1.5";
        expect_text(experiment, "cut_ratio", "grows for ever", true);
        experiment.link_limit = "2";
        expect_text(experiment, "cut_ratio", "no cut is too narrow", true);
    }
    experiment.method = "local-average"; // may use a link twice in a tick
    experiment.link_limit = "1.5";
    expect_text(experiment, "cut_ratio", "grows for ever", false);
}

// The load grows by what cannot cross the cut: 4 in and 4 out a tick, of which 3 cross the two links.
Test(outlook, a_cut_that_is_too_narrow)
{
    for (unsigned more = 0; more <= 1; more++) {
        struct tests_outcome outcome;
        tests_try(&(struct ek_experiment){.topology = "ring:16",
                                          .method = "adf",
                                          .work = "constant:0=4,8=-4",
                                          .link_limit = more ? "2" : "1.5",
                                          .load = "constant:10000",
                                          .stop = "never",
                                          .carrier = "pool:1",
                                          .steps_max = 2000},
                  0, &outcome);
        cr_assert_eq(outcome.status, EK_OK, "%s", outcome.error.sentence);
        double above = outcome.report.maximum - outcome.report.total_final / 16.0;
        cr_expect(more ? above < 100.0 : above > 900.0, "%g", above);
        tests_outcome_destroy(&outcome);
    }
}

// A file of work whose largest tick has 3 in and out.
static char *read_ticks(void *context, const char *path, size_t *length, struct ek_error *error)
{
    (void)context, (void)path, (void)error;
    static const char ticks[] = "1 0 -1 0\n3 0 -3 0\n0 0 0 0\n";
    *length = sizeof ticks - 1;
    return strdup(ticks);
}

Test(outlook, a_files_cut_ratio_is_that_of_its_largest_tick)
{
    struct ek_fact fact;
    struct ek_experiment experiment = {
        .topology = "ring:4", .method = "ade", .work = "file:ticks", .steps_max = 9, .reader = {.read = read_ticks}};
    cr_assert(find(&experiment, "cut_ratio", &fact));
    cr_expect(fabs(fact.value - 1.5) < 1e-12, "%g", fact.value);
    cr_expect(strstr(fact.text, "of all ticks"), "%s", fact.text);
}

// Eqs. (9), (12), (15) to (17), (20) and (21), divided by the variance that this many processors of 64 have before.
Test(outlook, what_is_left_of_a_domain)
{
    struct ek_fact fact;
    struct ek_experiment experiment = {
        .topology = "torus:8x8", .method = "adf", .invoke = "probability:0.01", .timing = "free", .operations_max = 9};
    double before = 5.0 * 63.0 / 64.0;
    cr_assert(find(&experiment, "left_alone", &fact));
    cr_expect(fabs(fact.value - 2.841875 / before) < 1e-12, "%.12g", fact.value);
    experiment.method = "ade";
    cr_assert(find(&experiment, "left_alone", &fact));
    cr_expect(fabs(fact.value - 1.8125 / before) < 1e-12, "%.12g", fact.value);
    static const struct {
        const char *method, *domains, *name;
        double left, processors; // by hand from the formulas: d = 4, N = 64
    } cases[] = {
        {"adf", "once", "left_adjacent", 4.355, 8.0},          {"adf", "overlap", "left_adjacent", 4.515, 8.0},
        {"adf", "once", "left_one_shared", 4.779375, 9.0},     {"adf", "overlap", "left_two_shared", 3.875, 8.0},
        {"ade", "once", "left_adjacent_most", 2.984375, 8.0},  {"ade", "once", "left_one_shared_most", 3.3046875, 9.0},
        {"ade", "once", "left_two_shared_most", 2.984375, 8.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        experiment.method = cases[i].method;
        experiment.domains = cases[i].domains;
        cr_assert(find(&experiment, cases[i].name, &fact), "%s", cases[i].name);
        cr_expect(fabs(fact.value - cases[i].left / (cases[i].processors * 63.0 / 64.0)) < 1e-12, "%s: %.12g",
                  cases[i].name, fact.value);
        if (strcmp(cases[i].name, "left_adjacent") == 0) {
            cr_assert(find(&experiment, "pair_adjacent", &fact));
            cr_expect(fabs(fact.value - cases[i].left) < 1e-12, "%s: %.12g", cases[i].domains, fact.value);
        }
    }
}

// A staircase is at rest and reaches the bound of Wu & Shu for whole loads on a mesh, n(k-1). On a ring it is half
// as long.
Test(outlook, how_far_tokens_can_be_apart)
{
    static const struct {
        const char *topology, *load;
        double most;
        bool reached;
    } cases[] = {{"chain:8", "list:0,1,2,3,4,5,6,7", 7.0, true},
                 {"mesh:3x3", "list:0,1,2,1,2,3,2,3,4", 4.0, true},
                 {"ring:8", "list:0,1,2,3,4,3,2,1", 4.0, true},
                 {"torus:4x4", "uniform:0:900", 4.0, false},
                 {"hypercube:4", "uniform:0:900", 4.0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_fact fact;
        struct tests_outcome outcome;
        struct ek_experiment experiment = {.topology = cases[i].topology,
                                           .method = "gde:0.7",
                                           .units = "tokens",
                                           .load = cases[i].load,
                                           .carrier = "pool:1",
                                           .stop = "neighbours:1"};
        cr_assert(find(&experiment, "spread_most", &fact));
        cr_expect_eq(fact.value, cases[i].most, "%s: %g", cases[i].topology, fact.value);
        tests_try(&experiment, 0, &outcome);
        cr_assert_eq(outcome.status, EK_OK, "%s", outcome.error.sentence);
        cr_expect(cases[i].reached ? outcome.report.spread_final == fact.value
                                   : outcome.report.spread_final <= fact.value);
        tests_outcome_destroy(&outcome);
    }
}

// Checks the sentence that says why a run ended without its criterion.
static void expect_why(struct ek_experiment experiment, const char *part, bool there)
{
    struct tests_outcome outcome;
    experiment.carrier = "pool:1";
    tests_try(&experiment, 0, &outcome);
    cr_assert_eq(outcome.status, EK_UNREACHED, "%s %s: %s", experiment.topology, experiment.method,
                 outcome.error.sentence);
    cr_expect_eq(strstr(outcome.report.why, part) != NULL, there, "%s %s: %s", experiment.topology, experiment.method,
                 outcome.report.why);
    tests_outcome_destroy(&outcome);
}

Test(outlook, who_invokes_and_moves_nothing)
{
    struct ek_experiment experiment = {.topology = "ring:5",
                                       .method = "ade",
                                       .units = "tokens",
                                       .invoke = "below:100",
                                       .load = "list:1,2,1,2,2",
                                       .stop = "spread:0"};
    expect_why(experiment, "no processor invokes", false); // all five invoke, but half of a difference of 1 is no token
    experiment.invoke = "below:1";
    expect_why(experiment, "no processor invokes", true);
    experiment = (struct ek_experiment){
        .topology = "ring:8", .method = "adf", .invoke = "below:50", .load = "peak:900", .stop = "variance:1"};
    expect_why(experiment, "no processor invokes", true); // the run ends with loads that differ by some tens
}

// The eigenvalue -1 of rounds does not matter in turns.
Test(outlook, swaps_are_of_rounds)
{
    struct ek_experiment experiment = {.topology = "ring:8",
                                       .method = "diffusion:0.5",
                                       .load = "peak:801",
                                       .stop = "spread:0",
                                       .operations_max = 5000};
    expect_why(experiment, "change sign for ever", true);
    experiment.timing = "turns";
    expect_why(experiment, "change sign", false);
}

static void expect_factor(struct ek_experiment experiment, double factor)
{
    struct tests_outcome outcome;
    experiment.carrier = "pool:1";
    tests_try(&experiment, 0, &outcome);
    cr_assert(outcome.machine, "%s", outcome.error.sentence);
    double is = outcome.report.factor;
    cr_expect(isnan(factor) ? isnan(is) : fabs(is - factor) < 1e-9, "%s %s: %.12g, not %.12g", experiment.topology,
              experiment.method, is, factor);
    tests_outcome_destroy(&outcome);
}

// A peak of 4 on ring:4 has the variance 12. One step of ade leaves two halves, whose variance is 4; two steps
// balance. An operation that is cut counts by its steps.
Test(outlook, the_factor_of_a_cut_operation)
{
    struct ek_experiment experiment = {
        .topology = "ring:4", .method = "ade", .load = "peak:4", .stop = "never", .steps_max = 1};
    expect_factor(experiment, 4.0 / 12.0); // (4/12)^(1/2) in half an operation
    experiment.method = "gde:0";
    experiment.steps_max = 3;
    expect_factor(experiment, 1.0);
    experiment.method = "adf"; // the eigenvalues are 1/3, 1/3 and -1/3
    expect_factor(experiment, 1.0 / 3.0);
    experiment.ports = "one"; // two steps each: w - L w/3 of the first half gives 2/3, 1/3, 0, 0 of the load
    experiment.steps_max = 1;
    expect_factor(experiment, (4.0 / 9.0 * 4.0 + 1.0 / 9.0 * 4.0 - 1.0) / 3.0);
    experiment.timing = "free";
    experiment.ports = NULL;
    experiment.steps_max = 0;
    experiment.operations_max = 1;
    expect_factor(experiment, NAN);
    experiment = (struct ek_experiment){
        .topology = "ring:4", .method = "ade", .load = "peak:4", .operations_max = 1, .stop = "shared"};
    expect_factor(experiment, 0.0);
}

// "All load" includes load in flight.
Test(outlook, in_all_is_with_what_is_in_flight)
{
    static const struct {
        const char *topology, *method, *load, *delay;
        double total;
    } cases[] = {{"ring:4", "adf", "peak:400", "fixed:3", 400.0}, {"mesh:4x4", "adi(opt)", "peak:40", "fixed:3", 40.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tests_outcome outcome;
        tests_try(&(struct ek_experiment){.topology = cases[i].topology,
                                          .method = cases[i].method,
                                          .load = cases[i].load,
                                          .delay = cases[i].delay,
                                          .carrier = "pool:1",
                                          .steps_max = 2},
                  0, &outcome);
        const struct ek_report *report = &outcome.report;
        cr_assert(outcome.machine, "%s", outcome.error.sentence);
        cr_expect(report->in_flight > 1.0);
        cr_expect(fabs(report->total_final - cases[i].total) < 1e-9, "%g", report->total_final);
        cr_expect(fabs(report->held_final + report->in_flight - cases[i].total) < 1e-9, "%g", report->held_final);
        tests_outcome_destroy(&outcome);
    }
}
