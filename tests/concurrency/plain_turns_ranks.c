// SPDX-License-Identifier: MIT
// Turns over ranks against turns of one process, to the last bit. The ranks are threads here (rank_threads.h). Random
// experiments in turns are among those of plain_ranks.c.
#include <stdio.h>
#include <string.h>

#include "tests/support/breach.h"
#include "tests/support/rank_compare.h"

// With all that a message can carry: amounts, tasks with best values, objects, letters. A run that is tested or traced
// collects all loads in each step. The runs without hide no load that a rank should have fetched.
static const struct ek_experiment kinds[] = {
    {.topology = "torus:4x4", .method = "sender:1/(deg+1)", .load = "peak:900", .stop = "variance:1e-9"},
    {.topology = "random:24:4", .method = "odf", .units = "tokens", .rounding = "carry", .operations_max = 30},
    {.topology = "star:9", .method = "sender:1/deg", .units = "tokens", .rounding = "random", .steps_max = 60},
    {.topology = "tree:2:4", .method = "adf", .units = "tokens", .link_limit = "3", .stop = "never", .steps_max = 60},
    {.topology = "torus:5x3",
     .method = "adf",
     .units = "tokens",
     .work = "normal:20:9:20",
     .stop = "never",
     .steps_max = 40},
    {.topology = "torus:4x4", .method = "adf", .faults = "link:0.4,processor:0.2,repair:4", .steps_max = 60},
    {.topology = "ring:13",
     .method = "sender:0.2",
     .units = "tokens",
     .delay = "uniform:0:3",
     .stop = "never",
     .steps_max = 60},
    {.topology = "torus:4x4", .method = "sender:0.2", .delay = "fixed:1", .stop = "never", .steps_max = 40},
    {.topology = "random:24:4", .method = "sender:0.1", .delay = "exponential:1.5", .stop = "never", .steps_max = 40},
    {.topology = "ring:13",
     .method = "sender:0.2",
     .delay = "uniform:0:5",
     .faults = "link:0.4,processor:0.3,repair:4",
     .stop = "never",
     .steps_max = 90},
    {.topology = "torus:4x4", .method = "adf", .tasks = "queens:7"},
    {.topology = "ring:13", .method = "adf", .tasks = "tsp:9:2", .working = "before", .grain = 3, .give = "newest"},
    {.topology = "random:24:4", .method = "odf", .tasks = "flowshop:8x4:3"},
    {.topology = "torus:4x4", .method = "adf", .tasks = "mandelbrot:90x61:4", .grain = 500, .keep_picture = true},
    {.topology = "torus:4x4", .method = "adf", .objects = "mesh:20x20", .load = "peak:400"},
    {.topology = "random:24:4", .method = "odf", .objects = "weights:uniform:1:9", .load = "peak:300"},
    {.topology = "ring:13",
     .method = "adf",
     .objects = "weights:exponential:30",
     .load = "uniform:0:30",
     .choose = "nearest",
     .remainder = "drop"},
    {.topology = "torus:5x3", .method = "odf", .objects = "mesh:20x20", .load = "peak:400", .choose = "foreign"},
    {.topology = "torus:4x4", .method = "adf", .objects = "mesh:20x20", .load = "peak:400", .choose = "communicating"},
    {.topology = "random:24:4",
     .method = "odf",
     .objects = "mesh:30x10",
     .load = "peak:300",
     .choose = "communicating"},
    {.topology = "torus:4x4", .method = "adf", .objects = "mesh:20x20", .load = "peak:400", .migrate = "end"},
    {.topology = "ring:13",
     .method = "partners",
     .objects = "mesh:20x20:uniform:1:9",
     .choose = "communicating",
     .steps_max = 40},
    {.topology = "torus:4x4", .method = "steal:random", .tasks = "tsp:8:2"},
    {.topology = "random:24:4", .method = "place:random", .tasks = "queens:6", .hops = 4, .steps_max = 20},
    {.topology = "torus:5x3", .method = "cwn", .tasks = "flowshop:7x4:3"},
    {.topology = "ring:13", .method = "gradient", .tasks = "queens:6"},
    {.topology = "star:9", .method = "central", .tasks = "tsp:8:2"},
};

static void compare_kinds(void)
{
    static const char *const timings[] = {"turns", "turns:random"};
    unsigned step = tests_one_in() == 1 ? 1 : TESTS_RANKS_MAX;
    for (unsigned i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
        for (unsigned ranks = step == 1 ? 1 : 2 + i % 3; ranks <= TESTS_RANKS_MAX; ranks += step) {
            struct ek_experiment experiment = kinds[i / 2];
            experiment.timing = timings[i % 2];
            experiment.seed = i + 1;
            experiment.keep_loads = true;
            experiment.keep_trace = (i / 2 + ranks) % 2;
            experiment.keep_links = !experiment.tasks;
            experiment.frames = experiment.keep_trace ? 5 : 0;
            experiment.profile = experiment.tasks ? 7 : 0;
            tests_note(tests_ranks_compare(&experiment, ranks), experiment.method, "not compared");
        }
    }
}

