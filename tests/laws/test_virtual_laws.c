// SPDX-License-Identifier: MIT
// Laws of virtual time. One operation of two processors takes the closed form of LogGP, to the nanosecond. Pushed
// announcements without overheads and gaps are rounds with delays. Every axis of free timing runs, keeps the ledger,
// and gives the same report in a second run with other workers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/must.h"
#include "tests/support/virtual_by_hand.h"
#include "tests/support/virtual_experiments.h"

// ---- the closed form ----

enum { COSTS = 800 };

struct costs {
    uint64_t turn, overhead, gap, latency, latency_load, message_bytes;
    double byte_time, load_bytes;
};

static struct costs draw_costs(uint64_t number)
{
    struct base_random random = base_random_start(5, number, BASE_STREAM_LOAD);
    bool small = base_random_below(&random, 2) == 0;
    uint64_t most = small ? 9 : 100000;
    struct costs costs = {.turn = 1 + base_random_below(&random, most),
                          .overhead = base_random_below(&random, most),
                          .gap = base_random_below(&random, most),
                          .latency = 1 + base_random_below(&random, most),
                          .message_bytes = base_random_below(&random, 3000)};
    costs.latency_load = base_random_below(&random, 2) == 0 ? costs.latency : 1 + base_random_below(&random, most);
    costs.byte_time = (double)base_random_below(&random, 4000) / 256.0; // exact in binary and in the spec
    costs.load_bytes = (double)base_random_below(&random, 4000) / 64.0;
    return costs;
}

// Returns for how long a message of so many bytes occupies the link.
static uint64_t occupies(const struct costs *costs, double bytes)
{
    return costs->gap + (uint64_t)floor(bytes * costs->byte_time + 0.5);
}

// Processor 0 asks, processor 1 tells, and processor 0 gives half of its load: 4T + 6o + 2x + x' + 3L.
static uint64_t closed_form(const struct costs *costs, double given)
{
    double bytes = (double)costs->message_bytes;
    return 4 * costs->turn + 6 * costs->overhead + 2 * occupies(costs, bytes) +
           occupies(costs, bytes + costs->load_bytes * given) + 2 * costs->latency + costs->latency_load;
}

#define TIME(text, value) (snprintf(text, sizeof text, "%luns", (unsigned long)(value)), text)

static struct ek_report run_once(const struct costs *costs)
{
    char turn[32], overhead[32], gap[32], latency[32], byte_time[32], message_bytes[32], load_bytes[32], load_delay[48];
    snprintf(byte_time, sizeof byte_time, "%.8fns", costs->byte_time);
    snprintf(message_bytes, sizeof message_bytes, "%lu", (unsigned long)costs->message_bytes);
    snprintf(load_bytes, sizeof load_bytes, "%.6f", costs->load_bytes);
    snprintf(load_delay, sizeof load_delay, "fixed:%luns", (unsigned long)costs->latency_load);
    struct tests_outcome outcome;
    must_run((struct ek_experiment){.topology = "chain:2",
                                    .method = "ade",
                                    .timing = "virtual",
                                    .carrier = "pool:1",
                                    .unpinned = true,
                                    .load = "list:100,0",
                                    .invoke = "at:0",
                                    .operations_max = 1,
                                    .stop = "never",
                                    .turn_cost = TIME(turn, costs->turn),
                                    .overhead = TIME(overhead, costs->overhead),
                                    .gap = TIME(gap, costs->gap),
                                    .latency = TIME(latency, costs->latency),
                                    .delay_load = load_delay,
                                    .byte_time = byte_time,
                                    .message_bytes = message_bytes,
                                    .load_bytes = load_bytes},
             &outcome);
    struct ek_report report = outcome.report;
    tests_outcome_destroy(&outcome);
    return report;
}

Test(one_operation, takes_the_closed_form_of_loggp)
{
    for (uint64_t number = 0; number < COSTS; number += tests_one_in()) {
        struct costs costs = draw_costs(number);
        struct ek_report report = run_once(&costs);
        uint64_t wanted = closed_form(&costs, 50.0);
        cr_expect_eq((uint64_t)llround(1e9 * report.virtual_s), wanted, "%lu: %.9g s, not %lu ns", number,
                     report.virtual_s, wanted);
        cr_expect_eq(report.messages, 3);
        cr_expect_eq(report.operations, 1);
        cr_expect_eq((uint64_t)llround(1e9 * report.overhead_s), 6 * costs.overhead);
    }
}

// ---- rounds with delays ----

// Compares rounds whose delay is k steps with pushed announcements whose latency is k-1 turns. Rounds know all loads at
// the start, so turn t+k of virtual time is step t of rounds. A processor announces the load that it has before it
// gives.
static void expect_rounds(const char *topology, const char *method, const char *units, unsigned k, unsigned steps)
{
    enum { TURN = 7 };
    char turn[32], latency[32], delay[32];
    snprintf(delay, sizeof delay, "fixed:%u", k);
    struct ek_experiment rounds = {.topology = topology,
                                   .method = method,
                                   .units = units,
                                   .load = "modulo:7919:150",
                                   .delay = delay,
                                   .steps_max = steps,
                                   .stop = "never"};
    struct ek_experiment pushed = rounds;
    pushed.timing = "virtual";
    pushed.carrier = "pool:1";
    pushed.announce = "pushed";
    pushed.steps_max = 0;
    pushed.delay = NULL;
    pushed.turn_cost = TIME(turn, TURN);
    pushed.overhead = pushed.gap = "0ns";
    pushed.latency = TIME(latency, (k - 1) * TURN);
    pushed.seconds_max = 1e-9 * TURN * (steps + k); // turns that begin then still happen
    struct tests_outcome outcome;
    must_run(rounds, &outcome);
    struct ek_machine *prepared = must_prepare(pushed);
    struct virtual_machine *machine = virtual_create(prepared);
    virtual_run_by_windows(machine);
    for (uint32_t p = 0; p < machine->run->topology->processors; p++) {
        double announced = machine->run->port[machine->run->topology->first[p]].announced;
        cr_expect_float_eq(announced, outcome.report.final[p], 1e-9, "%s %s delay %u, %u steps: %u has %g, not %g",
                           topology, method, k, steps, p, announced, outcome.report.final[p]);
    }
    virtual_engine.destroy(machine);
    ek_machine_destroy(prepared);
    tests_outcome_destroy(&outcome);
}

Test(pushed_announcements, are_rounds_with_delays)
{
    static const char *const topologies[] = {"ring:7", "mesh:3x4", "star:6", "hypercube:3", "chain:5"};
    static const char *const methods[] = {"diffusion:0.1", "fos", "sender:0.2/deg"};
    for (size_t t = 0; t < sizeof topologies / sizeof *topologies; t++) {
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            for (unsigned k = 2; k <= 4; k++) {
                expect_rounds(topologies[t], methods[m], "real", k, 4 * k + 3 * (unsigned)m);
            }
        }
        expect_rounds(topologies[t], "diffusion:0.1", "tokens", 3, 17);
    }
}
