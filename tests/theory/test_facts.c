// SPDX-License-Identifier: MIT
// Facts that are stated before a run, against runs, brute force and the papers' numbers: factors, operations, bounds
// of dde and twa, sharing times, limits of the sender's method.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/theory/facts.h"
#include "tests/support/must.h"

static void expect_near(double got, double want, double tolerance, const char *what)
{
    cr_expect(fabs(got - want) <= tolerance, "%s: %.12g, not %.12g", what, got, want);
}

// Factors and operations.

static void expect_promise(const char *topology, const char *method, const char *stop, const char *capacity,
                           const char *weighting)
{
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = topology,
                                    .method = method,
                                    .stop = stop,
                                    .capacity = capacity,
                                    .weighting = weighting,
                                    .seed = 7},
             &outcome);
    double most = fact_value(outcome.machine, "operations_most");
    double gamma = fact_value(outcome.machine, "gamma");
    double taken = (double)outcome.report.operations;
    cr_expect(gamma >= 0.0 && gamma < 1.0);
    cr_expect(outcome.report.converged && taken <= most && (taken >= 0.5 * most || most < 8.0),
              "%s %s %s %s: %g of at most %g", topology, method, stop, capacity, taken, most);
    tests_outcome_destroy(&outcome);
}

Test(facts, promised_operations_are_enough)
{
    static const char *const topologies[] = {"mesh:6x4",    "ring:16",    "ring:15", "otis(mesh:2x4)",
                                             "random:40:3", "complete:7", "chain:2"};
    static const char *const methods[] = {"fos", "sos"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        for (size_t m = 0; m < 2; m++) {
            expect_promise(topologies[i], methods[m], "error:0.01", "homo", "capacity");
            expect_promise(topologies[i], methods[m], "variance:1", "homo", "capacity");
            expect_promise(topologies[i], methods[m], "error:0.01", "semi", "target");
        }
        expect_promise(topologies[i], "fos", "error:0.001", "semi", "capacity");
    }
    expect_promise("mesh:8x8", "adi(fos)", "error:0.01", "homo", "capacity");
    expect_promise("torus:5x1x8", "mdi(fos)", "variance:1", "homo", "capacity");
}

// gamma is the factor by which the distance shrinks in the end.
Test(facts, factors_are_those_of_the_spectrum)
{
    static const struct {
        const char *topology, *method;
        double gamma;
    } rows[] = {
        {"complete:16", "fos", 0.0}, {"otis(hypercube:3)", "fos", 0.853553}, {"otis(mesh:4x2)", "ded(fos)", 0.804738},
        {"hypercube:3", "fos", 0.5}, {"hypercube:3", "sos", 0.267949},       {"mesh:8x1", "adi(fos)", 0.923880}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_near(
            fact_of_experiment((struct ek_experiment){.topology = rows[i].topology, .method = rows[i].method}, "gamma"),
            rows[i].gamma, 1e-6, rows[i].method);
    }
}

// Finds the least k by trying all.
Test(facts, operations_by_counting)
{
    static const double gammas[] = {0.1, 0.5, 0.9, 0.99};
    for (size_t i = 0; i < sizeof gammas / sizeof *gammas; i++) {
        for (double slope = 0.0; slope < 0.9; slope += 0.2) {
            double from = 12345.0;
            double k = 0.0;
            if (slope > -atanh(slope) - log(gammas[i])) {
                continue; // no polynomial of second order, which would grow at first
            }
            while (pow((1.0 + k * slope) * pow(gammas[i], k), 2.0) * from > 1.0) {
                k++;
            }
            cr_expect_eq(core_facts_operations(gammas[i], slope, from, 1.0), k, "gamma %g, slope %g", gammas[i], slope);
        }
    }
    cr_expect_eq(core_facts_operations(0.0, 1.0, 5.0, 1.0), 1.0);
    cr_expect_eq(core_facts_operations(0.9, 0.5, 1.0, 1.0), 0.0);
    cr_expect(isnan(core_facts_operations(1.0, 0.5, 5.0, 1.0)));
    cr_expect(isnan(core_facts_operations(0.9, 0.5, 5.0, 0.0)));
}

