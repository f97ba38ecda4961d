// SPDX-License-Identifier: MIT
// Free timing over ranks, beyond the runs of plain_free: operations are lent to processors that lack them and none
// is invented; the report of a link between ranks; and an error in one rank ends all ranks with one sentence. The
// ranks are threads here (rank_threads.h). plain_garbled_ranks damages what they send.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/support/breach.h"
#include "tests/support/text_file.h"
#include "tests/support/free_ranks.h"
#include "threads/free/post.h"
#include "base/sanitizers.h"

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
        tests_carry_free(&room, seat, &experiment);
        const struct ek_report *report = &seat[0].outcome.report;
        char found[80];
        snprintf(found, sizeof found, "%llu of %llu, ended %d", (unsigned long long)report->operations,
                 (unsigned long long)kinds[i].most, (int)report->ended);
        tests_note(report->operations == kinds[i].most && report->ended == EK_ENDED_OPERATIONS, "operations", found);
        tests_leave(&room, seat);
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
    tests_carry_free(&room, seat, &experiment);
    const struct ek_report *report = &seat[0].outcome.report;
    char found[80];
    snprintf(found, sizeof found, "%llu, ended %d", (unsigned long long)report->operations, (int)report->ended);
    tests_note(report->operations == 20000 && report->ended == EK_ENDED_OPERATIONS, "operations that were given back",
               found);
    tests_leave(&room, seat);
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
        tests_carry_free(&room, seat, &experiment);
        const struct ek_report *first = &seat[0].outcome.report, *last = &seat[room.count - 1].outcome.report;
        bool cut = experiment.seconds_max > 0.0 && seat[0].outcome.status == EK_UNREACHED;
        tests_note(cut || seat[0].outcome.status == EK_OK, "objects", seat[0].outcome.error.sentence);
        tests_note(first->total_final == first->total_initial && first->objects.imbalance < 2.0, "objects",
                   "they are far from balance");
        tests_note(first->objects.file && last->objects.file &&
                       strcmp(first->objects.file[0].text, last->objects.file[0].text) == 0 &&
                       first->objects.bytes_moved == last->objects.bytes_moved && first->stayed == last->stayed,
                   "objects", "ranks do not agree on the placement");
        tests_leave(&room, seat);
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
        tests_carry_free(&room, seat, &experiment);
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
        tests_leave(&room, seat);
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
    tests_carry_free(&room, seat, &experiment);
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
    tests_leave(&room, seat);
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
    tests_carry_free(&room, seat, &experiment);
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
    tests_leave(&room, seat);
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
    tests_carry_free(&room, seat, &experiment);
    const struct ek_free_report *running = &seat[0].outcome.report.free;
    char found[600];
    snprintf(found, sizeof found, "asked %g to %g, realised %g; %s", running->delay_asked.median,
             running->delay_asked.maximum, running->delay_realised.median, seat[0].outcome.report.why);
    tests_note(seat[0].outcome.status == EK_OK && running->delay_asked.maximum <= 9.1e-4 &&
                   running->delay_asked.median > 4e-4 && running->delay_realised.median >= running->delay_asked.median,
               "delays", found);
    tests_leave(&room, seat);
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
    tests_carry_free(&room, seat, &experiment);
    const struct ek_report *report = &seat[0].outcome.report;
    tests_note(report->ended == EK_ENDED_ITSELF && report->spread_final <= 50.0 && report->operations > 0,
               "a condition on the whole", report->why);
    tests_leave(&room, seat);
}

// One rank evaluates a snapshot only when it has added up its parts, although its worker has completed all of them.
static void one_alone(void)
{
    struct tests_room room = {.count = 1};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = {
        .topology = "torus:16x16", .method = "adf", .load = "peak:1600", .stop = "never", .seconds_max = 0.02};
    for (unsigned i = 0; i < 20; i++) {
        tests_carry_free(&room, seat, &experiment);
        tests_note(seat[0].outcome.status == EK_OK, "one rank", seat[0].outcome.error.sentence);
        tests_leave(&room, seat);
    }
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
    tests_carry_free(&room, seat, &experiment);
    tests_note(seat[0].outcome.status == EK_OK && seat[0].outcome.report.ended == EK_ENDED_TIME, "work elsewhere",
               seat[0].outcome.error.sentence);
    tests_leave(&room, seat);
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
        tests_leave(&room, seat);
    }
}

static void leave_two(void)
{
    fail_all_but_two("mesh:4x4", 4, 16, (const unsigned[]){5, 6});
    fail_all_but_two("complete:8", 2, 8, (const unsigned[]){1, 4});
}

static const struct tests_check checks[] = {
    {"lend", lend_operations}, {"give-back", give_back_operations},
    {"links", count_links},    {"faults", leave_two},
    {"delays", delay_links},   {"trigger", trigger},
    {"refuse", refuse},        {"tasks", execute_tasks},
    {"objects", move_objects}, {"work", work_elsewhere},
    {"alone", one_alone},
};

int main(int count, char **argument)
{
    return tests_free_ranks_main(checks, sizeof checks / sizeof *checks, count, argument);
}
