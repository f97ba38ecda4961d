// SPDX-License-Identifier: MIT
// Ranks that are threads.
#include "tests/support/rank_threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { YIELDS = 16 }; // before a rank sleeps

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

// Waits until something may have changed. Another rank often changes it while this one yields, and to sleep and be
// woken costs more processor time than some yields.
static void wait_a_while(struct tests_seat *seat, unsigned *looks)
{
    struct tests_room *room = seat->room;
    if ((*looks)++ < YIELDS) {
        pthread_mutex_unlock(&room->mutex);
        sched_yield();
        pthread_mutex_lock(&room->mutex);
    } else {
        pthread_cond_wait(&room->changed[seat->ranks.rank], &room->mutex);
    }
}

static void wake_all(struct tests_room *room)
{
    for (unsigned r = 0; r < room->count; r++) {
        pthread_cond_signal(&room->changed[r]);
    }
}

// Begins a call. Returns false if the rank hears nothing any more. Others that wait for it then hear nothing either.
static bool begin(struct tests_seat *seat)
{
    struct tests_room *room = seat->room;
    pthread_mutex_lock(&room->mutex);
    bool heard = seat->calls++ < room->deaf_after;
    if (!heard) {
        room->deaf = true;
        wake_all(room);
    }
    pthread_mutex_unlock(&room->mutex);
    return heard;
}

// Waits for all ranks. Returns whether all came.
static bool meet(struct tests_seat *seat)
{
    struct tests_room *room = seat->room;
    pthread_mutex_lock(&room->mutex);
    unsigned meeting = room->meetings;
    if (++room->arrived == room->count) {
        room->arrived = 0;
        room->meetings++;
        wake_all(room);
    }
    unsigned looks = 0;
    while (room->meetings == meeting && !room->deaf) {
        wait_a_while(seat, &looks);
    }
    bool all = room->meetings != meeting;
    pthread_mutex_unlock(&room->mutex);
    return all;
}

// Shows a copy of this rank's data to the other ranks, and sets `said` to those of all. A rank overwrites its copy in
// the call after the next, and all others have come to the next call by then: they have read the copy.
static bool share(struct tests_seat *seat, const void *own, size_t bytes, const void *const **said)
{
    unsigned turn = seat->shares++ % 2;
    if (seat->lost) {
        return false;
    }
    free(seat->copy[turn]);
    seat->copy[turn] = malloc(bytes);
    memcpy(seat->copy[turn], own, bytes);
    seat->room->said[turn][seat->ranks.rank] = seat->copy[turn];
    *said = seat->room->said[turn];
    seat->lost = !begin(seat) || !meet(seat);
    return !seat->lost;
}

static bool gather(void *context, const void *own, void *all, size_t bytes)
{
    struct tests_seat *seat = context;
    const void *const *said;
    bool heard = share(seat, own, bytes, &said);
    for (unsigned r = 0; heard && r < seat->room->count; r++) {
        memcpy((char *)all + r * bytes, said[r], bytes);
    }
    return heard;
}

static bool collect(void *context, double *array, const size_t *from)
{
    struct tests_seat *seat = context;
    unsigned own = seat->ranks.rank;
    const void *const *said;
    bool heard = share(seat, array + from[own], (from[own + 1] - from[own]) * sizeof *array, &said);
    for (unsigned r = 0; heard && r < seat->room->count; r++) {
        memcpy(array + from[r], said[r], (from[r + 1] - from[r]) * sizeof *array);
    }
    return heard;
}

// Waits until the parcel has been put there, or taken. Returns false if a rank is deaf instead.
static bool wait_for(struct tests_seat *seat, const struct tests_parcel *parcel, bool there)
{
    unsigned looks = 0;
    while (parcel->there != there && !seat->room->deaf) {
        wait_a_while(seat, &looks);
    }
    return parcel->there == there;
}

// Takes the parcel from a peer. Returns false if it has another number of words than expected, or if a rank is deaf.
static bool take(struct tests_seat *seat, const struct ek_rank_peer *peer, double *in)
{
    struct tests_parcel *parcel = &seat->room->parcel[peer->rank][seat->ranks.rank];
    if (!wait_for(seat, parcel, true)) {
        return false;
    }
    bool agreed = parcel->count == peer->brings;
    if (agreed) {
        memcpy(in, parcel->words, peer->brings * sizeof *in);
        if (seat->room->garble && seat->ranks.rank == 1) {
            seat->room->garble(seat, in, peer->brings);
        }
    }
    parcel->there = false;
    pthread_cond_signal(&seat->room->changed[peer->rank]);
    return agreed;
}

// Only the peers take part, so ranks can make different numbers of exchanges.
static bool exchange(void *context, const struct ek_rank_peer *peer, size_t peers, const double *out, double *in)
{
    struct tests_seat *seat = context;
    struct tests_room *room = seat->room;
    if (!begin(seat)) {
        return false;
    }
    bool agreed = true;
    pthread_mutex_lock(&room->mutex);
    for (size_t i = 0; i < peers; i++) {
        struct tests_parcel parcel = {peer[i].sends > 0, out, peer[i].sends};
        room->parcel[seat->ranks.rank][peer[i].rank] = parcel;
        pthread_cond_signal(&room->changed[peer[i].rank]);
        out += peer[i].sends;
    }
    for (size_t i = 0; i < peers; i++) {
        agreed = (peer[i].brings == 0 || take(seat, &peer[i], in)) && agreed;
        in += peer[i].brings;
    }
    for (size_t i = 0; i < peers; i++) {
        struct tests_parcel *parcel = &room->parcel[seat->ranks.rank][peer[i].rank];
        agreed = wait_for(seat, parcel, false) && agreed;
        parcel->there = false; // its words are valid during the call only
    }
    pthread_mutex_unlock(&room->mutex);
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
    pthread_mutex_init(&room->mutex, NULL);
    for (unsigned r = 0; r < room->count; r++) {
        pthread_cond_init(&room->changed[r], NULL);
    }
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
    for (unsigned r = 0; r < room->count; r++) {
        pthread_cond_destroy(&room->changed[r]);
        free(seat[r].copy[0]);
        free(seat[r].copy[1]);
        seat[r].copy[0] = seat[r].copy[1] = NULL;
    }
    pthread_mutex_destroy(&room->mutex);
}
