// SPDX-License-Identifier: MIT
// Rounds and turns against their rules, computed here in the plainest way, since carriers that agree could all be
// wrong. And which events end a run in rounds.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/text_file.h"
#include "tests/support/runs.h"
#include "threads/machine/machine.h"
#include "threads/mail/delay_line.h"
#include "threads/rounds/rounds_engine.h"
#include "threads/watch/ledger.h"

static struct ek_machine *prepare(struct ek_experiment experiment)
{
    struct ek_error error;
    experiment.carrier = "pool:1";
    experiment.keep_loads = true;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    return machine;
}

static const char *const delays[] = {"none", "fixed:3", "uniform:0:4", "exponential:1.5"};

// The latest announcement that is due counts, and all parcels that are due arrive, each in the order of sending.
Test(rounds_by_rules, delay_lines)
{
    enum { STEPS = 200, PORTS = 4 };
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct ek_machine *machine = prepare((struct ek_experiment){
            .topology = "chain:3", .method = "sender:0.2", .delay = delays[1 + seed % 3], .seed = seed});
        const struct core_delay *delay = &machine->plan.links.delay;
        struct mail_delay_lines lines;
        struct base_arena memory = {.count = 0};
        mail_delay_lines_plan(&lines, &machine->plan.links, seed, PORTS, &memory);
        cr_assert(base_arena_take(&memory));
        for (uint32_t port = 0; port < PORTS; port++) {
            double due[STEPS + 1] = {0.0}; // what arrives at the start of each step
            uint64_t latest_parcel = 0;
            double sent = 0.0, came = 0.0;
            for (uint64_t t = 0; t < STEPS - 40; t++) {
                mail_delay_announcement(&lines, port, t, 1.0 + (double)t);
                uint64_t latest = 0;
                double heard = 0.0;
                for (uint64_t s = 0; s <= t; s++) {
                    uint64_t falls = s + core_delay_at(delay, seed, port, s);
                    latest = falls > latest ? falls : latest;
                    heard = latest <= t ? 1.0 + (double)s : heard;
                }
                cr_assert_eq(lines.known[port], heard, "%s, step %lu: %g, not %g", delays[1 + seed % 3],
                             (unsigned long)t, lines.known[port], heard);
                double amount = (t + seed) % 3 ? 1.0 + (double)t : 0.0;
                uint64_t under_way = core_delay_at(delay, seed, port, t);
                uint64_t falls = t + (under_way > 1 ? under_way : 1);
                latest_parcel = amount > 0.0 && falls > latest_parcel ? falls : latest_parcel;
                due[latest_parcel] += amount;
                sent += amount;
                double taken = mail_delay_parcel(&lines, port, t, amount);
                came += taken;
                cr_assert_eq(taken, due[t + 1], "%s, step %lu: %g, not %g", delays[1 + seed % 3], (unsigned long)t,
                             taken, due[t + 1]);
            }
            cr_assert_float_eq(
                sent - came,
                mail_delay_in_flight(&lines, port + 1) - (port > 0 ? mail_delay_in_flight(&lines, port) : 0.0), 1e-9);
        }
        base_arena_destroy(&memory);
        ek_machine_destroy(machine);
    }
}

// A simulation of sender:c in turns or in rounds. It keeps every processor's load at the start of each step, and
// every parcel with the step in which it arrives.
enum { STEPS_MAX = 64, PROCESSORS_MAX = 16, PORTS_MAX = 64 };

struct simulation {
    const struct ek_machine *machine;
    uint64_t seed;
    double c, limit;
    bool tokens, in_turns;
    double load[PROCESSORS_MAX];
    double past[STEPS_MAX][PROCESSORS_MAX];
    double due[STEPS_MAX + 16][PORTS_MAX]; // by step and by the port where it arrives
    uint64_t latest[PORTS_MAX];            // when the last parcel to this port is due
    uint64_t latest_heard[PORTS_MAX];
    double heard[PORTS_MAX];
    double announced[STEPS_MAX][PORTS_MAX];
    double moved, largest;
    uint64_t parcels;
};

static uint64_t delay_of(const struct simulation *s, uint32_t port, uint64_t t)
{
    return core_delay_at(&s->machine->plan.links.delay, s->seed, port, t);
}

static double flow_of(const struct simulation *s, double own, double other)
{
    double amount = s->c * (own - other);
    amount = s->tokens ? floor(amount + 1e-12) : amount;
    return amount > s->limit ? s->limit : amount;
}

// Sends over the port of p in step t. In turns, what arrives at t + 1 is there at once.
static void send(struct simulation *s, uint32_t p, uint32_t port, uint64_t t, double amount)
{
    uint32_t twin = s->machine->plan.topology->twin[port];
    uint64_t under_way = delay_of(s, twin, t);
    uint64_t due = t + (under_way > 1 ? under_way : 1);
    s->latest[twin] = due > s->latest[twin] ? due : s->latest[twin];
    s->load[p] -= amount;
    s->moved += amount;
    s->largest = fmax(s->largest, amount);
    s->parcels++;
    if (s->in_turns && s->latest[twin] == t + 1) {
        s->load[s->machine->plan.topology->neighbour[port]] += amount;
    } else {
        s->due[s->latest[twin]][twin] += amount;
    }
}

