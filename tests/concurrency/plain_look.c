// SPDX-License-Identifier: MIT
// A run in free timing is a function of its looks (threads/free/look.h). The looks of a run with real threads are
// recorded. Then one thread makes the same turns in the order of their looks, twice, and gets the same looks: every
// processor must end the same, bit by bit. Looks and turns that are drawn from a seed must keep the ledger.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/runs.h"
#include "threads/machine/machine.h"
#include "threads/drivers/threads/thread_driver.h"
#include "threads/free/control/attend.h"
#include "threads/free/control/free_run.h"
#include "threads/free/control/report.h"
#include "threads/free/turn.h"
#include "threads/host/workers.h"
#include "base/sanitizers.h"

enum { DEGREE_MAX = 16, LOOKS_MAX = 1 << 21 };

// A pass of a worker with one processor, and its looks.
struct noted {
    uint32_t worker;
    struct free_look look;
    uint16_t waiting[DEGREE_MAX], room[DEGREE_MAX];
};

static struct noted *notes;         // [LOOKS_MAX]
static atomic_uint_fast32_t noted;  // the number of looks; increased at the end of a pass's looks, which orders them
static struct free_look *around_of; // by worker: its last look around, until it is recorded
static const struct noted *handed;  // in a replay: the looks of the current pass

static struct thread_driver driver; // the driver of the threads whose looks are recorded
static struct free_look_source of_threads;

static void note_around(struct free_look_source *source, struct free_worker *worker)
{
    of_threads.around(source, worker);
    around_of[worker - worker->run->worker] = worker->look;
}

static void note_ports(struct free_look_source *source, struct free_worker *worker, uint32_t first, uint32_t end)
{
    of_threads.ports(source, worker, first, end);
    struct noted note = {.worker = (uint32_t)(worker - worker->run->worker)};
    note.look = around_of[note.worker];
    for (uint32_t port = first; port < end; port++) {
        note.waiting[port - first] = worker->run->port[port].waiting;
        note.room[port - first] = worker->run->port[port].room;
    }
    // Acquire and release: a turn is recorded after the turns whose effects it has seen, since each was recorded
    // by its own release.
    uint_fast32_t at = atomic_fetch_add_explicit(&noted, 1, memory_order_acq_rel);
    if (at < LOOKS_MAX) {
        notes[at] = note;
    }
}

static void hand_around(struct free_look_source *source, struct free_worker *worker)
{
    (void)source;
    worker->look = handed->look;
}

static void hand_ports(struct free_look_source *source, struct free_worker *worker, uint32_t first, uint32_t end)
{
    (void)source;
    for (uint32_t port = first; port < end; port++) {
        worker->run->port[port].waiting = handed->waiting[port - first];
        worker->run->port[port].room = handed->room[port - first];
    }
}

static uint64_t no_time(struct free_look_source *source)
{
    (void)source;
    return 0;
}

static struct free_look_source handing = {.around = hand_around, .ports = hand_ports, .now = no_time};

// Gives all recorded looks to another run. Returns false if the run does not fit them.
static bool replay(struct free_run *run, size_t count)
{
    run->source = &handing;
    for (size_t i = 0; i < count; i++) {
        handed = &notes[i];
        struct free_worker *worker = &run->worker[handed->worker];
        const struct ek_topology *topology = run->topology;
        for (uint32_t port = topology->first[worker->begin]; port < topology->first[worker->end]; port++) {
            uint32_t k = port - topology->first[worker->begin];
            if (handed->waiting[k] > run->boxes.kind->waiting(&run->boxes, port) ||
                handed->room[k] > run->boxes.kind->room(&run->boxes, port)) {
                printf("look %zu of worker %u: what was seen at port %u is not there\n", i, handed->worker, port);
                return false;
            }
        }
        free_pass(worker);
    }
    return true;
}

// Returns whether the processors of two runs hold the same, have done the same, and are in the same state.
static bool same(const struct free_run *a, const struct free_run *b)
{
    uint32_t processors = a->topology->processors;
    for (uint32_t p = 0; p < processors; p++) {
        const struct free_processor *one = &a->processor[p];
        const struct free_processor *other = &b->processor[p];
        bool alike = memcmp(&one->held, &other->held, sizeof one->held) == 0 && one->moved == other->moved &&
                     one->generated == other->generated && one->consumed == other->consumed &&
                     one->operation == other->operation && one->ticks == other->ticks && one->age == other->age &&
                     one->phase == other->phase && one->epoch == other->epoch && one->engaged == other->engaged;
        if (!alike) {
            printf("processor %u: %.17g after %llu operations, not %.17g after %llu\n", p, other->held,
                   (unsigned long long)other->operation, one->held, (unsigned long long)one->operation);
            return false;
        }
    }
    for (unsigned w = 0; w < a->machine->workers; w++) {
        if (a->worker[w].messages != b->worker[w].messages || a->worker[w].operations != b->worker[w].operations ||
            memcmp(&a->worker[w].counts.depth, &b->worker[w].counts.depth, sizeof a->worker[w].counts.depth) != 0) {
            printf("worker %u counted otherwise\n", w);
            return false;
        }
    }
    return true;
}

