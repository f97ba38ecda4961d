// SPDX-License-Identifier: MIT
// Free timing over ranks, beyond the runs of plain_free: operations are lent to processors that lack them and none
// is invented; the report of a link between ranks; and an error in one rank ends all ranks with one sentence. The
// ranks are threads here (rank_threads.h).
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/support/breach.h"
#include "tests/support/text_file.h"
#include "tests/support/rank_threads.h"
#include "threads/free/post.h"
#include "base/sanitizers.h"

// Returns whether the test only looks for races, without the checks that take seconds.
static bool races_alone(void)
{
#if defined(__SANITIZE_THREAD__)
    return tests_one_in() > 1;
#else
    return false;
#endif
}

// Returns the name of a value in which two ranks' reports of a good run differ, or NULL.
static const char *differs(const struct tests_outcome *rank, const struct tests_outcome *first)
{
    uint32_t processors = ek_machine_topology(first->machine)->processors;
    const char *name = tests_report_differs(&rank->report, &first->report, processors);
    const struct ek_report *a = &rank->report, *b = &first->report;
    struct ek_free_report free_a = a->free, free_b = b->free;
    free_a.link = free_b.link = NULL;
    if (name) {
        return name;
    }
    if (memcmp(&free_a, &free_b, sizeof free_a) != 0 || memcmp(&a->effects, &b->effects, sizeof a->effects) != 0) {
        return "what is of free timing alone";
    }
    if (b->free.link && memcmp(a->free.link, b->free.link, b->free.link_count * sizeof *b->free.link) != 0) {
        return "links";
    }
    size_t frames = b->frame_count * processors * sizeof *b->frame_load;
    if (a->frame_count != b->frame_count || (frames > 0 && memcmp(a->frame_load, b->frame_load, frames) != 0)) {
        return "frames";
    }
    return a->elapsed_s == b->elapsed_s ? NULL : "time";
}

// Carries the experiment. Each rank must report the same as the first.
static void carry(struct tests_room *room, struct tests_seat *seat, const struct ek_experiment *experiment)
{
    room->deaf_after = room->deaf_after > 0 ? room->deaf_after : UINT32_MAX;
    for (unsigned r = 0; r < room->count; r++) {
        seat[r] = (struct tests_seat){.experiment = *experiment};
        seat[r].experiment.timing = "free";
        seat[r].experiment.keep_loads = seat[r].experiment.keep_trace = true;
    }
    tests_carry(room, seat);
    for (unsigned r = 1; r < room->count; r++) {
        const struct tests_outcome *first = &seat[0].outcome, *rank = &seat[r].outcome;
        const char *sentence = rank->error.sentence;
        tests_note(rank->status == first->status && strcmp(sentence, first->error.sentence) == 0, "a rank", sentence);
        bool ended = first->status == EK_OK || first->status == EK_UNREACHED;
        const char *name = ended ? differs(rank, first) : NULL;
        tests_note(name == NULL, "another rank's report", name ? name : "");
    }
}

static void leave(const struct tests_room *room, struct tests_seat *seat)
{
    for (unsigned r = 0; r < room->count; r++) {
        tests_outcome_destroy(&seat[r].outcome);
    }
}

// The first rank begins with all operations. Every rank takes as many as its processors need.
static void lend_operations(void)
{
    static const struct {
        unsigned ranks;
        const char *invoke, *domains;
        uint64_t most;
    } kinds[] = {
        {4, NULL, NULL, 251},       {2, "at:0", NULL, 7},  {3, "at:15", "exclusive", 250}, {4, "at:0,15", NULL, 1},
        {3, NULL, "exclusive", 97}, {1, NULL, NULL, 1000}, {2, "at:15", NULL, 1},          {4, "at:4,8,12", NULL, 100},
    };
    for (unsigned i = 0; i<sizeof kinds / sizeof *kinds; i += tests_one_in()> 1 ? 4 : 1) {
        struct tests_room room = {.count = kinds[i].ranks};
        struct tests_seat seat[TESTS_RANKS_MAX];
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .method = "adf",
                                           .stop = "never",
                                           .invoke = kinds[i].invoke,
                                           .domains = kinds[i].domains,
                                           .operations_max = kinds[i].most,
                                           .seconds_max = 60.0};
        carry(&room, seat, &experiment);
        const struct ek_report *report = &seat[0].outcome.report;
        char found[80];
        snprintf(found, sizeof found, "%llu of %llu, ended %d", (unsigned long long)report->operations,
                 (unsigned long long)kinds[i].most, (int)report->ended);
        tests_note(report->operations == kinds[i].most && report->ended == EK_ENDED_OPERATIONS, "operations", found);
        leave(&room, seat);
    }
}

