// SPDX-License-Identifier: MIT
// Runs in virtual time whose costs vary: the first operation by hand, windows, and that neither a factor of 1 nor the
// workers change anything.
#include <criterion/criterion.h>

#include <math.h>

#include "core/links/within.h"
#include "tests/support/must.h"
#include "threads/api/replay.h"

static struct ek_experiment virtual_run(const char *within)
{
    return (struct ek_experiment){.topology = "torus:6x6",
                                  .method = "adf",
                                  .load = "peak:3600",
                                  .timing = "virtual",
                                  .stop = "never",
                                  .operations_max = 2000,
                                  .within = within};
}

// Returns the first values drawn at a moment, for these costs.
static void draw(const struct core_within *within, uint64_t seed, enum base_stream stream, uint32_t owner,
                 uint64_t moment, unsigned count, const uint64_t *costs, uint64_t *drawn)
{
    struct core_within_draws draws = core_within_begin(within, seed, stream, owner, moment);
    for (unsigned i = 0; i < count; i++) {
        drawn[i] = core_within_draw(&draws, costs[i]);
    }
}

// chain:2 with one operation: ASK, TELL and the load go over the link, one after the other. Processor 0 makes turns 0
// to 1 for it, processor 1 turns 1 to 2: its turn 0 at time 0 finds nothing.
Test(within, the_first_operation_by_hand)
{
    static const uint64_t turn_costs[] = {100, 200, 200}, message_costs[] = {50, 1000};
    for (uint64_t seed = 1; seed < 60; seed++) {
        struct core_within within;
        struct ek_error error;
        const char *spec = seed % 2 ? "1.5:4" : "3";
        cr_assert(core_within_parse(&within, spec, &error));
        uint64_t at = 0, turn[3], message[2];
        for (unsigned i = 0; i < 4; i++) { // the turns
            draw(&within, seed, BASE_STREAM_TURN_COSTS, i % 2, (i + 1) / 2, 3, turn_costs, turn);
            at += turn[0] + (i > 0 ? turn[1] : 0) + (i < 3 ? turn[2] : 0);
            if (i < 3) { // port 0 is of processor 0, port 1 of processor 1
                draw(&within, seed, BASE_STREAM_WIRE_COSTS, i % 2, i / 2, 2, message_costs, message);
                at += message[0] + message[1];
            }
        }
        struct ek_experiment experiment = {.topology = "chain:2",
                                           .method = "ade",
                                           .load = "peak:100",
                                           .timing = "virtual",
                                           .invoke = "at:0",
                                           .stop = "never",
                                           .operations_max = 1,
                                           .seed = seed,
                                           .within = spec};
        struct tests_outcome outcome;
        must_run(experiment, &outcome);
        cr_expect_eq(llround(1e9 * outcome.report.virtual_s), (long long)at, "seed %u: %.17g s, not %u ns",
                     (unsigned)seed, outcome.report.virtual_s, (unsigned)at);
        tests_outcome_destroy(&outcome);
    }
}

static void expect_alike(struct ek_experiment a, struct ek_experiment b)
{
    struct tests_outcome first, second;
    must_run(a, &first);
    must_run(b, &second);
    const char *differs = tests_report_differs(&first.report, &second.report, 36);
    cr_expect_null(differs, "%s and %s: %s", a.within ? a.within : "none", b.within ? b.within : "none", differs);
    cr_expect_eq(first.report.virtual_s, second.report.virtual_s);
    cr_expect_eq(first.report.windows, second.report.windows);
    cr_expect_eq(first.report.busy_s, second.report.busy_s);
    tests_outcome_destroy(&first);
    tests_outcome_destroy(&second);
}

Test(within, a_factor_of_1_is_the_plain_run)
{
    expect_alike(virtual_run(NULL), virtual_run("1"));
    expect_alike(virtual_run(NULL), virtual_run("1:5"));
    struct ek_experiment plain = virtual_run(NULL), within = virtual_run("1:3");
    plain.delay = within.delay = "uniform:500ns:3us";
    plain.load_bytes = within.load_bytes = "8";
    plain.byte_time = within.byte_time = "0.3ns";
    plain.slow = within.slow = "3:4";
    expect_alike(plain, within);
}

// Also with drawn delays, and messages that wait for their wires.
Test(within, workers_do_not_matter)
{
    static const char *const carriers[] = {"pool:2", "pool:3", "pool:7"};
    for (size_t i = 0; i < 3; i++) {
        struct ek_experiment one = virtual_run("4:1");
        one.carrier = "pool:1";
        one.delay = i == 0 ? NULL : "uniform:500ns:3us";
        one.load_bytes = i == 2 ? "8" : NULL;
        one.byte_time = i == 2 ? "0.3ns" : NULL;
        one.mailbox = i == 1 ? "spsc:1" : NULL;
        struct ek_experiment several = one;
        several.carrier = carriers[i];
        expect_alike(one, several);
    }
}

