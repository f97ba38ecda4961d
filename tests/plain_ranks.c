// SPDX-License-Identifier: MIT
// Rounds over ranks against rounds of one process, to the last bit. The ranks are threads here, which speak through
// memory as those of mpirun do through MPI (tests/test_mpi.sh), so that neither MPI nor mpirun is needed.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runs.h"

enum { RANKS_MAX = 4 };

static unsigned passed, failed;

static void note(bool good, const char *what, const char *detail)
{
    passed += good;
    failed += !good;
    if (!good) {
        printf("%s: %s\n", what, detail);
    }
}

// Where the ranks meet. From call `deaf_after` on of any kind nobody is heard any more; what is brought to rank 1 in
// call `lies_at` is wrong.
struct room {
    pthread_barrier_t barrier;
    unsigned count;
    unsigned deaf_after, lies_at;
    const void *said[RANKS_MAX];
    const struct ek_rank_peer *peer[RANKS_MAX];
    size_t peers[RANKS_MAX];
};

struct seat {
    struct room *room;
    struct ek_ranks ranks;
    unsigned calls;
    struct ek_experiment experiment;
    struct tests_outcome outcome;
};

// Shows the others what this rank says. What they say can be read until `leave`.
static bool enter(struct seat *seat, const void *said)
{
    if (seat->calls++ >= seat->room->deaf_after) {
        return false;
    }
    seat->room->said[seat->ranks.rank] = said;
    pthread_barrier_wait(&seat->room->barrier);
    return true;
}

static void leave(struct seat *seat)
{
    pthread_barrier_wait(&seat->room->barrier);
}

static bool gather(void *context, const void *own, void *all, size_t bytes)
{
    struct seat *seat = context;
    char *copy = malloc(bytes); // for `own` may lie in `all`, which is written before all have read it
    memcpy(copy, own, bytes);
    bool heard = enter(seat, copy);
    for (unsigned r = 0; heard && r < seat->room->count; r++) {
        memcpy((char *)all + r * bytes, seat->room->said[r], bytes);
    }
    if (heard) {
        leave(seat);
    }
    free(copy);
    return heard;
}

static bool collect(void *context, double *array, const size_t *from)
{
    struct seat *seat = context;
    bool heard = enter(seat, array);
    for (unsigned r = 0; heard && r < seat->room->count; r++) {
        if (r != seat->ranks.rank) {
            memcpy(array + from[r], (const double *)seat->room->said[r] + from[r],
                   (from[r + 1] - from[r]) * sizeof *array);
        }
    }
    if (heard) {
        leave(seat);
    }
    return heard;
}

// What rank `sender` has for this one; NULL where their counts differ.
static const double *addressed(const struct seat *seat, unsigned sender, size_t count)
{
    const double *out = seat->room->said[sender];
    for (size_t i = 0; i < seat->room->peers[sender]; i++) {
        const struct ek_rank_peer *peer = &seat->room->peer[sender][i];
        if (peer->rank == seat->ranks.rank) {
            return peer->count == count ? out : NULL;
        }
        out += peer->count;
    }
    return NULL;
}

static bool exchange(void *context, const struct ek_rank_peer *peer, size_t peers, const double *out, double *in)
{
    struct seat *seat = context;
    seat->room->peer[seat->ranks.rank] = peer;
    seat->room->peers[seat->ranks.rank] = peers;
    if (!enter(seat, out)) {
        return false;
    }
    bool agreed = true;
    bool lies = seat->ranks.rank == 1 && seat->calls == seat->room->lies_at;
    for (size_t i = 0; i < peers; i++) {
        const double *from = addressed(seat, peer[i].rank, peer[i].count);
        agreed = agreed && from;
        if (from) {
            memcpy(in, from, peer[i].count * sizeof *in);
            in[0] += lies;
        }
        in += peer[i].count;
    }
    leave(seat);
    return agreed;
}

static void *carry(void *argument)
{
    struct seat *seat = argument;
    seat->experiment.carrier = "mpi";
    seat->experiment.ranks = &seat->ranks;
    tests_try(&seat->experiment, 0, &seat->outcome);
    return NULL;
}

// Runs an experiment on so many ranks; `seat` is for as many.
static void carry_all(struct room *room, struct seat *seat)
{
    pthread_t thread[RANKS_MAX];
    pthread_barrier_init(&room->barrier, NULL, room->count);
    for (unsigned r = 0; r < room->count; r++) {
        seat[r].room = room;
        seat[r].ranks = (struct ek_ranks){.rank = r,
                                          .count = room->count,
                                          .gather = gather,
                                          .collect = collect,
                                          .exchange = exchange,
                                          .context = &seat[r]};
        pthread_create(&thread[r], NULL, carry, &seat[r]);
    }
    for (unsigned r = 0; r < room->count; r++) {
        pthread_join(thread[r], NULL);
    }
    pthread_barrier_destroy(&room->barrier);
}

