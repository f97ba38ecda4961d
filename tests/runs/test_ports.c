// SPDX-License-Identifier: MIT
// The machine, not the method, enforces the ports: wrong methods, registered here, are caught, and right ones run.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/methods/kernels/block.h"
#include "core/register.h"
#include "tests/support/runs.h"

static double flow_half(const struct ek_view *view, unsigned port)
{
    return 0.5 * (view->load - view->announced[port]);
}

// A quarter over each link keeps all loads on a ring non-negative.
static double flow_quarter(const struct ek_view *view, unsigned port)
{
    return 0.25 * (view->load - view->announced[port]);
}

static bool prepare_step(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                         struct ek_error *error)
{
    (void)parameter;
    (void)at;
    (void)setting;
    (void)error;
    plan->steps = 1;
    return true;
}

static bool prepare_colours(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                            struct ek_error *error)
{
    (void)prepare_step(plan, parameter, at, setting, error);
    plan->steps = setting->topology->colours;
    plan->data = (void *)setting->topology;
    return true;
}

static bool takes_all(const struct ek_view *view, unsigned port)
{
    (void)view;
    (void)port;
    return true;
}

static bool takes_if_even(const struct ek_view *view, unsigned port)
{
    (void)port;
    return view->processor % 2 == 0;
}

static bool takes_colour(const struct ek_view *view, unsigned port)
{
    const struct ek_topology *topology = view->plan->data;
    return topology->colour[topology->first[view->processor] + port] == view->step->number;
}

static const struct ek_texts texts = {.title = "for a test"};

static const struct ek_method greedy = {
    .name = "greedy",
    .texts = &texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS | EK_ONE_PORT},
    .links = EK_LINKS_CHOSEN,
    .prepare = prepare_step,
    .rule = &(const struct ek_rule){.flow = flow_quarter},
    .rounds = &(const struct ek_rounds_part){.takes_part = takes_all},
};
static const struct ek_method one_sided = {
    .name = "one-sided",
    .texts = &texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS | EK_ONE_PORT},
    .links = EK_LINKS_CHOSEN,
    .prepare = prepare_step,
    .rule = &(const struct ek_rule){.flow = flow_quarter},
    .rounds = &(const struct ek_rounds_part){.takes_part = takes_if_even},
};
static const struct ek_method by_colour = {
    .name = "by-colour",
    .texts = &texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS | EK_ONE_PORT},
    .links = EK_LINKS_CHOSEN,
    .prepare = prepare_colours,
    .rule = &(const struct ek_rule){.flow = flow_half},
    .rounds = &(const struct ek_rounds_part){.takes_part = takes_colour},
};

static void try_method(const struct ek_method *method, struct ek_experiment experiment, struct tests_outcome *outcome)
{
    struct ek_error error;
    cr_assert(ek_method_find(method->name) == method || ek_method_register(method, &error), "%s", error.sentence);
    experiment.method = method->name;
    experiment.keep_loads = true;
    tests_try(&experiment, 0, outcome);
}

Test(ports, two_links_of_a_one_port_processor_are_a_violation)
{
    static const char *const mailboxes[] = {"slot", "spsc", "wfcq", "mutex"};
    for (unsigned i = 0; i < 4; i++) {
        struct tests_outcome outcome;
        try_method(
            &greedy,
            (struct ek_experiment){.topology = "ring:6", .ports = "one", .carrier = "pool:1", .mailbox = mailboxes[i]},
            &outcome);
        cr_assert_eq(outcome.status, EK_VIOLATION);
        cr_assert_str_eq(outcome.error.sentence,
                         "greedy uses two links of one-port processor 0 in step 0: to 1 and to 5");
        tests_outcome_destroy(&outcome);
    }
}

