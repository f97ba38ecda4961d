// SPDX-License-Identifier: MIT
// Ranks that are threads.
#include "tests/support/rank_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned passed, failed;

void tests_note(bool good, const char *what, const char *detail)
{
    passed += good;
    failed += !good;
    if (!good) {
        printf("%s: %s\n", what, detail);
    }
}

int tests_result(void)
{
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}

// Shows the other ranks this rank's data. Each rank can read the data of the others until `leave`.
static bool enter(struct tests_seat *seat, const void *said)
{
    if (seat->calls++ >= seat->room->deaf_after) {
        return false;
    }
    seat->room->said[seat->ranks.rank] = said;
    pthread_barrier_wait(&seat->room->barrier);
    return true;
}

static void leave(struct tests_seat *seat)
{
    pthread_barrier_wait(&seat->room->barrier);
}

static bool gather(void *context, const void *own, void *all, size_t bytes)
{
    struct tests_seat *seat = context;
    char *copy = malloc(bytes); // `own` may lie in `all`, which is written before every rank has read it
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
    struct tests_seat *seat = context;
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

// Returns the data of rank `sender` for this rank, or NULL if their counts differ.
static const double *addressed(const struct tests_seat *seat, unsigned sender, size_t count)
{
    const double *out = seat->room->said[sender];
    for (size_t i = 0; i < seat->room->peers[sender]; i++) {
        const struct ek_rank_peer *peer = &seat->room->peer[sender][i];
        if (peer->rank == seat->ranks.rank) {
            return peer->sends == count ? out : NULL;
        }
        out += peer->sends;
    }
    return NULL;
}

static bool exchange(void *context, const struct ek_rank_peer *peer, size_t peers, const double *out, double *in)
{
    struct tests_seat *seat = context;
    seat->room->peer[seat->ranks.rank] = peer;
    seat->room->peers[seat->ranks.rank] = peers;
    if (!enter(seat, out)) {
        return false;
    }
    bool agreed = true;
    for (size_t i = 0; i < peers; i++) {
        const double *from = addressed(seat, peer[i].rank, peer[i].brings);
        agreed = agreed && from;
        if (from && peer[i].brings > 0) {
            memcpy(in, from, peer[i].brings * sizeof *in);
            if (seat->room->garble && seat->ranks.rank == 1) {
                seat->room->garble(seat, in, peer[i].brings);
            }
        }
        in += peer[i].brings;
    }
    leave(seat);
    return agreed;
}

// Returns the number of links from vertex v to part `to`.
static int32_t links_to(const struct ek_rank_graph *graph, const int32_t *part, int32_t v, int32_t to)
{
    int32_t links = 0;
    for (int32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
        links += part[graph->neighbour[i]] == to ? graph->links[i] : 0;
    }
    return links;
}

// Returns by how much the cut shrinks if vertices v and w change places. It shrinks less if they are neighbours.
static int32_t gain_of(const struct ek_rank_graph *graph, const int32_t *part, int32_t v, int32_t w)
{
    return links_to(graph, part, v, part[w]) - links_to(graph, part, v, part[v]) + links_to(graph, part, w, part[v]) -
           links_to(graph, part, w, part[w]);
}

// Cuts a small graph as METIS cuts a large one: vertices change places while this saves links (Kernighan & Lin
// 1970).
static bool divide(void *context, const struct ek_rank_graph *graph, int32_t *part)
{
    const struct tests_seat *seat = context;
    int32_t count = graph->vertices;
    for (int32_t v = 0; v < count; v++) {
        part[v] = (int32_t)((int64_t)v * seat->ranks.count / count);
    }
    bool better = count <= 100; // a larger graph would take long
    for (unsigned pass = 0; better && pass < 10; pass++) {
        better = false;
        for (int32_t v = 0; v < count; v++) {
            for (int32_t w = 0; w < v; w++) {
                int32_t from = part[v];
                if (from != part[w] && gain_of(graph, part, v, w) > 2) {
                    part[v] = part[w];
                    part[w] = from;
                    better = true;
                }
            }
        }
    }
    return true;
}

static void *carry(void *argument)
{
    struct tests_seat *seat = argument;
    seat->experiment.carrier = "mpi";
    seat->experiment.ranks = &seat->ranks;
    if (seat->room->act) {
        seat->room->act(seat);
    } else {
        tests_try(&seat->experiment, 0, &seat->outcome);
    }
    return NULL;
}

void tests_carry(struct tests_room *room, struct tests_seat *seat)
{
    pthread_t thread[TESTS_RANKS_MAX];
    pthread_barrier_init(&room->barrier, NULL, room->count);
    for (unsigned r = 0; r < room->count; r++) {
        seat[r].room = room;
        seat[r].ranks = (struct ek_ranks){.rank = r,
                                          .count = room->count,
                                          .gather = gather,
                                          .collect = collect,
                                          .exchange = exchange,
                                          .divide = room->divide ? room->divide : divide,
                                          .context = &seat[r]};
        pthread_create(&thread[r], NULL, carry, &seat[r]);
    }
    for (unsigned r = 0; r < room->count; r++) {
        pthread_join(thread[r], NULL);
    }
    pthread_barrier_destroy(&room->barrier);
}