static void expect_all(const char *topology, const char *method, const char *ports)
{
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = topology, .method = method, .ports = ports}, &outcome);
    cr_expect_eq((double)outcome.report.operations, fact_value(outcome.machine, "operations_all"), "%s %s", topology,
                 method);
    const struct ek_fact *steps = fact_of(outcome.machine, "steps_all");
    cr_expect(!steps || steps->value == (double)outcome.report.steps, "%s %s: %g steps", topology, method,
              (double)outcome.report.steps);
    tests_outcome_destroy(&outcome);
}

Test(facts, direct_methods_take_a_step_for_each_eigenvalue)
{
    static const char *const ports[] = {"all", "one"};
    for (size_t i = 0; i < 2; i++) {
        expect_all("mesh:4x3", "opt", ports[i]);
        expect_all("random:20:3", "ops", ports[i]);
        expect_all("otis(mesh:2x2)", "ded(opt)", ports[i]);
        expect_all("otis(chain:3)", "ded(ops)", ports[i]);
        expect_all("mesh:8x8", "adi(opt)", ports[i]);
        expect_all("torus:8x1x5", "mdi(opt)", ports[i]);
        expect_all("mesh:4x4", "de(opt)", ports[i]);
        expect_all("torus:1x1", "de(opt)", ports[i]);
        expect_all("torus:1x1", "adi(opt)", ports[i]);
        expect_all("hypercube:4", "de(ops)", ports[i]);
    }
    struct ek_experiment numbers = {.topology = "mesh:8x8", .method = "adi(opt)"}; // 7 for each of opt's 32
    cr_expect_eq(fact_of_experiment(numbers, "operations_all"), 7.0);
    numbers.method = "opt";
    cr_expect_eq(fact_of_experiment(numbers, "operations_all"), 32.0);
    cr_expect_eq(fact_of_experiment(numbers, "operations_least"), 14.0);
}

// The first stage ends when the error within the groups is below the limit, after as many steps as X alone would
// take on G from that load.
Test(facts, the_first_stage_of_ded)
{
    struct ek_experiment group = {.topology = "mesh:4x2", .method = "fos", .load = "peak:6400", .stop = "error:0.01"};
    struct ek_experiment otis = {
        .topology = "otis(mesh:4x2)", .method = "ded(fos)", .load = "peak:6400", .stop = "error:0.01"};
    cr_expect_eq(fact_of_experiment(otis, "first_stage_most"), fact_of_experiment(group, "operations_most"));
    otis.method = "ded(sos)";
    group.method = "sos";
    cr_expect_eq(fact_of_experiment(otis, "first_stage_most"), fact_of_experiment(group, "operations_most"));
}

// DDE and TWA.

static void expect_walk(const char *topology, const char *method, const char *ports, uint64_t seed)
{
    struct tests_outcome outcome;
    must_run(
        (struct ek_experiment){
            .topology = topology, .method = method, .ports = ports, .load = "uniform:0:60", .seed = seed},
        &outcome);
    const struct ek_report *report = &outcome.report;
    cr_expect(report->spread_final <= fact_value(outcome.machine, "spread_most"), "%s %s", topology, method);
    cr_expect_eq((double)report->scan_steps, fact_value(outcome.machine, "scan_steps_all"), "%s %s: %g scan steps",
                 topology, method, (double)report->scan_steps);
    const struct ek_fact *exchange = fact_of(outcome.machine, "exchange_steps_most");
    cr_expect(!exchange || (double)report->exchange_steps <= exchange->value, "%s %s: %g exchange steps", topology,
              method, (double)report->exchange_steps);
    const struct ek_fact *moved = fact_of(outcome.machine, "moved_least");
    cr_expect(!moved || report->moved == moved->value, "%s %s: %g moved", topology, method, report->moved);
    tests_outcome_destroy(&outcome);
}

