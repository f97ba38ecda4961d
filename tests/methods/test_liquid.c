// SPDX-License-Identifier: MIT
// The liquid model against another implementation of Definition 1, and Henrich's theorems; the methods that he
// compared it with; and methods that balance a whole domain.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/text_file.h"
#include "tests/support/runs.h"
#include "base/random.h"

enum { CONDITIONS = 8, PROCESSORS_MAX = 256, TEXT_MAX = PROCESSORS_MAX * 20 };

static const char *const conditions[CONDITIONS] = {"liquid:c0", "liquid:c1", "liquid:c2",  "liquid:c3",
                                                   "liquid:c4", "liquid:c5", "liquid:c2r", "liquid:c4r"};

// Runs a token method from these loads on one worker.
static void run_from(const char *topology, const char *method, const double *load, unsigned count, const char *stop,
                     uint64_t operations, struct tests_outcome *outcome)
{
    static char text[TEXT_MAX];
    size_t length = 0;
    for (unsigned p = 0; p < count; p++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%.0f\n", load[p]);
    }
    struct tests_memory memory = {.text = text, .length = length};
    tests_try(&(struct ek_experiment){.topology = topology,
                                      .method = method,
                                      .units = "tokens",
                                      .load = "file:loads",
                                      .stop = stop,
                                      .operations_max = operations,
                                      .carrier = "pool:1",
                                      .keep_loads = true,
                                      .keep_trace = true,
                                      .reader = tests_memory_reader(&memory)},
              0, outcome);
    cr_assert(outcome->machine != NULL, "%s on %s: %s", method, topology, outcome->error.sentence);
}

static void run_peak(const char *topology, const char *method, double peak, const char *stop,
                     struct tests_outcome *outcome)
{
    char load[40];
    snprintf(load, sizeof load, "peak:%.0f", peak);
    tests_try(&(struct ek_experiment){.topology = topology,
                                      .method = method,
                                      .units = "tokens",
                                      .load = load,
                                      .stop = stop,
                                      .carrier = "pool:1",
                                      .keep_loads = true},
              0, outcome);
    cr_assert(outcome->machine != NULL, "%s on %s: %s", method, topology, outcome->error.sentence);
}

// Table 1 for one ring. The recursive conditions are iterated from "no processor".
static void decide(const char *name, const double *load, unsigned k, bool *shifts)
{
    bool levels = name[1] >= '3';
    bool follows = name[1] == '2' || name[1] == '4';
    double above = name[1] == '0' || name[1] == '5' ? 0.0 : 1.0;
    for (unsigned i = 0; i < k; i++) {
        double previous = load[(i + k - 1) % k];
        shifts[i] = (load[i] > above || (follows && load[i] == 1.0 && previous > 1.0)) &&
                    (!levels || load[i] >= load[(i + 1) % k]);
    }
    for (unsigned again = 0; name[2] == 'r' && again < k; again++) {
        for (unsigned i = 0; i < k; i++) {
            bool passes = load[i] == 1.0 && shifts[(i + k - 1) % k] && (!levels || load[i] >= load[(i + 1) % k]);
            shifts[i] = shifts[i] || passes;
        }
    }
}

// Runs one operation by Definition 1. Returns the number of shifts.
static double operate(const char *name, double *load, const unsigned *side, unsigned dimensions, unsigned count)
{
    double moved = 0.0;
    unsigned stride = 1;
    for (unsigned d = 0; d < dimensions; stride *= side[d++]) {
        for (unsigned p = 0; p < count; p++) {
            if (p / stride % side[d] != 0) {
                continue;
            }
            double line[PROCESSORS_MAX];
            bool shifts[PROCESSORS_MAX];
            for (unsigned i = 0; i < side[d]; i++) {
                line[i] = load[p + i * stride];
            }
            decide(name, line, side[d], shifts);
            for (unsigned i = 0; i < side[d]; i++) {
                moved += shifts[i];
                load[p + i * stride] += (double)shifts[(i + side[d] - 1) % side[d]] - (double)shifts[i];
            }
        }
    }
    return moved;
}

