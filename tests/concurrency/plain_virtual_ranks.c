// SPDX-License-Identifier: MIT
// Virtual time over ranks against one process, to the last bit. The ranks are threads here (rank_threads.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/breach.h"
#include "tests/support/rank_threads.h"
#include "tests/support/virtual_experiments.h"

static void carry(struct tests_room *room, struct tests_seat *seat, const struct ek_experiment *experiment)
{
    for (unsigned r = 0; r < room->count; r++) {
        seat[r] = (struct tests_seat){.experiment = *experiment};
    }
    tests_carry(room, seat);
}

static void destroy(struct tests_room *room, struct tests_seat *seat)
{
    for (unsigned r = 0; r < room->count; r++) {
        tests_outcome_destroy(&seat[r].outcome);
    }
}

// Returns the name of a value in which a rank's outcome differs from that of one process, or NULL.
static const char *differs(const struct tests_outcome *rank, const struct tests_outcome *one)
{
    if (rank->status != one->status || strcmp(rank->error.sentence, one->error.sentence) != 0) {
        return rank->error.sentence;
    }
    if (!one->machine) {
        return NULL;
    }
    const char *name =
        tests_virtual_differs(&rank->report, &one->report, ek_machine_topology(one->machine)->processors);
    return name || strcmp(rank->report.why, one->report.why) == 0 ? name : "why";
}

// A tape, as far as it fits, and all bytes of it.
struct tape {
    uint8_t bytes[4096];
    size_t count;
    size_t pieces_most; // more are refused; 0: all are taken
    size_t pieces;
};

static bool keep(void *context, unsigned worker, const uint8_t *bytes, size_t count)
{
    struct tape *tape = context;
    for (size_t i = 0; i < count; i++, tape->count++) {
        if (tape->count < sizeof tape->bytes) {
            tape->bytes[tape->count] = bytes[i];
        }
    }
    tape->pieces++;
    return worker == 0 && (tape->pieces_most == 0 || tape->pieces <= tape->pieces_most);
}

static bool same_tape(const struct tape *a, const struct tape *b)
{
    return a->count == b->count && a->count <= sizeof a->bytes && memcmp(a->bytes, b->bytes, a->count) == 0;
}

// An observer's view: how often it was called, and a number that depends on all loads and tasks.
struct sight {
    size_t looks, shows;
    double sum;
};

static void add(struct sight *sight, const double *values, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++) {
        sight->sum = sight->sum * 0.75 + values[p] * (p + 1);
    }
}

static void look(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    struct sight *sight = context;
    sight->looks++;
    sight->sum += row->time;
    add(sight, loads, processors);
}

static void show_tasks(void *context, const double *tasks, uint32_t processors)
{
    struct sight *sight = context;
    sight->shows++;
    add(sight, tasks, processors);
}

static bool same_sight(const struct sight *a, const struct sight *b)
{
    return a->looks == a->shows && a->looks == b->looks && a->shows == b->shows && a->sum == b->sum;
}

// Lets a run with tasks be observed.
static void observe(struct ek_experiment *experiment, struct sight *sight)
{
    *sight = (struct sight){0};
    if (experiment->tasks) {
        experiment->observer = (struct ek_observer){.look = look, .context = sight};
        experiment->show_tasks = show_tasks;
    }
}

static void compare(const struct ek_experiment *experiment, unsigned ranks, const char *what)
{
    struct sight sight[TESTS_RANKS_MAX], sight_of_one;
    static struct tape tape[TESTS_RANKS_MAX], tape_of_one;
    struct ek_recorder recorder[TESTS_RANKS_MAX], recorder_of_one = {.write = keep, .context = &tape_of_one};
    struct tests_room room = {.count = ranks, .deaf_after = UINT32_MAX};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct tests_outcome one;
    struct ek_experiment alone = *experiment;
    alone.carrier = "pool:1";
    alone.recorder = &recorder_of_one;
    tape_of_one = (struct tape){0};
    observe(&alone, &sight_of_one);
    tests_try(&alone, 0, &one);
    for (unsigned r = 0; r < ranks; r++) {
        tape[r] = (struct tape){0};
        recorder[r] = (struct ek_recorder){.write = keep, .context = &tape[r]};
        seat[r] = (struct tests_seat){.experiment = *experiment};
        seat[r].experiment.recorder = &recorder[r];
        observe(&seat[r].experiment, &sight[r]);
    }
    tests_carry(&room, seat);
    tests_note(!experiment->tasks || sight_of_one.shows > 0, what, "no observer is called");
    for (unsigned r = 0; r < ranks; r++) {
        const char *difference = differs(&seat[r].outcome, &one);
        tests_note(difference == NULL, what, difference ? difference : "");
        tests_note(same_tape(&tape[r], &tape_of_one), what, "the recording");
        tests_note(same_sight(&sight[r], &sight_of_one), what, "the observer");
    }
    destroy(&room, seat);
    tests_outcome_destroy(&one);
}