// Operations that were lent and are not used return: the processors of the second rank fail soon after their start.
static void give_back_operations(void)
{
    struct tests_memory faults = {.text = "5ms fail processor 4\n5ms fail processor 5\n"
                                          "5ms fail processor 6\n5ms fail processor 7\n"};
    faults.length = strlen(faults.text);
    struct tests_room room = {.count = 2};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = {.topology = "chain:8",
                                       .method = "adf",
                                       .stop = "never",
                                       .faults = "file:failing",
                                       .reader = tests_memory_reader(&faults),
                                       .operations_max = 20000,
                                       .seconds_max = 30.0};
    carry(&room, seat, &experiment);
    const struct ek_report *report = &seat[0].outcome.report;
    char found[80];
    snprintf(found, sizeof found, "%llu, ended %d", (unsigned long long)report->operations, (int)report->ended);
    tests_note(report->operations == 20000 && report->ended == EK_ENDED_OPERATIONS, "operations that were given back",
               found);
    leave(&room, seat);
}

// Objects: none is lost, and all ranks report the same.
static void move_objects(void)
{
    static const struct ek_experiment kinds[] = {
        {.method = "adf", .choose = "communicating"},
        {.method = "ade", .ports = "one", .choose = "nearest", .mailbox = "spsc:1"},
        {.method = "adf", .faults = "link:2000,processor:400,repair:1ms", .seconds_max = 0.3},
        {.method = "adf", .announce = "pushed", .delay = "uniform:0us:50us", .remainder = "drop"},
        {.method = "adf", .migrate = "end"},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct tests_room room = {.count = 2 + i % 3};
        struct tests_seat seat[TESTS_RANKS_MAX];
        struct ek_experiment experiment = kinds[i];
        experiment.topology = "torus:4x4";
        experiment.objects = "mesh:20x20:uniform:1:9";
        experiment.load = "peak:400";
        experiment.keep_placement = true;
        carry(&room, seat, &experiment);
        const struct ek_report *first = &seat[0].outcome.report, *last = &seat[room.count - 1].outcome.report;
        bool cut = experiment.seconds_max > 0.0 && seat[0].outcome.status == EK_UNREACHED;
        tests_note(cut || seat[0].outcome.status == EK_OK, "objects", seat[0].outcome.error.sentence);
        tests_note(first->total_final == first->total_initial && first->objects.imbalance < 2.0, "objects",
                   "they are far from balance");
        tests_note(first->objects.file && last->objects.file &&
                       strcmp(first->objects.file[0].text, last->objects.file[0].text) == 0 &&
                       first->objects.bytes_moved == last->objects.bytes_moved && first->stayed == last->stayed,
                   "objects", "ranks do not agree on the placement");
        leave(&room, seat);
    }
}

// Returns whether the profile has all tasks and all work of the report.
static bool has_whole_profile(const struct ek_report *report, uint32_t processors)
{
    double work_s = 0.0, executed = 0.0, created = 0.0;
    const double *of = report->profile.processor;
    for (uint32_t p = 0; of && p < processors; p++) {
        work_s += of[EK_PROFILE_WORK * processors + p];
        executed += of[EK_PROFILE_EXECUTED * processors + p];
        created += of[EK_PROFILE_CREATED * processors + p];
    }
    return report->profile.intervals > 0 && executed == (double)report->tasks.executed && created == executed &&
           fabs(work_s - report->tasks.work_s) <= 1e-9 * executed;
}