static const struct {
    const char *spec;
    unsigned dimensions, side[4];
} tori[] = {
    {"ring:1", 1, {1}},           {"ring:2", 1, {2}},
    {"ring:3", 1, {3}},           {"ring:8", 1, {8}},
    {"ring:13", 1, {13}},         {"torus:2x2", 2, {2, 2}},
    {"torus:1x5", 2, {1, 5}},     {"torus:4x1x3", 3, {4, 1, 3}},
    {"torus:2x3", 2, {2, 3}},     {"torus:5x4", 2, {5, 4}},
    {"torus:6x6", 2, {6, 6}},     {"torus:3x3x3", 3, {3, 3, 3}},
    {"kary:4^3", 3, {4, 4, 4}},   {"hypercube:4", 4, {2, 2, 2, 2}},
    {"mesh:2x2x2", 3, {2, 2, 2}},
};

enum { TORI = sizeof tori / sizeof *tori };

static unsigned draw_loads(unsigned torus, uint64_t number, uint64_t least, double *load)
{
    struct base_random random = base_random_start(7, number, BASE_STREAM_LOAD);
    uint64_t levels = 2 + base_random_below(&random, 5);
    unsigned count = 1;
    for (unsigned d = 0; d < tori[torus].dimensions; d++) {
        count *= tori[torus].side[d];
    }
    for (unsigned p = 0; p < count; p++) {
        load[p] = (double)(least + base_random_below(&random, levels));
    }
    return count;
}

Test(liquid, follows_its_definition_under_every_condition)
{
    for (unsigned number = 0; number < 2 * TORI * CONDITIONS; number++) {
        const char *method = conditions[number % CONDITIONS];
        unsigned torus = number / CONDITIONS % TORI;
        double load[PROCESSORS_MAX];
        unsigned count = draw_loads(torus, number, 0, load);
        struct tests_outcome outcome;
        run_from(tori[torus].spec, method, load, count, "never", 7, &outcome);
        double moved = 0.0;
        for (unsigned operation = 0; operation < 7; operation++) {
            moved += operate(method + 7, load, tori[torus].side, tori[torus].dimensions, count);
        }
        cr_expect_eq(outcome.report.moved, moved, "%s on %s", method, tori[torus].spec);
        cr_expect_eq(outcome.report.steps, 7 * tori[torus].dimensions);
        for (unsigned p = 0; p < count; p++) {
            cr_assert_eq(outcome.report.final[p], load[p], "%s on %s, processor %u", method, tori[torus].spec, p);
        }
        tests_outcome_destroy(&outcome);
    }
}

// Follows long runs with mostly single tokens behind a few heavy processors: c2r and c4r know early that they are
// led, and work makes this uncertain.
static void follow_runs(const char *method, unsigned torus, uint64_t number, double made, double used)
{
    enum { OPERATIONS = 60 };
    struct base_random random = base_random_start(8, number, BASE_STREAM_LOAD);
    double load[PROCESSORS_MAX];
    unsigned count = draw_loads(torus, number, 0, load);
    for (unsigned p = 0; p < count; p++) {
        uint64_t lot = base_random_below(&random, 12);
        load[p] = lot == 0 ? (double)base_random_below(&random, 40) : lot < 9 ? 1.0 : 0.0;
    }
    char text[PROCESSORS_MAX * 20];
    size_t length = 0;
    for (unsigned p = 0; p < count; p++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%.0f\n", load[p]);
    }
    struct tests_memory memory = {.text = text, .length = length};
    char work[64];
    snprintf(work, sizeof work, "constant:0=%.0f,%u=%.0f", made, count - 1, -used);
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.topology = tori[torus].spec,
                                      .method = method,
                                      .units = "tokens",
                                      .load = "file:loads",
                                      .work = made + used > 0.0 ? work : NULL,
                                      .stop = "never",
                                      .operations_max = OPERATIONS,
                                      .carrier = "pool:1",
                                      .keep_loads = true,
                                      .reader = tests_memory_reader(&memory)},
              0, &outcome);
    cr_assert(outcome.machine != NULL, "%s on %s: %s", method, tori[torus].spec, outcome.error.sentence);
    for (unsigned operation = 0; operation < OPERATIONS; operation++) {
        operate(method + 7, load, tori[torus].side, tori[torus].dimensions, count);
        load[0] += made;
        load[count - 1] = fmax(0.0, load[count - 1] - used);
    }
    for (unsigned p = 0; p < count; p++) {
        cr_assert_eq(outcome.report.final[p], load[p], "%s on %s with work %g and %g, processor %u: %g is not %g",
                     method, tori[torus].spec, made, used, p, outcome.report.final[p], load[p]);
    }
    tests_outcome_destroy(&outcome);
}

