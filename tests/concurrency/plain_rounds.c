// SPDX-License-Identifier: MIT
// The machine with a thread for each of 64 processors, over methods, mailboxes and barriers, against one worker
// alone, bit by bit. Under ThreadSanitizer 16 processors are enough.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/method.h"
#include "core/register.h"
#include "tests/support/runs.h"
#include "base/random.h"
#include "base/sanitizers.h"
#include "topologies/topology.h"

struct ek_turn;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define ROW "16"
#define SQUARE "4x4"
#define PAIRS "2x8"
#define CUBE "4"
#define GROUP "mesh:2x2"
enum { PROCESSORS = 16 };
#else
#define ROW "64"
#define SQUARE "8x8"
#define PAIRS "2x32"
#define CUBE "6"
#define GROUP "mesh:4x2"
enum { PROCESSORS = 64 };
#endif

static unsigned passed, failed;

static void note(bool good, const struct ek_experiment *experiment, const char *what)
{
    passed += good;
    failed += !good;
    if (!good) {
        printf("%s, %s ports, %s, mailbox %s, barrier %s on %s: %s\n", experiment->method, experiment->ports,
               experiment->units, experiment->mailbox, experiment->barrier, experiment->carrier, what);
    }
}

static void compare(struct ek_experiment experiment)
{
    struct tests_outcome many, one;
    tests_try(&experiment, 0, &many);
    struct ek_experiment alone = experiment;
    alone.carrier = "pool:1";
    alone.mailbox = "slot";
    alone.barrier = "auto";
    tests_try(&alone, 0, &one);
    const char *name =
        many.status == one.status ? tests_report_differs(&many.report, &one.report, PROCESSORS) : "status";
    note(name == NULL && many.status == EK_OK, &experiment, name ? name : many.error.sentence);
    tests_outcome_destroy(&many);
    tests_outcome_destroy(&one);
}

static void compare_all(void)
{
    static const char *const methods[] = {"ade", "gde:0.7", "adf", "diffusion:0.15", "matching"};
    static const char *const mailboxes[] = {"slot", "spsc", "wfcq", "mutex"};
    static const char *const barriers[] = {"auto", "sleep", "pthread", "spin", "yield"};
    for (unsigned i = 0; i < 5 * 4 * 2; i += tests_one_in()) {
        struct ek_experiment experiment = {
            .topology = "torus:" SQUARE,
            .method = methods[i % 5],
            .mailbox = mailboxes[i % 4],
            .ports = i / 20 ? "one" : "all",
            .units = i % 3 ? "real" : "tokens",
            .barrier = barriers[i / 4 % 5],
            .carrier = i % 7 == 0 ? "pool:3" : "threads",
            .stop = "never",
            .steps_max = 11,
            .keep_loads = true,
            .keep_trace = true,
        };
        compare(experiment);
    }
}

static void compare_kinds(const struct ek_experiment *kinds, unsigned count)
{
    static const char *const mailboxes[] = {"slot", "spsc", "wfcq", "mutex"};
    for (unsigned i = 0; i < count; i++) {
        struct ek_experiment experiment = kinds[i];
        experiment.mailbox = mailboxes[i % 4];
        experiment.barrier = i % 2 ? "yield" : "sleep";
        experiment.carrier = "threads";
        experiment.stop = experiment.tasks ? NULL : "never";
        experiment.keep_loads = true;
        compare(experiment);
        if (i % tests_one_in() == 0) {
            experiment.carrier = "pool:7";
            compare(experiment);
        }
    }
}

