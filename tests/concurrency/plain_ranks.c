// SPDX-License-Identifier: MIT
// Rounds over ranks against rounds of one process, to the last bit. The ranks are threads here (rank_threads.h). Ranks
// that hold only their blocks are those of plain_block_ranks.c.
#include <stdio.h>
#include <string.h>

#include "tests/support/breach.h"
#include "tests/support/rank_compare.h"
#include "tests/support/text_file.h"
#include "base/sanitizers.h"

enum { CLIQUES = 100, FIRST = 51 }; // the processors of two cliques, and of the first one

static unsigned garbled_call;

static void garble(struct tests_seat *seat, double *words, size_t count)
{
    (void)count;
    words[0] += seat->calls == garbled_call;
}

// One message with a wrong number is noticed: either the loads differ, or the ledger does. There is no trace, because
// its measurements would replace the wrong load by the right one.
static void lie_once(void)
{
    struct ek_experiment experiment = {
        .topology = "torus:8x8", .method = "diffusion:0.2", .stop = "never", .steps_max = 20, .keep_loads = true};
    struct tests_outcome one;
    tests_try(&experiment, 0, &one);
    unsigned noticed = 0;
    for (garbled_call = 20; garbled_call < 24; garbled_call++) { // at least one of these exchanges messages
        struct tests_room room = {.count = 2, .deaf_after = UINT32_MAX, .garble = garble};
        struct tests_seat seat[TESTS_RANKS_MAX] = {{.experiment = experiment}, {.experiment = experiment}};
        tests_carry(&room, seat);
        noticed += tests_rank_differs(&seat[1].outcome, &one) != NULL;
        tests_outcome_destroy(&seat[0].outcome);
        tests_outcome_destroy(&seat[1].outcome);
    }
    tests_note(noticed > 0, "a message that is wrong once", "not noticed");
    tests_outcome_destroy(&one);
}

// Methods that are rules, over most axes.
static void compare_drawn(void)
{
    unsigned compared = 0, drawn = tests_part(600);
    for (unsigned i = 0; i < drawn; i++) {
        struct tests_drawn experiment;
        struct base_random random = base_random_start(13, i, BASE_STREAM_WORK);
        tests_draw(&experiment, i);
        if (i % 3 > 0) {
            tests_draw_axes(&experiment.experiment, &random);
        }
        if (i % 2 && !experiment.experiment.timing) { // parcels take longer by their load
            experiment.experiment.byte_time = "0.3ns";
            experiment.experiment.load_bytes = "8";
        }
        compared += tests_ranks_compare(&experiment.experiment, 1 + i % TESTS_RANKS_MAX);
    }
    tests_note(5 * compared >= drawn, "experiments that were compared", "fewer than one in five of those drawn");
}

