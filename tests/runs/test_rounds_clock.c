// SPDX-License-Identifier: MIT
// The virtual time of rounds against a slow simulation, which sends every message of a run one by one.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/method.h"
#include "core/register.h"
#include "core/theory/step_time.h"
#include "tests/support/must.h"
#include "tests/support/text_file.h"

struct ek_plan;
struct ek_setting;

enum { PROCESSORS_MAX = 40, MESSAGES_MAX = 40 * 39, TEXT = 24 };

// Costs that are drawn, as numbers and as axes.
struct costs {
    uint64_t turn, overhead, gap, latency;
    double byte_time, message_bytes, load_bytes;
    char text[7][TEXT];
};

static void draw_costs(struct costs *costs, struct base_random *random, bool loads)
{
    costs->turn = 1 + base_random_below(random, 500);
    costs->overhead = base_random_below(random, 400);
    costs->gap = base_random_below(random, 100);
    costs->latency = base_random_below(random, 3000);
    costs->byte_time = (double)base_random_below(random, 300) / 100.0;
    costs->message_bytes = (double)base_random_below(random, 64);
    costs->load_bytes = loads ? (double)base_random_below(random, 20) / 2.0 : 0.0;
    const uint64_t whole[] = {costs->turn, costs->overhead, costs->gap, costs->latency};
    for (int i = 0; i < 4; i++) {
        snprintf(costs->text[i], TEXT, "%lluns", (unsigned long long)whole[i]);
    }
    snprintf(costs->text[4], TEXT, "%.2fns", costs->byte_time);
    snprintf(costs->text[5], TEXT, "%g", costs->message_bytes);
    snprintf(costs->text[6], TEXT, "%g", costs->load_bytes);
}

static void set_costs(struct ek_experiment *experiment, const struct costs *costs)
{
    experiment->turn_cost = costs->text[0];
    experiment->overhead = costs->text[1];
    experiment->gap = costs->text[2];
    experiment->latency = costs->text[3];
    experiment->byte_time = costs->text[4];
    experiment->message_bytes = costs->text[5];
    experiment->load_bytes = costs->text[6];
}

// The messages of a phase.
struct traffic {
    struct message {
        uint32_t from, to;
        double load;
    } message[MESSAGES_MAX];
    size_t count;
};

static void send(struct traffic *traffic, uint32_t from, uint32_t to, double load)
{
    cr_assert(traffic->count < MESSAGES_MAX);
    traffic->message[traffic->count++] = (struct message){from, to, load};
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// Returns how long a phase with these messages takes. All processors write their messages, all messages cross, all
// processors read.
static uint64_t simulate(const struct costs *costs, struct traffic *traffic)
{
    uint64_t written[PROCESSORS_MAX], read[PROCESSORS_MAX];
    for (uint32_t p = 0; p < PROCESSORS_MAX; p++) {
        written[p] = costs->turn;
    }
    uint64_t departure = costs->turn, arrival = 0, end = 0;
    for (size_t i = 0; i < traffic->count; i++) {
        uint64_t *own = &written[traffic->message[i].from];
        *own += costs->overhead;
        departure = later(departure, *own);
    }
    arrival = departure;
    for (size_t i = 0; i < traffic->count; i++) {
        double bytes = costs->message_bytes + costs->load_bytes * traffic->message[i].load;
        uint64_t occupies = costs->gap + (uint64_t)floor(bytes * costs->byte_time + 0.5);
        arrival = later(arrival, departure + occupies + costs->latency);
    }
    for (uint32_t p = 0; p < PROCESSORS_MAX; p++) {
        read[p] = arrival;
        end = later(end, arrival);
    }
    for (size_t i = 0; i < traffic->count; i++) {
        uint64_t *own = &read[traffic->message[i].to];
        *own += costs->overhead;
        end = later(end, *own);
    }
    traffic->count = 0;
    return end;
}

static void expect_time(const struct ek_report *report, uint64_t ns, const char *what)
{
    cr_expect(report->has_virtual, "%s", what);
    cr_expect_float_eq(report->virtual_s, 1e-9 * (double)ns, 1e-15 * (double)(ns + 1), "%s: %.10g s, not %llu ns", what,
                       report->virtual_s, (unsigned long long)ns);
}

// ---- rules ----

// A run of a rule, computed again step by step from the loads that an observer sees.
struct rule_run {
    const struct ek_topology *topology;
    const struct costs *costs;
    double parameter, below; // processors with less load invoke
    bool by_colour;
    uint64_t steps, ns; // so far
    uint64_t before_ns; // without the last step
    bool invokes[PROCESSORS_MAX];
};

static bool has_turn(const struct rule_run *run, uint32_t p, uint32_t port)
{
    uint32_t colours = run->topology->colours;
    bool coloured = !run->by_colour || run->topology->colour[port] == run->steps % colours;
    return coloured && (run->invokes[p] || run->invokes[run->topology->neighbour[port]]);
}

static void look(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    static struct traffic announce, migrate;
    struct rule_run *run = context;
    cr_expect_float_eq(row->time, 1e-9 * (double)run->ns, 1e-15 * (double)(run->ns + 1), "step %llu: %.10g s",
                       (unsigned long long)row->step, row->time);
    for (uint32_t p = 0; p < processors && (!run->by_colour || run->steps % run->topology->colours == 0); p++) {
        run->invokes[p] = loads[p] < run->below;
    }
    for (uint32_t p = 0; p < processors; p++) {
        for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
            uint32_t to = run->topology->neighbour[port];
            if (has_turn(run, p, port)) {
                send(&announce, p, to, 0.0);
                send(&migrate, p, to, fmax(0.0, run->parameter * (loads[p] - loads[to])));
            }
        }
    }
    run->before_ns = run->ns;
    run->ns += simulate(run->costs, &announce) + simulate(run->costs, &migrate);
    run->steps++;
}

