// SPDX-License-Identifier: MIT
// Open MPI, a block of rows a rank: two rows cross to other ranks in a round, all else is read where it lies. Rounds
// only.
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>

#include "torus.h"

// Rows 0 and count + 1 are the neighbours' last and first.
static void exchange(double *loads, size_t count, size_t cols, int above, int below)
{
    double *first = loads + cols, *last = loads + count * cols;
    MPI_Sendrecv(first, (int)cols, MPI_DOUBLE, above, 0, last + cols, (int)cols, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, (int)cols, MPI_DOUBLE, below, 1, loads, (int)cols, MPI_DOUBLE, above, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void balance_row(const double *restrict own, double *restrict to, size_t cols)
{
    const double *north = own - cols, *south = own + cols;
    to[0] = torus_round(own[0], north[0], south[0], own[cols - 1], own[1]);
    for (size_t col = 1; col + 1 < cols; col++) {
        to[col] = torus_round(own[col], north[col], south[col], own[col - 1], own[col + 1]);
    }
    to[cols - 1] = torus_round(own[cols - 1], north[cols - 1], south[cols - 1], own[cols - 2], own[0]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct torus_task task = torus_task_read(argc, argv);
    int ranks, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (task.free || (size_t)ranks > task.torus.rows) {
        torus_give_up("rounds only, and at least a row a rank");
    }
    size_t cols = task.torus.cols, begin = task.torus.rows * (size_t)rank / (size_t)ranks;
    size_t count = task.torus.rows * (size_t)(rank + 1) / (size_t)ranks - begin;
    double *from = torus_memory((count + 2) * cols, sizeof *from), *to = torus_memory((count + 2) * cols, sizeof *to);
    for (size_t i = 0; i < count * cols; i++) {
        from[cols + i] = torus_load(begin * cols + i);
    }

    MPI_Barrier(MPI_COMM_WORLD);
    double began = torus_seconds();
    for (uint64_t round = 0; round < task.amount; round++) {
        exchange(from, count, cols, (rank + ranks - 1) % ranks, (rank + 1) % ranks);
        for (size_t row = 1; row <= count; row++) {
            balance_row(from + row * cols, to + row * cols, cols);
        }
        double *swap = from;
        from = to;
        to = swap;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = torus_seconds() - began;

    struct torus_sums own = {0.0, 0.0, 0}, sums;
    for (size_t i = 0; i < count * cols; i++) {
        torus_sums_add(&own, begin * cols + i, from[cols + i]);
    }
    MPI_Reduce(&own.total, &sums.total, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&own.bits, &sums.bits, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        torus_say(seconds, task.amount, task.amount * 2 * (uint64_t)ranks, &sums);
    }
    MPI_Finalize();
    return 0;
}
