// SPDX-License-Identifier: MIT
// Tapes of runs in virtual time: the replay is the same run, on any number of workers; a tape that is cut, or belongs
// to another run, is noticed; a run that was asked to end is asked again at the same moment.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "tests/support/must.h"
#include "threads/api/replay.h"

enum { SIZE = 4096 };

// The tape of a run.
struct tape {
    uint8_t bytes[SIZE];
    size_t count, read, pieces; // pieces: written
    size_t refused_from;        // the piece from which on no more are taken; 0: all are
};

static bool keep(void *context, unsigned worker, const uint8_t *bytes, size_t count)
{
    struct tape *tape = context;
    cr_assert_eq(worker, 0);
    cr_assert(tape->count + count <= SIZE);
    memcpy(tape->bytes + tape->count, bytes, count);
    tape->count += count;
    tape->pieces++;
    return tape->refused_from == 0 || tape->pieces < tape->refused_from;
}

// Hands the tape out in pieces of 3 bytes.
static size_t hand(void *context, unsigned worker, const uint8_t **bytes)
{
    struct tape *tape = context;
    cr_assert_eq(worker, 0);
    size_t count = tape->count - tape->read < 3 ? tape->count - tape->read : 3;
    *bytes = tape->bytes + tape->read;
    tape->read += count;
    return count;
}

static const struct ek_experiment plain = {.topology = "torus:6x6",
                                           .method = "adf",
                                           .load = "peak:3600",
                                           .timing = "virtual",
                                           .stop = "never",
                                           .operations_max = 8000,
                                           .carrier = "pool:1",
                                           .keep_loads = true};

static void record(struct ek_experiment experiment, struct tape *tape, struct tests_outcome *outcome)
{
    struct ek_recorder recorder = {.write = keep, .context = tape};
    tape->count = tape->read = tape->pieces = 0;
    experiment.recorder = &recorder;
    must_run(experiment, outcome);
}

// Replays the tape to its end. Returns how it ended, with `error` and the number of turns. If it ended, fills `report`.
static enum ek_replay_status replay(struct ek_experiment experiment, struct tape *tape, uint64_t *turns,
                                    struct ek_report *report, struct ek_error *error)
{
    struct ek_tape source = {.read = hand, .context = tape};
    experiment.by_caller = true;
    struct ek_machine *machine = must_prepare(experiment);
    struct ek_replay *replay = ek_replay_begin(machine, 0, tape ? &source : NULL, error);
    cr_assert(replay, "%s", error->sentence);
    struct ek_turn_made turn = {0};
    enum ek_replay_status status;
    uint64_t before_ns = 0;
    uint32_t before = 0;
    while ((status = ek_replay_turn(replay, &turn, error)) == EK_REPLAY_TURN) {
        bool later = turn.number == 1 || turn.time_ns > before_ns;
        cr_assert(later || (turn.time_ns == before_ns && turn.processor > before),
                  "turn %u: turns are in the order of time, and those at the same time in that of processors",
                  (unsigned)turn.number);
        before_ns = turn.time_ns;
        before = turn.processor;
    }
    *turns = turn.number;
    if (status == EK_REPLAY_ENDS) {
        struct ek_error violation;
        ek_replay_report(replay, EK_ENDED_CRITERION, 1.0, report, &violation);
    }
    ek_replay_destroy(replay);
    ek_machine_destroy(machine);
    return status;
}

static void expect_replay(struct ek_experiment experiment, struct tape *tape, const struct tests_outcome *then)
{
    struct ek_report now;
    struct ek_error error;
    uint64_t turns;
    if (tape) {
        tape->read = 0;
    }
    cr_assert_eq(replay(experiment, tape, &turns, &now, &error), EK_REPLAY_ENDS);
    cr_expect_eq(turns, then->report.free.turns);
    uint32_t processors = ek_machine_topology(then->machine)->processors;
    const char *differs = tests_report_differs(&then->report, &now, processors);
    cr_expect_null(differs, "%s: %s", experiment.topology, differs);
    cr_expect_eq(now.ended, then->report.ended);
    cr_expect_eq(now.virtual_s, then->report.virtual_s);
    cr_expect_eq(now.windows, then->report.windows);
    cr_expect_eq(now.in_flight, then->report.in_flight);
    cr_expect_eq(now.elapsed_s, 1.0, "the caller knows for how long the run took");
    ek_report_destroy(&now);
}