// Methods that are programs: with words, sleeping processors, states that return, links of their own.
static const struct ek_experiment programs[] = {
    {.topology = "torus:4x4", .method = "dde", .units = "tokens"},
    {.topology = "torus:8x4", .method = "dde:send-first", .units = "tokens", .ports = "one"},
    {.topology = "chain:19", .method = "twa:binomial", .units = "tokens"},
    {.topology = "tree:2:4", .method = "twa", .units = "tokens"},
    {.topology = "mesh:5x6", .method = "mwa"},
    {.topology = "torus:4x4", .method = "liquid:c4r", .units = "tokens", .operations_max = 60},
    {.topology = "torus:5x3", .method = "liquid:c5", .units = "tokens", .work = "normal:20:9:20", .steps_max = 40},
    {.topology = "ring:16", .method = "nna", .units = "tokens", .operations_max = 20},
    {.topology = "mesh:4x4", .method = "de(opt)", .units = "real"},
    {.topology = "torus:4x4", .method = "opt", .units = "real", .ports = "one"},
    {.topology = "otis(mesh:2x2)", .method = "ded(fos)", .units = "real", .operations_max = 6},
    {.topology = "otis(mesh:2x2)", .method = "ded(opt)", .units = "real", .ports = "one", .capacity = "semi"},
    {.topology = "torus:4x4", .method = "local-average", .units = "real", .operations_max = 9},
    {.topology = "random:24:4", .method = "local-average", .units = "tokens", .invoke = "below:400", .steps_max = 9},
    {.topology = "random:24:4", .method = "random-neighbours:2", .units = "tokens", .operations_max = 9},
    {.topology = "ring:16", .method = "splitting:1/3", .units = "tokens"},
    {.topology = "torus:4x4", .method = "rotor:2", .units = "tokens", .operations_max = 30},
    {.topology = "random:24:4", .method = "odf", .units = "tokens", .rounding = "carry", .operations_max = 30},
    {.topology = "torus:4x4", .method = "gde:0.3", .units = "tokens", .rounding = "carry", .operations_max = 30},
    {.topology = "star:9",
     .method = "sender:1/deg",
     .units = "tokens",
     .rounding = "carry",
     .ports = "one",
     .steps_max = 60},
    {.topology = "torus:4x4", .method = "adf", .units = "tokens", .rounding = "random", .operations_max = 30},
    {.topology = "chain:40",
     .method = "random-neighbours:2:1.2",
     .units = "tokens",
     .load = "peak:900@1",
     .stop = "never",
     .steps_max = 300},
    {.topology = "ring:24", .method = "liquid:c4r", .units = "tokens", .load = "peak:900@1"},
    {.topology = "torus:4x4", .method = "sos", .units = "real", .ports = "one", .capacity = "semi", .steps_max = 9},
    {.topology = "torus:4x4", .method = "sender:0.2", .units = "tokens", .delay = "uniform:0:3", .steps_max = 30},
    {.topology = "ring:13",
     .method = "sender:0.2",
     .delay = "uniform:0:5",
     .faults = "link:0.4,processor:0.3,repair:4",
     .stop = "never",
     .steps_max = 90},
    {.topology = "random:24:4",
     .method = "adf",
     .units = "tokens",
     .delay = "fixed:3",
     .faults = "link:0.4,repair:4",
     .invoke = "probability:0.5",
     .steps_max = 60},
    {.topology = "torus:4x4", .method = "adf", .tasks = "queens:7"},
    {.topology = "torus:5x3", .method = "liquid:c4", .tasks = "flowshop:8x4:3"},
    {.topology = "ring:13", .method = "ade", .tasks = "tsp:9:2", .working = "before", .grain = 3, .give = "newest"},
    {.topology = "random:24:4", .method = "adf", .tasks = "bag:uniform:1:9", .load = "peak:90", .capacity = "semi"},
    {.topology = "torus:4x4", .method = "adf", .tasks = "tsp:9:1", .invoke = "below:2", .steps_max = 30},
    {.topology = "torus:4x4", .method = "adf", .tasks = "mandelbrot:90x61:4", .grain = 500, .keep_picture = true},
    {.topology = "torus:4x4", .method = "adf", .objects = "mesh:20x20", .load = "peak:400"},
    {.topology = "random:24:4", .method = "sos", .objects = "weights:uniform:1:9", .load = "peak:300"},
    {.topology = "ring:13",
     .method = "ade",
     .objects = "weights:exponential:30",
     .load = "uniform:0:30",
     .choose = "nearest",
     .remainder = "drop"},
    {.topology = "torus:5x3", .method = "nna", .objects = "mesh:20x20", .load = "peak:400", .choose = "foreign"},
    {.topology = "torus:4x4", .method = "adf", .objects = "mesh:20x20", .load = "peak:400", .choose = "communicating"},
    {.topology = "ring:13",
     .method = "adf",
     .objects = "mesh:30x10",
     .load = "peak:300@4",
     .choose = "communicating",
     .invoke = "probability:0.5"},
    {.topology = "ring:13", .method = "ade", .objects = "mesh:30x10", .load = "peak:300", .choose = "communicating"},
    {.topology = "random:24:4",
     .method = "sos",
     .objects = "mesh:30x10",
     .load = "peak:300",
     .choose = "communicating"},
    {.topology = "ring:13",
     .method = "matching",
     .objects = "weights:uniform:1:9",
     .load = "peak:100",
     .steps_max = 40},
    {.topology = "torus:4x4", .method = "dde", .objects = "mesh:20x20", .load = "peak:400", .migrate = "end"},
    {.topology = "torus:4x4", .method = "tempered", .objects = "mesh:20x20", .load = "peak:400", .migrate = "end"},
    {.topology = "star:16", .method = "partners:3", .objects = "mesh:20x20:uniform:1:9", .choose = "communicating"},
};

static void compare_programs(void)
{
    for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
        bool all = tests_one_in() == 1;
        for (unsigned ranks = all ? 1 : 1 + i % TESTS_RANKS_MAX; ranks <= TESTS_RANKS_MAX; ranks += all ? 1 : 4) {
            struct ek_experiment experiment = programs[i];
            experiment.seed = i + 1;
            experiment.keep_loads = experiment.keep_trace = experiment.keep_links = true;
            experiment.frames = 5;
            experiment.profile = experiment.tasks ? 7 : 0;
            experiment.byte_time = "0.3ns";
            experiment.load_bytes = ranks % 2 && !experiment.objects ? "8" : NULL;
            tests_note(tests_ranks_compare(&experiment, ranks), experiment.method, "not compared");
        }
    }
}

