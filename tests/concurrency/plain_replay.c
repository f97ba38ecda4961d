// SPDX-License-Identifier: MIT
// Runs in free timing, recorded and replayed: every processor ends the same, bit by bit, and everything that is counted
// by turns is the same. Threads and pools, every method that runs free, ports, domains, delays, stragglers, work,
// pushed loads.
//
//   plain_replay [WORD]   only the runs whose name contains the word
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/runs.h"
#include "threads/api/replay.h"
#include "base/sanitizers.h"
#include "topologies/topology.h"

enum { WORKERS_MAX = 64 };

// The limit of runs that have no other end. Two cores may race all that time, and under ThreadSanitizer the replay
// takes as long.
#ifdef __SANITIZE_THREAD__
static const double SECONDS = 0.1;
#else
static const double SECONDS = 0.2;
#endif

static unsigned passed, failed;
static const char *word = "";

// The tapes of a run.
struct tapes {
    struct tape {
        uint8_t *bytes;
        size_t count, size;
        bool read;
    } of[WORKERS_MAX];
    size_t limit;  // of each, to cut it
    long pause_ns; // of the thread that writes the tapes, so that workers come to wait
};

static bool keep(void *context, unsigned worker, const uint8_t *bytes, size_t count)
{
    struct tapes *tapes = context;
    struct tape *tape = &tapes->of[worker];
    nanosleep(&(struct timespec){.tv_nsec = tapes->pause_ns}, NULL);
    if (tape->count + count > tape->size) {
        tape->size = 2 * (tape->count + count);
        tape->bytes = realloc(tape->bytes, tape->size);
    }
    if (!tape->bytes) {
        return false;
    }
    memcpy(tape->bytes + tape->count, bytes, count);
    tape->count += count;
    return true;
}

static size_t hand(void *context, unsigned worker, const uint8_t **bytes)
{
    struct tapes *tapes = context;
    struct tape *tape = &tapes->of[worker];
    if (tape->read) {
        return 0;
    }
    tape->read = true;
    *bytes = tape->bytes;
    return tape->count < tapes->limit ? tape->count : tapes->limit;
}

static void forget(struct tapes *tapes)
{
    for (unsigned w = 0; w < WORKERS_MAX; w++) {
        free(tapes->of[w].bytes);
    }
    *tapes = (struct tapes){.limit = SIZE_MAX};
}

static void judge(bool good, const char *name, const char *what)
{
    passed += good;
    failed += !good;
    if (!good) {
        printf("FAILED %s: %s\n", name, what);
    }
}

// The spheres of a run, added up.
struct spheres {
    uint64_t operations, pairs; // spheres of two operations
    double fall;                // of the variance, by all spheres
};

static void add_sphere(void *context, const struct ek_sphere *sphere)
{
    struct spheres *spheres = context;
    spheres->operations += sphere->operations;
    spheres->pairs += sphere->operations == 2;
    spheres->fall += sphere->before - sphere->after;
}

static bool alike(const struct ek_effect *a, const struct ek_effect *b)
{
    return a->count == b->count && (a->count == 0 || (fabs(a->before - b->before) <= 1e-9 * a->before &&
                                                      fabs(a->after - b->after) <= 1e-9 * (a->before + a->after)));
}

// The overlaps that follow from the turns must be those that the run logged, if its log is complete. And all spheres
// together must take what the variance loses.
static void judge_overlaps(const char *name, const struct ek_experiment *experiment, const struct ek_report *then,
                           const struct ek_overlaps_report *overlaps, const struct spheres *spheres)
{
    const struct ek_effects *a = &then->effects;
    const struct ek_effects *b = &overlaps->effects;
    if (a->alone.count + a->overlapped.count == then->operations && a->unknown == 0) {
        judge(alike(&a->alone, &b->alone) && alike(&a->overlapped, &b->overlapped), name, "the domains");
        judge(alike(&a->adjacent, &b->adjacent) && alike(&a->one_shared, &b->one_shared) &&
                  alike(&a->two_shared, &b->two_shared) && alike(&a->many, &b->many) && b->unknown == 0,
              name, "the spheres");
    }
    if (then->ended != EK_ENDED_STUCK) {
        uint64_t pairs = overlaps->adjacent + overlaps->one_shared + overlaps->two_shared + overlaps->many;
        judge(spheres->operations == then->operations && b->unknown == 0, name, "each operation is in a sphere");
        judge(pairs >= spheres->pairs, name, "the overlaps of two");
    }
    if (!experiment->work && !experiment->faults && then->ended != EK_ENDED_STUCK) {
        double fall = then->variance_initial - then->variance_final;
        judge(fabs(spheres->fall - fall) <= 1e-9 * then->variance_initial, name, "what the spheres take");
    }
}