// In a snapshot of free timing no processor still executes a task, so it has the tasks that it holds.
static const double *shown_tasks;
static unsigned shown, shown_wrong;

static void show_tasks(void *context, const double *tasks, uint32_t processors)
{
    (void)context, (void)processors;
    shown_tasks = tasks;
}

static void look_at_tasks(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    (void)context, (void)row;
    shown++;
    shown_wrong += !shown_tasks || memcmp(shown_tasks, loads, processors * sizeof *loads) != 0;
    shown_tasks = NULL;
}

// Tasks, in parcels and letters, with each detection, faults and delays: none is lost, and best values and pictures are
// those of one process.
static void execute_tasks(void)
{
    static const struct {
        struct ek_experiment experiment;
        uint64_t executed, result; // 0: it depends on the order
    } kinds[] = {
        {{.tasks = "queens:9"}, 8394, 352},
        {{.tasks = "uts:geo:fixed:6:3:1", .detect = "safra", .give = "newest", .grain = 3}, 2101, 1593},
        {{.tasks = "tsp:9:4", .detect = "mattern", .announce = "pushed", .delay = "uniform:0us:50us"}, 0, 2782},
        {{.tasks = "tsp:9:4", .faults = "link:2000,processor:400,repair:1ms", .mailbox = "spsc:1"}, 0, 2782},
        {{.tasks = "mandelbrot:90x61:4", .keep_picture = true}, 368, 0},
        {{.method = "steal:random", .tasks = "queens:9", .detect = "safra"}, 8394, 352},
        {{.method = "place:random", .tasks = "queens:9", .hops = 3, .mailbox = "spsc:1"}, 8394, 352},
        {{.method = "gradient", .tasks = "tsp:9:4", .detect = "mattern", .delay = "uniform:0us:50us"}, 0, 2782},
        {{.method = "steal:lifeline", .tasks = "queens:9", .faults = "link:2000,processor:400,repair:1ms"}, 8394, 352},
    };
    struct tests_outcome one;
    struct ek_experiment picture = kinds[4].experiment;
    picture.topology = "torus:4x4";
    picture.grain = 500;
    tests_try(&picture, 0, &one);
    bool migrated = false;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct tests_room room = {.count = 2 + i % 3};
        struct tests_seat seat[TESTS_RANKS_MAX];
        struct ek_experiment experiment = kinds[i].experiment;
        experiment.topology = "torus:4x4";
        experiment.method = experiment.method ? experiment.method : "adf";
        experiment.profile = 9;
        experiment.observer = (struct ek_observer){.look = look_at_tasks}; // only the first rank calls it
        experiment.show_tasks = show_tasks;
        carry(&room, seat, &experiment);
        const struct ek_tasks_report *tasks = &seat[1].outcome.report.tasks;
        char found[120];
        snprintf(found, sizeof found, "%llu executed, result %llu, native %g, ended %d",
                 (unsigned long long)tasks->executed, (unsigned long long)tasks->result, tasks->native_fraction,
                 (int)seat[1].outcome.report.ended);
        tests_note(seat[1].outcome.report.ended == EK_ENDED_DONE &&
                       (kinds[i].executed == 0 || tasks->executed == kinds[i].executed) &&
                       (kinds[i].result == 0 || tasks->result == kinds[i].result),
                   experiment.tasks, found);
        tests_note(tasks->has_letters == (tasks->letter_hops > 0) &&
                       tasks->letter_hops == seat[0].outcome.report.tasks.letter_hops,
                   experiment.method, "ranks do not agree on the letters");
        tests_note(has_whole_profile(&seat[1].outcome.report, 16), experiment.tasks, "the profile");
        migrated = migrated || tasks->native_fraction < 1.0;
        tests_note(!experiment.keep_picture ||
                       (tasks->picture && one.report.tasks.picture &&
                        memcmp(tasks->picture, one.report.tasks.picture, 90 * 61 * sizeof *tasks->picture) == 0),
                   "the picture", "");
        leave(&room, seat);
    }
    tests_note(migrated, "tasks", "none was executed where it was not created");
    tests_note(shown > 0 && shown_wrong == 0, "tasks", "they are not shown as they are");
    tests_outcome_destroy(&one);
    tests_breach_on_ranks(&(struct ek_experiment){.timing = "free"});
}