// Ranks that have the loads of their own processors and the neighbours of these only: they measure their own parts.
// Sums of more than 65,536 loads are merged, smaller ones need all loads.
static const struct ek_experiment by_block[] = {
    {.topology = "torus:8x8", .method = "sender:1/(deg+1)", .load = "peak:900", .stop = "variance:1e-9"},
    {.topology = "random:24:4", .method = "odf", .units = "tokens", .stop = "neighbours:1"},
    {.topology = "mesh:8x8", .method = "adf", .units = "tokens", .load = "peak:640", .stop = "spread:0"},
    {.topology = "random:24:4", .method = "odf", .stop = "never", .steps_max = 30},
    {.topology = "torus:300x220", .method = "adf", .load = "uniform:0:9", .stop = "neighbours:4", .steps_max = 4},
    {.topology = "torus:300x220", .method = "adf", .units = "tokens", .stop = "never", .steps_max = 2},
    // Runs that need the loads of all processors.
    {.topology = "random:24:4", .method = "odf", .units = "tokens", .rounding = "carry", .operations_max = 30},
    {.topology = "torus:4x4", .method = "adf", .work = "normal:20:9:20", .stop = "never", .steps_max = 20},
    {.topology = "torus:4x4", .method = "sender:0.2", .delay = "fixed:2", .stop = "never", .steps_max = 20},
    {.topology = "torus:4x4", .method = "adf", .faults = "link:0.4,repair:4", .stop = "never", .steps_max = 20},
    {.topology = "torus:4x4", .method = "adf", .tasks = "queens:6"},
    {.topology = "torus:4x4", .method = "adf", .objects = "mesh:20x20", .load = "peak:400"},
    {.topology = "torus:4x4", .method = "adf", .stop = "never", .steps_max = 20, .keep_links = true},
};

static void compare_blocks(void)
{
    for (unsigned i = 0; i < 2 * sizeof by_block / sizeof *by_block; i++) {
        struct ek_experiment experiment = by_block[i / 2];
        experiment.timing = i % 2 ? "turns:random" : "turns";
        experiment.seed = i + 1;
        experiment.keep_trace = true;
        tests_note(tests_ranks_compare(&experiment, 2 + i % 3), experiment.topology, "not compared");
    }
}

// In the order of their numbers processors are placed in blocks, so that ranks take over from one another seldom.
static void compare_placements(void)
{
    static const struct {
        struct ek_experiment experiment;
        enum ek_blocks blocks;
        uint64_t cut; // on four ranks; 0: not known
    } placed[] = {
        {{.topology = "mesh:8x8", .timing = "turns", .method = "adf"}, EK_BLOCKS_IN_ORDER, 24},
        {{.topology = "mesh:8x8", .timing = "turns:random", .method = "adf"}, EK_BLOCKS_BOXES, 16},
        {{.topology = "mesh:8x8", .timing = "turns:random", .method = "adf", .tasks = "queens:7"}, EK_BLOCKS_BOXES, 16},
        {{.topology = "random:48:3", .timing = "turns:random", .method = "odf", .units = "tokens"}, EK_BLOCKS_PARTS, 0},
        {{.topology = "random:48:3", .timing = "turns:random", .method = "sender:0.2", .delay = "fixed:2"},
         EK_BLOCKS_IN_ORDER,
         0},
    };
    for (unsigned i = 0; i < sizeof placed / sizeof *placed; i++) {
        struct ek_experiment experiment = placed[i].experiment;
        experiment.keep_loads = experiment.keep_trace = true;
        experiment.steps_max = 20;
        tests_note(tests_ranks_compare(&experiment, 4), experiment.topology, "not compared");
        bool good = placed[i].cut == 0 || tests_placed.cut == placed[i].cut;
        char found[80];
        snprintf(found, sizeof found, "blocks %d, cut %llu", (int)tests_placed.blocks,
                 (unsigned long long)tests_placed.cut);
        tests_note(good && tests_placed.blocks == placed[i].blocks, experiment.topology, found);
    }
}

// Ranks refuse some experiments, and each sentence says what to do.
static void refuse(void)
{
    static const struct {
        struct ek_experiment experiment;
        const char *sentence;
    } refused[] = {
        {{.mailbox = "spsc"}, "use mailbox slot, or carrier pool"},
        {{.barrier = "spin"}, "leave barrier out, or use carrier pool"},
        {{.topology = "chain:2"}, "3 ranks cannot carry 2 processors: start at most as many ranks"},
    };
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct tests_room room = {.count = 3, .deaf_after = UINT32_MAX};
        struct tests_seat seat[TESTS_RANKS_MAX] = {{0}};
        for (unsigned r = 0; r < room.count; r++) {
            seat[r].experiment = refused[i].experiment;
            seat[r].experiment.topology = seat[r].experiment.topology ? seat[r].experiment.topology : "ring:9";
            seat[r].experiment.timing = "turns";
            seat[r].experiment.method = "sender:0.2";
            seat[r].experiment.steps_max = 5;
        }
        tests_carry(&room, seat);
        for (unsigned r = 0; r < room.count; r++) {
            const struct tests_outcome *outcome = &seat[r].outcome;
            tests_note(outcome->status == EK_BAD_INPUT && strstr(outcome->error.sentence, refused[i].sentence),
                       refused[i].sentence, outcome->error.sentence);
            tests_outcome_destroy(&seat[r].outcome);
        }
    }
}