Test(rounds_clock, rules_take_what_a_simulation_takes)
{
    static const char *const topologies[] = {"torus:4x4",   "mesh:5x3",       "star:7",     "random:20:5",
                                             "hypercube:4", "otis(ring:4)",   "chain:2",    "ring:13",
                                             "complete:9",  "otis(mesh:2x3)", "torus:2x3x4"};
    static const char *const invocations[] = {NULL, "below:500", "below:100", "below:1"};
    static const double bounds[] = {INFINITY, 500.0, 100.0, 1.0};
    for (unsigned i = 0; i < tests_part(600); i++) {
        struct base_random random = base_random_start(31, i, BASE_STREAM_LOAD);
        struct costs costs;
        draw_costs(&costs, &random, i % 2);
        unsigned invocation = (unsigned)base_random_below(&random, 4);
        bool exchange = base_random_below(&random, 2);
        struct ek_topology *topology = must_build_seeded(topologies[base_random_below(&random, 11)], i + 1);
        struct rule_run run = {.topology = topology,
                               .costs = &costs,
                               .parameter = exchange ? 0.5 : 0.0625,
                               .below = bounds[invocation],
                               .by_colour = exchange};
        struct ek_experiment experiment = {.topology = topology->spec,
                                           .method = exchange ? "gde:0.5" : "diffusion:0.0625",
                                           .load = "uniform:0:1000",
                                           .invoke = invocations[invocation],
                                           .stop = "never",
                                           .steps_max = base_random_below(&random, 12),
                                           .seed = i + 1,
                                           .every = 1,
                                           .observer = {.look = look, .context = &run}};
        experiment.steps_max += experiment.steps_max == 0;
        set_costs(&experiment, &costs);
        struct tests_outcome outcome;
        must_run(experiment, &outcome);
        cr_assert_eq(run.steps, outcome.report.steps + 1, "%s", topology->spec); // the observer also sees the end
        char what[80];
        snprintf(what, sizeof what, "%s on %s, seed %u", experiment.method, topology->spec, i + 1);
        expect_time(&outcome.report, run.before_ns, what);
        tests_outcome_destroy(&outcome);
        ek_topology_destroy(topology);
    }
}

// ---- programs ----