// The number of workers matters neither to the tape nor to its replay. A run this long has marks.
Test(virtual_tapes, any_number_of_workers)
{
    static const char *const carriers[] = {"pool:1", "pool:2", "pool:5"};
    static struct tape tapes[3];
    for (size_t i = 0; i < 3; i++) {
        struct ek_experiment experiment = plain;
        experiment.carrier = carriers[i];
        struct tests_outcome outcome;
        record(experiment, &tapes[i], &outcome);
        cr_expect_gt(tapes[i].pieces, 3, "%zu pieces", tapes[i].pieces);
        for (size_t k = 0; k < 3; k++) {
            experiment.carrier = carriers[k];
            expect_replay(experiment, &tapes[i], &outcome);
        }
        expect_replay(experiment, NULL, &outcome); // the run follows from its experiment
        tests_outcome_destroy(&outcome);
        cr_expect_eq(tapes[i].count, tapes[0].count);
        cr_expect_eq(memcmp(tapes[i].bytes, tapes[0].bytes, tapes[0].count), 0);
    }
}

// Everything of virtual time that could differ in a replay.
Test(virtual_tapes, all_that_a_run_can_have)
{
    struct ek_experiment experiments[] = {
        {.seconds_max = 100e-6},
        {.seconds_max = 77.123e-6, .delay = "uniform:1us:9us", .mailbox = "spsc:1"},
        {.faults = "link:40000,repair:20us", .seconds_max = 300e-6},
        {.work = "normal:10:3:10", .tick_s = 5e-6, .seconds_max = 300e-6},
        {.work = "normal:10:3:10", .working = "suspended", .tick_s = 5e-6, .operations_max = 800},
        {.load_bytes = "8", .byte_time = "0.25ns", .delay_load = "exponential:2us", .operations_max = 800},
        {.load_bytes = "8",
         .byte_time = "2ns",
         .mailbox = "spsc:1",
         .ports = "one",
         .method = "ade",
         .operations_max = 800},
        {.slow = "7:5", .units = "tokens", .stop = "neighbours:2", .operations_max = 3000},
        {.announce = "pushed", .method = "sender:1/(deg+1)", .delay = "fixed:5us", .stop = "variance:1"},
        {.invoke = "global:spread:100", .work = "constant:0=9,20=-9", .tick_s = 2e-6, .seconds_max = 200e-6},
        {.invoke = "probability:0.05", .domains = "exclusive", .operations_max = 300},
        {.stop = "spread:200"}, // on one worker: it is given up after 50,000 windows
        {.within = "2.5:11", .operations_max = 800},
    };
    static struct tape tape;
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        struct ek_experiment *experiment = &experiments[i];
        experiment->topology = plain.topology;
        experiment->method = experiment->method ? experiment->method : "adf";
        experiment->load = plain.load;
        experiment->timing = "virtual";
        experiment->stop = experiment->stop ? experiment->stop : "never";
        experiment->keep_loads = true;
        experiment->keep_trace = true;
        experiment->carrier = i % 2 ? "pool:1" : "pool:3";
        struct tests_outcome outcome;
        record(*experiment, &tape, &outcome);
        cr_expect_gt(outcome.report.free.turns, 100, "experiment %zu", i);
        experiment->carrier = "pool:2";
        expect_replay(*experiment, &tape, &outcome);
        tests_outcome_destroy(&outcome);
    }
}

// Wherever a tape is cut, its replay ends there, and says so. Without its last byte the tape has no end.
Test(virtual_tapes, cut)
{
    static struct tape tape;
    struct tests_outcome outcome;
    record(plain, &tape, &outcome);
    size_t whole = tape.count;
    uint64_t before = 0;
    for (size_t count = 0; count < whole; count++) {
        struct ek_report report;
        struct ek_error error = {.at = -1};
        uint64_t turns;
        tape.count = count;
        tape.read = 0;
        cr_expect_eq(replay(plain, &tape, &turns, &report, &error), EK_REPLAY_CUT, "%zu of %zu bytes", count, whole);
        cr_expect(turns >= before && turns < outcome.report.free.turns, "%zu bytes: %u turns", count, (unsigned)turns);
        before = turns;
    }
    cr_expect_gt(before, outcome.report.free.turns / 2, "what is on the tape is replayed");
    tests_outcome_destroy(&outcome);
}

