// SPDX-License-Identifier: MIT
// What the peers in C and C++ share: the torus, the loads that a run begins with, the arithmetic of a round, and the
// line that each prints at its end.
#ifndef PEERS_TORUS_H
#define PEERS_TORUS_H

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NORTH, SOUTH, WEST, EAST, PORTS };

static const double ALPHA = 0.2;

struct torus {
    size_t rows, cols;
};

static inline size_t torus_processors(struct torus torus)
{
    return torus.rows * torus.cols;
}

static inline size_t torus_neighbour(struct torus torus, size_t p, int port)
{
    size_t row = p / torus.cols, col = p % torus.cols;
    switch (port) {
    case NORTH:
        return (row + torus.rows - 1) % torus.rows * torus.cols + col;
    case SOUTH:
        return (row + 1) % torus.rows * torus.cols + col;
    case WEST:
        return row * torus.cols + (col + torus.cols - 1) % torus.cols;
    default:
        return row * torus.cols + (col + 1) % torus.cols;
    }
}

// A message on a processor's port comes in at the opposite port of its neighbour.
static inline int torus_opposite(int port)
{
    return port ^ 1;
}

static inline double torus_load(size_t p)
{
    return (double)(p * 7919 % 1001);
}

// The order of the sum is every peer's, so that all have the same loads to the last bit.
static inline double torus_round(double own, double north, double south, double west, double east)
{
    return own + ALPHA * ((north - own) + (south - own) + (west - own) + (east - own));
}

// The sums of the loads in a line of output. `bits` are equal only if all loads are equal to the last bit.
struct torus_sums {
    double total, squares;
    uint64_t bits;
};

static inline void torus_sums_add(struct torus_sums *sums, size_t p, double load)
{
    uint64_t bits;
    memcpy(&bits, &load, sizeof bits);
    sums->total += load;
    sums->squares += load * load;
    sums->bits += bits * (2 * (uint64_t)p + 1);
}

// `rounds` is the number of operations where there are no rounds.
static inline void torus_say(double seconds, uint64_t rounds, uint64_t messages, const struct torus_sums *sums)
{
    printf("seconds %.9f rounds %" PRIu64 " messages %" PRIu64 " total %.17g squares %.17g bits %016" PRIx64 "\n",
           seconds, rounds, messages, sums->total, sums->squares, sums->bits);
}

static inline double torus_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

_Noreturn static inline void torus_give_up(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(2);
}

static inline void *torus_memory(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (!memory) {
        torus_give_up("no memory");
    }
    return memory;
}

// The arguments of a peer: rounds ROWS COLS ROUNDS, or free ROWS COLS MILLISECONDS.
struct torus_task {
    struct torus torus;
    int free;
    uint64_t amount;
};

static inline struct torus_task torus_task_read(int argc, char **argv)
{
    struct torus_task task;
    if (argc != 5 || (strcmp(argv[1], "rounds") != 0 && strcmp(argv[1], "free") != 0)) {
        torus_give_up("usage: rounds ROWS COLS ROUNDS, or free ROWS COLS MILLISECONDS");
    }
    task.free = strcmp(argv[1], "free") == 0;
    task.torus.rows = strtoull(argv[2], NULL, 10);
    task.torus.cols = strtoull(argv[3], NULL, 10);
    task.amount = strtoull(argv[4], NULL, 10);
    if (task.torus.rows < 3 || task.torus.cols < 3) {
        torus_give_up("a torus has at least 3 rows and 3 columns here, so that four neighbours are four");
    }
    return task;
}

#endif