static void work(void *context, unsigned worker)
{
    threads_work(context, worker);
}

static void attend(void *context)
{
    threads_attend(context);
}

static bool run_threads(struct free_control *control, struct ek_error *error)
{
    struct host_job threads = {
        .body = work, .context = &driver, .tick = attend, .tick_context = &driver, .period_ns = THREADS_PERIOD_NS};
    atomic_store_explicit(&noted, 0, memory_order_relaxed); // there are no threads here
    if (!threads_begin(&driver, control)) {
        return false;
    }
    of_threads = driver.source;
    driver.source.around = note_around;
    driver.source.ports = note_ports;
    bool good = host_workers_run(control->run.machine->workers, control->run.machine->places, &threads, error);
    threads_end(&driver);
    return good;
}

// Makes a run with threads, and repeats it twice from its looks.
static bool noted_run_repeats(struct ek_experiment experiment)
{
    struct ek_error error;
    experiment.timing = "free";
    experiment.carrier = "threads";
    experiment.operations_max = tests_part((unsigned)experiment.operations_max);
    experiment.seed = experiment.seed ? experiment.seed : 1;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    struct free_control *run[3] = {NULL};
    around_of = machine ? calloc(machine->plan.workers, sizeof *around_of) : NULL;
    bool good = around_of != NULL;
    for (int i = 0; good && i < 3; i++) {
        run[i] = free_create(&machine->plan, 0, &free_transport_local, &error);
        good = run[i] != NULL;
    }
    good = good && run_threads(run[0], &error);
    size_t count = atomic_load_explicit(&noted, memory_order_relaxed);
    bool whole = good && count < LOOKS_MAX;
    good = whole && replay(&run[1]->run, count) && replay(&run[2]->run, count) && same(&run[0]->run, &run[1]->run) &&
           same(&run[1]->run, &run[2]->run);
    if (!good) {
        printf("%s %s: %zu looks, %s\n", experiment.topology, experiment.method, count,
               whole ? "made otherwise" : error.sentence);
    }
    for (int i = 0; i < 3; i++) {
        if (run[i]) {
            free_destroy(run[i]);
        }
    }
    free(around_of);
    ek_machine_destroy(machine);
    return good;
}

// Random looks: each sees a part of what is there, at a time that goes on by random steps.
static struct base_random lots;
static uint64_t drawn_now;

static void draw_around(struct free_look_source *source, struct free_worker *worker)
{
    (void)source;
    struct free_run *run = worker->run;
    drawn_now += base_random_below(&lots, 2000);
    worker->look.now = drawn_now;
    if (base_random_below(&lots, 4) > 0) { // otherwise it does not see yet what the attendant did
        worker->look.epoch = atomic_load_explicit(&run->shared.epoch, memory_order_relaxed);
        worker->look.draining = atomic_load_explicit(&run->shared.draining, memory_order_relaxed);
        worker->look.over = atomic_load_explicit(&run->shared.over, memory_order_relaxed);
    }
}

static uint16_t some_of(uint32_t there)
{
    return (uint16_t)base_random_below(&lots, there + 1u);
}

static void draw_ports(struct free_look_source *source, struct free_worker *worker, uint32_t first, uint32_t end)
{
    (void)source;
    const struct mail_boxes *boxes = &worker->run->boxes;
    for (uint32_t port = first; port < end; port++) {
        struct free_port *here = &worker->run->port[port];
        if (!here->local) {
            here->waiting = some_of(boxes->kind->waiting(boxes, port));
            here->room = some_of(boxes->kind->room(boxes, port));
        }
    }
}

static uint64_t drawn_time(struct free_look_source *source)
{
    (void)source;
    return drawn_now;
}

static struct free_look_source drawing = {.around = draw_around, .ports = draw_ports, .now = drawn_time};

// Runs until the run ends, or for a number of passes. Returns the report's status.
static enum ek_status draw_run(struct ek_machine *machine, uint64_t seed, struct ek_report *report)
{
    enum { PASSES_MAX = 4000000 };
    struct ek_error error;
    struct free_control *control = free_create(&machine->plan, 0, &free_transport_local, &error);
    if (!control) {
        return error.status;
    }
    struct free_run *run = &control->run;
    lots = base_random_start(seed, 0, BASE_STREAM_LOAD);
    drawn_now = 0;
    run->source = &drawing;
    for (unsigned i = 0; i < PASSES_MAX && !atomic_load_explicit(&run->shared.over, memory_order_relaxed); i++) {
        free_pass(&run->worker[base_random_below(&lots, machine->plan.workers)]);
        bool attends = base_random_below(&lots, 8) == 0;
        if (attends && !atomic_load_explicit(&run->shared.over, memory_order_relaxed)) {
            free_attend_at(control, drawn_now);
        }
    }
    enum ek_status status = free_report(control, report, &error);
    if (status != EK_OK && status != EK_UNREACHED) {
        printf("status %d: %s\n%s", status, error.sentence, report->free.dump ? report->free.dump : "");
    }
    free_destroy(control);
    return status;
}

