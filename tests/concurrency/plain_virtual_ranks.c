// SPDX-License-Identifier: MIT
// Virtual time over ranks against one process, to the last bit. The ranks are threads here (rank_threads.h).
#include <stdio.h>
#include <string.h>

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

static void compare(const struct ek_experiment *experiment, unsigned ranks, const char *what)
{
    struct tests_room room = {.count = ranks, .deaf_after = UINT32_MAX};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct tests_outcome one;
    struct ek_experiment alone = *experiment;
    alone.carrier = "pool:1";
    tests_try(&alone, 0, &one);
    carry(&room, seat, experiment);
    for (unsigned r = 0; r < ranks; r++) {
        const char *difference = differs(&seat[r].outcome, &one);
        tests_note(difference == NULL, what, difference ? difference : "");
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
        experiment.experiment.overlaps = false;
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

static const struct ek_experiment plain = {.topology = "torus:8x8",
                                           .method = "diffusion:0.2",
                                           .timing = "virtual",
                                           .latency = "1us",
                                           .load = "peak:6400",
                                           .operations_max = 2000,
                                           .domains = "once",
                                           .keep_loads = true,
                                           .keep_trace = true};

// More messages cross between two ranks in one window than one exchange carries: both ends of 24,640 links announce.
static void compare_large(void)
{
    struct ek_experiment experiment = plain;
    experiment.topology = "complete:320";
    experiment.load = "uniform:0:100";
    experiment.method = "diffusion:0.002";
    experiment.announce = "pushed";
    experiment.domains = NULL;
    experiment.operations_max = 3000;
    compare(&experiment, 2, "many messages in a window");
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
    struct tests_outcome one;
    tests_try(&plain, 0, &one);
    unsigned noticed = 0;
    for (garbled_call = 10; garbled_call < 60; garbled_call++) {
        struct tests_room room = {.count = 2, .deaf_after = UINT32_MAX, .garble = garble};
        struct tests_seat seat[TESTS_RANKS_MAX];
        carry(&room, seat, &plain);
        noticed += differs(&seat[1].outcome, &one) != NULL;
        destroy(&room, seat);
    }
    tests_note(noticed > 0, "a message that is wrong once", "not noticed");
    tests_outcome_destroy(&one);
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

// What happens in one rank ends the run in all of them, at the same turn.
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
        destroy(&room, seat);
    }
}

static void refuse(void)
{
    struct tests_room room = {.count = 2, .deaf_after = UINT32_MAX};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = plain;
    experiment.overlaps = true;
    carry(&room, seat, &experiment);
    tests_note(strcmp(seat[1].outcome.error.sentence,
                      "mpi does not log operations in virtual time: leave overlaps out, "
                      "or use carrier pool") == 0,
               "overlaps", seat[1].outcome.error.sentence);
    destroy(&room, seat);
}

int main(void)
{
    compare_drawn();
    compare_large();
    go_deaf();
    lie_once();
    end_all();
    refuse();
    return tests_result();
}