Test(facts, bounds_of_dde_and_twa)
{
    static const char *const products[] = {"chain:9",   "ring:7",      "ring:8",    "mesh:4x3x2",
                                           "torus:5x4", "hypercube:4", "torus:1x6", "chain:1"};
    static const char *const ports[] = {"all", "one"};
    for (uint64_t seed = 1; seed <= tests_part(40); seed++) {
        for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
            expect_walk(products[i], "dde", ports[seed % 2], seed);
            expect_walk(products[i], "dde:send-first", ports[seed % 2], seed);
            expect_walk(products[i], "dde:middle", ports[seed % 2], seed);
            expect_walk(products[i], "dde:send-first,doubling", ports[seed % 2], seed);
        }
        char chain[32];
        snprintf(chain, sizeof chain, "chain:%u", (unsigned)seed);
        expect_walk(chain, "twa:middle", ports[seed % 2], seed);
        expect_walk(chain, "twa:binomial", ports[seed % 2], seed);
        expect_walk(chain, "twa:whole", ports[seed % 2], seed);
        expect_walk("tree:2:3", "twa", ports[seed % 2], seed);
        expect_walk("star:9", "twa", ports[seed % 2], seed);
    }
}

// A mesh of r rows of c processors: 4c+3r-5 steps of scan, twice as many for the two colours of one port, and r+c-2 of
// exchange. In the 3x3 mesh 1 and 8 tasks cross the lines between rows; 0 and 2 must cross those between columns. Of
// its 31 tasks 17 are not above a quota.
Test(facts, steps_and_messages_of_mwa)
{
    struct ek_experiment mesh = {.topology = "mesh:5x3", .method = "mwa", .units = "tokens"};
    cr_expect_eq(fact_of_experiment(mesh, "scan_steps_all"), 24.0);
    cr_expect_eq(fact_of_experiment(mesh, "exchange_steps_most"), 6.0);
    cr_expect_eq(fact_of_experiment(mesh, "messages_most"), 5.0 * 12.0 + 4.0 * 10.0 + 8.0);
    cr_expect_eq(fact_of_experiment(mesh, "spread_most"), 1.0);
    mesh.ports = "one";
    cr_expect_eq(fact_of_experiment(mesh, "scan_steps_all"), 48.0);
    struct ek_experiment hand = {
        .topology = "mesh:3x3", .method = "mwa", .units = "tokens", .load = "list:9,0,4,0,1,0,2,7,8"};
    cr_expect_eq(fact_of_experiment(hand, "moved_least"), 11.0);
    cr_expect_eq(fact_of_experiment(hand, "stayed_all"), 17.0);
    struct ek_experiment line = {.topology = "mesh:1x6", .method = "mwa", .load = "peak:60"};
    cr_expect_eq(fact_of_experiment(line, "scan_steps_all"), 10.0);
    cr_expect_eq(fact_of_experiment(line, "messages_most"), 15.0);
    cr_expect_eq(fact_of_experiment(line, "moved_least"), 150.0);
}

// Example 1: 19 along the chain, 17 around the ring. Every whole amount around a ring is tried.
Test(facts, least_transfers)
{
    struct ek_experiment example = {.topology = "chain:8", .method = "dde", .load = "list:9,7,4,1,4,6,1,5"};
    cr_expect_eq(fact_of_experiment(example, "moved_least"), 19.0);
    example.topology = "ring:8";
    cr_expect_eq(fact_of_experiment(example, "moved_least"), 17.0);
    for (uint64_t seed = 1; seed <= 30; seed++) {
        double load[6], least = INFINITY, total = 0.0;
        char list[64] = "list:";
        struct base_random random = base_random_start(seed, 0, BASE_STREAM_LOAD);
        for (unsigned i = 0; i < 6; i++) {
            load[i] = (double)base_random_below(&random, 20);
            total += load[i];
            snprintf(list + strlen(list), sizeof list - strlen(list), i > 0 ? ",%g" : "%g", load[i]);
        }
        for (int around = -120; around <= 120; around++) {
            double flow = around;
            double cost = fabs(flow);
            for (unsigned i = 0; i < 5; i++) {
                flow += load[i] - (floor(total / 6.0) + (i < fmod(total, 6.0)));
                cost += fabs(flow);
            }
            least = fmin(least, cost);
        }
        struct ek_experiment ring = {.topology = "ring:6", .method = "dde", .load = list};
        cr_expect_eq(fact_of_experiment(ring, "moved_least"), least, "%s", list);
    }
}