// Every message was taken from some link, and the messages' load is that of the parcels. A stall of a sender counts
// at its link, also if the link leads to another rank.
static void count_links(void)
{
    struct tests_room room = {.count = 3};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = {.topology = "torus:5x3",
                                       .method = "adf",
                                       .units = "tokens",
                                       .stop = "never",
                                       .mailbox = "wfcq:1",
                                       .keep_links = true,
                                       .frames = 4,
                                       .faults = "link:300,processor:50,repair:2ms",
                                       .operations_max = 600};
    carry(&room, seat, &experiment);
    const struct ek_report *report = &seat[2].outcome.report;
    uint64_t messages = 0, stalls = 0;
    double load = 0.0;
    for (uint32_t i = 0; i < report->free.link_count; i++) {
        messages += report->free.link[i].messages;
        stalls += report->free.link[i].stalls;
        load += report->free.link[i].load;
    }
    char found[160];
    snprintf(found, sizeof found, "%llu of %llu messages, %llu of %llu stalls, %g of %g load",
             (unsigned long long)messages, (unsigned long long)report->messages, (unsigned long long)stalls,
             (unsigned long long)report->free.stalls, load, report->moved);
    tests_note(report->free.link_count == 60 && messages == report->messages && stalls == report->free.stalls &&
                   load == report->moved && stalls > 0,
               "links", found);
    const struct ek_topology *topology = ek_machine_topology(seat[2].outcome.machine);
    unsigned ends = 0; // whose other end is in another block
    for (uint32_t port = 0; port < topology->ports; port++) {
        ends += topology->neighbour[port] / 5 != topology->neighbour[topology->twin[port]] / 5;
    }
    tests_note(report->has_ranks && 2 * report->cut == ends && report->blocks == EK_BLOCKS_IN_ORDER, "blocks", "");
    tests_note(report->free.latency.count == report->messages &&
                   report->free.operation_time.count == report->operations &&
                   report->free.logged + report->free.log_lost == report->operations,
               "what was timed and logged", "");
    tests_note(report->trace_count == report->free.audits && report->trace_count > 0 && report->frame_count > 1,
               "the trace", "");
    const struct ek_trace_row *last = &report->trace[report->trace_count - 1];
    tests_note(last->messages <= report->messages && 2 * last->messages > report->messages, "the trace's messages", "");
    const struct ek_effects *effects = &report->effects;
    uint64_t known = effects->alone.count + effects->overlapped.count;
    tests_note(known + effects->unknown == report->operations && known > report->operations / 2, "effects", "");
    leave(&room, seat);
}

enum { CROSSING, AMOUNT, STAMP, WORDS }; // of the words exchanged

static enum free_kind kind_of(const double *words)
{
    uint64_t stamp;
    memcpy(&stamp, &words[STAMP], sizeof stamp);
    return free_message_kind(&(struct mail_message){.stamp = stamp});
}

// Turns a message into a notice of no room, so that it never arrives.
static void lose(double *words)
{
    words[AMOUNT] = 0.0;
    memset(&words[STAMP], 0, sizeof words[STAMP]);
}

static void lose_questions(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    for (size_t i = 0; i + WORDS <= count; i += WORDS) {
        if (kind_of(words + i) == FREE_ASK) {
            lose(words + i);
        }
    }
}