// Letters, which go to ranks without links to their own too.
static void compare_letters(void)
{
    static const struct ek_experiment kinds[] = {
        {.topology = "torus:4x4", .method = "steal:random", .tasks = "queens:7"},
        {.topology = "random:24:4", .method = "steal:lifeline", .tasks = "tsp:8:2", .grain = 2},
        {.topology = "ring:13", .method = "place:random", .tasks = "queens:6", .hops = 4, .steps_max = 20},
        {.topology = "torus:5x3", .method = "cwn", .tasks = "flowshop:7x4:3"},
        {.topology = "hypercube:4", .method = "steal:direct", .tasks = "bag:uniform:1:9", .load = "peak:90"},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (unsigned ranks = 1 + i % 2; ranks <= TESTS_RANKS_MAX; ranks += tests_one_in() == 1 ? 1 : 4) {
            struct ek_experiment experiment = kinds[i];
            experiment.seed = i + 1;
            experiment.keep_loads = experiment.keep_trace = true;
            tests_note(tests_ranks_compare(&experiment, ranks), experiment.method, "not compared");
        }
    }
}

// Boxes and parts, if they cut fewer links. Their loads, flows and states are collected span by span, also if these
// do not fit into one window.
static void compare_placements(void)
{
    static const struct {
        struct ek_experiment experiment;
        enum ek_blocks blocks;
        uint64_t cut, cut_in_order; // on four ranks; 0: not known
    } kinds[] = {
        {{.topology = "mesh:160x160", .method = "diffusion:0.2"}, EK_BLOCKS_BOXES, 320, 480},
        {{.topology = "mesh:9x6", .method = "dde", .units = "tokens"},
         EK_BLOCKS_IN_ORDER,
         29,
         29}, // boxes have up to 15
        {{.topology = "mesh:8x8", .method = "dde", .units = "tokens"}, EK_BLOCKS_BOXES, 16, 24},
        {{.topology = "mesh:8x2x8", .method = "ade", .units = "tokens"}, EK_BLOCKS_BOXES, 32, 48},
        {{.topology = "torus:8x8", .method = "opt"}, EK_BLOCKS_IN_ORDER, 32, 32},
        // In the dimension of size 1 processors shift load to themselves.
        {{.topology = "torus:16x1x4", .method = "liquid:c5", .units = "tokens"}, EK_BLOCKS_BOXES, 16, 64},
        {{.topology = "torus:8x8x8", .method = "ade", .invoke = "probability:0.5"}, EK_BLOCKS_IN_ORDER, 256, 256},
        {{.topology = "hypercube:6", .method = "ade", .units = "tokens"}, EK_BLOCKS_IN_ORDER, 64, 64},
        {{.topology = "complete:12", .method = "ade"}, EK_BLOCKS_IN_ORDER, 54, 54},
        {{.topology = "random:48:3", .method = "local-average", .units = "tokens"}, EK_BLOCKS_PARTS, 0, 0},
        {{.topology = "random:48:3", .method = "sos", .capacity = "semi", .work = "normal:20:9:20"},
         EK_BLOCKS_PARTS,
         0,
         0},
        {{.topology = "random:48:3", .method = "diffusion:0.2", .delay = "fixed:2"}, EK_BLOCKS_IN_ORDER, 0, 0},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ek_experiment experiment = kinds[i].experiment;
        experiment.keep_loads = experiment.keep_trace = experiment.keep_links = true;
        experiment.steps_max = 6;
        tests_note(tests_ranks_compare(&experiment, 4), experiment.topology, "not compared");
        const struct tests_ranks_placed *is = &tests_placed;
        bool drawn = kinds[i].cut == 0;
        bool fewer = is->blocks == EK_BLOCKS_IN_ORDER ? is->cut == is->cut_in_order : is->cut < is->cut_in_order;
        bool good = drawn ? fewer : is->cut == kinds[i].cut && is->cut_in_order == kinds[i].cut_in_order;
        char found[80];
        snprintf(found, sizeof found, "blocks %d, cut %llu, in order %llu", (int)is->blocks,
                 (unsigned long long)is->cut, (unsigned long long)is->cut_in_order);
        tests_note(good && is->blocks == kinds[i].blocks, experiment.topology, found);
    }
}

// A function that cuts graphs may number the parts in any way: here the first clique is part 1.
static bool cut_backwards(void *context, const struct ek_rank_graph *graph, int32_t *part)
{
    (void)context;
    for (int32_t v = 0; v < graph->vertices; v++) {
        part[v] = v < FIRST;
    }
    return true;
}