// Replays the run. Returns how the replay ended.
static enum ek_replay_status again(const struct ek_experiment *experiment, struct tapes *tapes,
                                   struct ek_report *report, const struct ek_report *then, uint64_t *turns,
                                   struct ek_error *error)
{
    for (unsigned w = 0; w < WORKERS_MAX; w++) {
        tapes->of[w].read = false;
    }
    struct ek_experiment same = *experiment;
    same.recorder = NULL;
    struct ek_machine *machine = ek_prepare(&same, error);
    struct ek_tape tape = {.read = hand, .context = tapes};
    struct ek_replay *replay = ek_replay_begin(machine, 0, &tape, error);
    struct ek_turn_made turn = {0};
    struct spheres spheres = {0};
    struct ek_overlaps_report effects;
    struct ek_overlaps *overlaps =
        then->has_effects ? ek_overlaps_begin(machine, ek_replay_loads(replay), add_sphere, &spheres, error) : NULL;
    enum ek_replay_status status;
    while ((status = ek_replay_turn(replay, &turn, error)) == EK_REPLAY_TURN) {
        if (overlaps && !ek_overlaps_add(overlaps, &turn, error)) {
            judge(false, experiment->method, error->sentence);
        }
    }
    *turns = turn.number;
    if (overlaps) {
        judge(ek_overlaps_end(overlaps, &effects, error), experiment->method, "memory for overlaps");
        if (status == EK_REPLAY_ENDS) {
            judge_overlaps(experiment->method, experiment, then, &effects, &spheres);
        }
        ek_overlaps_destroy(overlaps);
    }
    if (status == EK_REPLAY_ENDS) {
        judge(ek_replay_in_flight(replay) == 0.0 || then->ended == EK_ENDED_STUCK, experiment->method, "in flight");
        ek_replay_report(replay, then->ended, then->elapsed_s, report, error);
    }
    ek_replay_destroy(replay);
    ek_machine_destroy(machine);
    return status;
}

static void same(const char *name, const struct ek_report *then, const struct ek_report *now, uint32_t processors,
                 uint64_t turns)
{
    judge(memcmp(then->final, now->final, processors * sizeof *then->final) == 0, name, "the final loads");
    judge(then->operations == now->operations && then->invocations == now->invocations, name, "the operations");
    judge(then->messages == now->messages && then->parcels == now->parcels, name, "the messages");
    judge(then->moved == now->moved && then->flow_l1 == now->flow_l1, name, "the load moved");
    judge(then->generated == now->generated && then->consumed == now->consumed, name, "the work");
    judge(then->minimum_ever == now->minimum_ever && then->stayed == now->stayed, name, "the least load");
    const struct ek_free_report *a = &then->free;
    const struct ek_free_report *b = &now->free;
    judge(a->engagements == b->engagements && a->overlaps == b->overlaps && a->refusals == b->refusals, name,
          "the engagements");
    judge(a->turns == b->turns && b->turns == turns && a->empty_turns == b->empty_turns, name, "the turns");
    judge(memcmp(a->depth, b->depth, sizeof a->depth) == 0 && a->stalls == b->stalls, name, "the mailboxes");
    judge(memcmp(&a->latency, &b->latency, sizeof a->latency) == 0, name, "the latencies");
    judge(memcmp(&a->operation_time, &b->operation_time, sizeof a->operation_time) == 0, name, "the operations' times");
    judge(a->longest_wait == b->longest_wait, name, "the longest wait");
    judge(memcmp(a->waited, b->waited, sizeof a->waited) == 0, name, "what was waited for");
    judge(memcmp(&then->effects.alone, &now->effects.alone, sizeof then->effects.alone) == 0, name, "the effects");
}

