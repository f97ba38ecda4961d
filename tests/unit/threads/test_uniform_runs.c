// SPDX-License-Identifier: MIT
// Uniform runs: stretches of processors whose neighbours have the same distances. Rounds along them do a step in one
// pass. Loads and report must be the same, bit by bit, as in two phases with parcels stored by port.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "core/lanes.h"
#include "core/methods/kernels/uniform_run.h"
#include "tests/support/must.h"
#include "threads/machine/machine.h"
#include "threads/rounds/rounds_engine.h"
#include "threads/rounds/rounds_state.h"

enum { STRETCHES_MAX = 4096 };

// Checks a processor's vicinity against the topology's arrays: its neighbours by port, and its own load as a mirror
// instead of missing ports.
static void expect_around(const struct ek_topology *topology, uint32_t p, const struct ek_vicinity *vicinity)
{
    cr_assert_eq(vicinity->degree, topology->first[p + 1] - topology->first[p]);
    for (uint32_t k = 0; k < core_vicinity_ports(topology); k++) {
        uint32_t neighbour = k < vicinity->degree ? topology->neighbour[topology->first[p] + k] : p;
        cr_assert_eq(vicinity->neighbour[k] + (int64_t)p, neighbour, "%s: port %u of %u", topology->spec, k, p);
    }
}

// Checks which lanes differ from the usual one, which as many lanes resemble as any other.
static void expect_odd(const char *spec, const struct ek_uniform_run *run)
{
    unsigned alike[EK_LANES] = {0}, most = 0;
    for (unsigned lane = 0; lane < EK_LANES; lane++) {
        for (unsigned other = 0; other < EK_LANES; other++) {
            alike[lane] += run->vicinity[lane] == run->vicinity[other];
        }
        bool odd = run->vicinity[lane] != run->usual;
        cr_assert_eq(run->odd >> lane & 1, odd, "%s: lane %u behind %u", spec, lane, run->begin);
        most = odd ? most : alike[lane];
    }
    for (unsigned lane = 0; lane < EK_LANES; lane++) {
        cr_assert_geq(most, alike[lane], "%s: %u", spec, run->begin);
    }
}

// Checks that there are `expected` uniform runs, one after another, with `kinds` vicinities in all, each as in the
// topology. All but the first begin at a first lane.
static void expect_stretches(const char *spec, size_t expected, unsigned kinds)
{
    static struct ek_uniform_run run[STRETCHES_MAX];
    struct ek_vicinity vicinity[CORE_VICINITIES_MAX];
    unsigned vicinities, same;
    struct ek_topology *topology = must_build(spec);
    size_t count = core_uniform_runs(topology, NULL, vicinity, &vicinities);
    cr_assert_eq(count, expected + 1, "%s: %zu", spec, count);
    cr_assert_eq(vicinities, kinds, "%s: %u", spec, vicinities);
    cr_assert_eq(core_uniform_runs(topology, run, vicinity, &same), count);
    cr_assert_eq(run[0].begin, 0);
    cr_assert_eq(run[expected].begin, topology->processors);
    for (size_t i = 0; i < expected; i++) {
        cr_assert_lt(run[i].begin, run[i + 1].begin);
        cr_assert(i == 0 || ek_lane(run[i].begin) == 0, "%s: %u", spec, run[i].begin);
        expect_odd(spec, &run[i]);
        for (uint32_t p = run[i].begin; p < run[i + 1].begin; p++) {
            expect_around(topology, p, &vicinity[run[i].vicinity[ek_lane(p)]]);
        }
    }
    ek_topology_destroy(topology);
}

// A row whose length is a multiple of four has two uniform runs: its middle, and its end with the beginning of the
// next row. Other rows drift.
Test(runs, a_row_is_a_few)
{
    expect_stretches("ring:64", 3, 3);
    expect_stretches("chain:64", 3, 3);
    expect_stretches("torus:12x8", 17, 9);
    expect_stretches("torus:32x20", 41, 9);
    expect_stretches("mesh:13x5", 12, 9);
    expect_stretches("torus:16x6x5", 61, 27);
    expect_stretches("mesh:12x3x3", 19, 27);
    expect_stretches("torus:12x2", 5, 6);
}