Test(ports, every_carrier_catches_it)
{
    static const char *const carriers[] = {"threads", "pool:2", "pool:3"};
    for (unsigned i = 0; i < 3; i++) {
        struct tests_outcome outcome;
        unsigned processor, to, and_to;
        try_method(&greedy, (struct ek_experiment){.topology = "ring:6", .ports = "one", .carrier = carriers[i]},
                   &outcome);
        cr_assert_eq(outcome.status, EK_VIOLATION);
        cr_assert_eq(sscanf(outcome.error.sentence,
                            "greedy uses two links of one-port processor %u in step 0: to %u and to %u", &processor,
                            &to, &and_to),
                     3, "%s", outcome.error.sentence);
        cr_assert(processor < 6 && to != and_to && (to == (processor + 1) % 6 || to == (processor + 5) % 6));
        tests_outcome_destroy(&outcome);
    }
}

Test(ports, all_ports_may_be_used_at_once)
{
    struct tests_outcome outcome, diffusion;
    struct ek_experiment experiment = {.topology = "ring:6", .ports = "all", .carrier = "pool:2"};
    try_method(&greedy, experiment, &outcome);
    cr_assert_eq(outcome.status, EK_OK, "%s", outcome.error.sentence);
    experiment.method = "diffusion:0.25"; // which makes the same choice
    experiment.keep_loads = true;
    tests_try(&experiment, 0, &diffusion);
    for (unsigned p = 0; p < 6; p++) {
        cr_assert_float_eq(outcome.report.final[p], diffusion.report.final[p], 1e-9);
    }
    tests_outcome_destroy(&outcome);
    tests_outcome_destroy(&diffusion);
}

Test(ports, both_ends_must_answer_alike)
{
    static const char *const mailboxes[] = {"slot", "spsc"};
    for (unsigned i = 0; i < 2; i++) {
        struct tests_outcome outcome;
        try_method(
            &one_sided,
            (struct ek_experiment){.topology = "ring:6", .ports = "all", .carrier = "pool:1", .mailbox = mailboxes[i]},
            &outcome);
        cr_assert_eq(outcome.status, EK_VIOLATION, "%s: status %d, %s", mailboxes[i], outcome.status,
                     outcome.error.sentence);
        cr_assert(strstr(outcome.error.sentence, "in step 0 only one end of the link between 0 and 1 takes part"), "%s",
                  outcome.error.sentence);
        tests_outcome_destroy(&outcome);
    }
}

// Dimension exchange as a method that chooses its links gives the results of dimension exchange, bit by bit.
Test(ports, a_right_choice_is_not_disturbed)
{
    static const char *const topologies[] = {"ring:7", "torus:4x3", "star:5", "hypercube:4", "complete:6"};
    static const char *const carriers[] = {"pool:1", "pool:2", "threads"};
    static const char *const mailboxes[] = {"slot", "spsc", "wfcq", "mutex"};
    for (unsigned i = 0; i < 5 * 3 * 4 * 2; i++) {
        struct tests_outcome chosen, built_in;
        struct ek_experiment experiment = {.topology = topologies[i % 5],
                                           .ports = i % 2 ? "one" : "all",
                                           .carrier = carriers[i % 3],
                                           .mailbox = mailboxes[i % 4]};
        try_method(&by_colour, experiment, &chosen);
        cr_assert_eq(chosen.status, EK_OK, "%s", chosen.error.sentence);
        experiment.method = "ade";
        experiment.keep_loads = true;
        tests_try(&experiment, 0, &built_in);
        const char *name =
            tests_report_differs(&chosen.report, &built_in.report, ek_machine_topology(chosen.machine)->processors);
        cr_assert_null(name, "%s: %s differs", experiment.topology, name);
        tests_outcome_destroy(&built_in);
        tests_outcome_destroy(&chosen);
    }
}

static void never_called(struct ek_block *block)
{
    (void)block;
}