// A processor that never receives a request keeps its load, and its neighbours on other ranks wait for it. It is
// processor 6 of a mesh of which each rank has a box, not a stretch of successive processors.
static void deaf_one_in_a_box(void)
{
    struct tests_room room = {.count = 4, .garble = lose_questions};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = {.topology = "mesh:4x4",
                                       .method = "adf",
                                       .load = "peak:800@6",
                                       .invoke = "at:5,10",
                                       .stop = "never",
                                       .watchdog_s = 0.1,
                                       .seconds_max = 0.02};
    carry(&room, seat, &experiment);
    const struct tests_outcome *outcome = &seat[3].outcome;
    const char *dump = outcome->report.free.dump;
    tests_note(outcome->status == EK_STUCK && outcome->report.final[6] == 800.0, "who is deaf in a box",
               outcome->error.sentence);
    tests_note(dump && strstr(dump, "link to 6: waits for "), "the dump", dump ? dump : "");
    const struct ek_report *report = &outcome->report;
    tests_note(report->blocks == EK_BLOCKS_BOXES && report->cut == 8 && report->cut_in_order == 12, "boxes", "");
    leave(&room, seat);
}

static size_t write_faults(char *text, size_t size, unsigned processors, const unsigned *left)
{
    size_t length = 0;
    for (unsigned p = 0; p < processors; p++) {
        if (p != left[0] && p != left[1]) {
            length += (size_t)snprintf(text + length, size - length, "0ms fail processor %u\n", p);
        }
    }
    return length;
}

// All processors fail but two, which are on different ranks, so that only their link carries messages of operations. On
// a busy computer snapshots may send as many, but they use all links alike.
static void fail_all_but_two(const char *topology, unsigned ranks, unsigned processors, const unsigned *left)
{
    char text[400];
    struct tests_memory faults = {.text = text, .length = write_faults(text, sizeof text, processors, left)};
    struct tests_room room = {.count = ranks};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = {.topology = topology,
                                       .method = "adf",
                                       .stop = "never",
                                       .faults = "file:failing",
                                       .reader = tests_memory_reader(&faults),
                                       .keep_links = true,
                                       .operations_max = 5000,
                                       .seconds_max = 60.0};
    carry(&room, seat, &experiment);
    const struct ek_report *report = &seat[1].outcome.report;
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < report->free.link_count; i++) {
        const struct ek_link_report *link = &report->free.link[i];
        bool theirs = (link->from == left[0] && link->to == left[1]) || (link->from == left[1] && link->to == left[0]);
        least = theirs && link->messages < least ? link->messages : least;
        most = !theirs && link->messages > most ? link->messages : most;
    }
    char found[140];
    snprintf(found, sizeof found, "%s: %llu operations, %llu messages one way over their link, up to %llu over others",
             topology, (unsigned long long)report->operations, (unsigned long long)least, (unsigned long long)most);
    tests_note(report->operations == 5000 && least < UINT64_MAX && least > most, "two that are left", found);
    leave(&room, seat);
}

static void delay_links(void)
{
    struct tests_room room = {.count = 4};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = {.topology = "ring:8",
                                       .method = "sender:1/(deg+1)",
                                       .announce = "pushed",
                                       .delay = "uniform:200us:900us",
                                       .load = "peak:800",
                                       .stop = "error:1"};
    carry(&room, seat, &experiment);
    const struct ek_free_report *running = &seat[0].outcome.report.free;
    char found[600];
    snprintf(found, sizeof found, "asked %g to %g, realised %g; %s", running->delay_asked.median,
             running->delay_asked.maximum, running->delay_realised.median, seat[0].outcome.report.why);
    tests_note(seat[0].outcome.status == EK_OK && running->delay_asked.maximum <= 9.1e-4 &&
                   running->delay_asked.median > 4e-4 && running->delay_realised.median >= running->delay_asked.median,
               "delays", found);
    leave(&room, seat);
}

// The first rank checks the condition on all loads, and reports to the others when it begins to hold and when it
// ends.
static void trigger(void)
{
    struct tests_room room = {.count = 3};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = {.topology = "torus:4x4",
                                       .method = "adf",
                                       .load = "peak:1600",
                                       .invoke = "global:spread:50",
                                       .seconds_max = 60.0};
    carry(&room, seat, &experiment);
    const struct ek_report *report = &seat[0].outcome.report;
    tests_note(report->ended == EK_ENDED_ITSELF && report->spread_final <= 50.0 && report->operations > 0,
               "a condition on the whole", report->why);
    leave(&room, seat);
}

