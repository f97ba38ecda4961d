// SPDX-License-Identifier: MIT
// Diffusion with weights of links: Metropolis weights and weights from a file, by hand and against adf, which they are
// where all degrees are equal; the factors of tests/property/theory_facts.py on small graphs; what a file may hold.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/must.h"
#include "tests/support/text_file.h"
#include "threads/machine/machine.h"

static const char *const timings[] = {"rounds", "turns"};

static struct ek_experiment with_weights(struct tests_memory *memory, const char *text)
{
    *memory = (struct tests_memory){text, strlen(text)};
    return (struct ek_experiment){.method = "diffusion:file:weights.txt", .reader = tests_memory_reader(memory)};
}

static void expect_final(struct ek_experiment experiment, const double *final, uint32_t processors)
{
    struct tests_outcome outcome;
    must_run(experiment, &outcome);
    for (uint32_t p = 0; p < processors; p++) {
        cr_expect(fabs(outcome.report.final[p] - final[p]) < 1e-12, "%s %s: %u has %.17g, not %.17g",
                  experiment.topology, experiment.method, p, outcome.report.final[p], final[p]);
    }
    tests_outcome_destroy(&outcome);
}

// On a mesh of 3x2 the corners have two neighbours and the others three: links between corners have the weight 1/3,
// all others 1/4. After one operation loads are 3, 3, 3, 0, 3, 0; then 1 goes over 0-3 and 2-5, and 3/4 over 4-3 and
// 4-5.
Test(link_weights, metropolis_by_hand)
{
    static const double once[] = {3, 3, 3, 0, 3, 0};
    static const double twice[] = {2, 3, 2, 1.75, 1.5, 1.75};
    static const double tokens[] = {2, 3, 2, 1, 3, 1}; // 3/4 is rounded down
    struct ek_experiment experiment = {.topology = "mesh:3x2",
                                       .method = "metropolis",
                                       .load = "list:0,12,0,0,0,0",
                                       .stop = "never",
                                       .operations_max = 1};
    expect_final(experiment, once, 6);
    experiment.operations_max = 2;
    expect_final(experiment, twice, 6);
    experiment.ports = "one";
    expect_final(experiment, twice, 6);
    experiment.units = "tokens";
    expect_final(experiment, tokens, 6);
}

// Where capacities differ, loads divided by capacities are compared: 12 and 0 in 2:1 give (6 - 0)/2.
Test(link_weights, capacities_divide_loads)
{
    static const double once[] = {9, 3};
    expect_final((struct ek_experiment){.topology = "chain:2",
                                        .method = "metropolis",
                                        .load = "list:12,0",
                                        .capacity = "semi",
                                        .stop = "never",
                                        .operations_max = 1},
                 once, 2);
}

static void expect_same(struct ek_experiment one, struct ek_experiment other)
{
    struct tests_outcome outcomes[2];
    must_run(one, &outcomes[0]);
    must_run(other, &outcomes[1]);
    uint32_t processors = ek_machine_topology(outcomes[0].machine)->processors;
    cr_expect_eq(outcomes[0].report.steps, outcomes[1].report.steps, "%s %s", one.topology, one.method);
    cr_expect_arr_eq(outcomes[0].report.final, outcomes[1].report.final, processors * sizeof(double), "%s %s",
                     one.topology, one.method);
    tests_outcome_destroy(&outcomes[0]);
    tests_outcome_destroy(&outcomes[1]);
}

Test(link_weights, metropolis_is_adf_where_degrees_are_equal)
{
    static const char *const topologies[] = {"ring:9",      "torus:4x3",  "hypercube:4",
                                             "random:12:3", "complete:5", "star:6"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        for (unsigned variant = 0; variant < 4; variant++) {
            struct ek_experiment experiment = {.topology = topologies[i],
                                               .method = "adf",
                                               .timing = timings[variant % 2],
                                               .units = variant / 2 ? "tokens" : NULL,
                                               .delay = variant == 3 ? "fixed:2" : NULL,
                                               .steps_max = 300};
            struct ek_experiment other = experiment;
            other.method = "metropolis";
            expect_same(experiment, other);
        }
    }
}

Test(link_weights, equal_weights_of_a_file_are_those_of_diffusion)
{
    struct tests_memory memory;
    struct ek_experiment one = with_weights(&memory, "0 1 0.3\n2 1 0.3\n\n2 3 0.3\n");
    one.topology = "chain:4";
    struct ek_experiment other = {.topology = "chain:4", .method = "diffusion:0.3"};
    expect_same(one, other);
    one.units = other.units = "tokens";
    expect_same(one, other);
    one.units = other.units = NULL;
    one.timing = other.timing = "virtual";
    expect_same(one, other);
    one.invoke = other.invoke = "below:500";
    one.timing = other.timing = NULL;
    cr_expect(fabs(fact_of_experiment(one, "domain_diffusion") - fact_of_experiment(other, "domain_diffusion")) <
              1e-12);
}

