// SPDX-License-Identifier: MIT
// What evenkeel-mpi.so has for the command: it alone is linked with MPI, and is opened where MPI is asked for, so that
// who does not need MPI does without it.
#ifndef CLI_MPI_MPI_H
#define CLI_MPI_MPI_H

#include "threads/api/run.h"

struct cli_mpi {
    const char *version; // EK_VERSION: it must be the command's

    // Joins the ranks that mpirun has started. When `stopped` has been true for a while and another rank still does not
    // answer, nobody waits for it any more. NULL where MPI does not let one thread after another speak, or there is no
    // memory.
    const struct ek_ranks *(*begin)(bool (*stopped)(void));

    // Leaves them, when all do. Where it is not `good` here, the others get a second: then all are ended.
    void (*end)(bool good);
};

// What the object exports.
extern EK_API const struct cli_mpi evenkeel_mpi;

#endif