static unsigned garbled_call, garbled;

static void garble(struct tests_seat *seat, double *words, size_t count)
{
    (void)count;
    words[0] += seat->calls == garbled_call;
    garbled += seat->calls == garbled_call;
}

// Most messages with a wrong number are noticed: the loads differ, or the ledger does. A load that a processor compares
// may be a little wrong without effect.
static void lie_once(void)
{
    struct ek_experiment experiment = {.topology = "torus:8x8",
                                       .timing = "turns",
                                       .method = "adf",
                                       .stop = "never",
                                       .steps_max = 20,
                                       .keep_loads = true,
                                       .keep_trace = true};
    struct tests_outcome one;
    tests_try(&experiment, 0, &one);
    unsigned noticed = 0;
    for (garbled_call = 20; garbled_call < 60; garbled_call++) {
        struct tests_room room = {.count = 2, .deaf_after = UINT32_MAX, .garble = garble};
        struct tests_seat seat[TESTS_RANKS_MAX] = {{.experiment = experiment}, {.experiment = experiment}};
        tests_carry(&room, seat);
        noticed += tests_rank_differs(&seat[1].outcome, &one) != NULL;
        tests_outcome_destroy(&seat[0].outcome);
        tests_outcome_destroy(&seat[1].outcome);
    }
    tests_note(garbled >= 4 && 2 * noticed >= garbled, "messages that are wrong once", "not noticed");
    tests_outcome_destroy(&one);
}

// A rank that hears nothing ends the run of all, in the middle of a step too, and makes no further call.
static void speak_no_more(void)
{
    static const struct ek_experiment deaf[] = {
        {.topology = "ring:9", .method = "adf"},
        {.topology = "ring:9", .method = "adf", .tasks = "tsp:8:2"},
        {.topology = "ring:9", .method = "adf", .objects = "mesh:10x10", .load = "peak:100"},
        {.topology = "ring:9", .method = "steal:random", .tasks = "queens:7"},
    };
    for (unsigned i = 0; i < 60; i++) {
        struct tests_room room = {.count = 3, .deaf_after = 4 + i};
        struct tests_seat seat[TESTS_RANKS_MAX] = {{0}};
        for (unsigned r = 0; r < room.count; r++) {
            seat[r].experiment = deaf[i % 4];
            seat[r].experiment.timing = i % 8 < 4 ? "turns" : "turns:random";
            seat[r].experiment.stop = seat[r].experiment.tasks ? NULL : "never";
            seat[r].experiment.steps_max = 40;
        }
        tests_carry(&room, seat);
        unsigned after = 0;
        for (unsigned r = 0; r < room.count; r++) {
            const struct tests_outcome *outcome = &seat[r].outcome;
            after += seat[r].calls > room.deaf_after + 1;
            tests_note(outcome->status == EK_BAD_INPUT && strstr(outcome->error.sentence, "does not answer"),
                       deaf[i % 4].method, outcome->error.sentence);
            tests_outcome_destroy(&seat[r].outcome);
        }
        tests_note(after == 0, "who is not heard is spoken to", deaf[i % 4].method);
    }
}

// One rank is interrupted. All end after the step, when they meet.
static void look(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    (void)loads;
    (void)processors;
    struct tests_seat *seat = context;
    if (row->step == 20 && seat->ranks.rank == 1) {
        ek_interrupt(seat->outcome.machine);
    }
}

static void interrupt_one(void)
{
    struct tests_room room = {.count = 3, .deaf_after = UINT32_MAX};
    struct tests_seat seat[TESTS_RANKS_MAX] = {{0}};
    for (unsigned r = 0; r < room.count; r++) {
        seat[r].experiment = (struct ek_experiment){.topology = "torus:8x8",
                                                    .timing = "turns:random",
                                                    .method = "adf",
                                                    .stop = "never",
                                                    .steps_max = 1000,
                                                    .observer = {.look = look, .context = &seat[r]}};
    }
    tests_carry(&room, seat);
    for (unsigned r = 0; r < room.count; r++) {
        const struct ek_report *report = &seat[r].outcome.report;
        char steps[40];
        snprintf(steps, sizeof steps, "after %llu steps", (unsigned long long)report->steps);
        tests_note(report->ended == EK_ENDED_INTERRUPT && report->steps == 21, "an interrupt of one rank", steps);
        tests_outcome_destroy(&seat[r].outcome);
    }
}

int main(void)
{
    compare_kinds();
    compare_blocks();
    compare_placements();
    refuse();
    lie_once();
    tests_breach_on_ranks(&(struct ek_experiment){.timing = "turns"});
    speak_no_more();
    interrupt_one();
    return tests_result();
}