// The first rank's watchdog sees what happens on other ranks: all operations are among processors of the second.
static void work_elsewhere(void)
{
    struct tests_room room = {.count = 2};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = {.topology = "chain:8",
                                       .method = "adf",
                                       .invoke = "at:6",
                                       .stop = "never",
                                       .watchdog_s = 0.5, // within which a snapshot at the end must finish
                                       .seconds_max = 1.2};
    carry(&room, seat, &experiment);
    tests_note(seat[0].outcome.status == EK_OK && seat[0].outcome.report.ended == EK_ENDED_TIME, "work elsewhere",
               seat[0].outcome.error.sentence);
    leave(&room, seat);
}

// Finds the first message of a kind and without a flag, once.
static double *find(double *words, size_t count, enum free_kind kind, bool *done)
{
    for (size_t i = 0; !*done && i + WORDS <= count; i += WORDS) {
        uint64_t stamp;
        memcpy(&stamp, &words[i + STAMP], sizeof stamp);
        if ((stamp & UINT16_MAX) == kind) {
            *done = true;
            return &words[i];
        }
    }
    return NULL;
}

static bool done;

// Makes a GIVE larger than what was given.
static void give_more(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    double *found = find(words, count, FREE_GIVE, &done);
    if (found) {
        found[AMOUNT] += 1.0;
    }
}

// Makes the amount of a GIVE impossible. The second rank's worker notices it.
static void give_less(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    double *found = find(words, count, FREE_GIVE, &done);
    if (found) {
        found[AMOUNT] = -1.0;
    }
}

static void lose_question(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    double *found = find(words, count, FREE_ASK, &done);
    if (found) {
        lose(found);
    }
}

// Suppresses every notice of room, so that messages from here stay in the porter's mailboxes.
static void lose_room(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    for (size_t i = 0; i + WORDS <= count; i += WORDS) {
        if (words[i + STAMP] == 0.0) {
            words[i + AMOUNT] = 0.0;
        }
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL); // it is the workers that use the processor
}

static void interrupt(struct tests_seat *seat, double *words, size_t count)
{
    (void)words;
    (void)count;
    if (seat->calls > 200 && !done) {
        done = true;
        ek_interrupt(seat->outcome.machine);
    }
}

static uint64_t messages_of_links(const struct ek_report *report)
{
    uint64_t messages = 0;
    for (uint32_t i = 0; i < report->free.link_count; i++) {
        messages += report->free.link[i].messages;
    }
    return messages;
}

static void end_all(void)
{
    static const struct {
        const char *what;
        unsigned deaf_after;
        void (*garble)(struct tests_seat *seat, double *words, size_t count);
        double seconds; // after which the run drains
        enum ek_status status;
        enum ek_ended ended;
        const char *sentence; // that the sentence contains
    } kinds[] = {
        {"a gift that grew", 0, give_more, 60.0, EK_VIOLATION, EK_ENDED_VIOLATION, "of load was lost or made"},
        {"a gift that is none", 0, give_less, 60.0, EK_VIOLATION, EK_ENDED_VIOLATION, "an amount that is no load"},
        {"a lost question", 0, lose_question, 0.2, EK_STUCK, EK_ENDED_STUCK,
         "the list of processors shows what each waits for"},
        {"an interrupt of one", 0, interrupt, 60.0, EK_UNREACHED, EK_ENDED_INTERRUPT, ""},
        {"a deaf rank, before", 2, NULL, 60.0, EK_BAD_INPUT, EK_ENDED_CRITERION, "another rank does not answer"},
        {"a deaf rank", 100, NULL, 60.0, EK_BAD_INPUT, EK_ENDED_CRITERION, "another rank does not answer"},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct tests_room room = {.count = 2, .deaf_after = kinds[i].deaf_after, .garble = kinds[i].garble};
        struct tests_seat seat[TESTS_RANKS_MAX];
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .method = "adf",
                                           .units = "tokens",
                                           .stop = "never",
                                           .keep_links = true,
                                           .watchdog_s = 0.5,
                                           .seconds_max = kinds[i].seconds};
        done = false;
        carry(&room, seat, &experiment);
        const struct tests_outcome *outcome = &seat[1].outcome;
        char found[700];
        snprintf(found, sizeof found, "status %d, ended %d: %s", (int)outcome->status, (int)outcome->report.ended,
                 outcome->error.sentence);
        tests_note(outcome->status == kinds[i].status && strstr(outcome->error.sentence, kinds[i].sentence),
                   kinds[i].what, found);
        tests_note(outcome->status == EK_BAD_INPUT || outcome->report.ended == kinds[i].ended, kinds[i].what, found);
        tests_note(outcome->status == EK_BAD_INPUT || messages_of_links(&outcome->report) == outcome->report.messages,
                   kinds[i].what, "messages");
        const char *dump = outcome->report.free.dump;
        tests_note(outcome->status != EK_STUCK || (dump && strstr(dump, ": waits for an answer")), "the dump",
                   dump ? dump : "");
        leave(&room, seat);
    }
}