// Programs, delays, invocations and turns: everything else that crosses the links.
static void compare_programs(void)
{
    static const struct ek_experiment kinds[] = {
        {.topology = "torus:" SQUARE, .method = "dde", .units = "tokens", .ports = "all"},
        {.topology = "torus:" SQUARE, .method = "dde:send-first", .units = "tokens", .ports = "one"},
        {.topology = "chain:" ROW, .method = "twa:binomial", .units = "tokens", .ports = "all"},
        {.topology = "torus:" SQUARE, .method = "liquid:c4r", .units = "tokens", .ports = "all", .operations_max = 6},
        {.topology = "ring:" ROW, .method = "nna", .units = "tokens", .ports = "all", .operations_max = 6},
        {.topology = "mesh:" SQUARE, .method = "de(opt)", .units = "real", .ports = "all"},
        {.topology = "otis(" GROUP ")", .method = "ded(fos)", .units = "real", .ports = "all", .operations_max = 6},
        {.topology = "otis(" GROUP ")",
         .method = "ded(opt)",
         .units = "real",
         .ports = "one",
         .capacity = "semi",
         .operations_max = 6},
        {.topology = "torus:" SQUARE, .method = "local-average", .units = "real", .ports = "all", .operations_max = 4},
        {.topology = "torus:" SQUARE,
         .method = "sos",
         .units = "real",
         .ports = "one",
         .capacity = "semi",
         .steps_max = 9},
        {.topology = "torus:" SQUARE, .tasks = "queens:7", .method = "adf", .ports = "all"},
        {.topology = "torus:" SQUARE, .tasks = "tsp:9:1", .method = "ade", .ports = "one"},
        {.topology = "torus:" SQUARE, .tasks = "flowshop:7x4:1", .method = "liquid:c4", .ports = "all", .grain = 2},
        {.topology = "torus:" SQUARE, .tasks = "queens:7", .method = "steal:lifeline", .ports = "all"},
        {.topology = "torus:" SQUARE, .tasks = "tsp:8:1", .method = "cwn", .ports = "all"},
        {.topology = "torus:" SQUARE, .tasks = "queens:6", .method = "gradient", .ports = "all", .timing = "turns"},
        {.topology = "torus:" SQUARE, .tasks = "queens:7", .method = "sender:0.2", .ports = "all", .timing = "turns"},
        {.topology = "torus:" SQUARE,
         .method = "adf",
         .units = "real",
         .ports = "all",
         .delay = "uniform:0:3",
         .steps_max = 9},
        {.topology = "torus:" SQUARE,
         .method = "ade",
         .units = "real",
         .ports = "all",
         .invoke = "below:400",
         .steps_max = 9},
        {.topology = "torus:" SQUARE,
         .method = "sender:0.2",
         .units = "real",
         .ports = "all",
         .timing = "turns:random",
         .steps_max = 9},
    };
    compare_kinds(kinds, sizeof kinds / sizeof *kinds);
}

// Parcels that carry objects.
static void compare_objects(void)
{
    static const struct ek_experiment kinds[] = {
        {.topology = "torus:" SQUARE,
         .objects = "mesh:20x20:uniform:1:9",
         .load = "peak:400",
         .method = "adf",
         .choose = "communicating",
         .ports = "all",
         .steps_max = 20},
        {.topology = "torus:" SQUARE,
         .objects = "weights:uniform:1:9",
         .load = "peak:400",
         .method = "ade",
         .choose = "nearest",
         .ports = "one",
         .steps_max = 20},
        {.topology = "torus:" SQUARE,
         .objects = "weights:uniform:1:9",
         .load = "peak:400",
         .method = "sender:0.2",
         .choose = "foreign",
         .ports = "all",
         .timing = "turns",
         .steps_max = 9},
    };
    compare_kinds(kinds, sizeof kinds / sizeof *kinds);
}

// Experiments whose steps have one phase if workers share a core, because neighbours can compute what a rule sends.
static const struct ek_experiment foreseen[] = {
    {.method = "adf", .units = "real", .barrier = "yield", .stop = "variance:1", .keep_trace = true},
    {.method = "adf", .units = "tokens", .barrier = "sleep", .load = "peak:6400", .link_limit = "10"},
    {.method = "fos", .units = "real", .barrier = "pthread", .stop = "spread:0.1", .frames = 3},
    {.method = "diffusion:0.3", .units = "real", .barrier = "yield", .stop = "never", .steps_max = 40},
    {.method = "diffusion:0.25", .units = "tokens", .barrier = "sleep", .stop = "never", .steps_max = 40},
    {.method = "ade", .units = "real", .barrier = "sleep", .stop = "variance:1", .keep_trace = true},
    {.method = "gde:0.7",
     .units = "tokens",
     .barrier = "yield",
     .ports = "one",
     .load = "peak:6400",
     .link_limit = "10"},
    {.method = "dem", .units = "tokens", .barrier = "sleep", .topology = "hypercube:" CUBE},
    {.method = "liquid:c5", .units = "tokens", .barrier = "yield", .load = "peak:640", .frames = 3},
    {.method = "liquid:c1", .units = "tokens", .barrier = "sleep", .topology = "ring:" ROW, .load = "peak:" ROW},
    {.method = "liquid:c4", .units = "tokens", .barrier = "pthread", .topology = "torus:" PAIRS, .load = "peak:99"},
    {.method = "liquid:c2", .units = "tokens", .barrier = "yield", .topology = "ring:" ROW, .load = "peak:" ROW},
    {.method = "liquid:c3", .units = "tokens", .barrier = "yield", .order = "1,0", .stop = "never", .steps_max = 41},
    {.method = "adf", .units = "real", .ports = "one", .barrier = "yield", .stop = "variance:1", .keep_trace = true},
    {.method = "adf", .units = "tokens", .ports = "one", .barrier = "sleep", .load = "peak:6400", .keep_trace = true},
    {.method = "adf",
     .units = "real",
     .capacity = "semi",
     .barrier = "yield",
     .stop = "never",
     .steps_max = 60,
     .frames = 3},
    {.method = "diffusion:0.2",
     .units = "tokens",
     .capacity = "semi",
     .ports = "one",
     .barrier = "sleep",
     .load = "peak:6400",
     .stop = "never",
     .steps_max = 400},
    {.method = "diffusion:0.2",
     .units = "real",
     .capacity = "semi",
     .weighting = "target",
     .barrier = "pthread",
     .stop = "never",
     .steps_max = 60,
     .keep_trace = true},
    {.method = "matching", .units = "real", .barrier = "yield", .stop = "variance:1", .keep_trace = true},
    {.method = "matching",
     .units = "tokens",
     .barrier = "sleep",
     .stop = "never",
     .steps_max = 200,
     .load = "peak:6400"},
};