Test(facts, spread_of_dem)
{
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = "hypercube:5", .method = "dem"}, &outcome);
    cr_expect_eq(fact_value(outcome.machine, "spread_most"), 5.0);
    cr_expect(outcome.report.spread_final <= 5.0);
    tests_outcome_destroy(&outcome);
}

// The spread is at most the bound between neighbours times the diameter, which is 2 + 4.
Test(facts, spread_of_bounded_neighbours)
{
    struct ek_experiment mesh = {.topology = "mesh:3x5", .method = "ade", .units = "tokens", .stop = "neighbours:3"};
    cr_expect_eq(fact_of_experiment(mesh, "spread_most"), 3.0 * 6.0);
}

// The liquid model.

Test(facts, sharing_times_of_the_liquid_model)
{
    static const char *const methods[] = {"liquid:c0", "liquid:c1",  "liquid:c2", "liquid:c3",
                                          "liquid:c4", "liquid:c2r", "liquid:c5", "liquid:c4r"};
    unsigned step = tests_part(12) >= 6 ? 3 : 9;
    for (unsigned p = 3; p <= 17; p++) {
        for (unsigned factor = 1; factor <= 10; factor += step) {
            for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
                char topology[32], load[32];
                snprintf(topology, sizeof topology, "ring:%u", p);
                snprintf(load, sizeof load, "peak:%u@%u", factor * p + factor / 4, p / 2);
                struct tests_outcome outcome;
                must_run((struct ek_experiment){.topology = topology,
                                                .method = methods[i],
                                                .load = load,
                                                .stop = "shared",
                                                .operations_max = 100},
                         &outcome);
                const struct ek_fact *shared = fact_of(outcome.machine, "operations_shared");
                cr_assert(shared && shared->beside[0]);
                cr_expect_eq((double)outcome.report.operations, shared->value, "%s %s %s: %g, not %g", topology, load,
                             methods[i], (double)outcome.report.operations, shared->value);
                tests_outcome_destroy(&outcome);
            }
        }
    }
}

Test(facts, limits_of_the_liquid_model)
{
    struct ek_experiment ring = {.topology = "ring:16", .method = "liquid:c5", .load = "peak:80"};
    cr_expect_eq(fact_of_experiment(ring, "operations_order"), 1280.0);
    struct ek_experiment torus = {.topology = "torus:8x8", .method = "liquid:c5", .load = "peak:640"};
    cr_expect(isnan(fact_of_experiment(torus, "spread_most")));
    struct tests_outcome outcome;
    must_run(ring, &outcome);
    cr_expect((double)outcome.report.operations <= 0.5 * 1280.0);
    cr_expect_null(fact_of(outcome.machine, "spread_most"));
    tests_outcome_destroy(&outcome);
}

// The example of the fact operations_order.
Test(facts, halves_of_a_ring_take_nearly_half_of_theorem_3)
{
    for (unsigned k = 4; k <= 40; k += 4) {
        double loads[40];
        char topology[16];
        snprintf(topology, sizeof topology, "ring:%u", k);
        for (unsigned p = 0; p < k; p++) {
            loads[p] = p < k / 2 ? 3.0 : 1.0;
        }
        struct tests_outcome outcome;
        must_run(
            (struct ek_experiment){
                .topology = topology, .method = "liquid:c5", .loads = loads, .loads_count = k, .carrier = "pool:1"},
            &outcome);
        const struct ek_fact *order = fact_of(outcome.machine, "operations_order");
        cr_assert(order);
        cr_expect_eq(order->value, 2.0 * k);
        cr_expect_eq(outcome.report.operations, k - 1);
        cr_expect(strstr(order->text, "With loads of 3 on half of an even ring and 1 on the other half it takes K-1, "
                                      "which is nearly half of this number."));
        tests_outcome_destroy(&outcome);
    }
}