// 8 and 0, 0, 0 with weights of 1/2, 1/4 and 1: 4 moves, then 2, 1; then 1/2, 3/4 and 1.
Test(link_weights, weights_of_a_file_by_hand)
{
    static const double final[3][4] = {{4, 4, 0, 0}, {4, 3, 1, 0}, {3.5, 3, 0.5, 1}};
    struct tests_memory memory;
    struct ek_experiment experiment = with_weights(&memory, "0 1 0.5\n1 2 0.25\n2 3 1\n");
    experiment.topology = "chain:4";
    experiment.load = "list:8,0,0,0";
    experiment.stop = "never";
    for (uint64_t k = 1; k <= 3; k++) {
        experiment.operations_max = k;
        expect_final(experiment, final[k - 1], 4);
    }
}

static void expect_gamma(struct ek_experiment experiment, double gamma)
{
    double found = fact_of_experiment(experiment, "gamma");
    cr_expect(fabs(found - gamma) < 1e-9, "%s %s: %.12g, not %.12g", experiment.topology, experiment.method, found,
              gamma);
}

// On a mesh of 3x2, loads that are equal along the side of 2 see a chain with weights of 1/4: its eigenvalues are 0,
// 1/4 and 3/4. Opposite loads add 2/3, 1/2 and 2/3 to the diagonal: 11/12 and 23/24 +- sqrt(73)/24. So 1/4 decides.
Test(link_weights, factors_are_those_of_the_weighted_laplacian)
{
    struct tests_memory memory;
    struct ek_experiment experiment = {.topology = "mesh:3x2", .method = "metropolis"};
    expect_gamma(experiment, 0.75);
    experiment = with_weights(&memory, "0 1 0.75\n");
    experiment.topology = "chain:2";
    expect_gamma(experiment, 0.5);
    // The Laplacian of a chain of 3 with weights a and b has the eigenvalues a+b +- sqrt(a^2-ab+b^2).
    experiment = with_weights(&memory, "0 1 0.5\n1 2 0.25\n");
    experiment.topology = "chain:3";
    expect_gamma(experiment, 1.0 - (0.75 - sqrt(0.1875)));
    experiment = with_weights(&memory, "0 1 1\n1 2 0.5\n");
    experiment.topology = "chain:3";
    expect_gamma(experiment, 0.5 + sqrt(0.75));
    struct ek_machine *machine = must_prepare(experiment); // loads diverge: no number of operations is enough
    cr_expect_null(fact_of(machine, "operations_most"));
    cr_expect(strstr(fact_of(machine, "gamma")->text, "some loads never balance"));
    ek_machine_destroy(machine);
}

// Overlapping operations could swap loads for ever.
Test(link_weights, large_weights_share_no_link)
{
    struct tests_memory memory;
    struct ek_experiment experiment = with_weights(&memory, "0 1 0.5\n1 2 0.25\n");
    experiment.topology = "chain:3";
    experiment.timing = "virtual";
    struct ek_machine *machine = must_prepare(experiment);
    cr_expect_eq(machine->plan.domains, MACHINE_DOMAINS_ONCE); // 0.75 and 0.5 are above 1
    ek_machine_destroy(machine);
    experiment.announce = "pushed";
    ek_machine_destroy(must_prepare(experiment));
    experiment = with_weights(&memory, "0 1 0.25\n1 2 0.25\n");
    experiment.topology = "chain:3";
    experiment.timing = "virtual";
    machine = must_prepare(experiment);
    cr_expect_eq(machine->plan.domains, MACHINE_DOMAINS_OVERLAP);
    ek_machine_destroy(machine);
}

Test(link_weights, wrong_files_are_refused)
{
    static const struct {
        const char *text, *sentence;
    } rows[] = {
        {"0 1 0.5\n", "the file has weights for 1 links, but the topology has 2: write a line for each link"},
        {"0 1 0.5\n1 0 0.5\n1 2 1\n", "weights.txt:2: this link has its weight already: leave one line out"},
        {"0 1 1.5\n1 2 1\n", "weights.txt:1: the weight must be from 0 to 1"},
        {"0 2 0.5\n", "weights.txt:1: processors 0 and 2 are not linked: leave this line out"},
        {"0 1\n", "weights.txt:1: a line has two processors and the weight of their link, as in 0 1 0.25"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tests_memory memory;
        struct ek_error error;
        struct ek_experiment experiment = with_weights(&memory, rows[i].text);
        experiment.topology = "chain:3";
        cr_expect_null(ek_prepare(&experiment, &error));
        cr_expect_str_eq(error.sentence, rows[i].sentence);
        cr_expect_str_eq(error.axis, "method");
    }
}

// The best single alpha, of odf on graphs without a closed form and of fos.
Test(link_weights, the_best_alpha)
{
    static const char *const topologies[] = {"mesh:4x3", "random:12:3", "star:6", "chain:2"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        for (unsigned weighs = 0; weighs < 2; weighs++) {
            struct ek_experiment experiment = {
                .topology = topologies[i], .method = "fos", .capacity = weighs ? "semi" : NULL, .steps_max = 300};
            struct ek_experiment other = experiment;
            other.method = "diffusion:best";
            expect_same(experiment, other);
        }
    }
}
