// SPDX-License-Identifier: MIT
// What a link message costs in each method, and a step of the whole machine, on `pool` with one worker, as multiples of
// what they cost in adf on the same topology. The methods run in turn, SAMPLES times; a cost is the smallest of them
// (what the machine's other work did not disturb).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "threads/api/run.h"

enum { SAMPLES = 5 };

static const struct {
    const char *topology, *method, *units, *load;
} cases[] = {
    {"torus:64x64", "adf", "real", "uniform:0:1000"},
    {"torus:64x64", "adf", "tokens", "uniform:0:1000000"},
    {"torus:64x64", "ade", "real", "uniform:0:1000"},
    {"torus:64x64", "ode", "real", "uniform:0:1000"},
    {"torus:64x64", "gde:0.75", "tokens", "uniform:0:1000000"},
    {"torus:64x64", "matching", "real", "uniform:0:1000"},
    {"torus:64x64", "fos", "real", "uniform:0:1000"},
    {"torus:64x64", "sos", "real", "uniform:0:1000"},
    {"torus:64x64", "opt", "real", "uniform:0:1000"},
    {"torus:64x64", "ops", "real", "uniform:0:1000"},
    {"torus:64x64", "adi(fos)", "real", "uniform:0:1000"},
    {"torus:64x64", "mdi(fos)", "real", "uniform:0:1000"},
    {"torus:32x32", "de(fos)", "real", "uniform:0:1000"},
    {"otis(torus:8x8)", "ded(fos)", "real", "uniform:0:1000"},
    {"torus:64x64", "liquid:c3", "tokens", "uniform:0:1000"},
    {"torus:64x64", "liquid:c5", "tokens", "uniform:0:1000"},
    {"torus:64x64", "liquid:c4r", "tokens", "uniform:0:1000"},
    {"ring:4096", "nna", "tokens", "uniform:0:1000"},
    {"ring:4096", "splitting:1/2", "tokens", "peak:100000000"},
    {"torus:64x64", "local-average", "real", "uniform:0:1000"},
    {"torus:64x64", "random-neighbours:2", "real", "uniform:0:1000"},
    {"torus:64x64", "sender:1/(deg+1)", "real", "uniform:0:1000"},
    {"torus:64x64", "dde", "tokens", "uniform:0:1000"},
    {"chain:1024", "twa:middle", "tokens", "uniform:0:1000"},
    {"hypercube:12", "dem", "tokens", "uniform:0:1000000"},
};

enum { CASES = sizeof cases / sizeof *cases };

// Nanoseconds: by message, and by step of the whole machine, steps apart included.
struct cost {
    double message, step;
};

static struct cost cost_of(const char *topology, const char *method, const char *units, const char *load)
{
    struct ek_experiment experiment = {.topology = topology,
                                       .method = method,
                                       .units = units,
                                       .load = load,
                                       .stop = "never",
                                       .carrier = "pool:1",
                                       .steps_max = 1000,
                                       .seed = 1,
                                       .no_flows = true};
    struct ek_error error;
    struct ek_report report;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    if (!machine || ek_run(machine, 0, &report, NULL, NULL, &error) != EK_OK || report.messages == 0) {
        fprintf(stderr, "bench_methods: %s on %s: %s\n", method, topology, error.sentence);
        exit(1);
    }
    double ns = 1e9 * report.elapsed_s;
    struct cost cost = {.message = ns / (double)report.messages,
                        .step = ns / (double)(report.steps + report.reduction_steps)};
    ek_report_destroy(&report);
    ek_machine_destroy(machine);
    return cost;
}

static void keep_least(struct cost *least, struct cost cost)
{
    least->message = cost.message < least->message ? cost.message : least->message;
    least->step = cost.step < least->step ? cost.step : least->step;
}

int main(void)
{
    struct cost least[CASES], adf[CASES]; // adf's on the same topology
    for (size_t i = 0; i < CASES; i++) {
        least[i] = adf[i] = (struct cost){INFINITY, INFINITY};
    }
    for (int sample = 0; sample < SAMPLES; sample++) {
        for (size_t i = 0; i < CASES; i++) {
            keep_least(&least[i], cost_of(cases[i].topology, cases[i].method, cases[i].units, cases[i].load));
            keep_least(&adf[i], cost_of(cases[i].topology, "adf", "real", "uniform:0:1000"));
        }
    }
    printf(
        "the cost of a link message and of a step of the whole machine, as multiples of what they cost in adf on the "
        "same topology; pool, one worker, at most 1,000 steps\n\n   message     step\n");
    for (size_t i = 0; i < CASES; i++) {
        printf("  %8.2f %8.2f  %-20s %-7s %-16s %8.2f ns a message\n", least[i].message / adf[i].message,
               least[i].step / adf[i].step, cases[i].method, cases[i].units, cases[i].topology, least[i].message);
    }
    return 0;
}
