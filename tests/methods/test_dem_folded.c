// SPDX-License-Identifier: MIT
// Dimension exchange on a folded mesh (dem:folded) against its definition, carried out on an array without steps.
// And the bound of Willebeck-LeMair & Reeves on the spread, which holds for powers of two only.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/must.h"
#include "base/random.h"

enum { PROCESSORS_MAX = 600, CASES = 200 };

struct folded {
    double load[PROCESSORS_MAX];
    double moved;
};

// Balances positions first .. first + size - 1 of a line: pairs of mirror images, then each half.
static void fold(struct folded *folded, unsigned first, unsigned stride, unsigned from, unsigned size)
{
    if (size < 2) {
        return;
    }
    for (unsigned j = 0; 2 * j + 1 < size; j++) {
        double *a = &folded->load[first + (from + j) * stride];
        double *b = &folded->load[first + (from + size - 1 - j) * stride];
        double half = floor(fabs(*a - *b) / 2.0);
        *(*a > *b ? a : b) -= half;
        *(*a < *b ? a : b) += half;
        folded->moved += half * (size - 1 - 2 * j);
    }
    unsigned half = (size + 1) / 2;
    fold(folded, first, stride, from, half);
    fold(folded, first, stride, from + half, size - half);
}

static uint64_t steps_of(unsigned side)
{
    uint64_t steps = 0;
    for (unsigned size = side; size > 1; size = (size + 1) / 2) {
        steps += size - 1;
    }
    return steps;
}

static void expect_folded(const char *topology, const char *load, uint64_t seed, const char *ports, const char *carrier)
{
    struct ek_experiment experiment = {.topology = topology,
                                       .method = "dem:folded",
                                       .load = load,
                                       .ports = ports,
                                       .carrier = carrier,
                                       .seed = seed,
                                       .keep_loads = true};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_assert_eq(outcome.report.ended, EK_ENDED_ITSELF, "%s: %s", topology, outcome.error.sentence);
    const struct ek_topology *mesh = ek_machine_topology(outcome.machine);
    const struct ek_report *report = &outcome.report;
    struct folded folded = {.moved = 0.0};
    memcpy(folded.load, report->initial, mesh->processors * sizeof *folded.load);
    unsigned stride = 1;
    uint64_t steps = 0;
    for (uint32_t d = 0; d < mesh->dimensions; d++) {
        unsigned side = mesh->side[d];
        for (uint32_t p = 0; p < mesh->processors; p++) {
            if (p / stride % side == 0) {
                fold(&folded, p, stride, 0, side);
            }
        }
        bool one = strcmp(ports, "one") == 0;
        steps += steps_of(side) * (one && side > 2 ? 2 : 1);
        stride *= side;
    }
    cr_expect_eq(report->moved, folded.moved, "%s %s %s: %g moved, not %g", topology, load, ports, report->moved,
                 folded.moved);
    cr_expect(report->scan_steps == steps && report->exchange_steps == steps, "%s %s: %u and %u steps, not %u",
              topology, ports, (unsigned)report->scan_steps, (unsigned)report->exchange_steps, (unsigned)steps);
    for (uint32_t p = 0; p < mesh->processors; p++) {
        cr_expect_eq(report->final[p], folded.load[p], "%s %s %s, seed %u: processor %u has %g, not %g", topology, load,
                     ports, (unsigned)seed, p, report->final[p], folded.load[p]);
    }
    tests_outcome_destroy(&outcome);
}

Test(folded, loads_and_transfers)
{
    static const char *const topologies[] = {"chain:1",    "chain:2",    "chain:3",     "chain:5",
                                             "chain:8",    "chain:13",   "chain:16",    "mesh:4x4",
                                             "mesh:5x3x6", "mesh:1x7x2", "hypercube:4", "mesh:9x11"};
    static const char *const loads[] = {"uniform:0:3", "uniform:0:1000", "peak:12345@0", "modulo:7919:101"};
    for (unsigned number = 0; number < CASES; number++) {
        expect_folded(topologies[number % 12], loads[number / 12 % 4], number, number % 2 ? "one" : "all",
                      number % 40 < 2 ? "threads" : "pool:2");
    }
}