Test(runs, where_neighbours_lie_anyhow_there_are_none)
{
    static const char *const specs[] = {"random:200:4", "hypercube:8", "complete:8", "star:64"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ek_vicinity vicinity[CORE_VICINITIES_MAX];
        unsigned vicinities;
        struct ek_topology *topology = must_build(specs[i]);
        cr_expect_eq(core_uniform_runs(topology, NULL, vicinity, &vicinities), 0, "%s", specs[i]);
        ek_topology_destroy(topology);
    }
}

struct ways {
    bool one_pass, foresees, rests;
};

static struct ways ways_of(const struct ek_experiment *experiment)
{
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    struct rounds_run *rounds = rounds_create(&machine->plan, 0, &error);
    cr_assert(rounds, "%s", error.sentence);
    struct ways ways = {rounds->one_pass, rounds->foresees, rounds->rests};
    rounds_destroy(rounds);
    ek_machine_destroy(machine);
    return ways;
}

static bool is_one_pass(const struct ek_experiment *experiment)
{
    return ways_of(experiment).one_pass;
}

// Experiments that do not use the loop over uniform runs, whatever the topology.
Test(runs, steps_are_one_pass_where_a_rule_is_mutual_and_nothing_lies_between)
{
    static const struct ek_experiment others[] = {
        {.topology = "torus:12x9", .method = "adf", .units = "tokens", .rounding = "nearest", .carrier = "pool:2"},
        {.topology = "torus:12x9", .method = "adf", .tasks = "queens:6", .carrier = "pool:2"},
        {.topology = "torus:12x9", .method = "adf", .ports = "one", .carrier = "pool:2"},
        {.topology = "torus:12x9", .method = "adf", .link_limit = "9007199254740992", .carrier = "pool:2"},
        {.topology = "torus:12x9", .method = "adf", .mailbox = "spsc", .carrier = "pool:2"},
        {.topology = "torus:12x9", .method = "adf", .delay = "fixed:1", .carrier = "pool:2"},
        {.topology = "torus:12x9", .method = "adf", .invoke = "probability:0.5", .carrier = "pool:2"},
        {.topology = "torus:12x9", .method = "adf", .carrier = "threads"},
        {.topology = "torus:12x9", .method = "adf", .load_bytes = "8", .byte_time = "1ns", .carrier = "pool:2"},
        {.topology = "torus:12x9", .method = "sos", .carrier = "pool:2"},
        {.topology = "random:81:4", .method = "adf", .carrier = "pool:2"},
    };
    static const char *const methods[] = {"adf", "odf", "diffusion:0.1", "fos"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        cr_expect_not(is_one_pass(&others[i]), "%zu", i);
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct ek_experiment experiment = {.topology = "torus:12x9", .method = methods[i], .carrier = "pool:2"};
        cr_expect_eq(is_one_pass(&experiment), ek_cpu_is_wide(), "%s", methods[i]);
        experiment.units = "tokens";
        cr_expect_eq(is_one_pass(&experiment), ek_cpu_is_wide(), "tokens of %s", methods[i]);
    }
}