Test(liquid, runs_of_single_tokens_follow_the_definition)
{
    for (unsigned number = 0; number < 200; number++) {
        unsigned torus = number % TORI;
        const char *method = number / TORI % 2 ? "liquid:c2r" : "liquid:c4r";
        if (strcmp(tori[torus].spec, "ring:1") != 0) {
            follow_runs(method, torus, number, 0.0, 0.0);
            follow_runs(method, torus, number, 1.0, (double)(number % 3));
        }
    }
}

// Lemma 1: under every condition, also with zeros, the largest load does not rise and the smallest does not fall.
Test(liquid, lemma_1_extremes_never_grow)
{
    for (unsigned number = 0; number < 2 * TORI * CONDITIONS; number++) {
        double load[PROCESSORS_MAX];
        unsigned torus = number / CONDITIONS % TORI;
        unsigned count = draw_loads(torus, 1000 + number, 0, load);
        struct tests_outcome outcome;
        run_from(tori[torus].spec, conditions[number % CONDITIONS], load, count, "never", 10, &outcome);
        const struct ek_trace_row *row = outcome.report.trace;
        cr_assert_eq(outcome.report.trace_count, outcome.report.steps + 1, "a row a step");
        for (size_t i = 1; i < outcome.report.trace_count; i++) {
            cr_expect(row[i].maximum <= row[i - 1].maximum && row[i].minimum >= row[i - 1].minimum,
                      "%s on %s, step %zu", conditions[number % CONDITIONS], tori[torus].spec, i);
        }
        tests_outcome_destroy(&outcome);
    }
}

// Theorem 1: if all loads are above 0, c5 moves one token from the top of every ramp to its foot, and changes
// nothing else.
Test(liquid, theorem_1_ramps_move_virtually)
{
    for (unsigned number = 0; number < 200; number++) {
        char ring[16];
        double load[PROCESSORS_MAX];
        struct base_random random = base_random_start(11, number, BASE_STREAM_LOAD);
        unsigned k = 3 + (unsigned)base_random_below(&random, 20);
        for (unsigned p = 0; p < k; p++) {
            load[p] = 1.0 + (double)base_random_below(&random, 6);
        }
        snprintf(ring, sizeof ring, "ring:%u", k);
        struct tests_outcome outcome;
        run_from(ring, "liquid:c5", load, k, "never", 1, &outcome);
        for (unsigned p = 0; p < k; p++) {
            bool climbs = load[(p + 1) % k] > load[p];      // the ramp goes on to the right
            bool climbed = load[p] > load[(p + k - 1) % k]; // and came from the left
            double change = (climbs && !climbed) - (climbed && !climbs);
            cr_expect_eq(outcome.report.final[p], load[p] + change, "ring %u, processor %u", number, p);
        }
        tests_outcome_destroy(&outcome);
    }
}

static uint64_t sharing_time(const char *method, unsigned processors)
{
    char ring[16];
    snprintf(ring, sizeof ring, "ring:%u", processors);
    struct tests_outcome outcome;
    run_peak(ring, method, 5.0 * processors, "shared", &outcome);
    cr_assert(outcome.status == EK_OK && outcome.report.converged, "%s on %s", method, ring);
    uint64_t operations = outcome.report.operations;
    tests_outcome_destroy(&outcome);
    return operations;
}

// How long a peak takes to reach every processor of a ring. The paper's P - 1 holds for these conditions only.
Test(liquid, sharing_times_on_rings)
{
    for (unsigned p = 4; p <= 40; p += 2) {
        cr_expect_eq(sharing_time("liquid:c0", p), p - 1);
        cr_expect_eq(sharing_time("liquid:c1", p), 2 * p - 3);
        cr_expect_eq(sharing_time("liquid:c2", p), 3 * p / 2 - 2);
        cr_expect_eq(sharing_time("liquid:c2r", p), p - 1);
        cr_expect_eq(sharing_time("liquid:c3", p), 2 * p - 3);
        cr_expect_eq(sharing_time("liquid:c4", p), 2 * p - 4);
        cr_expect_eq(sharing_time("liquid:c4r", p), p - 1);
        cr_expect_eq(sharing_time("liquid:c5", p), p - 1);
    }
}

// Behind a peak every processor knows that it is led, so no message has to travel along the ring.
Test(liquid, a_peak_is_shared_without_steps_apart)
{
    struct tests_outcome outcome;
    run_peak("ring:64", "liquid:c4r", 320.0, "shared", &outcome);
    cr_expect_eq(outcome.report.reduction_steps, 0);
    tests_outcome_destroy(&outcome);
}

