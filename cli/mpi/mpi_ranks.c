// SPDX-License-Identifier: MIT
// Implements ranks by MPI. Divides general graphs by METIS, if METIS was present when this was built. Every wait polls
// MPI, so that the wait can be given up. MPI itself would wait forever for a rank that has died. (MPI's own waits poll
// too.)
#include "cli/mpi/mpi.h"
#include "threads/api/ranks.h"

#include <mpi.h>
#ifdef CLI_WITH_METIS
#include <metis.h>
#endif
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

// The times that other ranks have to answer, and to end, once an error is known. mpirun kills processes one second
// after it has asked them to end.
static const double PATIENCE_S = 0.3, END_S = 1.0;

static struct {
    struct ek_ranks ranks;
    bool (*stopped)(void);
    int *length, *place;  // by rank: a part of an array
    MPI_Request *request; // two for each rank
    MPI_Comm leaving;     // used only at the end, so that its messages cannot be mistaken for those of a run
    // A rank did not answer. Operations under way then never complete, and their memory may be reused soon: MPI must
    // not progress any more.
    bool lost;
} mpi;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Waits until all requests are complete. Returns false if `stopped` has been true for longer than `most_s`.
static bool wait_for(MPI_Request *request, int count, bool (*stopped)(void), double most_s)
{
    double end_s = 0.0;
    for (;;) {
        int done = 0;
        if (MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS) {
            return false;
        }
        if (done) {
            return true;
        }
        sched_yield(); // a worker of free timing may share this core
        if (stopped()) {
            end_s = end_s > 0.0 ? end_s : seconds() + most_s;
            if (seconds() > end_s) {
                return false;
            }
        }
    }
}

// Waits for requests if they could be started (`begun`). Returns whether they are complete. If not, marks the ranks as
// lost.
static bool is_done(int begun, MPI_Request *request, int count)
{
    mpi.lost = begun != MPI_SUCCESS || !wait_for(request, count, mpi.stopped, PATIENCE_S);
    return !mpi.lost;
}

static bool gather(void *context, const void *own, void *all, size_t bytes)
{
    (void)context;
    MPI_Request request;
    bool there = own == (char *)all + mpi.ranks.rank * bytes;
    return !mpi.lost && bytes <= INT_MAX && // MPI counts in int; messages here are far smaller
           is_done(MPI_Iallgather(there ? MPI_IN_PLACE : own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                                  MPI_COMM_WORLD, &request),
                   &request, 1);
}

// Collects an array whose length fits an int: all parts at once.
static bool collect_short(double *array, const size_t *from)
{
    MPI_Request request;
    for (unsigned r = 0; r < mpi.ranks.count; r++) {
        mpi.place[r] = (int)from[r];
        mpi.length[r] = (int)(from[r + 1] - from[r]);
    }
    return is_done(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, array, mpi.length, mpi.place, MPI_DOUBLE,
                                   MPI_COMM_WORLD, &request),
                   &request, 1);
}

// Collects a longer array: each rank broadcasts its part piece by piece.
static bool collect_long(double *array, const size_t *from)
{
    const size_t piece = 1u << 27; // doubles: one GiB
    for (unsigned r = 0; r < mpi.ranks.count; r++) {
        for (size_t at = from[r]; at < from[r + 1]; at += piece) {
            size_t left = from[r + 1] - at;
            MPI_Request request;
            int begun = MPI_Ibcast(array + at, (int)(left < piece ? left : piece), MPI_DOUBLE, (int)r, MPI_COMM_WORLD,
                                   &request);
            if (!is_done(begun, &request, 1)) {
                return false;
            }
        }
    }
    return true;
}

static bool collect(void *context, double *array, const size_t *from)
{
    (void)context;
    return !mpi.lost && (from[mpi.ranks.count] <= INT_MAX ? collect_short : collect_long)(array, from);
}

// The amounts fit an int: threads/machine/on_ranks.c refuses machines in which they would not.
static bool exchange(void *context, const struct ek_rank_peer *peer, size_t peers, const double *out, double *in)
{
    (void)context;
    int count = 0, begun = MPI_SUCCESS;
    for (size_t i = 0; !mpi.lost && begun == MPI_SUCCESS && i < peers; i++) {
        int rank = (int)peer[i].rank;
        if (peer[i].brings > 0) {
            begun = MPI_Irecv(in, (int)peer[i].brings, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &mpi.request[count++]);
        }
        if (peer[i].sends > 0 && begun == MPI_SUCCESS) {
            begun = MPI_Isend(out, (int)peer[i].sends, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &mpi.request[count++]);
        }
        in += peer[i].brings;
        out += peer[i].sends;
    }
    return !mpi.lost && is_done(begun, mpi.request, count);
}

#ifdef CLI_WITH_METIS
_Static_assert(sizeof(idx_t) == sizeof(int32_t), "METIS counts as struct ek_rank_graph does");

// METIS takes its inputs as pointers to non-const data, and always draws from the same seed.
static bool divide(void *context, const struct ek_rank_graph *graph, int32_t *part)
{
    (void)context;
    idx_t vertices = graph->vertices, parts = (idx_t)mpi.ranks.count, balances = 1, cut = 0;
    return METIS_PartGraphKway(&vertices, &balances, (idx_t *)graph->first, (idx_t *)graph->neighbour,
                               (idx_t *)graph->processors, NULL, (idx_t *)graph->links, &parts, NULL, NULL, NULL, &cut,
                               part) == METIS_OK;
}
#else
static bool (*const divide)(void *context, const struct ek_rank_graph *graph, int32_t *part) = NULL;
#endif

static const struct ek_ranks *begin(bool (*stopped)(void))
{
    int level = MPI_THREAD_SINGLE, rank = 0, count = 0;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi.leaving);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    mpi.stopped = stopped;
    mpi.length = calloc((size_t)count, sizeof *mpi.length);
    mpi.place = calloc((size_t)count, sizeof *mpi.place);
    mpi.request = calloc(2 * (size_t)count, sizeof *mpi.request);
    mpi.ranks = (struct ek_ranks){.rank = (unsigned)rank,
                                  .count = (unsigned)count,
                                  .gather = gather,
                                  .collect = collect,
                                  .exchange = exchange,
                                  .divide = divide};
    return level >= MPI_THREAD_SERIALIZED && mpi.length && mpi.place && mpi.request ? &mpi.ranks : NULL;
}

static bool always(void)
{
    return true;
}

// Waits for all ranks to leave. Returns whether they do.
static bool meet(bool good)
{
    MPI_Request request;
    return MPI_Ibarrier(mpi.leaving, &request) == MPI_SUCCESS &&
           wait_for(&request, 1, good ? mpi.stopped : always, END_S);
}

// Waits for END_S without MPI, so that the other ranks have as long to end as in `meet`.
static void let_speak(void)
{
    const struct timespec shortly = {.tv_nsec = 10000000};
    for (double end_s = seconds() + END_S; seconds() < end_s;) {
        nanosleep(&shortly, NULL); // a signal may cut it short
    }
}

static void end(bool good)
{
    if (mpi.lost) {
        let_speak();
    }
    if (!mpi.lost && meet(good)) {
        MPI_Finalize();
    } else {
        MPI_Abort(MPI_COMM_WORLD, EK_BAD_INPUT);
    }
    free(mpi.length);
    free(mpi.place);
    free(mpi.request);
}

const struct cli_mpi evenkeel_mpi = {.version = EK_VERSION, .begin = begin, .end = end};