// Returns how many messages on the link from processor 4 to 0 are in the porter's mailbox, after the receiver has
// taken the others; or UINT_MAX if the dump does not show this.
static unsigned in_porters_mailbox(const char *dump)
{
    unsigned under_way = 0, kept = 0;
    const char *here = dump ? strstr(dump, "link to 4: ") : NULL;
    const char *there = dump ? strstr(dump, "link to 0: 0 messages under way from there, ") : NULL;
    bool said = here && there && sscanf(here, "link to 4: %u messages", &under_way) == 1 &&
                sscanf(there, "link to 0: 0 messages under way from there, %u kept", &kept) == 1;
    return said ? under_way - kept : UINT_MAX;
}

// Load in a porter's mailboxes at the end is in flight, and in the ledger. On a busy machine a run may end before
// the mailboxes are full or before the other rank has looked, so each run has twice the time of the one before. The
// first rank's watchdog sees that the other's worker has turns; otherwise it would wait for ever.
static void strand_load(void)
{
    bool full = false, soon = false, good = true;
    double seconds = 0.1;
    for (unsigned i = 0; i < 8 && good && !(full && soon); i++, seconds *= 2.0) {
        clock_t before = clock();
        struct tests_room room = {.count = 2, .garble = lose_room};
        struct tests_seat seat[TESTS_RANKS_MAX];
        struct ek_experiment experiment = {.topology = "complete:8",
                                           .method = "sender:1/(2deg)",
                                           .announce = "pushed",
                                           .load = "peak:4096@7",
                                           .mailbox = "spsc:4",
                                           .watchdog_s = 0.3,
                                           .seconds_max = seconds};
        carry(&room, seat, &experiment);
        const struct tests_outcome *outcome = &seat[1].outcome;
        bool stuck = outcome->status == EK_STUCK, in_flight = outcome->report.in_flight > 0.0;
        full = full || (stuck && in_flight && in_porters_mailbox(outcome->report.free.dump) == 4);
        soon = soon || (stuck && (double)(clock() - before) < (seconds + 4 * 0.3) * CLOCKS_PER_SEC);
        good = stuck || (outcome->status == EK_UNREACHED && !in_flight);
        tests_note(good, "no word of room", outcome->error.sentence);
        leave(&room, seat);
    }
    tests_note(full, "load in a porter's mailbox", "not one was full in eight runs");
    tests_note(soon, "a watchdog that sees turns", "none in eight runs");
}

// The number of messages in the last pack for rank 1 that was not empty, and whether a pack with fewer than four
// messages came after a full one. A full pack has four. Meanwhile the workers fill all mailboxes.
static unsigned came;
static bool partly;

static void count_messages(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    unsigned messages = 0;
    for (size_t i = 0; i + WORDS <= count; i += WORDS) {
        messages += words[i + STAMP] != 0.0;
    }
    partly = partly || (came == 4 && messages > 0 && messages < 4);
    came = messages > 0 ? messages : came;
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
}