// Figure 5 (ring, a peak of 5 P): operations of the liquid model, shifts of nearest-neighbour averaging.
Test(liquid, figure_5)
{
    static const struct {
        const char *ring, *method, *stop;
        unsigned processors;
        double cost;
    } points[] = {
        {"ring:16", "liquid:c3", "spread:1", 16, 95},
        {"ring:16", "liquid:c4", "spread:1", 16, 95},
        {"ring:16", "liquid:c5", "spread:1", 16, 97},
        {"ring:16", "nna", "spread:1", 16, 208},
        {"ring:16", "nna", "shared", 16, 158},
        {"ring:64", "liquid:c3", "spread:1", 64, 447},
        {"ring:64", "liquid:c5", "spread:1", 64, 477},
        {"ring:64", "nna", "spread:1", 64, 1281},
        {"ring:64", "nna", "shared", 64, 893},
        {"ring:256", "liquid:c3", "spread:1", 256, 1918},
        {"ring:256", "liquid:c5", "spread:1", 256, 2101},
        {"ring:256", "nna", "spread:1", 256, 6554},
        {"ring:256", "nna", "shared", 256, 4543},
    };
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        struct tests_outcome outcome;
        run_peak(points[i].ring, points[i].method, 5.0 * points[i].processors, points[i].stop, &outcome);
        cr_assert(outcome.report.converged);
        double cost = points[i].method[0] == 'n' ? outcome.report.shifts : (double)outcome.report.operations;
        cr_expect_eq(cost, points[i].cost, "%s on %s", points[i].method, points[i].ring);
        tests_outcome_destroy(&outcome);
    }
}

// A diagonal wave returns for ever, against Theorem 2: its spread stays above 2.
static void livelock(const char *topology, const char *method, const unsigned *wave, unsigned k)
{
    double load[PROCESSORS_MAX];
    for (unsigned p = 0; p < k * k; p++) {
        load[p] = wave[(p % k + k - p / k) % k];
    }
    struct tests_outcome outcome;
    run_from(topology, method, load, k * k, "spread:2", 0, &outcome);
    cr_expect_eq(outcome.status, EK_UNREACHED, "%s", method);
    cr_expect_not(outcome.report.converged);
    cr_expect(outcome.report.spread_final > 2.0 && strstr(outcome.report.why, "every operation "));
    tests_outcome_destroy(&outcome);
}

Test(liquid, diagonal_waves_never_balance)
{
    static const unsigned twelve[] = {1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 2, 2};
    static const unsigned eight[] = {1, 3, 3, 3, 4, 4, 1, 1};
    livelock("torus:12x12", "liquid:c3", twelve, 12);
    livelock("torus:12x12", "liquid:c4", twelve, 12);
    livelock("torus:12x12", "liquid:c5", twelve, 12);
    livelock("torus:12x12", "liquid:c4r", twelve, 12);
    livelock("torus:8x8", "liquid:c5", eight, 8);
}

// Every ring of up to 6 processors with loads 1 to 4 balances.
Test(liquid, small_rings_always_balance)
{
    for (unsigned k = 2; k <= 6; k++) {
        char ring[16];
        snprintf(ring, sizeof ring, "ring:%u", k);
        for (unsigned code = 0; code < 1u << (2 * (k - 1)); code++) { // processor 0 has 1; the others rotate
            double load[6] = {1.0};
            for (unsigned p = 1; p < k; p++) {
                load[p] = 1.0 + (code >> (2 * (p - 1)) & 3u);
            }
            struct tests_outcome outcome;
            run_from(ring, "liquid:c5", load, k, "spread:1", 0, &outcome);
            cr_expect(outcome.status == EK_OK && outcome.report.converged, "ring %u, loads %o", k, code);
            tests_outcome_destroy(&outcome);
        }
    }
}

// Rounding to one side does not guarantee balance, against the paper: after 51 operations there is a cycle of 16.
Test(nna, may_enter_a_cycle)
{
    struct tests_outcome outcome;
    run_peak("ring:16", "nna", 48, "spread:1", &outcome);
    cr_expect_eq(outcome.status, EK_UNREACHED);
    cr_expect_eq(outcome.report.spread_final, 2.0);
    cr_expect(strstr(outcome.report.why, "16 operations"), "%s", outcome.report.why);
    tests_outcome_destroy(&outcome);
}

