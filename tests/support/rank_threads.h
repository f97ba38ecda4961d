// SPDX-License-Identifier: MIT
// Ranks for tests: threads of one process, which speak through memory as those of mpirun do through MPI
// (tests/command/test_mpi.sh), so that neither MPI nor mpirun is needed.
#ifndef TESTS_RANKS_H
#define TESTS_RANKS_H

#include <pthread.h>

#include "tests/support/runs.h"

enum { TESTS_RANKS_MAX = 4 };

struct tests_seat;

// Where the ranks meet. From call `deaf_after` on of any kind nobody is heard any more. `garble`, if there is one, may
// change what is exchanged on its way to rank 1, pack by pack; `divide` cuts graphs in the place of what usually does.
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

// Runs the experiment of each seat on as many ranks as the room has, with carrier mpi.
void tests_carry(struct tests_room *room, struct tests_seat *seat);

// Counts a check; what failed is printed. And prints how many there were, which a plain program ends with: its status.
void tests_note(bool good, const char *what, const char *detail);
int tests_result(void);

#endif