static void compare_drawn(void)
{
    unsigned drawn = tests_part(200);
    for (unsigned i = 0; i < drawn; i++) {
        struct tests_virtual experiment;
        tests_draw_virtual(&experiment, i);
        experiment.experiment.overlaps = i / TESTS_RANKS_MAX % 2;
        unsigned ranks = 1 + i % TESTS_RANKS_MAX;
        struct ek_error error;
        struct ek_topology *topology =
            ek_topology_create(experiment.topology, experiment.experiment.seed, (struct ek_reader){0}, &error);
        if (topology && topology->processors >= ranks) {
            compare(&experiment.experiment, ranks, tests_virtual_said(&experiment));
        }
        ek_topology_destroy(topology);
    }
}

// Tasks, letters and objects of each kind: what a parcel takes, how the end is detected, best values, faults, and ends
// before the tasks do.
static const struct ek_experiment with_cargo[] = {
    {.topology = "torus:4x4", .method = "adf", .tasks = "queens:7"},
    {.topology = "torus:4x4", .method = "adf", .tasks = "uts:geo:fixed:6:3:1", .detect = "safra"},
    {.topology = "torus:5x3", .method = "liquid:c4", .tasks = "flowshop:8x4:3", .detect = "mattern", .grain = 2},
    {.topology = "ring:13", .method = "ade", .tasks = "tsp:9:2", .give = "newest", .mailbox = "spsc:1"},
    {.topology = "random:24:4", .method = "adf", .tasks = "bag:uniform:1:9", .load = "peak:90", .capacity = "semi"},
    {.topology = "torus:4x4", .method = "adf", .tasks = "tsp:9:4", .announce = "pushed", .delay = "exponential:3us"},
    {.topology = "chain:12",
     .method = "adf",
     .tasks = "tsp:9:4",
     .announce = "pushed",
     .faults = "link:900,repair:9us"},
    {.topology = "torus:4x4", .method = "adf", .tasks = "tsp:9:4", .seconds_max = 1e-4, .overlaps = true},
    {.topology = "torus:4x4",
     .method = "adf",
     .tasks = "queens:7",
     .faults = "link:2000,processor:400,repair:50us",
     .task_time = "300ns"},
    {.topology = "star:9", .method = "diffusion:0.1", .tasks = "tsp:9:3", .domains = "exclusive", .task_time = "20ns"},
    {.topology = "torus:2x2", .method = "adf", .tasks = "mandelbrot:90x61:4", .task_time = "1ns", .keep_picture = true},

    // Letters: each method, announced loads, and letters that wait for failed links or are under way at the end.
    {.topology = "torus:4x4", .method = "steal:random", .tasks = "queens:7", .detect = "safra"},
    {.topology = "random:24:4", .method = "steal:neighbour", .tasks = "bag:uniform:1:9", .load = "peak:90"},
    {.topology = "ring:13", .method = "steal:lifeline", .tasks = "tsp:8:2", .grain = 2, .detect = "mattern"},
    {.topology = "hypercube:4", .method = "place:random", .tasks = "queens:7", .hops = 4, .seconds_max = 3e-5},
    {.topology = "star:9", .method = "central", .tasks = "queens:6", .overhead = "200ns"},
    {.topology = "chain:12",
     .method = "place:random",
     .tasks = "queens:7",
     .gap = "9us",
     .mailbox = "spsc:1",
     .seconds_max = 7e-5}, // letters wait for messages that are kept
    {.topology = "torus:5x3", .method = "gradient", .tasks = "flowshop:7x4:3"},
    {.topology = "torus:4x4", .method = "cwn", .tasks = "tsp:8:4", .delay = "exponential:3us"},
    {.topology = "mesh:4x4", .method = "initiated:receiver", .tasks = "uts:geo:fixed:6:3:1", .mailbox = "spsc:1"},
    {.topology = "torus:4x4", .method = "initiated:sender", .tasks = "queens:7", .capacity = "semi"},
    {.topology = "chain:12",
     .method = "steal:random",
     .tasks = "queens:7",
     .faults = "link:20000,processor:900,repair:9us",
     .seconds_max = 4e-4},

    // Objects: which go, what their givers know, their bytes, faults, and ends while some are under way.
    {.topology = "torus:4x4", .method = "adf", .objects = "mesh:20x20", .load = "peak:400", .choose = "communicating"},
    {.topology = "ring:13",
     .method = "ade",
     .objects = "weights:uniform:1:9",
     .load = "peak:200@5",
     .choose = "nearest",
     .byte_time = "7ns"},
    {.topology = "torus:4x4",
     .method = "adf",
     .objects = "weights:exponential:20",
     .load = "peak:300",
     .faults = "link:20000,processor:4000,repair:20us",
     .seconds_max = 1e-3},
    {.topology = "random:24:4",
     .method = "adf",
     .objects = "mesh:30x10",
     .load = "peak:300",
     .announce = "pushed",
     .remainder = "drop",
     .choose = "communicating",
     .seconds_max = 2e-5},
    {.topology = "torus:4x4", .method = "nna", .objects = "mesh:20x20", .load = "peak:400", .domains = "exclusive"},
    {.topology = "torus:4x4", .method = "adf", .objects = "mesh:20x20", .load = "peak:400", .migrate = "end"},
};