Test(ports, a_method_is_registered_once_and_whole)
{
    struct ek_error error;
    struct ek_method wrong = greedy;
    cr_assert(ek_method_register(&greedy, &error));
    cr_assert(ek_method_find("greedy") == &greedy);
    cr_assert_not(ek_method_register(&greedy, &error));
    cr_assert_eq(error.status, EK_BAD_INPUT);
    wrong.name = "ade";
    cr_assert_not(ek_method_register(&wrong, &error), "a built-in method's name is taken");
    wrong.name = "";
    cr_assert_not(ek_method_register(&wrong, &error));
    wrong.name = "lame";
    wrong.rounds = &(const struct ek_rounds_part){0};
    cr_assert_not(ek_method_register(&wrong, &error));
    cr_assert(strstr(error.sentence, "lame lacks a function"), "%s", error.sentence);
    wrong = greedy;
    wrong.name = "lame";
    wrong.supports.units = EK_TOKENS;
    cr_assert_not(ek_method_register(&wrong, &error), "it has no flow in tokens");
    wrong.supports.units = EK_REAL;
    wrong.prepare = NULL;
    cr_assert_not(ek_method_register(&wrong, &error));
    wrong = greedy;
    wrong.name = "lame";
    wrong.rounds = &(const struct ek_rounds_part){.takes_part = takes_all, .block_wide = never_called};
    cr_assert_not(ek_method_register(&wrong, &error));
    cr_assert(strstr(error.sentence, "lame has a block_wide"), "%s", error.sentence);
    wrong.rounds = &(const struct ek_rounds_part){.takes_part = takes_all, .block_wide_tokens = never_called};
    cr_assert_not(ek_method_register(&wrong, &error));
    static struct ek_method many[65];
    static char names[65][8];
    unsigned registered = 1;
    for (unsigned i = 0; i < 65; i++) {
        snprintf(names[i], sizeof names[i], "m%u", i);
        many[i] = greedy;
        many[i].name = names[i];
        registered += ek_method_register(&many[i], &error);
    }
    cr_assert_eq(registered, 64);
}
static const struct ek_method all_only = {
    .name = "all-only",
    .texts = &texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_ALL,
    .prepare = prepare_step,
    .rule = &(const struct ek_rule){.flow = flow_quarter},
    .rounds = &(const struct ek_rounds_part){0},
};

Test(ports, a_method_says_what_it_needs)
{
    struct tests_outcome outcome;
    try_method(&all_only, (struct ek_experiment){.ports = "one"}, &outcome);
    cr_assert(outcome.status == EK_BAD_INPUT && strstr(outcome.error.sentence, "use ports all"), "%s",
              outcome.error.sentence);
    tests_outcome_destroy(&outcome);
    try_method(&all_only, (struct ek_experiment){.units = "tokens"}, &outcome);
    cr_assert(outcome.status == EK_BAD_INPUT && strstr(outcome.error.sentence, "use units real"), "%s",
              outcome.error.sentence);
    tests_outcome_destroy(&outcome);
}

// If a rule is mutual, the flow over a link must not depend on the end that computes it. This one does, but only where
// the loads differ by 1: in step 3, in which the amounts of a method with its own loop are not sampled.
static double flow_of_the_even(const struct ek_view *view, unsigned port)
{
    bool wrong = view->processor % 2 == 1 && fabs(view->load - view->announced[port]) == 1.0;
    return wrong ? 0.0 : flow_quarter(view, port);
}
static void block_of_the_even(struct ek_block *block)
{
    ek_block_flows(block, flow_of_the_even);
}
static const struct ek_method even = {
    .name = "even",
    .texts = &texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_ALL,
    .prepare = prepare_step,
    .rule = &(const struct ek_rule){.flow = flow_of_the_even, .mutual = true},
    .rounds = &(const struct ek_rounds_part){.block = block_of_the_even},
};

