// SPDX-License-Identifier: MIT
// Ranks for tests: threads of one process that exchange data through memory, so that no test needs MPI. Ranks of
// mpirun are tested by tests/command/test_mpi.sh.
#ifndef TESTS_RANKS_H
#define TESTS_RANKS_H

#include <pthread.h>

#include "tests/support/runs.h"

enum { TESTS_RANKS_MAX = 4 };

struct tests_seat;

// The messages that one rank sends to another one, until they have been taken.
struct tests_parcel {
    bool there;
    const double *words;
    size_t count;
};

// Where the ranks meet. From call `deaf_after` of a rank on it hears nothing, and the others no longer hear it.
// `garble`, if set, may change each pack of data on its way to rank 1. `divide`, if set, cuts graphs in place of the
// built-in function.
struct tests_room {
    unsigned count;
    unsigned deaf_after;
    void (*garble)(struct tests_seat *seat, double *words, size_t count);
    bool (*divide)(void *context, const struct ek_rank_graph *graph, int32_t *part);
    void (*act)(struct tests_seat *seat);    // what a rank does; NULL: it runs its experiment once
    pthread_mutex_t mutex;                   // protects all that follows
    pthread_cond_t changed[TESTS_RANKS_MAX]; // what a rank waits for
    unsigned arrived, meetings;
    bool deaf;                                                    // a rank hears nothing any more
    const void *said[2][TESTS_RANKS_MAX];                         // the copies that the ranks share in turns
    struct tests_parcel parcel[TESTS_RANKS_MAX][TESTS_RANKS_MAX]; // from rank, to rank
};

struct tests_seat {
    struct tests_room *room;
    struct ek_ranks ranks;
    unsigned calls, shares; // all, and those in which all ranks share data
    bool lost;              // a call of the latter kind has failed
    void *copy[2];          // the data of the last two
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