// Two cliques with a link between them. Blocks in order would cut more. Each rank has one span.
static void compare_cliques(void)
{
    struct ek_link link[FIRST * FIRST];
    size_t links = 0;
    for (uint32_t p = 0; p < CLIQUES; p++) {
        for (uint32_t other = p + 1; other < CLIQUES; other++) {
            if ((p < FIRST) == (other < FIRST) || other == p + 1) {
                link[links++] = (struct ek_link){p, other};
            }
        }
    }
    struct ek_graph graph = {.processors = CLIQUES, .links = links, .link = link};
    struct ek_experiment experiment = {.topology = "cliques",
                                       .graph = &graph,
                                       .method = "diffusion:0.01",
                                       .stop = "never",
                                       .steps_max = 9,
                                       .keep_loads = true,
                                       .keep_trace = true,
                                       .keep_links = true};
    tests_placed.divide = cut_backwards;
    tests_note(tests_ranks_compare(&experiment, 2), "cliques", "not compared");
    tests_placed.divide = NULL;
    tests_note(tests_placed.blocks == EK_BLOCKS_PARTS && tests_placed.cut == 1, "cliques", "not cut in two");
}

// An error in one rank ends all ranks, with the same sentence.
static void fail_in_one(void)
{
    static const struct {
        const char *topology; // of rank 1
        uint64_t seed;
        unsigned deaf_after;
        const char *part; // that the sentence contains
    } kinds[] = {
        {"torus:8x", 1, UINT32_MAX, "a side must be"},
        {"ring:64", 1, UINT32_MAX, "rank 1 has another experiment than rank 0"},
        {"torus:8x8", 2, UINT32_MAX, "rank 1 has another experiment than rank 0"},
        {"torus:8x8", 1, 0, "another rank does not answer"},
        {"torus:8x8", 1, 7, "another rank does not answer"},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct tests_room room = {.count = 2, .deaf_after = kinds[i].deaf_after};
        struct tests_seat seat[TESTS_RANKS_MAX] = {{0}};
        for (unsigned r = 0; r < 2; r++) {
            seat[r].experiment = (struct ek_experiment){.topology = r ? kinds[i].topology : "torus:8x8",
                                                        .method = "diffusion:0.2",
                                                        .seed = r ? kinds[i].seed : 1};
        }
        tests_carry(&room, seat);
        for (unsigned r = 0; r < 2; r++) {
            const struct ek_error *error = &seat[r].outcome.error;
            tests_note(seat[r].outcome.status == EK_BAD_INPUT && strstr(error->sentence, kinds[i].part), kinds[i].part,
                       error->sentence);
            tests_outcome_destroy(&seat[r].outcome);
        }
    }
}

// Ranks that read different graphs from files of the same name have different experiments, even if both graphs have as
// many links between the same blocks.
static void read_different_graphs(void)
{
    struct tests_memory graphs[] = {{"0 1\n1 2\n2 3\n3 0\n", 16}, {"0 1\n1 3\n3 2\n2 0\n", 16}};
    for (unsigned other = 0; other < 2; other++) {
        struct tests_room room = {.count = 2, .deaf_after = UINT32_MAX};
        struct tests_seat seat[TESTS_RANKS_MAX] = {{0}};
        for (unsigned r = 0; r < 2; r++) {
            seat[r].experiment = (struct ek_experiment){
                .topology = "file:graph", .method = "diffusion:0.2", .reader = tests_memory_reader(&graphs[r * other])};
        }
        tests_carry(&room, seat);
        for (unsigned r = 0; r < 2; r++) {
            const struct ek_error *error = &seat[r].outcome.error;
            tests_note(other ? seat[r].outcome.status == EK_BAD_INPUT &&
                                   strstr(error->sentence, "rank 1 has another experiment than rank 0")
                             : seat[r].outcome.status == EK_OK,
                       "graphs of files", error->sentence);
            tests_outcome_destroy(&seat[r].outcome);
        }
    }
}

// A rank that has missed an answer makes no further call, of any kind.
static void speak_no_more(void)
{
    for (unsigned deaf_after = 0; deaf_after < 40; deaf_after++) {
        struct tests_room room = {.count = 2, .deaf_after = deaf_after};
        struct tests_seat seat[TESTS_RANKS_MAX] = {{0}};
        for (unsigned r = 0; r < 2; r++) {
            seat[r].experiment = (struct ek_experiment){
                .topology = "ring:9", .method = "diffusion:0.2", .stop = "never", .steps_max = 40, .keep_trace = true};
        }
        tests_carry(&room, seat);
        for (unsigned r = 0; r < 2; r++) {
            char times[80];
            snprintf(times, sizeof times, "%u times after %u", seat[r].calls - deaf_after, deaf_after);
            tests_note(seat[r].calls == deaf_after + 1, "who is not heard is spoken to", times);
            tests_outcome_destroy(&seat[r].outcome);
        }
    }
}