// A program that announces and sends at random, and notes its messages.
static struct {
    const struct ek_topology *topology;
    const struct costs *costs;
    struct base_random random;
    struct traffic announce, migrate; // of this step
    bool begun;                       // a step has begun
    uint64_t ns;                      // of the steps before
} chat;

static bool prepare_chatter(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                            struct ek_error *error)
{
    (void)plan, (void)parameter, (void)at, (void)error;
    chat.topology = setting->topology;
    return true;
}

static void end_step(void)
{
    chat.ns += simulate(chat.costs, &chat.announce);
    chat.ns += simulate(chat.costs, &chat.migrate);
}

static uint32_t neighbour_of(const struct ek_view *view, unsigned port)
{
    return chat.topology->neighbour[chat.topology->first[view->processor] + port];
}

static void chatter_announce(const struct ek_turn *turn, double *values)
{
    if (turn->view.processor == 0 && chat.begun) {
        end_step();
    }
    chat.begun = true;
    uint64_t chance = 1 + base_random_below(&chat.random, 9);
    for (unsigned port = 0; port < turn->view.degree; port++) {
        values[port] = NAN;
        if (base_random_below(&chat.random, chance) == 0) {
            values[port] = 0.0;
            send(&chat.announce, turn->view.processor, neighbour_of(&turn->view, port), 0.0);
        }
    }
}

static void chatter_act(struct ek_turn *turn, double *amounts)
{
    uint64_t chance = 1 + base_random_below(&chat.random, 9);
    for (unsigned port = 0; port < turn->view.degree; port++) {
        if (base_random_below(&chat.random, chance) == 0) {
            amounts[port] = 0.5 * (double)(1 + base_random_below(&chat.random, 200));
            send(&chat.migrate, turn->view.processor, neighbour_of(&turn->view, port), amounts[port]);
        }
    }
}

static const struct ek_method chatter = {
    .name = "chatter",
    .texts = &(const struct ek_texts){.title = "for a test"},
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS, .overdraws = true},
    .links = EK_LINKS_ALL,
    .draws = true,
    .prepare = prepare_chatter,
    .rounds = &(const struct ek_rounds_part){.announce = chatter_announce, .act = chatter_act},
};

// A step may have no announcement, or no parcel, and processors may receive more than they send.
Test(rounds_clock, programs_take_what_a_simulation_takes)
{
    static const char *const topologies[] = {"torus:4x4", "star:9", "random:20:5", "chain:2", "complete:7"};
    struct ek_error error;
    cr_assert(ek_method_register(&chatter, &error), "%s", error.sentence);
    for (unsigned i = 0; i < tests_part(300); i++) {
        struct base_random random = base_random_start(32, i, BASE_STREAM_LOAD);
        struct costs costs;
        draw_costs(&costs, &random, i % 2);
        chat.costs = &costs;
        chat.random = random;
        chat.begun = false;
        chat.ns = 0;
        struct ek_experiment experiment = {.topology = topologies[i % 5],
                                           .method = "chatter",
                                           .stop = "never",
                                           .steps_max = 1 + base_random_below(&random, 8),
                                           .seed = i + 1};
        set_costs(&experiment, &costs);
        struct tests_outcome outcome;
        must_run(experiment, &outcome);
        chat.announce.count = 0; // the announcements after the last step, before the run ended
        char what[80];
        snprintf(what, sizeof what, "%s, draw %u", experiment.topology, i);
        expect_time(&outcome.report, chat.ns, what);
        tests_outcome_destroy(&outcome);
    }
}

// ---- by hand, with the default costs: T = 100, o = 200, g = 50, L = 1000 ----

