// SPDX-License-Identifier: MIT
// Virtual time: messages and events a second, one worker beside two, and free timing beside them, on the same
// experiment. All numbers of a line come from one run, taken in turn. `bench_virtual memory` weighs a large machine.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/samples.h"
#include "threads/api/run.h"

static const double EVENTS = 4e6;     // of a sample, about
static const double EVENTS_NS = 3e-3; // of a processor in a nanosecond of virtual time, about
static const double LEAST_NS = 1e4;   // which suffices for an operation and the begin of the next one

// A torus whose processors balance at full tilt for so many seconds of its clock.
static struct ek_machine *machine_for(unsigned side, const char *timing, const char *carrier, double seconds)
{
    char topology[64];
    snprintf(topology, sizeof topology, "torus:%ux%u", side, side);
    struct ek_experiment experiment = {.topology = topology,
                                       .method = "adf",
                                       .carrier = carrier,
                                       .timing = timing,
                                       .invoke = "outside:500:500",
                                       .stop = "never",
                                       .load = "uniform:0:1000",
                                       .seed = 1,
                                       .seconds_max = seconds,
                                       .no_flows = true};
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    if (!machine) {
        bench_give_up(&error);
    }
    return machine;
}

// ---- speed ----

enum { ONE, TWO, FREE, CASES };

struct rates {
    struct bench_samples messages, events;
};

static void take(struct rates *rates, int sample, struct ek_machine *machine)
{
    struct ek_report report;
    struct ek_error error;
    if (ek_run(machine, 0, &report, NULL, NULL, &error) != EK_OK) {
        bench_give_up(&error);
    }
    rates->messages.rate[sample] = (double)report.messages / report.elapsed_s;
    rates->events.rate[sample] = (double)(report.messages + report.free.turns) / report.elapsed_s;
    ek_report_destroy(&report);
}

// Returns the ratios of samples that were taken one after the other.
static struct bench_samples ratio(const struct bench_samples *above, const struct bench_samples *below)
{
    struct bench_samples ratio;
    for (int sample = 0; sample < BENCH_SAMPLES; sample++) {
        ratio.rate[sample] = above->rate[sample] / below->rate[sample];
    }
    return ratio;
}

static void bench_speed(unsigned side)
{
    static const char *const names[CASES] = {"virtual, pool:1", "virtual, pool:2", "free, pool:2"};
    const double processors = (double)side * side;
    const double virtual_s = 1e-9 * fmax(LEAST_NS, EVENTS / EVENTS_NS / processors);
    struct ek_machine *machine[CASES] = {
        machine_for(side, "virtual", "pool:1", virtual_s),
        machine_for(side, "virtual", "pool:2", virtual_s),
        machine_for(side, "free", "pool:2", 4.0 * SAMPLE_S),
    };
    struct rates rates[CASES];
    for (int sample = 0; sample < BENCH_SAMPLES; sample++) {
        for (int m = 0; m < CASES; m++) {
            take(&rates[m], sample, machine[m]);
        }
    }
    const struct bench_samples workers = ratio(&rates[TWO].events, &rates[ONE].events);
    const struct bench_samples free_virtual = ratio(&rates[FREE].messages, &rates[TWO].messages);
    printf("N = %-7.0f %.3g us of virtual time   pool:2/pool:1 %.2f   free/virtual on pool:2 %.2f\n", processors,
           1e6 * virtual_s, bench_samples_median(&workers), bench_samples_median(&free_virtual));
    for (int m = 0; m < CASES; m++) {
        char what[64];
        snprintf(what, sizeof what, "messages, %s", names[m]);
        bench_samples_show(what, &rates[m].messages);
        snprintf(what, sizeof what, "events, %s", names[m]);
        bench_samples_show(what, &rates[m].events);
        ek_machine_destroy(machine[m]);
    }
}

// ---- memory ----

// Returns the most memory that this process has had, in bytes.
static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static void bench_memory(unsigned side, double virtual_s)
{
    struct ek_limits limits;
    ek_limits_read(&limits);
    const double processors = (double)side * side;
    if (600.0 * processors > 0.7 * (double)limits.memory_free) {
        printf("N = %-8.0f is left out: 600 bytes a processor are more than 0.7 of the free memory\n", processors);
        return;
    }
    const double before = peak_bytes();
    struct ek_machine *machine = machine_for(side, "virtual", "pool:2", virtual_s);
    const double prepared = peak_bytes();
    struct ek_report report;
    struct ek_error error;
    if (ek_run(machine, 0, &report, NULL, NULL, &error) != EK_OK) {
        bench_give_up(&error);
    }
    printf("N = %-8.0f %.3g us of virtual time   %.0f bytes a processor at most, %.0f when prepared   %" PRIu64
           " messages, %.3g events /s\n",
           processors, 1e6 * virtual_s, (peak_bytes() - before) / processors, (prepared - before) / processors,
           report.messages, (double)report.events / report.elapsed_s);
    ek_report_destroy(&report);
    ek_machine_destroy(machine);
}

int main(int count, char **argument)
{
    struct ek_limits limits;
    ek_limits_read(&limits);
    if (count > 1 && strcmp(argument[1], "memory") == 0) {
        const unsigned side = count > 2 ? (unsigned)strtoul(argument[2], NULL, 10) : 3163; // of ten million
        bench_memory(side, 1e-9 * LEAST_NS);
        return 0;
    }
    printf("virtual time: all-port diffusion at full tilt on a torus; an event is a turn or a message; medians of %d "
           "(smallest .. largest); %u cores, %s\n\n",
           BENCH_SAMPLES, limits.cores, limits.processor);
    bench_speed(64);
    bench_speed(256);
    bench_speed(1024);
    return 0;
}
