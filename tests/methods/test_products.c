// SPDX-License-Identifier: MIT
// Methods that take the dimensions of a product one after another, on products of any factors: the runs are those of
// the mesh or torus that a product is, and dde reaches quotas that follow from sums alone.
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "tests/support/must.h"

enum { PROCESSORS_MAX = 128 };

static struct ek_experiment experiment(const char *topology, const char *method, const char *units)
{
    return (struct ek_experiment){.topology = topology,
                                  .method = method,
                                  .units = units,
                                  .load = "modulo:7919:1001",
                                  .stop = "never",
                                  .steps_max = 200,
                                  .carrier = "pool:1"};
}

static uint32_t processors_of(const struct tests_outcome *outcome)
{
    return ek_machine_topology(outcome->machine)->processors;
}

static void expect_same_runs(const char *product, const char *other, const char *method, const char *units)
{
    struct tests_outcome a, b;
    must_run(experiment(product, method, units), &a);
    must_run(experiment(other, method, units), &b);
    cr_expect_eq(a.report.steps, b.report.steps, "%s on %s: %d steps, not %d", method, product, (int)a.report.steps,
                 (int)b.report.steps);
    cr_expect_eq(a.report.scan_steps, b.report.scan_steps, "%s on %s", method, product);
    cr_expect_eq(a.report.moved, b.report.moved, "%s on %s", method, product);
    cr_expect_eq(memcmp(a.report.final, b.report.final, processors_of(&a) * sizeof *a.report.final), 0,
                 "%s on %s: other loads", method, product);
    tests_outcome_destroy(&a);
    tests_outcome_destroy(&b);
}

Test(products, of_paths_and_rings_are_meshes_and_tori)
{
    static const char *const reals[] = {"ade",      "gde:0.72", "fos",           "adi(fos)", "mdi(fos)",
                                        "adi(opt)", "adi(ops)", "diffusion:0.1", "de(opt)",  "de-adi(opt)"};
    static const char *const tokens[] = {"dde", "dde:send-first", "dde:middle", "dde:doubling", "ade"};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        expect_same_runs("product(ring:4,ring:6)", "torus:4x6", reals[i], "real");
        expect_same_runs("product(chain:3,chain:4,chain:2)", "mesh:3x4x2", reals[i], "real");
    }
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        expect_same_runs("product(ring:4,ring:5)", "torus:4x5", tokens[i], "tokens");
        expect_same_runs("product(chain:3,chain:4,complete:2)", "mesh:3x4x2", tokens[i], "tokens");
    }
    expect_same_runs("product(ring:4,ring:5)", "torus:4x5", "liquid:c5", "tokens");
    expect_same_runs("product(chain:2,chain:2,chain:2)", "hypercube:3", "dem", "tokens");
    expect_same_runs("product(chain:4,chain:3)", "mesh:4x3", "dem:folded", "tokens");
}

// A dimension: its side, and the coordinates in the order in which they have the extra tokens.
struct side {
    uint32_t side;
    uint32_t order[8];
};

// Gives each line of a dimension its quotas.
static void to_quotas(double *load, uint32_t processors, uint32_t stride, const struct side *side)
{
    for (uint32_t p = 0; p < processors; p++) {
        if (p / stride % side->side > 0) {
            continue;
        }
        uint64_t total = 0;
        for (uint32_t x = 0; x < side->side; x++) {
            total += (uint64_t)load[p + x * stride];
        }
        for (uint32_t rank = 0; rank < side->side; rank++) {
            load[p + side->order[rank] * stride] = (double)(total / side->side + (rank < total % side->side));
        }
    }
}

static const struct product {
    const char *spec;
    struct side side[2];
    uint64_t scan_steps;
} products[] = {
    {"product(star:5,chain:3)", {{5, {0, 1, 2, 3, 4}}, {3, {0, 1, 2}}}, 2 + 4},
    {"product(ring:4,complete:5)", {{4, {0, 1, 2, 3}}, {5, {0, 1, 2, 3, 4}}}, 6 + 2},
    {"product(tree:2:2,hypercube:3)", {{7, {0, 1, 3, 4, 2, 5, 6}}, {8, {0, 1, 2, 3, 4, 5, 6, 7}}}, 4 + 6},
    {"product(circulant:7:1,2,tree:3:1)", {{7, {0, 1, 2, 5, 3, 6, 4}}, {4, {0, 1, 2, 3}}}, 4 + 2},
};