// A processor compares its current load with its neighbours in ascending order; the delay determines how old their
// loads are. A parcel that is due at t + 1 is there at the start of t.
static void step_in_turns(struct simulation *s, uint64_t t)
{
    const struct ek_topology *topology = s->machine->plan.topology;
    memcpy(s->past[t], s->load, sizeof s->load);
    for (uint32_t port = 0; port < topology->ports; port++) {
        s->load[topology->neighbour[topology->twin[port]]] += s->due[t + 1][port];
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            uint64_t old = delay_of(s, port, t);
            uint32_t q = topology->neighbour[port];
            double known = old == 0 ? s->load[q] : s->past[t > old ? t - old : 0][q];
            double amount = flow_of(s, s->load[p], known);
            if (amount > 0.0) {
                send(s, p, port, t, amount);
            }
        }
    }
}

// All processors act at once, by the announcements that are due. Parcels arrive at the start of their step.
static void step_in_rounds(struct simulation *s, uint64_t t)
{
    const struct ek_topology *topology = s->machine->plan.topology;
    for (uint32_t port = 0; port < topology->ports; port++) {
        s->load[topology->neighbour[topology->twin[port]]] += s->due[t][port];
    }
    memcpy(s->past[t], s->load, sizeof s->load);
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            uint32_t q = topology->neighbour[port];
            uint64_t latest = 0;
            double known = s->past[0][q]; // before any announcement is due
            for (uint64_t from = 0; from <= t; from++) {
                uint64_t falls = from + delay_of(s, port, from);
                latest = falls > latest ? falls : latest;
                known = latest <= t ? s->past[from][q] : known;
            }
            double amount = flow_of(s, s->past[t][p], known);
            if (amount > 0.0) {
                send(s, p, port, t, amount);
            }
        }
    }
}

static void expect_like_simulated(struct ek_experiment experiment, double c)
{
    experiment.steps_max = 12;
    experiment.stop = "never";
    struct ek_machine *machine = prepare(experiment);
    struct simulation *s = calloc(1, sizeof *s);
    cr_assert(s);
    *s = (struct simulation){.machine = machine,
                             .seed = experiment.seed,
                             .c = c,
                             .limit = core_links_narrowest(&machine->plan.links, machine->plan.topology->ports),
                             .tokens = machine->plan.units == EK_TOKENS,
                             .in_turns = strcmp(experiment.timing, "turns") == 0};
    struct ek_report report = {0};
    struct ek_error error;
    enum ek_status status = ek_run(machine, 0, &report, NULL, NULL, &error);
    cr_assert_eq(status, EK_OK, "%s", error.sentence);
    memcpy(s->load, report.initial, machine->plan.topology->processors * sizeof *s->load);
    for (uint64_t t = 0; t < experiment.steps_max; t++) {
        (s->in_turns ? step_in_turns : step_in_rounds)(s, t);
    }
    const char *what = experiment.delay;
    if (!s->in_turns) { // parcels that arrive after the last step are there at the end
        for (uint32_t port = 0; port < machine->plan.topology->ports; port++) {
            s->load[machine->plan.topology->neighbour[machine->plan.topology->twin[port]]] +=
                s->due[experiment.steps_max][port];
        }
    }
    for (uint32_t p = 0; p < machine->plan.topology->processors; p++) {
        cr_expect_float_eq(report.final[p], s->load[p], 1e-9, "%s %s %s: %g, not %g, at %u", experiment.timing,
                           experiment.topology, what, report.final[p], s->load[p], p);
    }
    cr_expect_float_eq(report.moved, s->moved, 1e-9 * s->moved);
    cr_expect(!s->tokens || report.parcels == s->parcels, "%lu parcels, not %lu", (unsigned long)report.parcels,
              (unsigned long)s->parcels);
    double links = machine->plan.topology->ports;
    cr_expect(s->largest <= s->limit && report.moved <= s->limit * links * (double)experiment.steps_max);
    ek_report_destroy(&report);
    ek_machine_destroy(machine);
    free(s);
}

Test(rounds_by_rules, senders_with_delays_and_limits)
{
    static const char *const topologies[] = {"ring:9", "star:6", "mesh:3x4", "complete:5"};
    static const char *const limits[] = {NULL, "1", "17"};
    for (unsigned k = 0; k < 4 * 4 * 3 * 2; k++) {
        struct ek_experiment experiment = {.topology = topologies[k % 4],
                                           .method = "sender:0.2",
                                           .delay = delays[k / 4 % 4],
                                           .link_limit = limits[k / 16 % 3],
                                           .load = "uniform:0:1000",
                                           .units = k % 3 ? "real" : "tokens",
                                           .seed = k + 1};
        experiment.timing = "turns";
        expect_like_simulated(experiment, 0.2);
        experiment.timing = "rounds";
        expect_like_simulated(experiment, 0.2);
    }
}

