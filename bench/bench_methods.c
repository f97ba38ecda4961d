// SPDX-License-Identifier: MIT
// What a link message costs in each method, on `pool` with one worker, as a multiple of what it costs in adf. The
// methods run in turn, SAMPLES times; a cost is the smallest of them (what the machine's other work did not disturb).
#include <stdio.h>
#include <stdlib.h>

#include "threads/run.h"

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

// Nanoseconds per message, or a negative number where the case cannot run.
static double message_ns(size_t i)
{
    struct ek_experiment experiment = {.topology = cases[i].topology,
                                       .method = cases[i].method,
                                       .units = cases[i].units,
                                       .load = cases[i].load,
                                       .stop = "never",
                                       .carrier = "pool:1",
                                       .steps = 1000,
                                       .seed = 1,
                                       .no_flows = true};
    struct ek_error error;
    struct ek_report report;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    if (!machine || ek_run(machine, 0, &report, NULL, NULL, &error) != EK_OK) {
        fprintf(stderr, "bench_methods: %s on %s: %s\n", cases[i].method, cases[i].topology, error.sentence);
        ek_machine_free(machine);
        return -1.0;
    }
    double cost = report.messages > 0 ? 1e9 * report.elapsed_s / (double)report.messages : -1.0;
    ek_report_free(&report);
    ek_machine_free(machine);
    return cost;
}

int main(void)
{
    double least[CASES];
    for (int sample = 0; sample < SAMPLES; sample++) {
        for (size_t i = 0; i < CASES; i++) {
            double cost = message_ns(i);
            least[i] = sample == 0 || cost < least[i] ? cost : least[i];
        }
    }
    printf("a link message's cost, as a multiple of adf's; pool, one worker, at most 1,000 steps\n\n");
    for (size_t i = 0; i < CASES; i++) {
        printf("  %6.2f  %-20s %-7s %-16s %8.2f ns a message\n", least[i] / least[0], cases[i].method, cases[i].units,
               cases[i].topology, least[i]);
    }
    return 0;
}
