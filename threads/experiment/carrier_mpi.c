// SPDX-License-Identifier: MIT
// The carrier `mpi`: ranks that each carry processors with one thread, for machines that are too large for one
// computer.
#include "threads/experiment/tables.h"
#include "threads/rounds/over_ranks/rounds_ranks.h"

// Returns the number of ranks that were started, which threads/machine/on_ranks.c stores in `asked`.
static unsigned workers(uint32_t processors, uint32_t shared, unsigned cores, unsigned asked)
{
    (void)shared;
    (void)cores;
    return asked < processors ? asked : processors;
}

const struct machine_carrier experiment_carrier_mpi = {
    .name = "mpi",
    .choice = {"mpi[:RANKS]",
               "the ranks that mpirun starts, with processors each; `doctor` says whether it was built in"},
    .workers = workers,
    .asked_max = 1 << 20,
    .ranks = true,
    .rounds = &rounds_ranks_transport,
};