static void compare_cargo(void)
{
    bool all = tests_one_in() == 1;
    for (unsigned i = 0; i < sizeof with_cargo / sizeof *with_cargo; i++) {
        for (unsigned ranks = all ? 1 : 1 + i % TESTS_RANKS_MAX; ranks <= TESTS_RANKS_MAX; ranks += all ? 1 : 4) {
            struct ek_experiment experiment = with_cargo[i];
            experiment.timing = "virtual";
            experiment.seed = i;
            experiment.keep_loads = experiment.keep_trace = true;
            experiment.profile = experiment.tasks ? 9 : 0;
            compare(&experiment, ranks, experiment.tasks ? experiment.tasks : experiment.objects);
        }
    }
}

static const struct ek_experiment plain = {.topology = "torus:8x8",
                                           .method = "diffusion:0.2",
                                           .timing = "virtual",
                                           .latency = "1us",
                                           .load = "peak:6400",
                                           .operations_max = 2000,
                                           .domains = "once",
                                           .keep_loads = true,
                                           .keep_trace = true};

// Runs so long that their tapes have marks, and operations of every kind overlap.
static void compare_logs(void)
{
    struct ek_experiment experiment = plain;
    experiment.overlaps = true;
    experiment.load = "uniform:0:100";
    experiment.stop = "never";
    experiment.operations_max = 7000;
    experiment.domains = NULL;
    experiment.invoke = "probability:0.05";
    for (unsigned ranks = 1; ranks <= TESTS_RANKS_MAX; ranks++) {
        compare(&experiment, ranks, "a log of operations");
    }
    experiment.invoke = "at:0,5"; // most ranks log nothing
    experiment.operations_max = 500;
    compare(&experiment, TESTS_RANKS_MAX, "a log of two processors' operations");
}

// More messages cross between two ranks in one window than one exchange carries: both ends of 24,640 links announce.
static void compare_large(void)
{
    struct ek_experiment experiment = plain;
    experiment.topology = "complete:320";
    experiment.load = "uniform:0:100";
    experiment.method = "diffusion:0.002";
    experiment.announce = "pushed";
    experiment.domains = NULL;
    experiment.operations_max = 320;
    compare(&experiment, 2, "many messages in a window");
}

// Ranks that add up their own part of the flows, and pass through all processors in several windows.
static void compare_many(void)
{
    struct ek_experiment experiment = plain;
    experiment.topology = "torus:300x220";
    experiment.load = "uniform:0:100";
    experiment.domains = NULL;
    experiment.stop = "never";
    experiment.operations_max = 0;
    experiment.seconds_max = 9e-6;
    compare(&experiment, 3, "a large machine");
}