// What only ranks refuse.
static bool not_for_ranks(const struct ek_experiment *experiment, const struct ek_machine *machine, unsigned ranks)
{
    bool returns = experiment->faults && experiment->delay;
    return experiment->timing || returns || experiment->overlaps || ek_machine_topology(machine)->processors < ranks;
}

// What a report has beside what any two runs are compared by: what was asked for.
static const char *extras_differ(const struct ek_report *rank, const struct ek_report *one, uint32_t processors)
{
    size_t flows = one->flow_count * sizeof *one->flow;
    size_t quotas = one->quota_dimensions * processors * sizeof *one->quota;
    size_t frames = one->frame_count * processors * sizeof *one->frame_load;
    if (rank->flow_count != one->flow_count || (flows > 0 && memcmp(rank->flow, one->flow, flows) != 0)) {
        return "flow";
    }
    if (rank->quota_dimensions != one->quota_dimensions ||
        (quotas > 0 && memcmp(rank->quota, one->quota, quotas) != 0)) {
        return "quota";
    }
    if (rank->frame_count != one->frame_count ||
        (frames > 0 && memcmp(rank->frame_load, one->frame_load, frames) != 0)) {
        return "frames";
    }
    return strcmp(rank->why, one->why) == 0 ? NULL : "why";
}

// The name of what differs between a rank's outcome and one process', or NULL.
static const char *differs(const struct tests_outcome *rank, const struct tests_outcome *one)
{
    if (rank->status != one->status) {
        return rank->error.sentence;
    }
    if (!one->machine) {
        return strcmp(rank->error.sentence, one->error.sentence) == 0 ? NULL : rank->error.sentence;
    }
    uint32_t processors = ek_machine_topology(one->machine)->processors;
    const char *name = tests_report_differs(&rank->report, &one->report, processors);
    return name ? name : extras_differ(&rank->report, &one->report, processors);
}

// Whether it was compared, and not refused.
static bool compare(const struct ek_experiment *experiment, unsigned ranks)
{
    struct tests_outcome one;
    struct room room = {.count = ranks, .deaf_after = UINT32_MAX};
    struct seat seat[RANKS_MAX] = {{0}};
    char what[256];
    snprintf(what, sizeof what, "%s on %s, %u ranks, seed %llu", experiment->method, experiment->topology, ranks,
             (unsigned long long)experiment->seed);
    tests_try(experiment, 0, &one);
    bool refused = one.machine && not_for_ranks(experiment, one.machine, ranks);
    for (unsigned r = 0; r < ranks; r++) {
        seat[r].experiment = *experiment;
    }
    carry_all(&room, seat);
    for (unsigned r = 0; r < ranks; r++) {
        const char *difference =
            refused ? (seat[r].outcome.status == EK_BAD_INPUT ? NULL : "not refused") : differs(&seat[r].outcome, &one);
        note(difference == NULL, what, difference ? difference : "");
        tests_outcome_destroy(&seat[r].outcome);
    }
    bool compared = one.machine && !refused;
    tests_outcome_destroy(&one);
    return compared;
}

// A message that is wrong once, in the middle, is noticed: the loads differ, or the ledger does.
static void lie_once(void)
{
    struct ek_experiment experiment = {.topology = "torus:8x8",
                                       .method = "diffusion:0.2",
                                       .stop = "never",
                                       .steps_max = 20,
                                       .keep_loads = true,
                                       .keep_trace = true};
    struct tests_outcome one;
    tests_try(&experiment, 0, &one);
    unsigned noticed = 0;
    for (unsigned call = 20; call < 24; call++) { // of which one at least brings messages
        struct room room = {.count = 2, .deaf_after = UINT32_MAX, .lies_at = call};
        struct seat seat[RANKS_MAX] = {{.experiment = experiment}, {.experiment = experiment}};
        carry_all(&room, seat);
        noticed += differs(&seat[1].outcome, &one) != NULL;
        tests_outcome_destroy(&seat[0].outcome);
        tests_outcome_destroy(&seat[1].outcome);
    }
    note(noticed > 0, "a message that is wrong once", "not noticed");
    tests_outcome_destroy(&one);
}

// Rules, over most axes.
static void compare_drawn(void)
{
    unsigned compared = 0, drawn = tests_part(600);
    for (unsigned i = 0; i < drawn; i++) {
        struct tests_drawn experiment;
        struct topo_random random = topo_random_start(13, i, TOPO_STREAM_WORK);
        tests_draw(&experiment, i);
        if (i % 3 > 0) {
            tests_draw_axes(&experiment.experiment, &random);
        }
        compared += compare(&experiment.experiment, 1 + i % RANKS_MAX);
    }
    note(5 * compared >= drawn, "experiments that were compared", "fewer than one in five of those drawn");
}