// Compares their steps with those of two phases.
static void compare_foreseen(void)
{
    static const char *const carriers[] = {"threads", "pool:3"};
    for (unsigned i = 0; i < sizeof foreseen / sizeof *foreseen; i++) {
        struct ek_experiment experiment = foreseen[i];
        experiment.topology = experiment.topology ? experiment.topology : "torus:" SQUARE;
        experiment.ports = experiment.ports ? experiment.ports : "all";
        experiment.mailbox = "slot";
        experiment.carrier = carriers[i % 2];
        experiment.keep_loads = true;
        compare(experiment);
    }
}

// Processors beside a hole send after a time of rest, because a neighbour's load falls.
static void compare_hole(void)
{
    char load[8 * PROCESSORS] = "list:0";
    for (unsigned p = 1; p < PROCESSORS; p++) {
        snprintf(load + strlen(load), sizeof load - strlen(load), ",%u", p < PROCESSORS / 4 ? 50 : 90);
    }
    static const char *const methods[] = {"ade", "adf", "gde:0.7", "liquid:c3", "liquid:c5"};
    for (unsigned i = 0; i < sizeof methods / sizeof *methods; i++) {
        compare((struct ek_experiment){.method = methods[i],
                                       .topology = "ring:" ROW,
                                       .units = "tokens",
                                       .ports = "all",
                                       .mailbox = "slot",
                                       .barrier = "yield",
                                       .carrier = "threads",
                                       .load = load,
                                       .stop = "never",
                                       .steps_max = 200,
                                       .keep_trace = true,
                                       .keep_loads = true});
    }
}

// A processor passes on a token that it has held for long, because a token reaches its predecessor. So the receiver
// depends on a load two links away, and rests until then.
static void compare_follower(void)
{
    char load[8 * PROCESSORS] = "list:9,0,0,0,0,0,1";
    for (unsigned p = 7; p < PROCESSORS; p++) {
        snprintf(load + strlen(load), sizeof load - strlen(load), ",0");
    }
    compare((struct ek_experiment){.method = "liquid:c4",
                                   .topology = "ring:" ROW,
                                   .units = "tokens",
                                   .ports = "all",
                                   .mailbox = "slot",
                                   .barrier = "sleep",
                                   .carrier = "threads",
                                   .load = load,
                                   .stop = "never",
                                   .steps_max = 40,
                                   .keep_loads = true});
}

// A program, drawn at random, whose processors sleep. Its turns depend on their cause, on what they see, and on the
// load at the start of the step. A turn without a cause changes nothing.
enum { KEPT, AWAKE, WAITING, SLEEPER_WORDS };

static uint64_t draw(const struct ek_turn *turn, uint64_t key, uint64_t count)
{
    uint64_t seed = turn->view.seed + 7919 * turn->view.step->index + 104729 * key;
    struct base_random random = base_random_start(seed, turn->view.processor, BASE_STREAM_LOAD);
    return base_random_below(&random, count);
}

static bool has_cause(const struct ek_turn *turn)
{
    bool cause = turn->view.step->wakes || turn->state[AWAKE] == (double)turn->view.step->index;
    for (unsigned port = 0; port < turn->view.degree; port++) {
        cause = cause || turn->arrived[port] > 0.0;
    }
    return cause;
}

static void sleeper_announce(const struct ek_turn *turn, double *values)
{
    for (unsigned port = 0; has_cause(turn) && port < turn->view.degree; port++) {
        values[port] = draw(turn, port, 3) == 0 ? turn->view.load + (double)draw(turn, port + 9, 5) : NAN;
    }
}