// In every timing of rounds, load that appears from nowhere ends the run, even a little of it.
Test(rounds_by_rules, a_run_notices_what_is_lost_or_made)
{
    static const double amounts[] = {0.0, -1.0, 1.0, 1e-3};
    for (int k = 0; k < 8; k++) {
        struct ek_machine *machine = prepare((struct ek_experiment){.topology = "ring:8",
                                                                    .method = "sender:0.2",
                                                                    .timing = k < 4 ? "rounds" : "turns",
                                                                    .units = k % 4 == 3 ? "real" : "tokens",
                                                                    .load = "constant:1000",
                                                                    .stop = "never",
                                                                    .steps_max = 9});
        struct ek_error error = {0};
        struct ek_report report = {0};
        struct rounds_run *run = machine->plan.engine->create(&machine->plan, 0, &error);
        cr_assert(run);
        run->loads.held[3] += amounts[k % 4];
        machine->plan.engine->run_worker(run, 0);
        enum ek_status status = machine->plan.engine->report(run, &report, &error);
        cr_expect_eq(status, k % 4 == 0 ? EK_OK : EK_VIOLATION, "%g of load, status %d: %s", amounts[k % 4], status,
                     error.sentence);
        ek_report_destroy(&report);
        machine->plan.engine->destroy(run);
        ek_machine_destroy(machine);
    }
}

// A run that draws random numbers may rest for an operation and go on. Its criterion ends it.
Test(rounds_by_rules, a_run_that_draws_lots_may_rest)
{
    static const struct ek_experiment experiments[] = {
        {.topology = "chain:4", .method = "matching", .load = "peak:8@3", .units = "tokens"},
        {.topology = "ring:9", .method = "matching", .load = "peak:9@3", .units = "tokens"},
        {.topology = "chain:4", .method = "random-neighbours:1:1", .load = "file:two", .invoke = "outside:0:60"},
        {.topology = "ring:9",
         .method = "sender:0.5",
         .timing = "turns:random",
         .load = "peak:90@3",
         .units = "tokens"},
        {.topology = "chain:8", .method = "ade", .load = "peak:90@3", .units = "tokens", .invoke = "probability:0.1"},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        for (uint64_t seed = 1; seed <= 30; seed++) {
            struct ek_experiment experiment = experiments[i];
            experiment.carrier = "pool:1";
            experiment.stop = experiment.units ? "neighbours:2" : "spread:50";
            experiment.seed = seed;
            struct tests_memory two = {.text = "0\n90\n90\n0\n", .length = 10}; // those that may choose each other
            experiment.reader = tests_memory_reader(&two);
            struct tests_outcome outcome;
            tests_try(&experiment, 0, &outcome);
            cr_expect(outcome.status == EK_OK && outcome.report.ended == EK_ENDED_CRITERION,
                      "%s on %s, seed %lu: ended %d after %lu: %s", experiment.method, experiment.topology,
                      (unsigned long)seed, outcome.report.ended, (unsigned long)outcome.report.operations,
                      outcome.report.why);
            tests_outcome_destroy(&outcome);
        }
    }
}

// Loads that go round in circles return. If each step draws a new order, they need not return for ever.
Test(rounds_by_rules, a_state_that_returns_is_no_end_where_the_order_is_drawn)
{
    struct ek_experiment experiment = {.topology = "ring:5",
                                       .method = "sender:1",
                                       .load = "peak:7",
                                       .units = "tokens",
                                       .carrier = "pool:1",
                                       .stop = "spread:0",
                                       .operations_max = 500};
    static const char *const timings[] = {"turns", "turns:random"};
    for (int k = 0; k < 2; k++) {
        struct tests_outcome outcome;
        experiment.timing = timings[k];
        tests_try(&experiment, 0, &outcome);
        cr_expect_eq(outcome.report.ended, k == 0 ? EK_ENDED_REPEATS : EK_ENDED_OPERATIONS, "%s: ended %d after %lu",
                     timings[k], outcome.report.ended, (unsigned long)outcome.report.operations);
        tests_outcome_destroy(&outcome);
    }
}

// Splitting takes back the operation in which nothing moved, with its step.
Test(rounds_by_rules, splitting_counts_what_it_did)
{
    for (unsigned k = 0; k < 20; k++) {
        struct ek_experiment experiment = {.topology = k % 2 ? "ring:8" : "ring:13",
                                           .method = "splitting:1/2",
                                           .load = k < 2 ? "constant:7" : "peak:100@3",
                                           .units = "tokens",
                                           .carrier = "pool:1",
                                           .seed = k};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_assert_eq(outcome.status, EK_OK, "%s", outcome.error.sentence);
        cr_expect_eq(outcome.report.steps, outcome.report.operations, "%lu steps, %lu operations",
                     (unsigned long)outcome.report.steps, (unsigned long)outcome.report.operations);
        cr_expect((outcome.report.operations > 0) == (k >= 2), "equal loads rest at once");
        tests_outcome_destroy(&outcome);
    }
}
