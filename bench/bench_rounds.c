// SPDX-License-Identifier: MIT
// Rounds: processor-rounds a second of the machine, all-port diffusion with all its messages, beside what bounds it.
// All numbers of a line come from one run, taken in turn; a rate is the median of BENCH_SAMPLES, with the smallest and
// the largest beside it. `bench_rounds threads` and `bench_rounds pool` measure one carrier only: the pool's two
// workers alone can be put before all others (chrt -f 10), which more threads than cores must not be.
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/samples.h"
#include "threads/mail/barrier.h"
#include "threads/host/places.h"
#include "threads/api/run.h"
#include "threads/host/workers.h"
#include "topologies/topology.h"

// ---- the machine ----

static struct ek_machine *machine_for(unsigned side, const char *carrier, struct ek_observer observer)
{
    char topology[64];
    snprintf(topology, sizeof topology, "torus:%ux%u", side, side);
    struct ek_experiment experiment = {.topology = topology,
                                       .method = "adf",
                                       .carrier = carrier,
                                       .stop = "never",
                                       .load = "uniform:0:1000",
                                       .seed = 1,
                                       .seconds_max = SAMPLE_S,
                                       .no_flows = true,
                                       .observer = observer};
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    if (!machine) {
        bench_give_up(&error);
    }
    return machine;
}

static double machine_rate(struct ek_machine *machine)
{
    struct ek_report report;
    struct ek_error error;
    enum ek_status status = ek_run(machine, 0, &report, NULL, NULL, &error);
    if (status != EK_OK && status != EK_UNREACHED) {
        bench_give_up(&error);
    }
    double rate = (double)report.steps * ek_machine_outline(machine)->processors / report.elapsed_s;
    ek_report_destroy(&report);
    return rate;
}

// ---- the floor: as many threads meet at the same barrier, with nothing to do ----

struct floor {
    struct mail_barrier barrier;
    unsigned meetings; // a round
    uint64_t rounds;
    double began, ended;
    bool over, native_over[2];
};

static void floor_begin(void *context)
{
    struct floor *floor = context;
    floor->began = bench_seconds();
}

static void floor_decide(void *context)
{
    struct floor *floor = context;
    floor->rounds++;
    floor->ended = bench_seconds();
    floor->over = floor->ended - floor->began >= SAMPLE_S;
}

static void floor_nothing(void *context)
{
    (void)context;
}

static void floor_work(void *context, unsigned worker)
{
    struct floor *floor = context;
    mail_barrier_wait(&floor->barrier, worker, floor_begin, floor);
    while (!floor->over) {
        for (unsigned meeting = 1; meeting < floor->meetings; meeting++) {
            mail_barrier_wait(&floor->barrier, worker, floor_nothing, floor);
        }
        mail_barrier_wait(&floor->barrier, worker, floor_decide, floor);
    }
}

// pthread_barrier_t has no serial section: thread 0 looks at the clock, and all read what it saw behind the barrier. It
// writes there again only two rounds on, behind the next.
static void native_work(void *context, unsigned worker)
{
    struct floor *floor = context;
    if (worker == 0) {
        floor_begin(floor);
    }
    bool over = false;
    for (unsigned round = 0; !over; round++) {
        if (worker == 0) {
            floor_decide(floor);
            floor->native_over[round % 2] = floor->over;
        }
        mail_barrier_wait(&floor->barrier, worker, NULL, NULL);
        over = floor->native_over[round % 2];
    }
}

static double floor_rate(enum mail_barrier_kind kind, unsigned meetings, unsigned threads,
                         const struct host_places *places)
{
    struct base_arena memory = {.count = 0};
    struct floor floor = {.meetings = meetings};
    struct host_job work = {.body = kind == MAIL_BARRIER_PTHREAD ? native_work : floor_work, .context = &floor};
    struct ek_error error;
    mail_barrier_plan(&floor.barrier, kind, threads, host_places_count(places), &memory);
    if (!base_arena_take(&memory) || !mail_barrier_begin(&floor.barrier)) {
        bench_give_up(&(struct ek_error){.sentence = "no memory for a barrier"});
    }
    if (!host_workers_run(threads, places, &work, &error)) {
        bench_give_up(&error);
    }
    mail_barrier_end(&floor.barrier);
    base_arena_destroy(&memory);
    return (double)floor.rounds * threads / (floor.ended - floor.began);
}

// ---- serial loops on one core ----

static double csr_rate(const struct ek_topology *topology)
{
    uint32_t processors = topology->processors;
    double *from = malloc(processors * sizeof *from);
    double *to = malloc(processors * sizeof *to);
    double alpha = 1.0 / (1.0 + topology->degree_max);
    for (uint32_t p = 0; p < processors; p++) {
        from[p] = (double)(p * 7919ull % 1001);
    }
    uint64_t rounds = 0;
    double began = bench_seconds();
    double took;
    do {
        for (uint32_t p = 0; p < processors; p++) {
            double sum = 0.0;
            for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
                sum += from[topology->neighbour[port]] - from[p];
            }
            to[p] = from[p] + alpha * sum;
        }
        double *swap = from;
        from = to;
        to = swap;
        rounds++;
        took = bench_seconds() - began;
    } while (took < SAMPLE_S);
    free(from);
    free(to);
    return (double)rounds * processors / took;
}

