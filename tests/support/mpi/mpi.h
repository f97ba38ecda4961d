// SPDX-License-Identifier: MIT
// The parts of MPI that cli/mpi/mpi_ranks.c uses, for tests/unit/cli/test_mpi_ranks.c, which implements them. The
// test needs no MPI and tries what no small computer has memory for.
#ifndef TESTS_MPI_H
#define TESTS_MPI_H

typedef int MPI_Comm, MPI_Datatype, MPI_Errhandler, MPI_Request, MPI_Status;

enum { MPI_SUCCESS, MPI_ERR_OTHER };
enum { MPI_COMM_WORLD = 1 };
enum { MPI_DATATYPE_NULL, MPI_BYTE, MPI_DOUBLE };
enum { MPI_ERRORS_RETURN };
enum { MPI_THREAD_SINGLE, MPI_THREAD_SERIALIZED };
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)

int MPI_Init_thread(int *count, char ***words, int asked, int *level);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *other);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Testall(int count, MPI_Request *request, int *done, MPI_Status *status);
int MPI_Iallgather(const void *own, int own_count, MPI_Datatype own_type, void *all, int count, MPI_Datatype type,
                   MPI_Comm comm, MPI_Request *request);
int MPI_Iallgatherv(const void *own, int own_count, MPI_Datatype own_type, void *all, const int *count,
                    const int *place, MPI_Datatype type, MPI_Comm comm, MPI_Request *request);
int MPI_Ibcast(void *array, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int MPI_Irecv(void *in, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Isend(const void *out, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int status);

#endif