// Programs: words, processors that sleep, states that come back, links of their own.
static void compare_programs(void)
{
    static const struct ek_experiment kinds[] = {
        {.topology = "torus:4x4", .method = "dde", .units = "tokens"},
        {.topology = "torus:8x4", .method = "dde:send-first", .units = "tokens", .ports = "one"},
        {.topology = "chain:19", .method = "twa:binomial", .units = "tokens"},
        {.topology = "torus:4x4", .method = "liquid:c4r", .units = "tokens", .operations_max = 60},
        {.topology = "torus:5x3", .method = "liquid:c5", .units = "tokens", .work = "normal:20:9:20", .steps_max = 40},
        {.topology = "ring:16", .method = "nna", .units = "tokens", .operations_max = 20},
        {.topology = "mesh:4x4", .method = "de(opt)", .units = "real"},
        {.topology = "torus:4x4", .method = "opt", .units = "real", .ports = "one"},
        {.topology = "otis(mesh:2x2)", .method = "ded(fos)", .units = "real", .operations_max = 6},
        {.topology = "otis(mesh:2x2)", .method = "ded(opt)", .units = "real", .ports = "one", .capacity = "semi"},
        {.topology = "torus:4x4", .method = "local-average", .units = "real", .operations_max = 9},
        {.topology = "random:24:4",
         .method = "local-average",
         .units = "tokens",
         .invoke = "below:400",
         .steps_max = 9},
        {.topology = "random:24:4", .method = "random-neighbours:2", .units = "tokens", .operations_max = 9},
        {.topology = "ring:16", .method = "splitting:1/3", .units = "tokens"},
        {.topology = "chain:40",
         .method = "random-neighbours:2:1.2",
         .units = "tokens",
         .load = "peak:900@1",
         .stop = "never",
         .steps_max = 300},
        {.topology = "ring:24", .method = "liquid:c4r", .units = "tokens", .load = "peak:900@1"},
        {.topology = "torus:4x4", .method = "sos", .units = "real", .ports = "one", .capacity = "semi", .steps_max = 9},
        {.topology = "torus:4x4", .method = "sender:0.2", .units = "tokens", .delay = "uniform:0:3", .steps_max = 30},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (unsigned ranks = 1; ranks <= RANKS_MAX; ranks++) {
            struct ek_experiment experiment = kinds[i];
            experiment.seed = i + 1;
            experiment.keep_loads = experiment.keep_trace = experiment.keep_links = true;
            experiment.frames = 5;
            note(compare(&experiment, ranks), experiment.method, "not compared");
        }
    }
}

// What goes wrong in one rank ends all, with the same sentence.
static void fail_in_one(void)
{
    static const struct {
        const char *topology; // of rank 1
        uint64_t seed;
        unsigned deaf_after;
        const char *part; // of the sentence
    } kinds[] = {
        {"torus:8x", 1, UINT32_MAX, "a side must be"},
        {"ring:64", 1, UINT32_MAX, "rank 1 has another experiment than rank 0"},
        {"torus:8x8", 2, UINT32_MAX, "rank 1 has another experiment than rank 0"},
        {"torus:8x8", 1, 0, "another rank does not answer"},
        {"torus:8x8", 1, 7, "another rank does not answer"},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct room room = {.count = 2, .deaf_after = kinds[i].deaf_after};
        struct seat seat[RANKS_MAX] = {{0}};
        for (unsigned r = 0; r < 2; r++) {
            seat[r].experiment = (struct ek_experiment){.topology = r ? kinds[i].topology : "torus:8x8",
                                                        .method = "diffusion:0.2",
                                                        .seed = r ? kinds[i].seed : 1};
        }
        carry_all(&room, seat);
        for (unsigned r = 0; r < 2; r++) {
            const struct ek_error *error = &seat[r].outcome.error;
            note(seat[r].outcome.status == EK_BAD_INPUT && strstr(error->sentence, kinds[i].part), kinds[i].part,
                 error->sentence);
            tests_outcome_destroy(&seat[r].outcome);
        }
    }
}

// Interrupted in one rank: all end in the step after, when they meet.
static void look(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors)
{
    (void)loads;
    (void)processors;
    struct seat *seat = context;
    if (row->step == 20 && seat->ranks.rank == 1) {
        ek_interrupt(seat->outcome.machine);
    }
}

static void interrupt_one(void)
{
    struct room room = {.count = 3, .deaf_after = UINT32_MAX};
    struct seat seat[RANKS_MAX] = {{0}};
    for (unsigned r = 0; r < 3; r++) {
        seat[r].experiment = (struct ek_experiment){.topology = "torus:8x8",
                                                    .method = "diffusion:0.2",
                                                    .stop = "never",
                                                    .steps_max = 1000,
                                                    .observer = {look, &seat[r]}};
    }
    carry_all(&room, seat);
    for (unsigned r = 0; r < 3; r++) {
        const struct ek_report *report = &seat[r].outcome.report;
        char steps[40];
        snprintf(steps, sizeof steps, "after %llu steps", (unsigned long long)report->steps);
        note(report->ended == EK_ENDED_INTERRUPT && report->steps == 21, "an interrupt of one rank", steps);
        tests_outcome_destroy(&seat[r].outcome);
    }
}

int main(void)
{
    compare_programs();
    compare_drawn();
    lie_once();
    fail_in_one();
    interrupt_one();
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