// One rank is interrupted. All end in the next step, when they meet.
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
    for (unsigned r = 0; r < 3; r++) {
        seat[r].experiment = (struct ek_experiment){.topology = "torus:8x8",
                                                    .method = "diffusion:0.2",
                                                    .stop = "never",
                                                    .steps_max = 1000,
                                                    .observer = {.look = look, .context = &seat[r]}};
    }
    tests_carry(&room, seat);
    for (unsigned r = 0; r < 3; r++) {
        const struct ek_report *report = &seat[r].outcome.report;
        char steps[40];
        snprintf(steps, sizeof steps, "after %llu steps", (unsigned long long)report->steps);
        tests_note(report->ended == EK_ENDED_INTERRUPT && report->steps == 21, "an interrupt of one rank", steps);
        tests_outcome_destroy(&seat[r].outcome);
    }
}

// One rank has no memory. All ranks end.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) // which replace realloc
enum { ROWS = 1024, ROWS_BYTES = ROWS * sizeof(struct ek_trace_row) };

static _Thread_local bool short_of_memory, fails_once;

// glibc's realloc.
void *__libc_realloc(void *old, size_t size);
void *__libc_calloc(size_t count, size_t size);

void *realloc(void *old, size_t size)
{
    return short_of_memory && size > ROWS_BYTES ? NULL : __libc_realloc(old, size);
}

void *calloc(size_t count, size_t size)
{
    bool fails = fails_once;
    fails_once = false;
    return fails ? NULL : __libc_calloc(count, size);
}

static void begin_short(struct tests_seat *seat)
{
    fails_once = seat->ranks.rank == 1;
    tests_try(&seat->experiment, 0, &seat->outcome);
}

// There is no memory for the machine.
static void begin_short_of_memory(void)
{
    struct tests_room room = {.count = 2, .deaf_after = UINT32_MAX, .act = begin_short};
    struct tests_seat seat[TESTS_RANKS_MAX] = {{.experiment = {.topology = "ring:9", .method = "ade"}},
                                               {.experiment = {.topology = "ring:9", .method = "ade"}}};
    tests_carry(&room, seat);
    for (unsigned r = 0; r < 2; r++) {
        const struct tests_outcome *outcome = &seat[r].outcome;
        tests_note(!outcome->machine && strcmp(outcome->error.sentence, "no memory for a machine") == 0,
                   "a machine in one rank", outcome->error.sentence);
        tests_outcome_destroy(&seat[r].outcome);
    }
}

// There is no memory for more rows of the trace.
static void fall_short(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    (void)loads;
    (void)processors;
    const struct tests_seat *seat = context;
    short_of_memory = seat->ranks.rank == 1 && row->step > ROWS / 2;
}

static void run_short_of_memory(void)
{
    struct tests_room room = {.count = 3, .deaf_after = UINT32_MAX};
    struct tests_seat seat[TESTS_RANKS_MAX] = {{0}};
    for (unsigned r = 0; r < 3; r++) {
        seat[r].experiment = (struct ek_experiment){.topology = "ring:9",
                                                    .method = "diffusion:0.2",
                                                    .stop = "never",
                                                    .steps_max = 2 * ROWS,
                                                    .keep_trace = true,
                                                    .observer = {.look = fall_short, .context = &seat[r]}};
    }
    tests_carry(&room, seat);
    for (unsigned r = 0; r < 3; r++) {
        const struct tests_outcome *outcome = &seat[r].outcome;
        tests_note(outcome->status == EK_BAD_INPUT && outcome->report.steps == ROWS &&
                       strstr(outcome->error.sentence, "no memory for a longer trace"),
                   "a trace in one rank", outcome->error.sentence);
        tests_outcome_destroy(&seat[r].outcome);
    }
}
#else
static void begin_short_of_memory(void)
{
}

static void run_short_of_memory(void)
{
}
#endif

int main(void)
{
    compare_programs();
    compare_letters();
    compare_drawn();
    compare_placements();
    compare_cliques();
    lie_once();
    tests_breach_on_ranks(&(struct ek_experiment){.timing = "rounds"});
    fail_in_one();
    read_different_graphs();
    speak_no_more();
    interrupt_one();
    begin_short_of_memory();
    run_short_of_memory();
    return tests_result();
}