// The sender's method.

Test(facts, divergence_of_the_sender)
{
    static const struct {
        const char *topology;
        double limit;
    } rows[] = {{"ring:16", 0.5}, {"ring:15", 0.5055}, {"mesh:4x4", 0.2929}, {"complete:16", 0.125}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double limit =
            fact_of_experiment((struct ek_experiment){.topology = rows[i].topology, .method = "sender:0.1"}, "c_limit");
        expect_near(limit, rows[i].limit, 5e-5, rows[i].topology);
        for (int above = 0; above < 2; above++) {
            char method[32];
            snprintf(method, sizeof method, "sender:%.6f", limit * (above ? 1.02 : 0.98));
            struct tests_outcome outcome;
            must_run(
                (struct ek_experiment){
                    .topology = rows[i].topology, .method = method, .stop = "never", .steps_max = 2000},
                &outcome);
            bool grows = !(outcome.report.variance_final <= outcome.report.variance_initial);
            cr_expect_eq(grows, above == 1, "%s %s", rows[i].topology, method);
            tests_outcome_destroy(&outcome);
        }
    }
}

Test(facts, senders_of_no_more_than_they_have)
{
    static const char *const methods[] = {"sender:1/deg", "sender:1/(deg+1)", "sender:1.5/deg"};
    static const double shares[] = {1.0, 0.8, 1.5};
    for (size_t i = 0; i < 3; i++) {
        struct tests_outcome outcome;
        must_run((struct ek_experiment){.topology = "mesh:4x4",
                                        .method = methods[i],
                                        .load = "peak:1600",
                                        .stop = "never",
                                        .steps_max = 200,
                                        .delay = "fixed:3"},
                 &outcome);
        expect_near(fact_value(outcome.machine, "share_sent_most"), shares[i], 1e-12, methods[i]);
        cr_expect_eq(outcome.report.minimum_ever >= -1e-9, shares[i] <= 1.0, "%s: %g", methods[i],
                     outcome.report.minimum_ever);
        tests_outcome_destroy(&outcome);
    }
}

Test(facts, domains_where_not_everybody_invokes)
{
    struct ek_experiment some = {.topology = "torus:8x8", .method = "adf", .invoke = "outside:200:800"};
    expect_near(fact_of_experiment(some, "domain_diffusion"), 2.841875, 1e-9, "adf");
    expect_near(fact_of_experiment(some, "pair_adjacent_best"), 4.1058, 5e-5, "adf");
    some.method = "ade";
    expect_near(fact_of_experiment(some, "domain_exchange"), 1.8125, 1e-12, "ade");
    some.method = "local-average";
    expect_near(fact_of_experiment(some, "domain_average"), 1.0 - 5.0 / 64.0, 1e-12, "local-average");
    struct ek_error error;
    struct ek_experiment all = {.topology = "torus:8x8", .method = "adf", .carrier = "pool:1"};
    struct ek_machine *machine = ek_prepare(&all, &error);
    cr_assert(machine);
    cr_expect_null(fact_of(machine, "domain_diffusion"));
    ek_machine_destroy(machine);
}

// A fact about one kind of run is not stated for another kind.
Test(facts, only_where_they_hold)
{
    static const struct ek_experiment others[] = {{.delay = "fixed:2"},
                                                  {.work = "constant:0=1"},
                                                  {.invoke = "below:300"},
                                                  {.link_limit = "5"},
                                                  {.stop = "spread:1"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct ek_error error;
        struct ek_experiment experiment = others[i];
        experiment.method = "fos";
        experiment.carrier = "pool:1";
        experiment.operations_max = 10;
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_assert(machine, "%s", error.sentence);
        cr_expect_null(fact_of(machine, "operations_most"));
        struct ek_theory theory;
        ek_theory_find(machine, &theory);
        cr_expect_eq(theory.has_exact, others[i].stop != NULL);
        ek_machine_destroy(machine);
    }
}

Test(facts, no_more_than_there_is_room_for)
{
    struct ek_error error;
    struct ek_experiment experiment = {.topology = "torus:8x8", .method = "fos", .carrier = "pool:1"};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine);
    struct ek_fact facts[2] = {{.name = "first"}, {.name = "untouched"}};
    cr_expect_eq(ek_facts_find(machine, facts, 1), 1);
    cr_expect_str_eq(facts[0].name, "gamma");
    cr_expect_str_eq(facts[1].name, "untouched");
    cr_expect_eq(ek_facts_find(machine, NULL, 0), 0);
    ek_machine_destroy(machine);
}

