// SPDX-License-Identifier: MIT
// Free timing: messages a second through the whole protocol, with its ledger and its instruments, at full tilt, beside
// the mailbox alone in a tight loop, the same threads that only yield, and the other kinds of mailboxes. All numbers of
// a line come from one run, taken in turn.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "bench/samples.h"
#include "threads/api/run.h"
#include "threads/mail/mailbox.h"
#include "threads/host/places.h"
#include "threads/host/workers.h"

// ---- the machine: everybody whose load is not the mean invokes, without end ----

static struct ek_machine *machine_for(unsigned side, const char *carrier, const char *mailbox,
                                      const struct ek_recorder *recorder)
{
    char topology[64];
    snprintf(topology, sizeof topology, "torus:%ux%u", side, side);
    struct ek_experiment experiment = {.topology = topology,
                                       .method = "adf",
                                       .carrier = carrier,
                                       .timing = "free",
                                       .mailbox = mailbox,
                                       .invoke = "outside:500:500",
                                       .stop = "never",
                                       .load = "uniform:0:1000",
                                       .seed = 1,
                                       .seconds_max = 4.0 * SAMPLE_S,
                                       .no_flows = true,
                                       .recorder = recorder};
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    if (!machine) {
        bench_give_up(&error);
    }
    return machine;
}

struct rates {
    struct bench_samples messages, operations, switches, turns;
};

static void take_machine(struct rates *rates, int sample, struct ek_machine *machine)
{
    struct ek_report report;
    struct ek_error error;
    if (ek_run(machine, 0, &report, NULL, NULL, &error) != EK_OK) {
        bench_give_up(&error);
    }
    rates->messages.rate[sample] = (double)report.messages / report.elapsed_s;
    rates->operations.rate[sample] = (double)report.operations / report.elapsed_s;
    rates->switches.rate[sample] =
        (double)(report.free.switches_voluntary + report.free.switches_forced) / report.elapsed_s;
    rates->turns.rate[sample] = (double)report.free.turns / report.elapsed_s;
    ek_report_destroy(&report);
}

// ---- the mailbox alone: two threads, each on a core, stream into each other's as fast as it goes ----

struct end {
    struct mail_boxes *boxes;
    const struct host_places *places;
    uint32_t own;
    uint64_t taken;
    atomic_bool *over;
};

static void *stream(void *argument)
{
    struct end *end = argument;
    const struct mail_kind *kind = end->boxes->kind;
    struct mail_message message = {1.0, 1};
    host_places_pin(end->places, end->own, 2);
    while (!atomic_load_explicit(end->over, memory_order_relaxed)) { // a lone flag
        for (uint32_t room = kind->room(end->boxes, end->own); room > 0; room--) {
            kind->put(end->boxes, end->own, message);
        }
        for (uint32_t waiting = kind->waiting(end->boxes, end->own); waiting > 0; waiting--) {
            kind->take(end->boxes, end->own, &message);
            end->taken++;
        }
    }
    return NULL;
}

static double mailbox_rate(const struct mail_kind *kind, unsigned capacity, const struct host_places *places)
{
    static const uint32_t twins[] = {1, 0};
    struct base_arena memory = {.count = 0};
    struct mail_boxes boxes = {.kind = kind, .count = 2, .twin = twins, .capacity = capacity, .apart = true};
    atomic_bool over = false;
    struct end ends[2] = {{&boxes, places, 0, 0, &over}, {&boxes, places, 1, 0, &over}};
    pthread_t thread[2];
    struct ek_error error = {.sentence = "no memory or no threads for two mailboxes"};
    mail_boxes_plan(&boxes, &memory);
    if (!base_arena_take(&memory) || !mail_boxes_begin(&boxes) ||
        pthread_create(&thread[0], NULL, stream, &ends[0]) != 0 ||
        pthread_create(&thread[1], NULL, stream, &ends[1]) != 0) {
        bench_give_up(&error);
    }
    double began = bench_seconds();
    while (bench_seconds() - began < SAMPLE_S) {
        sched_yield();
    }
    atomic_store_explicit(&over, true, memory_order_relaxed); // a lone flag
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    double took = bench_seconds() - began;
    mail_boxes_end(&boxes);
    base_arena_destroy(&memory);
    return (double)(ends[0].taken + ends[1].taken) / took;
}

static void bench_mailboxes(const struct host_places *places)
{
    static const unsigned capacities[] = {1, 4, 64};
    printf("the mailbox alone, two threads that stream into each other's\n");
    for (size_t i = 0; mail_kind_at(i); i++) {
        const struct mail_kind *kind = mail_kind_at(i);
        for (int c = 0; kind->put && c < 3; c++) {
            struct bench_samples samples;
            for (int sample = 0; sample < BENCH_SAMPLES; sample++) {
                samples.rate[sample] = mailbox_rate(kind, capacities[c], places);
            }
            char what[64];
            snprintf(what, sizeof what, "%s:%u", kind->choice.form, capacities[c]);
            bench_samples_show(what, &samples);
        }
    }
}

// ---- the floor: as many threads that only give way to each other ----