static void try_slowly(const char *name, struct ek_experiment experiment, long pause_ns)
{
    if (!strstr(name, word)) {
        return;
    }
    struct tapes tapes = {.limit = SIZE_MAX, .pause_ns = pause_ns};
    struct ek_recorder recorder = {.write = keep, .context = &tapes};
    struct ek_error error = {0};
    experiment.timing = "free";
    experiment.keep_loads = true;
    experiment.seconds_max = pause_ns > 0 ? 1.0 : SECONDS;
    experiment.recorder = &recorder;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    if (!machine) {
        judge(false, name, error.sentence);
        return;
    }
    struct ek_report then = {0};
    ek_run(machine, 0, &then, NULL, NULL, &error);
    struct ek_report now = {0};
    uint64_t turns = 0;
    enum ek_replay_status status = again(&experiment, &tapes, &now, &then, &turns, &error);
    judge(status == EK_REPLAY_ENDS, name, status == EK_REPLAY_MISFIT ? error.sentence : "it does not end");
    if (status == EK_REPLAY_ENDS) {
        same(name, &then, &now, ek_machine_topology(machine)->processors, turns);
    }
    const struct ek_free_report *running = &then.free;
    judge(tests_waits_fit(&then, ek_machine_topology(machine)->processors), name, "nobody waits longer than the run");
    judge(running->has_recorder && (running->recorder_waits > 0) == (running->recorder_waited > 0.0), name,
          "the recorder");
    size_t bytes = 0;
    for (unsigned w = 0; w < WORKERS_MAX; w++) {
        bytes += tapes.of[w].count;
    }
    printf("%-40s %8llu turns %8llu messages %9zu bytes\n", name, (unsigned long long)then.free.turns,
           (unsigned long long)then.messages, bytes);
    forget(&tapes);
    ek_report_destroy(&now);
    ek_report_destroy(&then);
    ek_machine_destroy(machine);
}

static void try(const char *name, struct ek_experiment experiment)
{
    try_slowly(name, experiment, 0);
}

int main(int argc, char **argv)
{
    word = argc > 1 ? argv[1] : word;
    static const char *const methods[] = {
        "adf", "odf", "ade", "ode", "nna", "random-neighbours:2", "local-average", "sender:1/(deg+1)"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m += tests_one_in()) {
        struct ek_experiment plain = {.topology = "torus:4x4", .method = methods[m], .load = "peak:1600", .seed = m};
        try(methods[m], plain);
        plain.carrier = "pool:3";
        plain.topology = strcmp(methods[m], "nna") == 0 ? "ring:35" : "mesh:5x7";
        plain.units = "tokens";
        try(methods[m], plain);
        plain.units = "real";
        plain.delay = "uniform:10us:60us";
        plain.carrier = "threads";
        plain.mailbox = "spsc:1";
        plain.slow = "3:4";
        try(methods[m], plain);
    }
    try("one port", (struct ek_experiment){.topology = "hypercube:4", .method = "adf", .ports = "one"});
    try("exclusive", (struct ek_experiment){.topology = "star:9", .method = "adf", .domains = "exclusive"});
    try("exclusive, side by side", (struct ek_experiment){.topology = "torus:4x4",
                                                          .method = "adf",
                                                          .domains = "exclusive",
                                                          .carrier = "pool:3",
                                                          .operations_max = 900});
    try("hub", (struct ek_experiment){.topology = "star:40", .method = "adf", .domains = "once"});
    static const char *const roundings[] = {"nearest", "random", "carry"};
    for (size_t r = 0; r < 3; r++) {
        try(roundings[r], (struct ek_experiment){.topology = "torus:4x4",
                                                 .method = r % 2 ? "gde:0.3" : "adf",
                                                 .units = "tokens",
                                                 .rounding = roundings[r],
                                                 .load = "peak:1600",
                                                 .stop = "never"});
    }
    try("pushed", (struct ek_experiment){.topology = "ring:9", .method = "sender:1/(deg+1)", .announce = "pushed"});
    try("faults", (struct ek_experiment){.topology = "torus:4x4",
                                         .method = "adf",
                                         .stop = "never",
                                         .invoke = "probability:0.3",
                                         .faults = "link:2000,processor:200,repair:1ms"});
    try("faults of a list", (struct ek_experiment){.topology = "torus:4x4",
                                                   .method = "ade",
                                                   .carrier = "pool:4",
                                                   .stop = "never",
                                                   .delay = "fixed:20us",
                                                   .faults = "link:300,repair:2ms"});
    try("work", (struct ek_experiment){.topology = "ring:8",
                                       .method = "ade",
                                       .work = "normal:10:3:10",
                                       .tick_s = 1e-4,
                                       .stop = "never",
                                       .invoke = "outside:50:200"});
    try("operations",
        (struct ek_experiment){.topology = "torus:4x4", .method = "ade", .operations_max = 500, .stop = "never"});
    try("probability", (struct ek_experiment){.topology = "torus:8x8",
                                              .method = "odf",
                                              .invoke = "probability:0.1",
                                              .perturb = 0.01,
                                              .mailbox = "wfcq:2"});
    try_slowly("a recorder that is slow",
               (struct ek_experiment){.topology = "torus:8x8",
                                      .method = "adf",
                                      .carrier = "pool:8",
                                      .invoke = "outside:500:500",
                                      .stop = "never"},
               10000000);
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
