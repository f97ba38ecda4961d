// SPDX-License-Identifier: MIT
// Open MPI, a rank a processor. Rounds: a Cartesian communicator and its neighbourhood exchange. Free: sends to a
// neighbour, and a receive from whoever it is that sent.
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>

#include "threshold.h"

static MPI_Comm cart;
static int neighbours[PORTS];

static double run_rounds(double load, uint64_t rounds)
{
    for (uint64_t round = 0; round < rounds; round++) {
        double out[PORTS] = {load, load, load, load}, in[PORTS];
        MPI_Neighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, cart);
        load = torus_round(load, in[NORTH], in[SOUTH], in[WEST], in[EAST]);
    }
    return load;
}

// Buffered, since two that send to each other must not wait for each other. The tag says what it is and where it comes
// in.
static void post(void *context, int port, struct message message)
{
    (void)context;
    MPI_Bsend(&message.amount, 1, MPI_DOUBLE, neighbours[port], (int)message.kind * PORTS + message.port, cart);
}

static struct message next(void)
{
    struct message message;
    MPI_Status status;
    MPI_Recv(&message.amount, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, cart, &status);
    message.kind = (enum kind)(status.MPI_TAG / PORTS);
    message.port = status.MPI_TAG % PORTS;
    return message;
}

static double run_free(double load, uint64_t milliseconds, uint64_t counts[2])
{
    int room = PORTS * MESSAGES_MOST * (int)(sizeof(double) + MPI_BSEND_OVERHEAD);
    void *buffer = torus_memory(1, (size_t)room);
    struct party party = {
        .load = load, .open = PORTS, .end = torus_seconds() + 1e-3 * (double)milliseconds, .post = post};
    MPI_Buffer_attach(buffer, room);
    for (party_invoke(&party); !party_over(&party);) {
        party_take(&party, next());
    }
    MPI_Buffer_detach(&buffer, &room);
    free(buffer);
    counts[0] = party.operations;
    counts[1] = party.messages;
    return party.load;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct torus_task task = torus_task_read(argc, argv);
    int sides[2] = {(int)task.torus.rows, (int)task.torus.cols}, around[2] = {1, 1}, ranks, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if ((size_t)ranks != torus_processors(task.torus)) {
        torus_give_up("a rank a processor");
    }
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, around, 0, &cart);
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_shift(cart, 0, 1, &neighbours[NORTH], &neighbours[SOUTH]);
    MPI_Cart_shift(cart, 1, 1, &neighbours[WEST], &neighbours[EAST]);

    double load = torus_load((size_t)rank);
    uint64_t mine[2] = {task.amount, task.amount * PORTS}, counts[2];
    MPI_Barrier(cart);
    double began = torus_seconds();
    load = task.free ? run_free(load, task.amount, mine) : run_rounds(load, task.amount);
    MPI_Barrier(cart);
    double seconds = torus_seconds() - began;

    struct torus_sums own = {0.0, 0.0, 0}, sums;
    torus_sums_add(&own, (size_t)rank, load);
    MPI_Reduce(&own.total, &sums.total, 2, MPI_DOUBLE, MPI_SUM, 0, cart);
    MPI_Reduce(&own.bits, &sums.bits, 1, MPI_UINT64_T, MPI_SUM, 0, cart);
    MPI_Reduce(mine, counts, 2, MPI_UINT64_T, MPI_SUM, 0, cart);
    if (rank == 0) {
        torus_say(seconds, task.free ? counts[0] : task.amount, counts[1], &sums);
    }
    MPI_Finalize();
    return 0;
}
