// SPDX-License-Identifier: MIT
// Ranks: under mpirun, with --carrier mpi, this process is one of several that do the same, and the first speaks for
// all.
#ifndef CLI_COMMANDS_RUN_RANKS_H
#define CLI_COMMANDS_RUN_RANKS_H

#include "threads/api/run.h"

// Silences a process that is not the first of its ranks, by what mpirun says of it: also before a command line has been
// understood, which is mostly wrong in all of them or in none. Whether it did.
bool cli_ranks_hush(int count, char **words);

// What such a process ends with that has not joined the others, and had this status. What went wrong in all, the first
// has time to say; where it is wrong here alone, for want of a file on this host perhaps, the others wait for this one,
// until mpirun sees its status and ends them.
enum ek_status cli_ranks_stay_behind(enum ek_status status);

// Joins the other ranks where `carrier` is mpi. False and `error` where this evenkeel or this computer has no MPI.
bool cli_ranks_join(const char *carrier, struct ek_error *error);

// Whether it ever did.
bool cli_ranks_joined(void);

// They, for an experiment; NULL where there are none.
const struct ek_ranks *cli_ranks(void);

// Whether this process speaks: there are no ranks, or it is the first.
bool cli_ranks_first(void);

// Leaves the others, with what came of it here.
void cli_ranks_leave(enum ek_status status);

// Whether this evenkeel was built with MPI.
bool cli_ranks_built(void);

#endif