// A sender whose c differs between processors has no alpha. Capacities change the matrix.
Test(facts, no_theory_of_another_matrix)
{
    static const struct ek_experiment others[] = {{.topology = "mesh:4x4", .method = "sender:1/(deg+1)"},
                                                  {.method = "adf", .capacity = "semi"}};
    for (size_t i = 0; i < 2; i++) {
        struct ek_experiment experiment = others[i];
        struct ek_error error;
        struct ek_theory theory;
        experiment.carrier = "pool:1";
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_assert(machine);
        ek_theory_find(machine, &theory);
        cr_expect(!theory.has_exact && isnan(theory.operations) && !theory.note[0]);
        ek_machine_destroy(machine);
    }
}

// Every method has the texts that `explain` shows.
Test(facts, every_method_is_explained)
{
    for (size_t i = 0; ek_method_at(i); i++) {
        const struct ek_method *method = ek_method_at(i);
        cr_expect(method->texts->title && method->texts->equation && method->texts->optimum && method->texts->assumes &&
                      method->texts->source,
                  "%s", method->name);
    }
}

static double error_of(const char *topology, const char *method, uint64_t *operations)
{
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = topology, .method = method, .carrier = "pool:1", .seed = 1}, &outcome);
    *operations = outcome.report.operations;
    double error = outcome.report.error_final;
    tests_outcome_destroy(&outcome);
    return error;
}

// The numbers that `explain adi` and `explain opt` quote.
Test(facts, findings_of_diffusion_are_those_of_runs)
{
    static const char *const topologies[] = {"mesh:8x8", "torus:8x8"};
    for (size_t i = 0; i < 2; i++) {
        uint64_t adi, fos;
        error_of(topologies[i], "adi(fos)", &adi);
        error_of(topologies[i], "fos", &fos);
        char quoted[64];
        snprintf(quoted, sizeof quoted, "%llu instead of %llu on %s", (unsigned long long)adi, (unsigned long long)fos,
                 topologies[i]);
        cr_expect(strstr(ek_method_find("adi")->texts->findings, quoted), "%s", quoted);
    }
    uint64_t operations;
    cr_expect_leq(error_of("chain:300", "opt", &operations), 0.01);
    cr_expect_leq(error_of("torus:64x64", "opt", &operations), 0.01);
    double error = error_of("mesh:20x20", "opt", &operations);
    cr_expect(error > 0.3 && error < 3.0, "%g", error);
    cr_expect_gt(error_of("mesh:30x30", "opt", &operations), 1e4);
    cr_expect(
        strstr(ek_method_find("opt")->texts->findings,
               "with loads of uniform:0:1000 (seed 1), chain:300 and torus:64x64 balance, but mesh:20x20 ends with "
               "an error of about 1, and mesh:30x30 with an error above 1e4."));
}