// All ranks end if one of them does not answer any more, at whichever exchange that is.
static void go_deaf(void)
{
    static const char sentence[] = "another rank does not answer: it has ended or died, and this run ends with it";
    for (unsigned deaf_after = 6; deaf_after < 60; deaf_after += 9) {
        struct tests_room room = {.count = 3, .deaf_after = deaf_after};
        struct tests_seat seat[TESTS_RANKS_MAX];
        carry(&room, seat, &plain);
        for (unsigned r = 0; r < room.count; r++) {
            const struct tests_outcome *outcome = &seat[r].outcome;
            tests_note(outcome->status == EK_BAD_INPUT && strcmp(outcome->error.sentence, sentence) == 0,
                       "a rank that does not answer", outcome->error.sentence);
        }
        destroy(&room, seat);
    }
}

static unsigned garbled_call;

static void garble(struct tests_seat *seat, double *words, size_t count)
{
    (void)count;
    words[0] += seat->calls == garbled_call;
}

// A message with a wrong amount is noticed: the ledger is violated, or the results differ.
static void lie_once(void)
{
    struct ek_experiment experiment = plain;
    experiment.operations_max = 700;
    struct tests_outcome one;
    tests_try(&experiment, 0, &one);
    unsigned noticed = 0;
    for (garbled_call = 10; garbled_call < 60; garbled_call++) {
        struct tests_room room = {.count = 2, .deaf_after = UINT32_MAX, .garble = garble};
        struct tests_seat seat[TESTS_RANKS_MAX];
        carry(&room, seat, &experiment);
        noticed += differs(&seat[1].outcome, &one) != NULL;
        destroy(&room, seat);
    }
    tests_note(noticed > 0, "a message that is wrong once", "not noticed");
    tests_outcome_destroy(&one);
}

static unsigned last_call, behind_messages; // the last exchange, and how many exchanges before it the messages were
static unsigned tasks_behind;               // the same of an exchange of tasks

// Changes a bit of a task. Messages are exchanged first, then the tasks and letters that they carry; letters begin with
// their lengths.
static void change_task(struct tests_seat *seat, double *words, size_t count)
{
    uint64_t bits;
    behind_messages = seat->calls == last_call + 1 ? behind_messages + 1 : 0;
    last_call = seat->calls;
    if (behind_messages == tasks_behind && seat->calls > garbled_call) {
        garbled_call = UINT32_MAX;
        memcpy(&bits, &words[count - 1], sizeof bits);
        bits ^= 1;
        memcpy(&words[count - 1], &bits, sizeof bits);
    }
}

// A task that has changed on its way is noticed, in a parcel and in a letter.
static void lie_about_tasks(const char *method, unsigned behind)
{
    struct tests_room room = {.count = 2, .deaf_after = UINT32_MAX, .garble = change_task};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = {
        .topology = "torus:4x4", .method = method, .timing = "virtual", .tasks = "uts:geo:fixed:6:3:1"};
    garbled_call = 30;
    tasks_behind = behind;
    carry(&room, seat, &experiment);
    for (unsigned r = 0; r < room.count; r++) {
        const struct tests_outcome *outcome = &seat[r].outcome;
        tests_note(outcome->status == EK_VIOLATION &&
                       strstr(outcome->error.sentence, "a task was lost, doubled or changed"),
                   method, outcome->error.sentence);
    }
    destroy(&room, seat);
}

enum { AMOUNT, STAMP, ARRIVES, PORT, WORDS }; // of a message from rank to rank

static bool done;

// Makes one message a message of no kind.
static void change_kind(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    if (!done && count >= WORDS) {
        done = true;
        memset(&words[STAMP], 0xFF, sizeof *words);
    }
}

static void interrupt(struct tests_seat *seat, double *words, size_t count)
{
    (void)words, (void)count;
    if (!done && seat->calls > 60) {
        done = true;
        ek_interrupt(seat->outcome.machine);
    }
}

// Returns whether a dump has each of 96 processors once: 64 in a line, and the others in a number.
static bool has_all(const char *dump)
{
    unsigned lines = 0, others = 0;
    for (const char *line = dump; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
        unsigned number;
        lines += sscanf(line, "processor %u: ", &number) == 1;
        others += sscanf(line, "and %u more processors", &number) == 1 ? number : 0;
        others += strstr(line, " processors have nothing to do") == strchr(line, ' ') ? (unsigned)atoi(line) : 0;
    }
    return lines == 64 && others == 32;
}

// All ranks say the same of what each processor waits for.
static void compare_dumps(const struct tests_room *room, const struct tests_seat *seat)
{
    const char *dump = seat[0].outcome.report.free.dump;
    tests_note(has_all(dump), "a dump", dump ? dump : "");
    for (unsigned r = 1; dump && r < room->count; r++) {
        const char *other = seat[r].outcome.report.free.dump;
        tests_note(other && strcmp(dump, other) == 0, "the dump of another rank", other ? other : "");
    }
}