static struct tests_outcome outcome_of(const char *topology, const char *method, const char *load, uint64_t seed)
{
    struct ek_experiment experiment = {
        .topology = topology, .method = method, .load = load, .carrier = "pool:1", .seed = seed, .keep_loads = true};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_assert_eq(outcome.report.ended, EK_ENDED_ITSELF, "%s %s: %s", topology, method, outcome.error.sentence);
    return outcome;
}

// The spread is at most the number of folds. The fact states this, and is absent where it does not hold.
Test(folded, spread_where_sides_are_powers_of_two)
{
    static const struct {
        const char *topology;
        double folds;
    } meshes[] = {{"chain:8", 3}, {"chain:16", 4}, {"mesh:4x8", 5}, {"mesh:2x4x4", 5}, {"mesh:8x8", 6}};
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct tests_outcome outcome = outcome_of(meshes[seed % 5].topology, "dem:folded", "uniform:0:1000", seed);
        cr_expect_leq(outcome.report.spread_final, meshes[seed % 5].folds, "%s", meshes[seed % 5].topology);
        cr_expect(outcome.report.converged && outcome.status == EK_OK);
        cr_expect_eq(fact_value(outcome.machine, "spread_most"), meshes[seed % 5].folds);
        cr_expect_eq(fact_value(outcome.machine, "steps_all"), (double)outcome.report.steps);
        tests_outcome_destroy(&outcome);
    }
    struct tests_outcome odd = outcome_of("chain:3", "dem:folded", "list:0,100,0", 0);
    cr_expect_arr_eq(odd.report.final, ((double[]){50, 50, 0}), 3 * sizeof(double));
    cr_expect(!fact_of(odd.machine, "spread_most"));
    tests_outcome_destroy(&odd);
    struct tests_outcome even = outcome_of("chain:6", "dem:folded", "peak:600@1", 0); // its halves are odd
    cr_expect(!fact_of(even.machine, "spread_most"));
    cr_expect(!even.report.converged && strstr(even.report.why, "the middle of an odd part"), "%s", even.report.why);
    tests_outcome_destroy(&even);
}

Test(folded, a_folded_hypercube_is_dem)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct tests_outcome folded = outcome_of("hypercube:5", "dem:folded", "uniform:0:50", seed);
        struct tests_outcome dem = outcome_of("hypercube:5", "dem", "uniform:0:50", seed);
        cr_expect_arr_eq(folded.report.final, dem.report.final, 32 * sizeof(double));
        cr_expect_eq(folded.report.moved, dem.report.moved);
        tests_outcome_destroy(&folded);
        tests_outcome_destroy(&dem);
    }
}

Test(folded, refusals)
{
    static const struct {
        const char *topology, *method, *delay, *sentence;
    } refused[] = {
        {"torus:8x8", "dem:folded", NULL, "dem:folded folds meshes"},
        {"star:8", "dem:folded", NULL, "dem:folded folds meshes"},
        {"mesh:8x8", "dem", NULL, "or dem:folded on a mesh"},
        {"hypercube:3", "dem:fold", NULL, "there is no way to exchange called 'fold'"},
        {"mesh:8x8", "dem:folded", "fixed:1", "delay"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ek_experiment experiment = {
            .topology = refused[i].topology, .method = refused[i].method, .delay = refused[i].delay};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_expect(outcome.status == EK_BAD_INPUT && strstr(outcome.error.sentence, refused[i].sentence), "%s %s: %s",
                  refused[i].topology, refused[i].method, outcome.error.sentence);
        tests_outcome_destroy(&outcome);
    }
}