// With large loads the whole numbers stay close to the real amounts.
Test(nna, is_exact_where_products_overflow)
{
    static const char *const forms[] = {"nna", "nna:portion", "nna:net"};
    static const char loads[] =
        "4398046511103\n7\n999999999989\n2199023255551\n0\n4398046511093\n1234567890123\n3298534883327\n";
    struct tests_memory memory = {.text = loads, .length = sizeof loads - 1};
    for (unsigned form = 0; form < 3; form++) {
        struct ek_experiment experiment = {.topology = "ring:8",
                                           .method = forms[form],
                                           .load = "file:loads",
                                           .reader = tests_memory_reader(&memory),
                                           .stop = "never",
                                           .operations_max = 5,
                                           .carrier = "pool:1",
                                           .keep_loads = true};
        struct tests_outcome real, tokens;
        experiment.units = "real";
        tests_try(&experiment, 0, &real);
        experiment.units = "tokens";
        tests_try(&experiment, 0, &tokens);
        cr_assert(real.status == EK_OK && tokens.status == EK_OK, "%s%s", real.error.sentence, tokens.error.sentence);
        cr_expect_eq(tokens.report.total_final, tokens.report.total_initial);
        for (unsigned p = 0; p < 8; p++) {
            cr_expect_float_eq(tokens.report.final[p], real.report.final[p], 20.0, "%s, processor %u", forms[form], p);
        }
        tests_outcome_destroy(&real);
        tests_outcome_destroy(&tokens);
    }
}

static void expect_split(const char *ring, const char *method, double peak, uint64_t operations, const double *final)
{
    struct tests_outcome outcome;
    run_peak(ring, method, peak, "never", &outcome);
    cr_expect_eq(outcome.status, EK_OK);
    cr_expect_eq(outcome.report.operations, operations, "%s", method);
    for (unsigned p = 0; p < ek_machine_topology(outcome.machine)->processors; p++) {
        cr_expect_eq(outcome.report.final[p], final[p], "%s, processor %u", method, p);
    }
    tests_outcome_destroy(&outcome);
}

Test(splitting, is_exact_and_ends_by_itself)
{
    expect_split("ring:8", "splitting:4/5", 125, 3, (double[]){100, 20, 4, 1, 0, 0, 0, 0});
    expect_split("ring:8", "splitting:0.8", 125, 3, (double[]){100, 20, 4, 1, 0, 0, 0, 0});
    expect_split("ring:3", "splitting:2/3", 9007199254740991, 2,
                 (double[]){6004799503160661, 2001599834386887, 1000799917193443});
    expect_split("ring:2", "splitting:1/2", 7, 1, (double[]){4, 3});
    expect_split("ring:4", "splitting:2/3", 2, 0, (double[]){2, 0, 0, 0});
}

// A single invoker, the only one below the bound, has no load to give. Its domain ends at the mean.
Test(local, a_domain_ends_at_its_mean)
{
    static const double idle_invoker[9] = {5, 12, 5, 8, 0, 4, 5, 6, 5};
    struct tests_memory memory = {.text = "5\n12\n5\n8\n0\n4\n5\n6\n5\n", .length = 19};
    struct ek_experiment experiment = {.topology = "mesh:3x3",
                                       .method = "local-average",
                                       .load = "file:loads",
                                       .invoke = "below:4",
                                       .stop = "never",
                                       .operations_max = 1,
                                       .carrier = "pool:1",
                                       .keep_loads = true,
                                       .reader = tests_memory_reader(&memory)};
    for (unsigned tokens = 0; tokens < 2; tokens++) {
        struct tests_outcome outcome;
        experiment.units = tokens ? "tokens" : "real";
        tests_try(&experiment, 0, &outcome);
        cr_assert(outcome.status == EK_OK, "%s", outcome.error.sentence);
        for (unsigned p = 0; p < 9; p++) {
            double final = p % 2 == 1 || p == 4 ? 6.0 : idle_invoker[p]; // 12 + 8 + 0 + 4 + 6 = 5 * 6
            cr_expect_eq(outcome.report.final[p], final, "processor %u", p);
        }
        cr_expect_eq(outcome.report.steps, 2);
        cr_expect_eq(outcome.report.minimum_ever, 0.0);
        tests_outcome_destroy(&outcome);
    }
}