static void sleeper_act(struct ek_turn *turn, double *amounts)
{
    bool cause = has_cause(turn);
    double seen = 7.0 * turn->view.load;
    for (unsigned port = 0; port < turn->view.degree; port++) {
        bool heard = !isnan(turn->view.announced[port]);
        cause = cause || heard;
        seen += 3.0 * turn->arrived[port] + (heard ? (port + 1) * turn->view.announced[port] : 0.0);
    }
    turn->waits = turn->state[WAITING] != 0.0;
    if (!cause) {
        return;
    }
    turn->state[KEPT] = fmod(5.0 * turn->state[KEPT] + seen, 1000003.0);
    uint64_t key = 16 + (uint64_t)fabs(turn->state[KEPT]);
    for (unsigned port = 0; port < turn->view.degree; port++) {
        bool sends = !isnan(turn->view.announced[port]) && draw(turn, key + port, 2) == 0;
        amounts[port] = sends ? 1.0 + (double)draw(turn, key + port, 3) : 0.0;
    }
    turn->awake = draw(turn, key + 5, 6) == 0;
    turn->state[AWAKE] = turn->awake ? (double)(turn->view.step->index + 1) : -1.0;
    turn->busy = draw(turn, key + 6, 8) == 0;
    turn->waits = draw(turn, key + 7, 8) == 0;
    turn->state[WAITING] = turn->waits;
}

static enum ek_next sleeper_next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    if (moment->index >= 8 && (!moment->busy || moment->index > 60)) {
        return EK_NEXT_OPERATION_ENDS;
    }
    step->wakes = moment->index % 12 == 0;
    step->colour_end = (uint32_t)plan->parameter;
    return EK_NEXT_STEP;
}

static bool sleeper_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                            struct ek_error *error)
{
    (void)parameter, (void)at, (void)error;
    plan->parameter = setting->topology->colours;
    plan->state_doubles = SLEEPER_WORDS;
    plan->sleeps = true;
    return true;
}

static const struct ek_method sleeper = {
    .name = "sleeper",
    .texts = &(const struct ek_texts){.title = "a program that sleeps"},
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS | EK_ONE_PORT, .capacities = true},
    .links = EK_LINKS_SCHEDULED,
    .prepare = sleeper_prepare,
    .rounds =
        &(const struct ek_rounds_part){
            .next = sleeper_next, .announce = sleeper_announce, .act = sleeper_act, .reads_arrivals = true},
};

// A sleeping processor sees the same, whether or not its turns are left out.
static void compare_sleepers(void)
{
    static const char *const mailboxes[] = {"slot", "spsc", "wfcq", "mutex"};
    struct ek_error error;
    note(ek_method_register(&sleeper, &error), &(struct ek_experiment){.method = "sleeper"}, "not registered");
    for (unsigned i = 0; i < 24; i += tests_one_in()) {
        struct ek_experiment experiment = {.topology = "torus:" SQUARE,
                                           .method = "sleeper",
                                           .load = "uniform:200:600",
                                           .mailbox = mailboxes[i % 4],
                                           .ports = i / 4 % 2 ? "one" : "all",
                                           .units = "real",
                                           .capacity = i / 8 % 2 ? "semi" : "homo",
                                           .work = i % 5 == 0 ? "constant:3=1" : "none",
                                           .barrier = i % 3 ? "yield" : "sleep",
                                           .carrier = i % 7 == 0 ? "pool:7" : "threads",
                                           .stop = "never",
                                           .operations_max = 12,
                                           .seed = i,
                                           .keep_loads = true};
        compare(experiment);
    }
}

static void watch(void *context, const struct ek_progress *so_far)
{
    unsigned *calls = context;
    *calls += so_far->elapsed_s >= 0.0;
}

// The caller watches while the threads run, and the time limit ends the run. If the caller gets no core meanwhile,
// the run is repeated.
static void watch_a_run(void)
{
    struct ek_experiment experiment = {.topology = "torus:" SQUARE,
                                       .method = "adf",
                                       .ports = "all",
                                       .units = "real",
                                       .mailbox = "slot",
                                       .barrier = "auto",
                                       .carrier = "threads",
                                       .stop = "never",
                                       .seconds_max = 0.4};
    enum { RUNS_MAX = 50 };
    struct ek_error error;
    unsigned calls = 0;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    bool good = machine != NULL;
    for (uint64_t run = 0; good && calls == 0 && run < RUNS_MAX; run++) {
        struct ek_report report = {0};
        good = ek_run(machine, run, &report, watch, &calls, &error) == EK_OK && report.ended == EK_ENDED_TIME;
        ek_report_destroy(&report);
    }
    note(good && calls > 0, &experiment, "a run of 0.4 s could not be watched");
    ek_machine_destroy(machine);
}

int main(void)
{
    compare_all();
    compare_programs();
    compare_objects();
    compare_foreseen();
    compare_hole();
    compare_follower();
    compare_sleepers();
    watch_a_run();
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