// `explain ops` and `explain opt` state findings about capacities on OTIS networks.
Test(facts, findings_of_ops_with_capacities)
{
    static const char *const topologies[] = {"otis(mesh:4x2)", "otis(hypercube:3)", "otis(chain:8)"};
    unsigned small = 0, large = 0;
    for (unsigned i = 0; i < 120; i++) {
        struct tests_outcome outcome;
        must_run((struct ek_experiment){.topology = topologies[i / 40],
                                        .method = "ops",
                                        .capacity = "uniform:1:64",
                                        .carrier = "pool:1",
                                        .seed = 1 + i % 40},
                 &outcome);
        small += outcome.report.error_final < 0.02;
        large += i >= 80 && outcome.report.error_final > 1.0;
        tests_outcome_destroy(&outcome);
    }
    cr_expect(small > 60 && small < 120 && large > 0, "%u of 120 below 0.02, %u of 40 above 1", small, large);
    cr_expect(strstr(ek_method_find("ops")->texts->findings,
                     "most errors are below 0.02, but on otis(chain:8) some are above 1."));
    cr_expect(
        strstr(ek_method_find("opt")->texts->findings, "with such capacities most of its errors are below 0.02."));
}

// Facts that take minutes to compute are left out; a sentence says so.
Test(facts, what_takes_minutes_is_left_out)
{
    static const char *const methods[] = {"adf", "ade", "sender:0.1"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct ek_error error;
        struct ek_fact facts[EK_FACTS_MAX];
        struct ek_experiment experiment = {.topology = "random:3000:3", .method = methods[i], .carrier = "pool:1"};
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        cr_assert(machine, "%s", error.sentence);
        cr_expect(!ek_theory_soon(machine));
        cr_expect(ek_facts_find(machine, facts, EK_FACTS_MAX) > 0);
        ek_machine_destroy(machine);
    }
    cr_expect(isnan(
        fact_of_experiment((struct ek_experiment){.topology = "random:3000:3", .method = "sender:0.1"}, "c_limit")));
    cr_expect(isfinite(
        fact_of_experiment((struct ek_experiment){.topology = "torus:200x200", .method = "sender:0.1"}, "c_limit")));
}

// With a shape of 3 and a least amount of 4 the mean is 6 and the variance 12. The expected variance is that of normal
// work with these moments; without a variance there is none.
Test(facts, moments_of_pareto)
{
    struct ek_experiment pareto = {
        .topology = "ring:6", .method = "adf", .work = "pareto:3:4:6", .operations_max = 20, .stop = "never"};
    struct ek_experiment normal = pareto, wild = pareto, heavy = pareto;
    normal.work = "normal:6:12:6";
    wild.work = "pareto:2:4:6";
    heavy.work = "pareto:1:4:6";
    expect_near(fact_of_experiment(pareto, "work_mean"), 6.0, 1e-9, "mean");
    expect_near(fact_of_experiment(pareto, "work_variance"), 12.0, 1e-8, "variance");
    const double expected = fact_of_experiment(normal, "variance_expected");
    expect_near(fact_of_experiment(pareto, "variance_expected"), expected, 1e-6 * expected, "expected variance");
    expect_near(fact_of_experiment(wild, "work_mean"), 8.0, 1e-9, "mean without a variance");
    cr_expect(isnan(fact_of_experiment(wild, "work_variance")));
    cr_expect(isnan(fact_of_experiment(heavy, "work_mean")));
}