// The same seed makes the same run, and another seed another one. Each keeps its ledger and ends drained.
static bool drawn_runs_repeat(struct ek_experiment experiment)
{
    struct ek_error error;
    experiment.timing = "free";
    experiment.seed = 1;
    experiment.keep_loads = true;
    experiment.watchdog_s = 1e6;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    struct ek_report report[3] = {{0}};
    bool good = machine != NULL;
    for (int i = 0; good && i < 3; i++) {
        enum ek_status status = draw_run(machine, i < 2 ? 7 : 8, &report[i]);
        good = (status == EK_OK || status == EK_UNREACHED) && report[i].in_flight == 0.0;
    }
    size_t size = good ? machine->plan.topology->processors * sizeof(double) : 0;
    good = good && memcmp(report[0].final, report[1].final, size) == 0 && report[0].messages == report[1].messages &&
           report[0].free.turns == report[1].free.turns && report[0].free.turns != report[2].free.turns;
    if (!good) {
        printf("%s %s, drawn: not alike, or not ended: %s\n", experiment.topology, experiment.method, error.sentence);
    }
    for (int i = 0; i < 3; i++) {
        ek_report_destroy(&report[i]);
    }
    ek_machine_destroy(machine);
    return good;
}

int main(void)
{
    static const struct ek_experiment noted_ones[] = {
        {.topology = "torus:8x8", .method = "ade", .operations_max = 3000, .stop = "never"},
        {.topology = "torus:4x4", .method = "adf", .invoke = "outside:300:700", .stop = "spread:100"},
        {.topology = "star:12", .method = "adf", .ports = "one", .operations_max = 400, .stop = "never"},
        {.topology = "ring:16", .method = "liquid:c5", .load = "peak:1600", .operations_max = 2000, .stop = "never"},
        {.topology = "hypercube:4", .method = "ode", .domains = "exclusive", .operations_max = 800, .stop = "never"},
        {.topology = "mesh:3x5", .method = "nna", .delay = "uniform:0us:30us", .operations_max = 500, .stop = "never"},
        {.topology = "random:20:4",
         .method = "random-neighbours:2",
         .work = "normal:50:900:50", // its variance is so large that there is soon something to balance
         .operations_max = 900,
         .stop = "never"},
        {.topology = "complete:6",
         .method = "sender:1/(deg+1)",
         .mailbox = "wfcq:1",
         .operations_max = 600,
         .stop = "never"},
        {.topology = "torus:4x4",
         .method = "adf",
         .mailbox = "mutex:2",
         .slow = "3:5,7:20",
         .perturb = 0.1,
         .invoke = "probability:0.3",
         .operations_max = 600,
         .stop = "never"},
        {.topology = "torus:4x4",
         .method = "sender:1/(deg+1)",
         .announce = "pushed",
         .delay = "uniform:0us:30us",
         .mailbox = "spsc:1",
         .operations_max = 600,
         .stop = "never"},
    };
    static const struct ek_experiment drawn_ones[] = {
        {.topology = "torus:4x4", .method = "adf", .invoke = "outside:300:700", .stop = "spread:100"},
        {.topology = "ring:9", .method = "ade", .units = "tokens", .mailbox = "spsc:1", .stop = "spread:3"},
        {.topology = "star:7", .method = "adf", .ports = "one", .domains = "exclusive", .stop = "spread:50"},
        {.topology = "torus:16x16", .method = "adf", .carrier = "pool:3", .stop = "variance:1000"},
        {.topology = "mesh:3x4",
         .method = "adf",
         .announce = "pushed",
         .mailbox = "spsc:1",
         .units = "tokens",
         .load = "peak:900",
         .stop = "spread:8"},
        {.topology = "ring:12", .method = "liquid:c5", .delay = "fixed:10us", .load = "peak:500", .stop = "spread:4"},
    };
    unsigned passed = 0, failed = 0;
    notes = malloc(LOOKS_MAX * sizeof *notes);
    for (size_t i = 0; notes && i < sizeof noted_ones / sizeof *noted_ones; i++) {
        bool good = noted_run_repeats(noted_ones[i]);
        passed += good;
        failed += !good;
    }
#ifdef __SANITIZE_THREAD__
    size_t drawn = 0; // one thread makes them, so they cannot race
#else
    size_t drawn = sizeof drawn_ones / sizeof *drawn_ones;
#endif
    for (size_t i = 0; i < drawn; i++) {
        bool good = drawn_runs_repeat(drawn_ones[i]);
        passed += good;
        failed += !good;
    }
    failed += !notes;
    free(notes);
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