// A machine that is another one does not fit the tape.
Test(virtual_tapes, of_another_run)
{
    static struct tape tape;
    struct tests_outcome outcome;
    record(plain, &tape, &outcome);
    struct ek_experiment others[] = {plain, plain, plain, plain, plain, plain, plain};
    others[0].seed = 2;
    others[0].load = "uniform:0:200";
    others[1].turn_cost = "101ns";
    others[2].delay = "fixed:1001ns";
    others[3].within = "1.1";
    others[4].operations_max = 7500; // only the end differs
    others[5].slow = "35:2";
    others[6].load = "peak:3601"; // its turns are the same
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct ek_report report;
        struct ek_error error = {.at = -1};
        uint64_t turns;
        tape.read = 0;
        cr_expect_eq(replay(others[i], &tape, &turns, &report, &error), EK_REPLAY_MISFIT, "experiment %zu", i);
        cr_expect(strstr(error.sentence, "the recording does not fit this experiment: after turn "), "%s",
                  error.sentence);
    }
    tests_outcome_destroy(&outcome);
}

// Each byte that is wrong is noticed.
Test(virtual_tapes, damaged)
{
    static struct tape tape;
    struct tests_outcome outcome;
    record(plain, &tape, &outcome);
    for (size_t at = 0; at < tape.count; at++) {
        struct ek_report report;
        struct ek_error error = {.at = -1};
        uint64_t turns;
        tape.read = 0;
        tape.bytes[at] ^= 1;
        enum ek_replay_status status = replay(plain, &tape, &turns, &report, &error);
        cr_expect(status == EK_REPLAY_MISFIT || status == EK_REPLAY_CUT, "byte %zu: status %d", at, (int)status);
        if (status == EK_REPLAY_ENDS) {
            ek_report_destroy(&report);
        }
        tape.bytes[at] ^= 1;
    }
    tests_outcome_destroy(&outcome);
}

// Interrupts the machine, whose pointer is the context, when it has come far enough.
static void interrupt(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    (void)loads, (void)processors;
    if (row->time > 50e-6) {
        ek_interrupt(*(struct ek_machine **)context);
    }
}

// The tape says at which window's end an interruption came; the replay is interrupted there.
Test(virtual_tapes, an_interruption)
{
    static struct tape tape;
    struct ek_recorder recorder = {.write = keep, .context = &tape};
    struct ek_machine *machine;
    struct ek_experiment experiment = plain;
    experiment.recorder = &recorder;
    experiment.observer = (struct ek_observer){.look = interrupt, .context = &machine};
    struct tests_outcome outcome = {.machine = machine = must_prepare(experiment)};
    outcome.status = ek_run(machine, 0, &outcome.report, NULL, NULL, &outcome.error);
    cr_expect_eq(outcome.status, EK_UNREACHED);
    cr_expect_eq(outcome.report.ended, EK_ENDED_INTERRUPT);
    cr_expect(outcome.report.virtual_s > 50e-6 && outcome.report.operations < plain.operations_max, "%g s",
              outcome.report.virtual_s);
    expect_replay(plain, &tape, &outcome);
    tests_outcome_destroy(&outcome);
}

// A recorder that refuses an entry ends the run, as an interruption does.
Test(virtual_tapes, a_recorder_that_refuses)
{
    static struct tape tape = {.refused_from = 2};
    struct ek_recorder recorder = {.write = keep, .context = &tape};
    struct ek_experiment experiment = plain;
    experiment.recorder = &recorder;
    struct tests_outcome outcome;
    tests_try(&experiment, 0, &outcome);
    cr_expect_eq(outcome.report.ended, EK_ENDED_INTERRUPT);
    cr_expect_lt(outcome.report.operations, plain.operations_max);
    tests_outcome_destroy(&outcome);
}