// Other numbers are other machines, and their times lie within the factor: each path of turns and messages costs at
// least 1/F and at most F times as much. The run of one operation has one path.
Test(within, times_are_within_the_factor)
{
    double last = 0.0;
    static const char *const specs[] = {"2:0", "2:1", "2:2", "2:3"};
    for (size_t i = 0; i < 4; i++) {
        struct tests_outcome outcome;
        struct ek_experiment experiment = {.topology = "chain:2",
                                           .method = "ade",
                                           .load = "peak:100",
                                           .timing = "virtual",
                                           .invoke = "at:0",
                                           .stop = "never",
                                           .operations_max = 1,
                                           .within = specs[i]};
        must_run(experiment, &outcome);
        cr_expect(outcome.report.virtual_s > 4750e-9 / 2.0 && outcome.report.virtual_s < 4750e-9 * 2.0);
        cr_expect_neq(outcome.report.virtual_s, last);
        last = outcome.report.virtual_s;
        tests_outcome_destroy(&outcome);
    }
}

// A window is as long as the least latency and the least gap that can be drawn.
Test(within, the_lookahead_is_the_least_that_can_be_drawn)
{
    static const struct {
        const char *within, *delay, *gap;
        uint64_t latency, behind;
    } cases[] = {
        {"2", NULL, NULL, 1000, 50},
        {"10", "uniform:5us:9us", "0ns", 5000, 0},
        {"1.01:9", "fixed:0ns", "70ns", 0, 70},
        {"100", "exponential:3us", "5us", 0, 5000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct core_within within;
        struct ek_error error;
        cr_assert(core_within_parse(&within, cases[i].within, &error));
        struct ek_experiment experiment = virtual_run(cases[i].within);
        experiment.delay = cases[i].delay;
        experiment.gap = cases[i].gap;
        struct tests_outcome outcome;
        must_run(experiment, &outcome);
        uint64_t window = core_within_least(&within, cases[i].latency) + core_within_least(&within, cases[i].behind);
        cr_expect_eq(llround(1e9 * outcome.report.window_s), (long long)window, "%zu: %g", i, outcome.report.window_s);
        cr_expect_lt(window, cases[i].latency + cases[i].behind);
        tests_outcome_destroy(&outcome);
    }
}

// A turn costs at least 1 ns: a processor has one turn at a time.
Test(within, no_turn_takes_no_time)
{
    struct ek_experiment experiment = virtual_run("100");
    experiment.turn_cost = "1ns";
    experiment.overhead = "0";
    experiment.invoke = "probability:0.01";
    experiment.operations_max = 100;
    experiment.by_caller = true;
    struct ek_machine *machine = must_prepare(experiment);
    struct ek_error error;
    struct ek_replay *replay = ek_replay_begin(machine, 0, NULL, &error);
    cr_assert(replay, "%s", error.sentence);
    struct ek_turn_made turn;
    int64_t before[36];
    memset(before, -1, sizeof before);
    while (ek_replay_turn(replay, &turn, &error) == EK_REPLAY_TURN) {
        cr_assert_gt((int64_t)turn.time_ns, before[turn.processor], "turn %u", (unsigned)turn.number);
        before[turn.processor] = (int64_t)turn.time_ns;
    }
    cr_expect_gt(turn.number, 1000);
    ek_replay_destroy(replay);
    ek_machine_destroy(machine);
}

Test(within, what_cannot_be)
{
    static const struct {
        const char *timing, *within, *delay, *gap, *axis, *part;
    } cases[] = {
        {"free", "2", NULL, NULL, "within", "only virtual time has costs"},
        {"rounds", "2", NULL, NULL, "within", "only virtual time has costs"},
        {"virtual", "0.5", NULL, NULL, "within", "from 1 to 100"},
        {"virtual", "30", "fixed:0ns", "10ns", "within", "choose a smaller factor"},
        {"virtual", "1", "fixed:0ns", "0ns", "delay", "choose a delay or a gap"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = {.topology = "ring:4",
                                           .timing = cases[i].timing,
                                           .within = cases[i].within,
                                           .delay = cases[i].delay,
                                           .gap = cases[i].gap};
        struct ek_error error;
        cr_expect_null(ek_prepare(&experiment, &error), "%zu", i);
        cr_expect_eq(error.status, EK_BAD_INPUT);
        cr_expect_str_eq(error.axis, cases[i].axis, "%zu: %s", i, error.axis);
        cr_expect(strstr(error.sentence, cases[i].part), "%zu: %s", i, error.sentence);
    }
}

// Over a long link many messages are under way, and the sum of their loads rounds too: that is no lost load.
Test(within, many_messages_under_way)
{
    struct ek_experiment experiment = {.topology = "ring:3",
                                       .method = "sender:1/(deg+1)",
                                       .load = "peak:2",
                                       .timing = "virtual",
                                       .announce = "pushed",
                                       .delay = "fixed:1ms",
                                       .within = "2:248"};
    struct tests_outcome outcome;
    must_run(experiment, &outcome);
    cr_expect_gt(outcome.report.virtual_s, 2e-3);
    tests_outcome_destroy(&outcome);
}