struct floor {
    atomic_uint_fast64_t turns;
    double began;
};

static void give_way(void *context, unsigned worker)
{
    (void)worker;
    struct floor *floor = context;
    uint64_t turns = 0;
    double took;
    do {
        for (int k = 0; k < 16; k++) {
            sched_yield();
            turns++;
        }
        took = bench_seconds() - floor->began;
    } while (took < SAMPLE_S);
    atomic_fetch_add_explicit(&floor->turns, turns, memory_order_relaxed); // a count, read when all have ended
}

static double floor_rate(unsigned threads, const struct host_places *places)
{
    struct floor floor = {.began = bench_seconds()};
    struct host_job work = {.body = give_way, .context = &floor};
    struct ek_error error;
    if (!host_workers_run(threads, places, &work, &error)) {
        bench_give_up(&error);
    }
    return (double)floor.turns / (bench_seconds() - floor.began);
}

static void bench_machine(unsigned side, const char *carrier, const struct host_places *places)
{
    static const char *const mailboxes[] = {"spsc:4", "wfcq:4", "mutex:4"};
    struct ek_machine *machine[3];
    struct rates rates[3];
    struct bench_samples alone, floor;
    bool threads = strcmp(carrier, "threads") == 0;
    for (int m = 0; m < 3; m++) {
        machine[m] = machine_for(side, carrier, mailboxes[m], NULL);
    }
    for (int sample = 0; sample < BENCH_SAMPLES; sample++) {
        alone.rate[sample] = mailbox_rate(&mail_spsc, 4, places);
        floor.rate[sample] = threads ? floor_rate(side * side, places) : 0.0;
        for (int m = 0; m < 3; m++) {
            take_machine(&rates[m], sample, machine[m]);
        }
    }
    printf("%-8s N = %-7u spsc/alone %.2f   wfcq/spsc %.2f   mutex/spsc %.2f   messages a context switch %.1f\n",
           carrier, side * side, bench_samples_median(&rates[0].messages) / bench_samples_median(&alone),
           bench_samples_median(&rates[1].messages) / bench_samples_median(&rates[0].messages),
           bench_samples_median(&rates[2].messages) / bench_samples_median(&rates[0].messages),
           bench_samples_median(&rates[0].messages) / bench_samples_median(&rates[0].switches));
    if (threads) {
        printf("         turns/floor %.2f\n", bench_samples_median(&rates[0].turns) / bench_samples_median(&floor));
        bench_samples_show("turns, spsc:4", &rates[0].turns);
        bench_samples_show("floor: yields alone", &floor);
    }
    for (int m = 0; m < 3; m++) {
        char what[64];
        snprintf(what, sizeof what, "messages, %s", mailboxes[m]);
        bench_samples_show(what, &rates[m].messages);
    }
    bench_samples_show("operations, spsc:4", &rates[0].operations);
    bench_samples_show("mailbox alone, spsc:4", &alone);
    for (int m = 0; m < 3; m++) {
        ek_machine_destroy(machine[m]);
    }
}

// ---- the same, written down or not, in turn ----

static bool count_bytes(void *context, unsigned worker, const uint8_t *bytes, size_t count)
{
    (void)worker, (void)bytes;
    *(uint64_t *)context += count;
    return true;
}

static void bench_recorder(unsigned side, const char *carrier)
{
    uint64_t bytes = 0;
    struct ek_recorder recorder = {.write = count_bytes, .context = &bytes};
    struct ek_machine *machine[] = {machine_for(side, carrier, "spsc:4", NULL),
                                    machine_for(side, carrier, "spsc:4", &recorder)};
    struct rates rates[2];
    double messages = 0.0;
    for (int sample = 0; sample < BENCH_SAMPLES; sample++) {
        for (int m = 0; m < 2; m++) {
            take_machine(&rates[m], sample, machine[m]);
        }
        messages += rates[1].messages.rate[sample] * 4.0 * SAMPLE_S;
    }
    printf("%-8s N = %-7u recorded/not %.2f   bytes of looks a message, before they are packed %.1f\n", carrier,
           side * side, bench_samples_median(&rates[1].messages) / bench_samples_median(&rates[0].messages),
           (double)bytes / messages);
    bench_samples_show("messages, recorded", &rates[1].messages);
    bench_samples_show("messages, not recorded", &rates[0].messages);
    ek_machine_destroy(machine[0]);
    ek_machine_destroy(machine[1]);
}

int main(void)
{
    struct ek_limits limits;
    ek_limits_read(&limits);
    struct host_places *places = host_places_find();
    printf("messages a second in free timing, all-port diffusion at full tilt on a torus, ledger on; medians of %d "
           "(smallest .. largest); %u cores, %s\n\n",
           BENCH_SAMPLES, limits.cores, limits.processor);
    bench_mailboxes(places);
    bench_machine(8, "threads", places);
    bench_machine(32, "threads", places);
    bench_machine(256, "pool:2", places);
    bench_recorder(32, "threads");
    bench_recorder(32, "pool:2");
    host_places_destroy(places);
    return 0;
}
