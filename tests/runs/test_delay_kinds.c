// SPDX-License-Identifier: MIT
// Delays by kind of message in rounds and turns: announcements have those of `delay`, parcels those of `delay_load`, in
// each direction of a link its own. The equation of the delay paper is iterated without machines.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "tests/support/must.h"
#include "tests/support/text_file.h"

enum { PROCESSORS_MAX = 16, STEPS = 40, LATE_MAX = 6, TEXT_MAX = 2048 };

static const double NEAR = 1e-9;

// The delays of a run: by sender and receiver, of announcements and of parcels.
struct delays {
    unsigned told[PROCESSORS_MAX][PROCESSORS_MAX], sent[PROCESSORS_MAX][PROCESSORS_MAX];
};

// Iterates x_i(t+1) = x_i(t) - sum of c max(0, x_i(t) - x_j(t - told_ji)) + what arrives, where a parcel from i to j
// arrives max(sent_ij, 1) steps later. Before step 0 the loads are those of step 0. Returns the load under way.
static double iterate(const struct ek_topology *topology, const double *initial, double c, const struct delays *delays,
                      double *load)
{
    static double held[STEPS + 1][PROCESSORS_MAX], due[STEPS + LATE_MAX + 2][PROCESSORS_MAX];
    memset(due, 0, sizeof due);
    memcpy(held[0], initial, topology->processors * sizeof *initial);
    for (unsigned t = 0; t < STEPS; t++) {
        memcpy(held[t + 1], held[t], sizeof held[t]);
        for (uint32_t i = 0; i < topology->processors; i++) {
            for (uint32_t port = topology->first[i]; port < topology->first[i + 1]; port++) {
                uint32_t j = topology->neighbour[port];
                unsigned age = delays->told[j][i] < t ? delays->told[j][i] : t;
                double amount = fmax(0.0, c * (held[t][i] - held[t - age][j]));
                held[t + 1][i] -= amount;
                due[t + (delays->sent[i][j] > 1 ? delays->sent[i][j] : 1)][j] += amount;
            }
        }
        for (uint32_t i = 0; i < topology->processors; i++) {
            held[t + 1][i] += due[t + 1][i];
        }
    }
    memcpy(load, held[STEPS], topology->processors * sizeof *load);
    double under_way = 0.0;
    for (unsigned t = STEPS + 1; t < STEPS + LATE_MAX + 2; t++) {
        for (uint32_t i = 0; i < topology->processors; i++) {
            under_way += due[t][i];
        }
    }
    return under_way;
}

// Draws a delay for each direction of each link, and writes the lines of a file.
static void draw(const struct ek_topology *topology, uint64_t seed, unsigned delay[][PROCESSORS_MAX], char *text)
{
    struct base_random random = base_random_start(seed, 0, BASE_STREAM_LOAD);
    size_t length = 0;
    for (uint32_t i = 0; i < topology->processors; i++) {
        for (uint32_t port = topology->first[i]; port < topology->first[i + 1]; port++) {
            uint32_t j = topology->neighbour[port];
            if (i < j) {
                delay[i][j] = (unsigned)base_random_below(&random, LATE_MAX + 1);
                delay[j][i] = (unsigned)base_random_below(&random, LATE_MAX + 1);
                length +=
                    (size_t)snprintf(text + length, TEXT_MAX - length, "%u %u %u %u\n", i, j, delay[i][j], delay[j][i]);
            }
        }
    }
}

// The two files of a run. A path that is "sent" has the delays of parcels.
static char *read_either(void *context, const char *path, size_t *length, struct ek_error *error)
{
    char(*texts)[TEXT_MAX] = context;
    const char *text = texts[strcmp(path, "sent") == 0];
    struct tests_memory memory = {.text = text, .length = strlen(text)};
    return tests_memory_read(&memory, path, length, error);
}

Test(delay_kinds, equation)
{
    static const char *const topologies[] = {"ring:7", "mesh:4x3", "complete:6", "star:5", "random:10:3"};
    for (uint64_t seed = 0; seed < tests_part(60); seed++) {
        struct ek_topology *topology = must_build_seeded(topologies[seed % 5], seed);
        struct delays delays;
        char texts[2][TEXT_MAX] = {"", ""};
        memset(&delays, 0, sizeof delays);
        struct ek_experiment experiment = {.topology = topologies[seed % 5],
                                           .method = "sender:0.15",
                                           .load = "uniform:0:100",
                                           .stop = "never",
                                           .steps_max = STEPS,
                                           .carrier = seed % 2 ? "pool:2" : "threads",
                                           .seed = seed};
        experiment.reader = (struct ek_reader){.read = read_either, .context = texts};
        experiment.delay = seed % 3 == 1 ? "none" : "file:told";
        experiment.delay_load = seed % 3 == 2 ? "none" : "file:sent";
        if (seed % 3 != 1) {
            draw(topology, seed, delays.told, texts[0]);
        }
        if (seed % 3 != 2) {
            draw(topology, seed + 1000, delays.sent, texts[1]);
        }
        struct tests_outcome outcome;
        must_run(experiment, &outcome);
        double load[PROCESSORS_MAX];
        double under_way = iterate(topology, outcome.report.initial, 0.15, &delays, load);
        for (uint32_t p = 0; p < topology->processors; p++) {
            cr_expect(fabs(outcome.report.final[p] - load[p]) < NEAR, "%s, seed %u: %g at %u, not %g",
                      topologies[seed % 5], (unsigned)seed, outcome.report.final[p], p, load[p]);
        }
        cr_expect(fabs(outcome.report.in_flight - under_way) < NEAR, "%s, seed %u: %g in flight, not %g",
                  topologies[seed % 5], (unsigned)seed, outcome.report.in_flight, under_way);
        tests_outcome_destroy(&outcome);
        ek_topology_destroy(topology);
    }
}

