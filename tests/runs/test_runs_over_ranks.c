// SPDX-License-Identifier: MIT
// Several runs over ranks: if one rank stops or fails between them, all do. The ranks are threads here
// (rank_threads.h).
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "lab/record/run_experiment.h"
#include "tests/support/rank_threads.h"

enum { RUNS = 3, NEVER = 99 };

// The fate of rank 1, and after how many runs: it stops, it fails, or it does not begin.
static struct {
    uint64_t stops_after, fails_after;
    bool accepts;
} planned;

static struct ended {
    enum ek_status status;
    uint64_t runs;
    struct ek_error error;
} ended[TESTS_RANKS_MAX];

static _Thread_local unsigned rank;
static _Thread_local uint64_t made_so_far;

static bool accepts(void *context, const struct ek_machine *machine, struct ek_error *error)
{
    (void)context, (void)machine;
    return rank != 1 || planned.accepts || base_refuse(error, "rank 1 does not want this");
}

static bool stopped(void)
{
    return rank == 1 && made_so_far == planned.stops_after;
}

static bool made(void *context, const struct lab_record *record, struct ek_error *error)
{
    (void)context;
    made_so_far = record->count;
    return rank != 1 || made_so_far != planned.fails_after || base_refuse(error, "rank 1 cannot write this");
}

static void act(struct tests_seat *seat)
{
    rank = seat->ranks.rank;
    made_so_far = 0;
    struct lab_run_request order = {.experiment = seat->experiment,
                                    .runs = RUNS,
                                    .command = "a test",
                                    .on_prepared = accepts,
                                    .stopped = stopped,
                                    .on_run = made};
    struct lab_record record = {0};
    ended[rank].error.at = -1;
    ended[rank].status = lab_run(&order, &record, &ended[rank].error);
    ended[rank].runs = record.count;
    lab_record_destroy(&record);
}

enum { RANKS = 3 };

static void carry(void)
{
    struct tests_room room = {.count = RANKS, .deaf_after = UINT32_MAX, .act = act};
    struct tests_seat seat[TESTS_RANKS_MAX] = {{0}};
    for (unsigned r = 0; r < RANKS; r++) {
        seat[r].experiment = (struct ek_experiment){.topology = "torus:4x4", .method = "diffusion:0.2"};
    }
    tests_carry(&room, seat);
}

// Checks that all ranks end with this status after this many runs, and with this sentence unless it is NULL.
static void check(enum ek_status status, uint64_t runs, const char *sentence)
{
    carry();
    for (unsigned r = 0; r < RANKS; r++) {
        cr_expect(ended[r].status == status && ended[r].runs == runs, "rank %u: status %d after %llu runs: %s", r,
                  ended[r].status, (unsigned long long)ended[r].runs, ended[r].error.sentence);
        cr_expect(!sentence || strcmp(ended[r].error.sentence, sentence) == 0, "rank %u: %s", r,
                  ended[r].error.sentence);
    }
}

Test(ranks, make_all_runs, .timeout = 60)
{
    planned.stops_after = planned.fails_after = NEVER;
    planned.accepts = true;
    check(EK_OK, RUNS, NULL);
}

Test(ranks, stop_together, .timeout = 60)
{
    planned.fails_after = NEVER;
    planned.accepts = true;
    for (planned.stops_after = 0; planned.stops_after < RUNS; planned.stops_after++) {
        check(EK_UNREACHED, planned.stops_after, NULL);
    }
}

Test(ranks, fail_together, .timeout = 60)
{
    planned.stops_after = NEVER;
    planned.accepts = true;
    planned.fails_after = 2;
    check(EK_BAD_INPUT, 2, "rank 1 cannot write this");
    planned.accepts = false;
    check(EK_BAD_INPUT, 0, "rank 1 does not want this");
}

// After the last run no rank waits for it.
Test(ranks, fail_alone_at_the_end, .timeout = 60)
{
    planned.stops_after = NEVER;
    planned.accepts = true;
    planned.fails_after = RUNS;
    carry();
    cr_expect(ended[0].status == EK_OK && ended[0].runs == RUNS);
    cr_expect(ended[1].status == EK_BAD_INPUT && strcmp(ended[1].error.sentence, "rank 1 cannot write this") == 0,
              "status %d: %s", ended[1].status, ended[1].error.sentence);
}
