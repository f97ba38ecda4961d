// SPDX-License-Identifier: MIT
// Ranks for tests: threads of one process that exchange data through memory, so that no test needs MPI. Ranks of
// mpirun are tested by tests/command/test_mpi.sh.
#ifndef TESTS_RANKS_H
#define TESTS_RANKS_H

#include <pthread.h>

#include "tests/support/runs.h"

enum { TESTS_RANKS_MAX = 4 };

struct tests_seat;

// Where the ranks meet. From exchange `deaf_after` on no data arrives. `garble`, if set, may change each pack of
// data on its way to rank 1. `divide`, if set, cuts graphs in place of the built-in function.
struct tests_room {
    pthread_barrier_t barrier;
    unsigned count;
    unsigned deaf_after;
    void (*garble)(struct tests_seat *seat, double *words, size_t count);
    bool (*divide)(void *context, const struct ek_rank_graph *graph, int32_t *part);
    void (*act)(struct tests_seat *seat); // what a rank does; NULL: it runs its experiment once
    const void *said[TESTS_RANKS_MAX];
    const struct ek_rank_peer *peer[TESTS_RANKS_MAX];
    size_t peers[TESTS_RANKS_MAX];
};

struct tests_seat {
    struct tests_room *room;
    struct ek_ranks ranks;
    unsigned calls;
    struct ek_experiment experiment;
    struct tests_outcome outcome;
};

// Runs the experiment of each seat with `--carrier mpi`, on as many ranks as the room has.
void tests_carry(struct tests_room *room, struct tests_seat *seat);

// tests_note counts a check and prints a check that failed. tests_result prints the counts and returns the status of
// a plain program.
void tests_note(bool good, const char *what, const char *detail);
int tests_result(void);

#endif