static double stencil_rate(unsigned side)
{
    size_t processors = (size_t)side * side;
    double *from = malloc(processors * sizeof *from);
    double *to = malloc(processors * sizeof *to);
    for (size_t p = 0; p < processors; p++) {
        from[p] = (double)(p * 7919ull % 1001);
    }
    uint64_t rounds = 0;
    double began = bench_seconds();
    double took;
    do {
        for (size_t y = 0; y < side; y++) {
            const double *row = from + y * side;
            const double *above = from + (y + side - 1) % side * side;
            const double *below = from + (y + 1) % side * side;
            for (size_t x = 1; x + 1 < side; x++) {
                to[y * side + x] = row[x] + 0.2 * (row[x - 1] + row[x + 1] + above[x] + below[x] - 4.0 * row[x]);
            }
            to[y * side] = row[0] + 0.2 * (row[side - 1] + row[1] + above[0] + below[0] - 4.0 * row[0]);
            to[y * side + side - 1] = row[side - 1] + 0.2 * (row[side - 2] + row[0] + above[side - 1] +
                                                             below[side - 1] - 4.0 * row[side - 1]);
        }
        double *swap = from;
        from = to;
        to = swap;
        rounds++;
        took = bench_seconds() - began;
    } while (took < SAMPLE_S);
    free(from);
    free(to);
    return (double)(rounds * processors) / took;
}

// ---- the two tables ----

static void bench_threads(unsigned side)
{
    struct bench_samples machine, once, twice, native;
    struct host_places *places = host_places_find();
    struct ek_machine *prepared = machine_for(side, "threads", (struct ek_observer){.look = NULL});
    unsigned threads = side * side;
    for (int i = 0; i < BENCH_SAMPLES; i++) {
        machine.rate[i] = machine_rate(prepared);
        once.rate[i] = floor_rate(MAIL_BARRIER_AUTO, 1, threads, places);
        twice.rate[i] = floor_rate(MAIL_BARRIER_AUTO, 2, threads, places);
        native.rate[i] = floor_rate(MAIL_BARRIER_PTHREAD, 1, threads, NULL);
    }
    printf("threads  N = %-7u machine/one meeting %.2f   machine/two %.2f   machine/pthread_barrier %.2f\n", threads,
           bench_samples_median(&machine) / bench_samples_median(&once),
           bench_samples_median(&machine) / bench_samples_median(&twice),
           bench_samples_median(&machine) / bench_samples_median(&native));
    bench_samples_show("machine", &machine);
    bench_samples_show("floor: one meeting a round", &once);
    bench_samples_show("floor: two", &twice);
    bench_samples_show("pthread_barrier once, unpinned", &native);
    ek_machine_destroy(prepared);
    host_places_destroy(places);
}

// Heap in use, measured.
static size_t heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static size_t heap_most;

static void look_at_heap(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    (void)context, (void)row, (void)loads, (void)processors;
    size_t now = heap_bytes();
    heap_most = now > heap_most ? now : heap_most;
}

// A worker looks, for the caller's thread gets no core where two workers go before all others.
static size_t machine_bytes(unsigned side, const char *carrier)
{
    size_t before = heap_bytes();
    heap_most = before;
    struct ek_machine *machine = machine_for(side, carrier, (struct ek_observer){.look = look_at_heap});
    (void)machine_rate(machine);
    ek_machine_destroy(machine);
    return heap_most - before;
}

static void bench_pool(unsigned side, const char *carrier)
{
    struct bench_samples machine, csr, stencil;
    size_t bytes = machine_bytes(side, carrier);
    struct ek_machine *prepared = machine_for(side, carrier, (struct ek_observer){.look = NULL});
    for (int i = 0; i < BENCH_SAMPLES; i++) {
        machine.rate[i] = machine_rate(prepared);
        csr.rate[i] = csr_rate(ek_machine_topology(prepared));
        stencil.rate[i] = stencil_rate(side);
    }
    unsigned processors = side * side;
    printf("%-8s N = %-7u machine/CSR %.2f   machine/stencil %.2f   %.1f bytes a processor\n", carrier, processors,
           bench_samples_median(&machine) / bench_samples_median(&csr),
           bench_samples_median(&machine) / bench_samples_median(&stencil), (double)bytes / processors);
    bench_samples_show("machine", &machine);
    bench_samples_show("serial CSR loop, one core", &csr);
    bench_samples_show("serial stencil, one core", &stencil);
    ek_machine_destroy(prepared);
}

int main(int count, char **argument)
{
    const char *only = count > 1 ? argument[1] : "";
    struct ek_limits limits;
    ek_limits_read(&limits);
    printf("processor-rounds a second, all-port diffusion on a torus; medians of %d (smallest .. largest); %u cores, "
           "%s\n\n",
           BENCH_SAMPLES, limits.cores, limits.processor);
    if (strcmp(only, "pool") != 0) {
        bench_threads(8);
        bench_threads(32);
        bench_threads(64);
    }
    if (strcmp(only, "threads") != 0) {
        bench_pool(8, "pool"); // which takes one worker here and there
        bench_pool(32, "pool");
        bench_pool(32, "pool:2");
        bench_pool(256, "pool:2");
        bench_pool(1024, "pool:2");
    }
    return 0;
}
