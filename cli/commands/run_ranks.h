// SPDX-License-Identifier: MIT
// Ranks of MPI. Under mpirun with --carrier mpi, this process is one of several ranks that carry out the same command.
// Only the first rank prints.
#ifndef CLI_COMMANDS_RUN_RANKS_H
#define CLI_COMMANDS_RUN_RANKS_H

#include "base/common.h"

// Silences standard output and standard error if this process is a rank other than the first, according to the
// environment that mpirun set. Returns whether it silenced them. Call this function before the command line is read,
// since otherwise all ranks report a mistake in it.
bool cli_ranks_silence(int count, char **words);

// Returns the exit status of a silenced process that did not join the other ranks. After a failure the function first
// waits, so that the first rank has time to report a mistake that all ranks share. Then it prints the name of this
// rank's host. If only this rank failed, the other ranks wait for it until mpirun sees its status and ends them.
enum ek_status cli_ranks_stay_behind(enum ek_status status);

// Joins the other ranks if `carrier` is mpi. Returns false with `error` filled if this evenkeel or this computer has no
// MPI.
bool cli_ranks_join(const char *carrier, struct ek_error *error);

// Returns whether cli_ranks_join has joined ranks.
bool cli_ranks_joined(void);

// Returns the ranks for an experiment, or NULL if there are none.
const struct ek_ranks *cli_ranks(void);

// Returns whether this process prints: it is the first rank, or there are no ranks.
bool cli_ranks_first(void);

// Leaves the other ranks with this rank's status.
void cli_ranks_leave(enum ek_status status);

// Returns whether this evenkeel was built with MPI.
bool cli_ranks_built(void);

#endif
