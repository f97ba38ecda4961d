// SPDX-License-Identifier: MIT
// The interface of evenkeel-mpi.so to the command. Only this object is linked with MPI. It is loaded if the user
// chooses MPI, so all other runs work without MPI.
#ifndef CLI_MPI_MPI_H
#define CLI_MPI_MPI_H

#include "threads/api/experiment.h"

struct cli_mpi {
    const char *version; // EK_VERSION; it must equal that of the command

    // Joins the ranks that mpirun has started. If a rank does not answer, the wait for it ends some time after
    // `stopped` has begun to return true. Returns NULL if MPI does not permit calls from one thread after another, or
    // if there is no memory.
    const struct ek_ranks *(*begin)(bool (*stopped)(void));

    // Leaves the ranks when all of them do. If `good` is false, the other ranks get a second to leave; then all
    // processes are aborted.
    void (*end)(bool good);
};

// The exported table.
extern EK_API const struct cli_mpi evenkeel_mpi;

#endif