static uint64_t steps_of(const char *topology, const char *delay, const char *delay_load)
{
    struct tests_outcome outcome;
    tests_try(&(struct ek_experiment){.topology = topology,
                                      .method = "sender:1/(deg+1)",
                                      .load = "peak:1600",
                                      .stop = "error:0.01",
                                      .steps_max = 8000,
                                      .delay = delay,
                                      .delay_load = delay_load,
                                      .carrier = "pool:1"},
              0, &outcome);
    uint64_t steps = outcome.report.converged ? outcome.report.steps : 0;
    tests_outcome_destroy(&outcome);
    return steps;
}

// Each kind of delay alone lets the loads balance; both together do not in 8,000 steps. On a complete graph old
// information costs nothing: from a peak the first step balances all.
Test(delay_kinds, either_alone)
{
    cr_expect_eq(steps_of("mesh:4x4", "fixed:5", "none"), 412);
    cr_expect_eq(steps_of("mesh:4x4", "none", "fixed:5"), 852);
    cr_expect_eq(steps_of("mesh:4x4", "fixed:5", "same"), 0);
    cr_expect_eq(steps_of("complete:16", "fixed:5", "none"), 1);
    cr_expect_eq(steps_of("complete:16", "none", "fixed:5"), 80);
    cr_expect_eq(steps_of("complete:16", "fixed:5", "fixed:5"), 0);
}

// In turns processor 0 gives half of the difference of 8 and 0 at once, and the parcel of 4 arrives in step 3. Until
// then processor 0 sees the other one empty, and gives 2 and 1. With old announcements only, the other one has its load
// at once, and processor 0 does not see it for 3 steps.
Test(delay_kinds, turns_by_hand)
{
    struct tests_outcome outcome;
    struct ek_experiment experiment = {.topology = "chain:2",
                                       .method = "sender:0.5",
                                       .timing = "turns",
                                       .load = "list:8,0",
                                       .stop = "never",
                                       .steps_max = 2,
                                       .delay_load = "fixed:3"};
    must_run(experiment, &outcome);
    cr_expect(outcome.report.final[0] == 2.0 && outcome.report.final[1] == 0.0 && outcome.report.in_flight == 6.0);
    tests_outcome_destroy(&outcome);
    experiment.delay = "fixed:3";
    experiment.delay_load = "none";
    must_run(experiment, &outcome);
    cr_expect(outcome.report.final[0] + outcome.report.final[1] == 8.0 && outcome.report.in_flight == 0.0);
    cr_expect_eq(outcome.report.final[0], 2.0);
    tests_outcome_destroy(&outcome);
}

// An experiment that needs the present loads, or cannot delay parcels, is refused, and the error names the axis.
Test(delay_kinds, refusals)
{
    static const struct {
        struct ek_experiment experiment;
        const char *axis, *part;
    } rows[] = {
        {{.method = "dde", .delay_load = "fixed:2"}, "method", "use delay-load same"},
        {{.method = "dde", .delay = "fixed:2", .delay_load = "fixed:1"}, "method", "delay none and delay-load same"},
        {{.method = "dde", .delay = "fixed:2", .delay_load = "none"}, "method", "use delay none"},
        {{.method = "adf", .tasks = "queens:5", .delay_load = "fixed:2"}, "delay-load", "delay-load same"},
        {{.method = "adf", .objects = "weights:constant:1", .delay_load = "fixed:2"}, "delay-load", "delay-load same"},
        {{.method = "adf", .timing = "free", .delay_load = "fixed:2us"}, "delay-load", "one delay"},
        {{.method = "adf", .delay_load = "fixed:2us"}, "delay-load", "number of steps without a unit"},
        {{.method = "adf", .delay_load = "latency"}, "delay-load", "only virtual time has a latency"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ek_experiment experiment = rows[i].experiment;
        struct ek_error error;
        experiment.topology = "ring:6";
        experiment.carrier = "pool:1";
        cr_expect_null(ek_prepare(&experiment, &error), "row %zu", i);
        cr_expect_str_eq(error.axis, rows[i].axis, "row %zu: %s", i, error.sentence);
        cr_expect(strstr(error.sentence, rows[i].part), "row %zu: %s", i, error.sentence);
    }
    struct ek_experiment good = {.topology = "ring:6", .method = "dde", .delay_load = "none", .operations_max = 1};
    struct tests_outcome outcome;
    must_run(good, &outcome);
    tests_outcome_destroy(&outcome);
}