// A step has one phase if the worker shares its core and has few processors, and two phases otherwise.
Test(runs, few_processors_a_worker_foresee)
{
    static const struct {
        const char *topology, *carrier, *barrier;
        bool foresees;
    } cases[] = {{"ring:511", "pool:8", "yield", true},  {"ring:512", "pool:8", "yield", false},
                 {"ring:511", "pool:8", "sleep", true},  {"ring:511", "pool:8", "pthread", true},
                 {"ring:511", "pool:8", "spin", false},  {"ring:100", "threads", "yield", true},
                 {"ring:5000", "pool:8", "sleep", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = {
            .topology = cases[i].topology, .method = "adf", .carrier = cases[i].carrier, .barrier = cases[i].barrier};
        struct ways ways = ways_of(&experiment);
        cr_expect_eq(ways.foresees, cases[i].foresees, "%s on %s", cases[i].topology, cases[i].carrier);
        cr_expect_eq(ways.one_pass, !cases[i].foresees && ek_cpu_is_wide(), "%s on %s", cases[i].topology,
                     cases[i].carrier);
    }
}

// A step has one phase with methods whose amounts a neighbour can compute, with any ports, capacities and drawn links,
// if nothing lies between the steps.
Test(runs, methods_whose_amounts_neighbours_know_foresee)
{
    static const struct {
        struct ek_experiment experiment;
        bool foresees;
    } cases[] = {
        {{.method = "adf"}, true},
        {{.method = "adf", .ports = "one"}, true},
        {{.method = "ade"}, true},
        {{.method = "ade", .ports = "all"}, true},
        {{.method = "ade", .mailbox = "spsc"}, false},
        {{.method = "adf", .capacity = "semi"}, true},
        {{.method = "ade", .work = "constant:0=1", .steps_max = 9}, false},
        {{.method = "gde:0.7", .units = "tokens"}, true},
        {{.method = "gde:0.7", .units = "tokens", .rounding = "carry"}, false},
        {{.method = "matching"}, true},
        {{.method = "sos"}, false},
        {{.method = "liquid:c0"}, true},
        {{.method = "liquid:c4"}, true},
        {{.method = "liquid:c4", .mailbox = "spsc"}, false},
        {{.method = "liquid:c4", .topology = "torus:6x1"}, false},
        {{.method = "liquid:c2r"}, false},
        {{.method = "liquid:c4r"}, false},
        {{.method = "dde"}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        experiment.topology = experiment.topology ? experiment.topology : "torus:4x6";
        experiment.carrier = "threads";
        experiment.barrier = "yield";
        cr_expect_eq(ways_of(&experiment).foresees, cases[i].foresees, "%s on %s, case %zu", experiment.method,
                     experiment.topology, i);
    }
}

// Workers rest in steps of one phase, with tokens, and if the barrier can leave members out.
Test(runs, workers_whose_tokens_do_not_move_rest)
{
    static const struct {
        struct ek_experiment experiment;
        bool rests;
    } cases[] = {
        {{.method = "liquid:c4", .barrier = "yield"}, true},
        {{.method = "adf", .units = "tokens", .barrier = "sleep"}, true},
        {{.method = "adf", .units = "real", .barrier = "yield"}, false},
        {{.method = "liquid:c4", .barrier = "pthread"}, false},
        {{.method = "liquid:c4", .barrier = "yield", .checks = true}, false},
        {{.method = "liquid:c4r", .barrier = "yield"}, false},
        {{.method = "adf", .units = "tokens", .ports = "one", .barrier = "yield"}, true},
        {{.method = "adf", .units = "tokens", .capacity = "semi", .barrier = "yield"}, true},
        {{.method = "matching", .units = "tokens", .barrier = "yield"}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        experiment.topology = "torus:4x6";
        experiment.carrier = "threads";
        cr_expect_eq(ways_of(&experiment).rests, cases[i].rests, "case %zu", i);
    }
}

// With a limit of links a step has two phases, even if no amount reaches the limit.
static void expect_same_by_port(struct ek_experiment experiment)
{
    struct tests_outcome one_pass, ports;
    tests_try(&experiment, 0, &one_pass);
    cr_assert_eq(is_one_pass(&experiment), ek_cpu_is_wide());
    experiment.link_limit = "9007199254740992";
    tests_try(&experiment, 0, &ports);
    cr_assert_eq(one_pass.status, ports.status, "%s", one_pass.error.sentence);
    uint32_t processors = ek_machine_topology(one_pass.machine)->processors;
    const char *differs = tests_report_differs(&one_pass.report, &ports.report, processors);
    cr_expect_null(differs, "%s %s on %s%s: %s", experiment.topology, experiment.method, experiment.carrier,
                   experiment.no_flows ? " without flows" : "", differs);
    tests_outcome_destroy(&one_pass);
    tests_outcome_destroy(&ports);
}

// Rows of all lengths, multiples of the lanes or not, blocks that begin within a row, and loads at rest.
Test(runs, one_pass_changes_nothing)
{
    static const char *const topologies[] = {"ring:14",     "ring:97",     "chain:41",     "torus:29x5",  "torus:30x8",
                                             "torus:31x7",  "torus:35x3",  "torus:20x5",   "torus:37x4",  "mesh:22x5",
                                             "mesh:23x4",   "torus:16x2",  "torus:12x5x4", "mesh:17x4x3", "kary:18^2",
                                             "torus:33x17", "mesh:40x3x2", "torus:64x3",   "torus:65x64", "mesh:130x8",
                                             "chain:3",     "mesh:5x9",    "mesh:4x3x2",   "mesh:3x2"};
    static const char *const methods[] = {"adf", "diffusion:0.3", "fos"};
    static const char *const loads[] = {"uniform:0:1000", "peak:1000", "modulo:7919:1001"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        for (unsigned workers = 1; workers <= 4; workers++) {
            char carrier[16];
            snprintf(carrier, sizeof carrier, "pool:%u", workers);
            expect_same_by_port((struct ek_experiment){.topology = topologies[i],
                                                       .method = methods[(i + workers) % 3],
                                                       .load = loads[(i + workers / 2) % 3],
                                                       .units = (i + workers) % 3 ? "real" : "tokens",
                                                       .carrier = carrier,
                                                       .barrier = "spin",
                                                       .stop = "never",
                                                       .steps_max = 23,
                                                       .no_flows = workers % 2,
                                                       .keep_links = workers == 2,
                                                       .keep_loads = true,
                                                       .keep_trace = true});
        }
    }
}

// A processor gives more tokens than it holds. Then none of its own tokens stay, and their number is not negative.
Test(runs, no_fewer_tokens_stay_than_none)
{
    expect_same_by_port((struct ek_experiment){.topology = "torus:20x6",
                                               .method = "diffusion:0.4",
                                               .load = "peak:1000@50",
                                               .units = "tokens",
                                               .carrier = "pool:2",
                                               .stop = "never",
                                               .steps_max = 2,
                                               .keep_loads = true,
                                               .keep_trace = true});
}

// A processor gives more than it has and receives more. The load that it has left before it receives is not the load of
// any step, so it is not the lowest load, even if the processor is visited twice.
Test(runs, the_load_left_before_others_arrive_is_no_lowest_load)
{
    enum { COLUMNS = 20, ROWS = 6 };
    for (unsigned column = 0; column < COLUMNS; column++) {
        double loads[COLUMNS * ROWS] = {0.0};
        for (unsigned p = 0; p < COLUMNS * 3; p++) {
            loads[p] = 100.0;
        }
        loads[COLUMNS * 3 + column] = 10.0; // 4 for each of three neighbours, and 36 from the fourth
        struct ek_experiment experiment = {.topology = "torus:20x6",
                                           .method = "diffusion:0.4",
                                           .loads = loads,
                                           .loads_count = COLUMNS * ROWS,
                                           .carrier = "pool:1",
                                           .stop = "never",
                                           .steps_max = 1};
        struct tests_outcome outcome;
        tests_try(&experiment, 0, &outcome);
        cr_assert(is_one_pass(&experiment) == ek_cpu_is_wide() && outcome.machine, "%s", outcome.error.sentence);
        cr_expect_eq(outcome.report.minimum_ever, 0.0, "column %u: %g", column, outcome.report.minimum_ever);
        tests_outcome_destroy(&outcome);
    }
}