Test(rounds_clock, steps_by_hand)
{
    static const struct {
        struct ek_experiment experiment;
        uint64_t ns;
    } cases[] = {
        // A step over d links of a processor: two phases of 100 + d*200 + 1050 + d*200
        {{.topology = "chain:2", .method = "ade", .steps_max = 1}, 3100},
        {{.topology = "torus:4x4", .method = "ade", .steps_max = 3}, 3 * 3100},
        {{.topology = "torus:4x4", .method = "adf", .steps_max = 3}, 3 * 5500},
        {{.topology = "torus:4x4", .method = "adf", .ports = "one", .operations_max = 1}, 4 * 3100},
        {{.topology = "star:9", .method = "adf", .steps_max = 2}, 2 * 8700},
        {{.topology = "star:9", .method = "matching", .steps_max = 2}, 2 * 3100},
        // Only the link between 0 and 1, then all of the hub's
        {{.topology = "star:9", .method = "adf", .invoke = "at:1", .steps_max = 1}, 3100},
        {{.topology = "star:9", .method = "adf", .invoke = "at:0", .steps_max = 1}, 8700},
        {{.topology = "star:9", .method = "adf", .invoke = "at:1,2,3", .steps_max = 1}, 4700},
        // Nobody invokes: two turns
        {{.topology = "star:9", .method = "adf", .invoke = "below:0", .steps_max = 1}, 200},
        // Ten units of 8 bytes each cross the link in 1 ns a byte, 16 bytes of other data too, in both phases
        {{.topology = "chain:2",
          .method = "ade",
          .load = "peak:20",
          .byte_time = "1ns",
          .load_bytes = "8",
          .steps_max = 1},
         3100 + 2 * 16 + 80},
        // A program sends what it wants: all announce to two neighbours, and a processor with tokens sends one
        {{.topology = "ring:8", .method = "liquid:c0", .load = "peak:3", .steps_max = 2}, 2 * (1950 + 1550)},
        {{.topology = "ring:8", .method = "liquid:c1", .load = "peak:1", .steps_max = 2}, 2 * (1950 + 100)},
        {{.topology = "ring:8", .method = "liquid:c2", .load = "peak:3", .carrier = "threads", .steps_max = 2},
         2 * (1950 + 1550)},
        // Processors without links
        {{.topology = "chain:1", .method = "matching", .steps_max = 2}, 400},
        {{.topology = "chain:1", .method = "adf", .steps_max = 2}, 400},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        struct tests_outcome outcome;
        experiment.stop = "never";
        must_run(experiment, &outcome);
        char what[80];
        snprintf(what, sizeof what, "case %zu: %s on %s", i, experiment.method, experiment.topology);
        expect_time(&outcome.report, cases[i].ns, what);
        tests_outcome_destroy(&outcome);
    }
}

// The hub has 8 links. Five fail before step 1, and are repaired before step 2.
Test(rounds_clock, failed_links_take_no_part)
{
    static const char *const text = "1 fail link 0 1\n1 fail link 0 2\n1 fail link 0 3\n1 fail link 0 4\n"
                                    "1 fail link 0 5\n2 repair link 0 1\n2 repair link 0 2\n2 repair link 0 3\n"
                                    "2 repair link 0 4\n2 repair link 0 5\n";
    struct tests_memory file = {text, strlen(text)};
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = "star:9",
                                    .method = "adf",
                                    .faults = "file:events",
                                    .reader = tests_memory_reader(&file),
                                    .stop = "never",
                                    .steps_max = 3},
             &outcome);
    expect_time(&outcome.report, 8700 + 4700 + 8700, "faults");
    tests_outcome_destroy(&outcome);
}

// Times that no clock could show are not reported.
Test(rounds_clock, endless_times_are_left_out)
{
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = "chain:2",
                                    .method = "ade",
                                    .load = "peak:1e15",
                                    .byte_time = "10s",
                                    .load_bytes = "1000000",
                                    .stop = "never",
                                    .steps_max = 1},
             &outcome);
    cr_expect(!outcome.report.has_virtual);
    tests_outcome_destroy(&outcome);
}

Test(rounds_clock, turns_and_delays_have_none)
{
    static const struct ek_experiment kinds[] = {{.timing = "turns"}, {.timing = "turns:random"}, {.delay = "fixed:2"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ek_experiment experiment = kinds[i];
        experiment.topology = "ring:8";
        experiment.method = "diffusion:0.2";
        struct tests_outcome outcome;
        must_run(experiment, &outcome);
        cr_expect(!outcome.report.has_virtual, "kind %zu", i);
        tests_outcome_destroy(&outcome);
    }
}