// An error in one rank ends the run in all of them, at the same turn.
static void end_all(void)
{
    static const struct {
        void (*garble)(struct tests_seat *seat, double *words, size_t count);
        enum ek_status status;
        enum ek_ended ended;
        const char *what, *sentence; // that the sentence contains
    } kinds[] = {
        {change_kind, EK_VIOLATION, EK_ENDED_VIOLATION, "a message of no kind",
         "received a message of an unknown kind"},
        {interrupt, EK_UNREACHED, EK_ENDED_INTERRUPT, "an interrupt", ""},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct tests_room room = {.count = 3, .deaf_after = UINT32_MAX, .garble = kinds[i].garble};
        struct tests_seat seat[TESTS_RANKS_MAX];
        struct ek_experiment experiment = plain;
        experiment.topology = "torus:8x12";
        experiment.operations_max = 0;
        experiment.stop = "never";
        experiment.seconds_max = 10.0;
        done = false;
        carry(&room, seat, &experiment);
        for (unsigned r = 0; r < room.count; r++) {
            const struct tests_outcome *outcome = &seat[r].outcome;
            tests_note(outcome->status == kinds[i].status && outcome->report.ended == kinds[i].ended &&
                           strstr(outcome->error.sentence, kinds[i].sentence) &&
                           outcome->report.free.turns == seat[0].outcome.report.free.turns,
                       kinds[i].what, outcome->error.sentence);
        }
        if (kinds[i].status == EK_VIOLATION) {
            compare_dumps(&room, seat);
        }
        destroy(&room, seat);
    }
}

// A recorder that takes no more, in one rank, ends the run in all of them.
static void refuse_pieces(void)
{
    static struct tape tape[TESTS_RANKS_MAX];
    struct ek_recorder recorder[TESTS_RANKS_MAX];
    struct tests_room room = {.count = 3, .deaf_after = UINT32_MAX};
    struct tests_seat seat[TESTS_RANKS_MAX];
    for (unsigned r = 0; r < room.count; r++) {
        tape[r] = (struct tape){.pieces_most = r == 1 ? 2 : 0};
        recorder[r] = (struct ek_recorder){.write = keep, .context = &tape[r]};
        seat[r] = (struct tests_seat){.experiment = plain};
        seat[r].experiment.recorder = &recorder[r];
        seat[r].experiment.stop = "never";
        seat[r].experiment.operations_max = 0;
        seat[r].experiment.seconds_max = 0.1;
    }
    tests_carry(&room, seat);
    for (unsigned r = 0; r < room.count; r++) {
        const struct tests_outcome *outcome = &seat[r].outcome;
        tests_note(outcome->status == EK_UNREACHED && outcome->report.ended == EK_ENDED_INTERRUPT,
                   "a recorder that refuses", outcome->error.sentence);
    }
    destroy(&room, seat);
}

// Ranks of which only one is recorded, or shows its tasks, do not carry one experiment.
static void refuse(void)
{
    static struct tape tape;
    struct ek_recorder recorder = {.write = keep, .context = &tape};
    for (unsigned k = 0; k < 2; k++) {
        struct tests_room room = {.count = 2, .deaf_after = UINT32_MAX};
        struct tests_seat seat[TESTS_RANKS_MAX] = {{.experiment = plain}, {.experiment = plain}};
        seat[1].experiment.recorder = k == 0 ? &recorder : NULL;
        seat[1].experiment.show_tasks = k == 1 ? show_tasks : NULL;
        tests_carry(&room, seat);
        for (unsigned r = 0; r < room.count; r++) {
            tests_note(seat[r].outcome.status == EK_BAD_INPUT && strstr(seat[r].outcome.error.sentence, "rank"),
                       "one rank is observed", seat[r].outcome.error.sentence);
        }
        destroy(&room, seat);
    }
}

int main(void)
{
    compare_drawn();
    compare_cargo();
    compare_logs();
    compare_large();
    compare_many();
    go_deaf();
    lie_once();
    lie_about_tasks("adf", 1);
    lie_about_tasks("place:random", 2);
    tests_breach_on_ranks(&(struct ek_experiment){.timing = "virtual"});
    end_all();
    refuse_pieces();
    refuse();
    return tests_result();
}