static void expect_quotas(const struct product *product, const char *method, const char *ports, const char *order)
{
    struct ek_experiment asked = experiment(product->spec, method, "tokens");
    struct tests_outcome outcome;
    double load[PROCESSORS_MAX];
    asked.ports = ports;
    asked.order = order;
    must_run(asked, &outcome);
    uint32_t processors = processors_of(&outcome);
    cr_assert(processors <= PROCESSORS_MAX);
    memcpy(load, outcome.report.initial, processors * sizeof *load);
    bool turned = strcmp(order, "1,0") == 0;
    for (int i = 0; i < 2; i++) {
        int d = turned ? 1 - i : i;
        to_quotas(load, processors, d == 0 ? 1 : product->side[0].side, &product->side[d]);
    }
    cr_expect_eq(memcmp(load, outcome.report.final, processors * sizeof *load), 0, "%s, %s, order %s: other loads",
                 product->spec, method, order);
    cr_expect(strcmp(ports, "one") == 0 || outcome.report.scan_steps == product->scan_steps, "%s: %d scan steps",
              product->spec, (int)outcome.report.scan_steps);
    cr_expect_leq(outcome.report.spread_final, 2, "%s", product->spec);
    cr_expect_not(outcome.report.has_steps_paper, "%s", product->spec);
    tests_outcome_destroy(&outcome);
}

Test(products, dde_gives_each_line_its_quotas)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        expect_quotas(&products[i], "dde", "all", "usual");
        expect_quotas(&products[i], "dde", "one", "usual");
        expect_quotas(&products[i], "dde:send-first", "all", "1,0");
        expect_quotas(&products[i], "dde:send-first", "one", "usual");
    }
}

// Along a tree the flows follow from the quotas, so neither the ports nor the order of sending change them. The bounds
// hold on the steps of each.
Test(products, dde_moves_alike_in_every_order)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        struct tests_outcome receive, send, one;
        struct ek_experiment asked = experiment(products[i].spec, "dde", "tokens");
        double most = fact_of_experiment(asked, "exchange_steps_most");
        cr_expect_eq(fact_of_experiment(asked, "scan_steps_all"), (double)products[i].scan_steps);
        must_run(asked, &receive);
        asked.ports = "one";
        must_run(asked, &one);
        asked.ports = "all";
        asked.method = "dde:send-first";
        must_run(asked, &send);
        cr_expect_leq((double)receive.report.exchange_steps, most, "%s", products[i].spec);
        cr_expect_leq(send.report.exchange_steps, receive.report.exchange_steps, "%s", products[i].spec);
        cr_expect_eq(receive.report.flow_l2, send.report.flow_l2, "%s", products[i].spec);
        cr_expect_eq(receive.report.flow_l2, one.report.flow_l2, "%s", products[i].spec);
        cr_expect_eq(receive.report.moved, one.report.moved, "%s", products[i].spec);
        tests_outcome_destroy(&receive);
        tests_outcome_destroy(&send);
        tests_outcome_destroy(&one);
    }
}

Test(products, methods_for_lines_refuse_other_factors)
{
    static const struct {
        const char *topology, *method, *part;
    } cases[] = {{"product(star:4,ring:4)", "dde:middle", "dimension 0 is star:4"},
                 {"product(ring:4,complete:3)", "dde:doubling", "dimension 1 is complete:3"},
                 {"tree:2:3", "dde", "dimensions of a product"},
                 {"product(ring:4,chain:3)", "liquid:c5", "around rings"},
                 {"product(ring:4,complete:5)", "liquid:c5", "around rings"},
                 {"product(chain:4,star:4)", "dem:folded", "mesh"},
                 {"ccc:3", "adi(fos)", "no directions"},
                 {"hsn(3,ring:3)", "ded(fos)", "otis"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error;
        struct ek_experiment asked = experiment(cases[i].topology, cases[i].method, "tokens");
        asked.units = strstr(cases[i].method, "(fos)") ? "real" : "tokens";
        cr_assert_null(ek_prepare(&asked, &error), "%s on %s", cases[i].method, cases[i].topology);
        cr_expect_eq(error.status, EK_BAD_INPUT);
        cr_expect(strstr(error.sentence, cases[i].part), "%s: %s", cases[i].topology, error.sentence);
    }
}
