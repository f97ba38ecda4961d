// SPDX-License-Identifier: MIT
// The order of the colours (--order): exchange carried out link by link on an array, in the order that was asked for.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/runs.h"

enum { PROCESSORS_MAX = 64 };

// Tokens: floor(lambda d) of a difference d > 1 moves, over the links of one colour after the other.
static void exchange(const struct ek_topology *topology, double lambda, const unsigned *order, unsigned colours,
                     double *load)
{
    for (unsigned i = 0; i < colours; i++) {
        for (uint32_t port = 0; port < topology->ports; port++) {
            uint32_t a = topology->neighbour[topology->twin[port]];
            uint32_t b = topology->neighbour[port];
            if (a < b && topology->colour[port] == order[i]) {
                double difference = fabs(load[a] - load[b]);
                double amount = difference > 1.0 ? floor(lambda * difference) : 0.0;
                double *larger = load[a] > load[b] ? &load[a] : &load[b];
                double *smaller = load[a] > load[b] ? &load[b] : &load[a];
                *larger -= amount;
                *smaller += amount;
            }
        }
    }
}

static void expect_order(const char *spec, const char *method, double lambda, const char *words, const unsigned *order,
                         unsigned colours)
{
    static const char *const carriers[] = {"threads", "pool:3"};
    struct ek_error error;
    struct ek_topology *usual = ek_topology_create(spec, 1, (struct ek_reader){0}, &error);
    cr_assert(usual && usual->colours == colours, "%s has other colours", spec);
    for (unsigned i = 0; i < 4; i++) {
        struct ek_experiment experiment = {.topology = spec,
                                           .method = method,
                                           .units = "tokens",
                                           .order = words,
                                           .load = "modulo:7919:1001",
                                           .ports = i / 2 ? "one" : "all",
                                           .carrier = carriers[i % 2],
                                           .seed = 1,
                                           .operations_max = 1,
                                           .keep_loads = true};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_assert(outcome.machine, "%s: %s", spec, outcome.error.sentence);
        cr_expect(ek_topology_valid(ek_machine_topology(outcome.machine), &error), "%s: %s", spec, error.sentence);
        double load[PROCESSORS_MAX];
        memcpy(load, outcome.report.initial, usual->processors * sizeof *load);
        exchange(usual, lambda, order, colours, load);
        cr_expect_arr_eq(outcome.report.final, load, usual->processors * sizeof *load, "%s %s %s", spec, method, words);
        tests_outcome_destroy(&outcome);
    }
    ek_topology_destroy(usual);
}

Test(order, exchange_takes_the_colours_as_said)
{
    expect_order("torus:4x4", "gde:0.7", 0.7, "usual", (unsigned[]){0, 1, 2, 3}, 4);
    expect_order("torus:4x4", "gde:0.7", 0.7, "reversed", (unsigned[]){3, 2, 1, 0}, 4);
    expect_order("torus:4x4", "ade", 0.5, "2,0,3,1", (unsigned[]){2, 0, 3, 1}, 4);
    expect_order("ring:7", "gde:0.6", 0.6, "2,0,1", (unsigned[]){2, 0, 1}, 3);
    expect_order("hypercube:4", "dem", 0.5, "3,1,0,2", (unsigned[]){3, 1, 0, 2}, 4);
    expect_order("complete:5", "gde:0.7", 0.7, "4,3,0,2,1", (unsigned[]){4, 3, 0, 2, 1}, 5);
}

// The eigenvalues of a sweep do not depend on the order, so its polynomials still end.
Test(order, de_still_balances)
{
    struct ek_experiment experiment = {
        .topology = "mesh:5x4", .method = "de(ops)", .order = "2,0,3,1", .load = "peak:1000", .carrier = "pool:1"};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_expect(outcome.status == EK_OK && outcome.report.variance_final < 1e-15, "%s: %g", outcome.error.sentence,
              outcome.report.variance_final);
    tests_outcome_destroy(&outcome);
}

Test(order, refusals)
{
    static const struct {
        const char *method, *order, *timing;
        int at;
    } refused[] = {
        {"ade", "0,1,2", NULL, 5},     {"ade", "0,1,1,2", NULL, 4},       {"ade", "0,1,2,4", NULL, 6},
        {"ade", "0,1,2,3,0", NULL, 7}, {"ade", "first", NULL, 0},         {"adf", "reversed", NULL, 0},
        {"dde", "reversed", NULL, 0},  {"matching", "reversed", NULL, 0}, {"ade", "reversed", "free", 0},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .method = refused[i].method,
                                           .order = refused[i].order,
                                           .timing = refused[i].timing};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_expect(outcome.status == EK_BAD_INPUT && outcome.error.at == refused[i].at, "%s %s: at %d, %s",
                  refused[i].method, refused[i].order, outcome.error.at, outcome.error.sentence);
        cr_expect_str_eq(outcome.error.axis, "order", "%s", refused[i].method);
        tests_outcome_destroy(&outcome);
    }
}
