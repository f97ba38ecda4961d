// SPDX-License-Identifier: MIT
// A run driven from a host program, which looks on at every step and ends it when it has seen enough:
//     cc host.c $(pkg-config --cflags --libs evenkeel) -o host
//
// How far has the load of one corner spread after each step, and what is left of the imbalance?
#include <evenkeel.h>
#include <stdio.h>

struct host {
    struct ek_machine *machine;
    double variance; // at the start
};

// While this is called all processors wait; loads are good until it returns.
static void look(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    struct host *host = context;
    uint32_t reached = 0;
    for (uint32_t p = 0; p < processors; p++) {
        reached += loads[p] > 0.0;
    }
    host->variance = row->step == 0 ? row->variance : host->variance;
    double left = row->variance / host->variance;
    printf("step %2llu  %2u processors have load  variance %5.1f %%\n", (unsigned long long)row->step, reached,
           100.0 * left);
    if (left < 0.01) {
        ek_interrupt(host->machine);
    }
}

int main(void)
{
    struct host host = {0};
    struct ek_experiment experiment = {.topology = "mesh:6x6",
                                       .method = "adf",
                                       .load = "peak:3600",
                                       .carrier = "pool",
                                       .observer = {.look = look, .context = &host}};
    struct ek_error error;
    struct ek_report report = {0};
    host.machine = ek_prepare(&experiment, &error);
    enum ek_status status = host.machine ? ek_run(host.machine, 0, &report, NULL, NULL, &error) : error.status;
    if (status != EK_UNREACHED || report.ended != EK_ENDED_INTERRUPT) {
        fprintf(stderr, "host: %s\n", status == EK_OK ? "it was balanced first" : error.sentence);
        return 1;
    }
    printf("seen enough after %llu steps and %llu messages\n", (unsigned long long)report.steps,
           (unsigned long long)report.messages);
    ek_report_destroy(&report);
    ek_machine_destroy(host.machine);
    return 0;
}
