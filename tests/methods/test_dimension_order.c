// SPDX-License-Identifier: MIT
// The order of colours and dimensions (--order): exchange link by link on an array, quotas, shifts and diffusion
// line by line, in the given order.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/runs.h"
#include "topologies/topology.h"

enum { PROCESSORS_MAX = 64 };

// Exchanges tokens over the links of one colour after the other: floor(lambda d) of a difference d > 1 moves.
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

// The eigenvalues of an operation do not depend on the order, so its polynomials still end.
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

// Applies `change` to each line of dimension d of a product. Processor x0 + k0*(x1 + k1*x2): a line has k processors
// with distance `stride`.
static void along(const struct ek_topology *topology, unsigned d, void (*change)(double *load, uint32_t k, bool ring),
                  double *load)
{
    uint32_t k = topology->side[d], stride = 1;
    for (unsigned i = 0; i < d; i++) {
        stride *= topology->side[i];
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        double line[PROCESSORS_MAX];
        for (uint32_t x = 0; p / stride % k == 0 && x < k; x++) {
            line[x] = load[p + x * stride];
        }
        if (p / stride % k == 0) {
            change(line, k, topology->wraps);
        }
        for (uint32_t x = 0; p / stride % k == 0 && x < k; x++) {
            load[p + x * stride] = line[x];
        }
    }
}

// Wu & Shu: of a line with T tasks, the first T mod k processors get one more than floor(T/k).
static void to_quotas(double *load, uint32_t k, bool ring)
{
    (void)ring;
    double total = 0.0;
    for (uint32_t x = 0; x < k; x++) {
        total += load[x];
    }
    for (uint32_t x = 0; x < k; x++) {
        load[x] = floor(total / k) + ((double)x < fmod(total, k));
    }
}

// Henrich's c5: every processor that has load, and at least as much as its successor, shifts one token; all at once.
static void shift_c5(double *load, uint32_t k, bool ring)
{
    (void)ring;
    double change[PROCESSORS_MAX] = {0.0};
    for (uint32_t x = 0; x < k; x++) {
        bool shifts = load[x] > 0.0 && load[x] >= load[(x + 1) % k];
        change[x] -= shifts;
        change[(x + 1) % k] += shifts;
    }
    for (uint32_t x = 0; x < k; x++) {
        load[x] += change[x];
    }
}

// alpha = 2/(l2+lmax) of a path or ring of k: the eigenvalues are 2 - 2 cos(pi j/k), or 2 - 2 cos(2 pi j/k).
static void diffuse(double *load, uint32_t k, bool ring)
{
    const double pi = acos(-1.0);
    bool wraps = ring && k > 2;
    double turn = (wraps ? 2.0 : 1.0) * pi / k;
    double least = 2.0 - 2.0 * cos(turn), largest = 2.0 - 2.0 * cos(wraps ? turn * (k / 2) : turn * (k - 1));
    double old[PROCESSORS_MAX];
    memcpy(old, load, k * sizeof *load);
    for (uint32_t x = 0; x < k; x++) {
        uint32_t below = x > 0 ? x - 1 : wraps ? k - 1 : x, above = x + 1 < k ? x + 1 : wraps ? 0 : x;
        load[x] += 2.0 / (least + largest) * (old[below] + old[above] - 2.0 * old[x]);
    }
}