// Reports more room than there is.
static void say_more_room(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    for (size_t i = 0; i + WORDS <= count; i += WORDS) {
        words[i + AMOUNT] += words[i + STAMP] == 0.0 ? 100.0 : 0.0;
    }
}

// Carries two processors on a rank each. They announce a new load in each turn, and one of them has few turns.
static void announce_to_sleeper(const char *slow, void (*garble)(struct tests_seat *, double *, size_t),
                                enum ek_status status, const char *sentence)
{
    struct tests_room room = {.count = 2, .garble = garble};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = {.topology = "chain:2",
                                       .method = "sender:1/(2deg)",
                                       .announce = "pushed",
                                       .stop = "never",
                                       .work = "constant:0=8,1=8",
                                       .mailbox = "spsc:7",
                                       .slow = slow,
                                       .seconds_max = status == EK_OK ? 0.1 : 60.0};
    carry(&room, seat, &experiment);
    const struct tests_outcome *outcome = &seat[1].outcome;
    tests_note(outcome->status == status && strstr(outcome->error.sentence, sentence), slow, outcome->error.sentence);
    leave(&room, seat);
}

// If messages wait for a receiver that takes none, a pack has four of them, and then as many as there is room for.
// On a busy machine there may have been fewer before.
static void fill_mailboxes(void)
{
    for (unsigned i = 0; i < 12 && !partly; i++) {
        announce_to_sleeper("1:2000", count_messages, EK_OK, "");
    }
    tests_note(partly, "room for some of what waits", "none in twelve runs");
    announce_to_sleeper("0:1000", say_more_room, EK_VIOLATION,
                        "rank 1 sent more messages over the link from processor 1 to 0 than rank 0 had room for");
}

static bool keep(void *context, unsigned worker, const uint8_t *bytes, size_t count)
{
    (void)context;
    (void)worker;
    (void)bytes;
    (void)count;
    return true;
}

static void refuse(void)
{
    static const struct ek_recorder recorder = {.write = keep};
    static const struct {
        struct ek_experiment experiment;
        const char *sentence;
    } kinds[] = {
        {{.timing = "free", .method = "adf", .recorder = &recorder}, "only one process can be recorded"},
        {{.timing = "free", .method = "dde"}, "works in rounds only"},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct tests_room room = {.count = 2, .deaf_after = UINT32_MAX};
        struct tests_seat seat[TESTS_RANKS_MAX] = {{.experiment = kinds[i].experiment},
                                                   {.experiment = kinds[i].experiment}};
        tests_carry(&room, seat);
        for (unsigned r = 0; r < 2; r++) {
            const struct tests_outcome *outcome = &seat[r].outcome;
            tests_note(outcome->status == EK_BAD_INPUT && strstr(outcome->error.sentence, kinds[i].sentence),
                       kinds[i].sentence, outcome->error.sentence);
        }
        leave(&room, seat);
    }
}

static void leave_two(void)
{
    fail_all_but_two("mesh:4x4", 4, 16, (const unsigned[]){5, 6});
    fail_all_but_two("complete:8", 2, 8, (const unsigned[]){1, 4});
}

static const struct {
    const char *name;
    void (*check)(void);
    bool slow; // not if the test only looks for races
} checks[] = {
    {"lend", lend_operations, false}, {"give-back", give_back_operations, false},
    {"links", count_links, false},    {"faults", leave_two, false},
    {"delays", delay_links, false},   {"trigger", trigger, false},
    {"refuse", refuse, false},        {"deaf", deaf_one_in_a_box, true},
    {"work", work_elsewhere, true},   {"end", end_all, true},
    {"strand", strand_load, true},    {"fill", fill_mailboxes, true},
    {"tasks", execute_tasks, false},  {"objects", move_objects, false},
};

// Runs all checks, or those named.
int main(int count, char **argument)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        bool wanted = count == 1 && !(checks[i].slow && races_alone());
        for (int k = 1; k < count; k++) {
            wanted = wanted || strcmp(argument[k], checks[i].name) == 0;
        }
        if (wanted) {
            checks[i].check();
        }
    }
    return tests_result();
}