// The trigger spreads a peak, and stops when no load has changed by its factor.
Test(local, random_neighbours_spread_a_peak)
{
    struct ek_experiment experiment = {.topology = "complete:32",
                                       .method = "random-neighbours:31",
                                       .invoke = "always",
                                       .load = "peak:3200",
                                       .stop = "spread:0.001",
                                       .carrier = "pool:1",
                                       .keep_loads = true};
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_expect(outcome.report.converged && outcome.report.operations == 1, "all are one domain");
    tests_outcome_destroy(&outcome);
    experiment.topology = "torus:8x8";
    experiment.units = "tokens";
    experiment.stop = "never";
    for (unsigned seed = 0; seed < 20; seed++) {
        experiment.method = seed % 2 ? "random-neighbours:2:1.1" : "random-neighbours:3:1.2";
        experiment.seed = seed;
        experiment.operations_max = 200;
        tests_try(&experiment, 0, &outcome);
        cr_assert(outcome.machine != NULL, "%s", outcome.error.sentence);
        cr_expect_eq(outcome.report.total_final, 3200.0);
        cr_expect(outcome.report.minimum_ever >= 0.0, "%g", outcome.report.minimum_ever);
        cr_expect(outcome.report.variance_final < 0.1 * outcome.report.variance_initial);
        tests_outcome_destroy(&outcome);
    }
}

// If all domains overlap, load is still conserved and never negative.
Test(local, overlapping_domains_keep_the_load)
{
    for (unsigned number = 0; number < 40; number++) {
        struct tests_drawn drawn;
        struct tests_outcome outcome;
        tests_draw(&drawn, number);
        drawn.experiment.method = number % 2 ? "local-average" : "random-neighbours:2:1";
        drawn.experiment.ports = "all";
        drawn.experiment.carrier = "pool:2";
        drawn.experiment.stop = "never";
        tests_try(&drawn.experiment, 0, &outcome);
        cr_assert(outcome.status == EK_OK, "%s", outcome.error.sentence);
        double handled = outcome.report.total_initial + outcome.report.moved;
        cr_expect_float_eq(outcome.report.total_final, outcome.report.total_initial, 1e-12 * handled);
        cr_expect(outcome.report.minimum_ever >= 0.0, "%g", outcome.report.minimum_ever);
        tests_outcome_destroy(&outcome);
    }
}

// Specs and combinations that are refused, with the place of the caret.
Test(liquid, refusals)
{
    static const struct {
        const char *topology, *method, *units;
        int at;
    } refused[] = {
        {"mesh:4x4", "liquid:c5", NULL, -1},
        {"complete:5", "liquid:c5", NULL, -1},
        {"ring:8", "liquid", NULL, 6},
        {"ring:8", "liquid:c6", NULL, 7},
        {"ring:8", "liquid:c5", "real", 0},
        {"torus:3x3", "nna", "tokens", -1},
        {"ring:8", "nna:nett", NULL, 4},
        {"chain:8", "splitting:1/2", NULL, -1},
        {"ring:8", "splitting", NULL, 9},
        {"ring:8", "splitting:3/2", NULL, 10},
        {"ring:8", "splitting:1/0", NULL, 12},
        {"ring:8", "splitting:1/1", NULL, 10},
        {"ring:8", "splitting:0/2", NULL, 10},
        {"ring:8", "splitting:1.0", NULL, 10},
        {"ring:8", "splitting:0", NULL, 10},
        {"ring:8", "splitting:0.5x", NULL, 13},
        {"ring:8", "splitting:0.12345678901", NULL, 21},
        {"ring:8", "dem", NULL, -1},
        {"ring:8", "random-neighbours:0", NULL, 18},
        {"ring:8", "random-neighbours:2:0.5", NULL, 20},
        {"ring:8", "local-average:2", NULL, 14},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct tests_outcome outcome;
        tests_try(&(struct ek_experiment){.topology = refused[i].topology,
                                          .method = refused[i].method,
                                          .units = refused[i].units,
                                          .operations_max = 1},
                  0, &outcome);
        cr_expect(outcome.machine == NULL && outcome.status == EK_BAD_INPUT && outcome.error.sentence[0], "%s",
                  refused[i].method);
        cr_expect_eq(outcome.error.at, refused[i].at, "%s on %s: at %d, %s", refused[i].method, refused[i].topology,
                     outcome.error.at, outcome.error.sentence);
        tests_outcome_destroy(&outcome);
    }
}
