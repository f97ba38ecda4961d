// SPDX-License-Identifier: MIT
// How ranks use MPI (cli/mpi/mpi_ranks.c), with a stand-in for MPI (mpi/mpi.h): no call after another rank is given
// up, since the memory of its messages is gone, and no count that an int cannot hold.
#include <criterion/criterion.h>

#include "cli/mpi/mpi_ranks.c" // NOLINT(bugprone-suspicious-include): its functions are static

enum { RANKS = 2, LEAVING = 2, PIECES = 64 };

// The calls that the stand-in received.
static struct {
    bool silent;     // the other ranks do not answer
    unsigned begun;  // messages of any kind
    unsigned looked; // calls in which MPI may work on messages
    unsigned finished, aborted;
    MPI_Comm left_by;
    struct piece {
        double *begin;
        size_t count;
        int rank;
    } piece[PIECES]; // of arrays
    unsigned pieces;
} asked;

static int start(MPI_Request *request)
{
    *request = 1;
    asked.begun++;
    return MPI_SUCCESS;
}

static void note(void *begin, int count, int rank)
{
    cr_assert(count >= 0 && asked.pieces < PIECES);
    asked.piece[asked.pieces++] = (struct piece){begin, (size_t)count, rank};
}

int MPI_Init_thread(int *count, char ***words, int level_asked, int *level)
{
    (void)count, (void)words;
    *level = level_asked;
    return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm, (void)handler;
    return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *other)
{
    (void)comm;
    *other = LEAVING;
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = RANKS;
    return MPI_SUCCESS;
}

int MPI_Testall(int count, MPI_Request *request, int *done, MPI_Status *status)
{
    (void)count, (void)request, (void)status;
    asked.looked++;
    *done = !asked.silent;
    return MPI_SUCCESS;
}

int MPI_Iallgather(const void *own, int own_count, MPI_Datatype own_type, void *all, int count, MPI_Datatype type,
                   MPI_Comm comm, MPI_Request *request)
{
    (void)own, (void)own_type, (void)all, (void)type, (void)comm;
    cr_assert(count >= 0 && own_count == count);
    return start(request);
}

int MPI_Iallgatherv(const void *own, int own_count, MPI_Datatype own_type, void *all, const int *count,
                    const int *place, MPI_Datatype type, MPI_Comm comm, MPI_Request *request)
{
    (void)own, (void)own_count, (void)own_type, (void)type, (void)comm;
    for (int r = 0; r < RANKS; r++) {
        note((double *)all + place[r], count[r], r);
    }
    return start(request);
}

int MPI_Ibcast(void *array, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    (void)type, (void)comm;
    note(array, count, root);
    return start(request);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    asked.left_by = comm;
    return start(request);
}

int MPI_Irecv(void *in, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request)
{
    (void)in, (void)type, (void)rank, (void)tag, (void)comm;
    cr_assert(count > 0);
    return start(request);
}

int MPI_Isend(const void *out, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request)
{
    (void)out, (void)type, (void)rank, (void)tag, (void)comm;
    cr_assert(count > 0);
    return start(request);
}

int MPI_Finalize(void)
{
    asked.finished++;
    return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int status)
{
    (void)comm, (void)status;
    asked.aborted++;
    return MPI_SUCCESS;
}

static const struct ek_rank_peer peer = {.rank = 1, .sends = 1, .brings = 1};

// Requests something of each kind. Returns whether all of it came.
static bool ask_all(const struct ek_ranks *ranks)
{
    static double array[RANKS], in, out;
    static const size_t from[RANKS + 1] = {0, 1, 2};
    bool gathered = ranks->gather(ranks->context, &array[0], array, sizeof *array);
    bool collected = ranks->collect(ranks->context, array, from);
    bool exchanged = ranks->exchange(ranks->context, &peer, 1, &out, &in);
    cr_expect(gathered == collected && collected == exchanged);
    return gathered && collected && exchanged;
}

// If all ranks answer, the end is agreed on separately from the runs' results.
Test(messages, that_are_answered)
{
    const struct ek_ranks *ranks = evenkeel_mpi.begin(always);
    cr_assert(ranks && ranks->count == RANKS);
    cr_expect(ask_all(ranks));
    evenkeel_mpi.end(true);
    cr_expect(asked.finished == 1 && asked.aborted == 0);
    cr_expect_eq(asked.left_by, LEAVING);
}

// After a rank is given up, MPI must not work on the messages: it would write to memory that is freed.
Test(messages, that_are_not)
{
    const struct ek_ranks *ranks = evenkeel_mpi.begin(always);
    cr_assert(ranks);
    asked.silent = true;
    cr_expect_not(ranks->exchange(ranks->context, &peer, 1, (double[]){0.0}, (double[]){0.0}));
    unsigned begun = asked.begun, looked = asked.looked;
    asked.silent = false; // now they answer
    cr_expect_not(ask_all(ranks));
    evenkeel_mpi.end(true);
    cr_expect(asked.begun == begun && asked.looked == looked, "MPI went on %u times, with %u messages more",
              asked.looked - looked, asked.begun - begun);
    cr_expect(asked.finished == 0 && asked.aborted == 1);
}

// There are more words than an int can count. Each is requested once, from the rank that has it.
Test(messages, that_are_long)
{
    static double array[1]; // only its address is used
    const size_t from[RANKS + 1] = {0, 3000000000u, 7000000001u};
    const struct ek_ranks *ranks = evenkeel_mpi.begin(always);
    cr_assert(ranks);
    cr_expect(ranks->collect(ranks->context, array, from));
    uintptr_t at = (uintptr_t)array;
    for (unsigned i = 0; i < asked.pieces; i++) {
        cr_expect_eq((uintptr_t)asked.piece[i].begin, at);
        size_t word = (at - (uintptr_t)array) / sizeof *array;
        at += asked.piece[i].count * sizeof *array;
        cr_expect(asked.piece[i].rank == (word >= from[1]) &&
                  word + asked.piece[i].count <= from[asked.piece[i].rank + 1]);
    }
    cr_expect_eq((at - (uintptr_t)array) / sizeof *array, from[RANKS]);
    asked.begun = 0;
    cr_expect_not(ranks->gather(ranks->context, array, array, 3000000000u));
    cr_expect_eq(asked.begun, 0);
    evenkeel_mpi.end(true);
}