static const unsigned permutations[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

// Checks runs that end after `turns` dimensions. The matrices of an operation commute, but a part of it shows which
// dimensions came first.
static void expect_dimensions(const char *spec, const char *method, const char *words, const unsigned *order,
                              void (*change)(double *load, uint32_t k, bool ring), unsigned turns)
{
    struct ek_experiment experiment = {.topology = spec,
                                       .method = method,
                                       .order = words,
                                       .load = "modulo:7919:101",
                                       .carrier = turns % 2 ? "pool:2" : "threads",
                                       .stop = change == to_quotas ? NULL : "never",
                                       .operations_max = change == shift_c5,
                                       .steps_max = change == diffuse ? turns : 0,
                                       .keep_loads = true};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_assert_eq(outcome.status, EK_OK, "%s: %s", method, outcome.error.sentence);
    const struct ek_topology *topology = ek_machine_topology(outcome.machine);
    double load[PROCESSORS_MAX];
    memcpy(load, outcome.report.initial, topology->processors * sizeof *load);
    for (unsigned i = 0; i < turns; i++) {
        along(topology, order[i], change, load);
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        double slack = change == diffuse ? 1e-10 : 0.0;
        cr_expect(fabs(load[p] - outcome.report.final[p]) <= slack, "%s on %s, order %s: %g at %u, and not %g", method,
                  spec, words, outcome.report.final[p], p, load[p]);
    }
    tests_outcome_destroy(&outcome);
}

static void expect_all_dimensions(const char *spec, const char *words, const unsigned *order)
{
    static const char *const scans[] = {"dde", "dde:send-first", "dde:middle", "dde:doubling"};
    const unsigned back[] = {order[2], order[1], order[0]}; // adi's usual order is the reverse
    bool by_number = !strcmp(words, "usual") || !strcmp(words, "reversed");
    const unsigned *of_adi = by_number ? back : order;
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++) {
        expect_dimensions(spec, scans[i], words, order, to_quotas, 3);
    }
    if (strncmp(spec, "torus", strlen("torus")) == 0) {
        expect_dimensions(spec, "liquid:c5", words, order, shift_c5, 3);
    }
    for (unsigned turns = 1; turns <= 3; turns++) {
        expect_dimensions(spec, "adi(fos)", words, of_adi, diffuse, turns);
        expect_dimensions(spec, "mdi(fos)", words, of_adi, diffuse, turns);
    }
}

Test(order, methods_take_the_dimensions_as_said)
{
    static const char *const products[] = {"mesh:3x4x5", "torus:3x4x5", "torus:2x4x3"};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        for (size_t k = 0; k < sizeof permutations / sizeof *permutations; k++) {
            char words[16];
            const unsigned *order = permutations[k];
            snprintf(words, sizeof words, "%u,%u,%u", order[0], order[1], order[2]);
            expect_all_dimensions(products[i], words, order);
        }
        expect_all_dimensions(products[i], "usual", (unsigned[]){0, 1, 2});
        expect_all_dimensions(products[i], "reversed", (unsigned[]){2, 1, 0});
    }
}

// A dimension without links has its place in the order. The polynomials of the directions do not depend on it.
Test(order, every_dimension_has_a_place)
{
    expect_dimensions("mesh:3x1x4", "dde", "1,2,0", (unsigned[]){1, 2, 0}, to_quotas, 3);
    static const char *const methods[] = {"adi(opt)", "adi(ops)", "de-adi(opt)", "mdi(opt)"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct ek_experiment experiment = {
            .topology = "mesh:3x1x4", .method = methods[i], .order = "2,1,0", .carrier = "pool:1"};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_expect(outcome.status == EK_OK && outcome.report.error_final < 1e-6, "%s: %g", methods[i],
                  outcome.report.error_final);
        tests_outcome_destroy(&outcome);
    }
}

Test(order, refusals)
{
    static const struct {
        const char *method, *order, *timing;
        int at;
    } refused[] = {
        {"ade", "0,1,2", NULL, 5},     {"ade", "0,1,1,2", NULL, 4},       {"ade", "0,1,2,4", NULL, 6},
        {"ade", "0,1,2,3,0", NULL, 7}, {"ade", "first", NULL, 0},         {"adf", "reversed", NULL, 0},
        {"nna", "reversed", NULL, 0},  {"matching", "reversed", NULL, 0}, {"ade", "reversed", "free", 0},
        {"dde", "0,1,2", NULL, 3},     {"dde", "1,1", NULL, 2},           {"adi(fos)", "0", NULL, 1},
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