Test(ports, a_load_that_was_foreseen_wrongly_is_a_violation)
{
    struct tests_outcome outcome;
    try_method(&even,
               (struct ek_experiment){
                   .topology = "chain:2", .load = "list:8,0", .barrier = "yield", .stop = "never", .steps_max = 9},
               &outcome);
    cr_assert_eq(outcome.status, EK_VIOLATION);
    cr_assert_str_eq(
        outcome.error.sentence,
        "after step 4 processor 1 holds 3.75, but 3.5 follows from its neighbours' loads: even is not mutual");
    tests_outcome_destroy(&outcome);
}

// A program that is a rule must send what its rule says. Where the rule runs in its place, the rule must not read more
// than loads within two links. This program breaks the first promise, and this rule the second one, from step 3 on.
static bool step_3_begun(const struct ek_view *view)
{
    return view->load + view->announced[0] == 8.0 && fabs(view->load - view->announced[0]) == 1.0;
}
static double flow_of_the_held(const struct ek_view *view, unsigned port)
{
    return step_3_begun(view) && view->held != view->load ? 0.0 : flow_quarter(view, port);
}
static void act_unlike(struct ek_turn *turn, double *amounts)
{
    amounts[0] = step_3_begun(&turn->view) ? 0.125 : flow_quarter(&turn->view, 0);
}
static bool prepare_unlike(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                           struct ek_error *error)
{
    (void)parameter, (void)at, (void)setting, (void)error;
    plan->flow = flow_of_the_held;
    return true;
}
static const struct ek_method unlike = {
    .name = "unlike",
    .texts = &texts,
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_ALL,
    .prepare = prepare_unlike,
    .rounds = &(const struct ek_rounds_part){.act = act_unlike},
};

Test(ports, a_program_that_is_not_its_rule_is_a_violation)
{
    static const struct {
        const char *barrier, *sentence;
    } cases[] = {
        {"spin",
         "the program of unlike is not its rule: in step 3 it sent 0.125 on port 0 of processor 0, and the rule "
         "gives 0.25"},
        {"yield",
         "after step 4 processor 1 holds 3.75, but 3.5 follows from its neighbours' loads: unlike is not a rule "
         "of loads"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = {
            .topology = "chain:2", .load = "list:8,0", .barrier = cases[i].barrier, .stop = "never", .steps_max = 9};
        struct tests_outcome outcome;
        try_method(&unlike, experiment, &outcome);
        cr_assert_eq(outcome.status, EK_VIOLATION);
        cr_expect_str_eq(outcome.error.sentence, cases[i].sentence);
        tests_outcome_destroy(&outcome);
    }
}

// Two processors swap their tokens until the counters at their ports reach 9, and then share them. Their loads
// return every other operation, their memory never does.
static double flow_counting(const struct ek_view *view, unsigned port)
{
    double over = view->load - view->announced[port];
    view->memory[port] += 1.0;
    return view->memory[port] < 9.0 ? over : floor(0.5 * over);
}

static bool prepare_counting(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                             struct ek_error *error)
{
    (void)parameter, (void)at, (void)setting, (void)error;
    plan->parameter = NAN;
    plan->port_doubles = 1;
    return true;
}

static const struct ek_method counting = {
    .name = "counting",
    .texts = &texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_ALL,
    .prepare = prepare_counting,
    .rule = &(const struct ek_rule){.flow_tokens = flow_counting},
    .rounds = &(const struct ek_rounds_part){0},
};

Test(ports, a_state_returns_only_with_the_memory_of_its_ports)
{
    struct tests_outcome outcome;
    try_method(&counting,
               (struct ek_experiment){.topology = "chain:2", .load = "list:7,1", .units = "tokens", .stop = "spread:0"},
               &outcome);
    cr_expect_eq(outcome.status, EK_OK, "%s", outcome.error.sentence);
    cr_expect(outcome.report.converged && outcome.report.operations == 9, "%u operations, %s",
              (unsigned)outcome.report.operations, outcome.report.why);
    tests_outcome_destroy(&outcome);
}