// The sentence of a fact depends on the experiment. The first experiment of each pair has the first phrase and not the
// second one, and the other way round.
Test(facts, sentences_say_what_holds_in_the_run)
{
    static const struct ek_experiment some = {.topology = "torus:8x8", .method = "adf", .invoke = "probability:0.1"};
    static const struct ek_experiment all = {.topology = "ring:6", .method = "adf", .work = "constant:0=2,3=-2"};
    struct ek_experiment before = some, after = some, once = some, twice = some;
    before.work = after.work = "normal:5:3:5";
    before.working = "before";
    once.timing = twice.timing = "free";
    once.domains = "once";
    twice.domains = "overlap";
    struct ek_experiment narrow = all, wide = all, first = all, last = all;
    narrow.link_limit = "0.5";
    wide.link_limit = "5";
    first.working = "before";
    struct ek_experiment drawn_first = all, drawn_last = all;
    drawn_first.work = drawn_last.work = "normal:5:3:5";
    drawn_first.working = "before";
    drawn_first.stop = drawn_last.stop = "never";
    struct ek_experiment heavy = all, wild = all, tame = all;
    heavy.work = "pareto:1:4:9";
    wild.work = "pareto:1.5:4:9";
    tame.work = "pareto:3:4:9";
    struct ek_experiment less = {.topology = "mesh:4x4", .method = "sender:1/deg"}, more = less;
    more.method = "sender:1.5/deg";
    struct ek_experiment levels = {.topology = "chain:8", .method = "twa:binomial"}, lines = levels;
    levels.ports = "one";
    lines.method = "twa:middle";
    struct ek_experiment all_ports = {.topology = "chain:8", .method = "dde"}, one_port = all_ports;
    one_port.ports = "one";
    struct ek_experiment tree = {.topology = "tree:2:3", .method = "twa"}, tree_one_port = tree;
    tree_one_port.ports = "one";
    struct ek_experiment groups = {.topology = "otis(ring:5)", .method = "ded(opt)"}, group = groups;
    groups.capacity = "uniform:1:9";
    const struct {
        const char *fact;
        struct ek_experiment experiment[2];
        const char *phrase[2];
    } rows[] = {
        {"domain_diffusion",
         {before, after},
         {"(9)); here and below sigma0^2 is the variance of the loads after the workload's tick, which precedes the "
          "operation.",
          "(9)); here and below the workload adds its variance at each processor."}},
        {"domain_diffusion", {before, some}, {"sigma0^2 is the variance", "Eq. (9))."}},
        {"pair_adjacent", {once, twice}, {"(Eq. (15)).", "(Eq. (15) if both use the link between them)."}},
        {"left_adjacent", {once, twice}, {"(Eq. (15)).", "with domains once only one of them uses it)."}},
        {"cut_ratio", {narrow, wide}, {"it is above the link limit", "it is not above the link limit"}},
        {"cut_ratio", {wide, last}, {"no cut is too narrow", "if a link carries 1 in a tick)"}},
        {"deviation_work", {first, last}, {"max |L^+ d / alpha - d|, since work precedes", "max |L^+ d| / alpha,"}},
        {"work_mean", {heavy, tame}, {"Warning: a shape of at most 1 gives no mean", "about SHAPE*LEAST/(SHAPE-1)"}},
        {"work_variance", {wild, tame}, {"A shape of at most 2 gives no variance", "generates in a tick"}},
        {"variance_expected", {drawn_first, drawn_last}, {"C := M (C + sigma^2 I) M'", "C := M C M' + sigma^2 I"}},
        {"share_sent_most", {less, more}, {"at most 1, so loads stay", "above 1, so loads can go below zero"}},
        {"scan_steps_all",
         {levels, lines},
         {"over the binomial tree, one level a step", "2 floor(k/2) from position k/2"}},
        {"scan_steps_all", {one_port, all_ports}, {"number of its colours because of the one port", "dimension."}},
        {"scan_steps_all", {tree, tree_one_port}, {"height of the tree.", "height of the tree, times"}},
        {"exchange_steps_most", {tree, lines}, {"of a task: twice the height", "summed over the dimensions"}},
        {"moved_least", {tree, lines}, {"load and q the quota of the subtree below", "(Wu & Shu, Lemma 2)"}},
        {"spread_most", {tree, lines}, {"The quotas differ by at most 1", "The number of dimensions"}},
        {"operations_all", {groups, group}, {"of G (of the group with the most), the", "of G, the"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (unsigned k = 0; k < 2; k++) {
            struct ek_experiment experiment = rows[i].experiment[k];
            experiment.operations_max = 10;
            struct ek_machine *machine = must_prepare(experiment);
            const struct ek_fact *fact = fact_of(machine, rows[i].fact);
            cr_assert(fact, "%s, %u", rows[i].fact, k);
            cr_expect(strstr(fact->text, rows[i].phrase[k]), "%s lacks '%s': %s", rows[i].fact, rows[i].phrase[k],
                      fact->text);
            cr_expect_null(strstr(fact->text, rows[i].phrase[1 - k]), "%s, %u: %s", rows[i].fact, k, fact->text);
            ek_machine_destroy(machine);
        }
    }
}
