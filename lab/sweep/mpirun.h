// SPDX-License-Identifier: MIT
// Runs that ranks of MPI carry: each by an mpirun of its own, which runs this command, and whose record is read back.
#ifndef LAB_SWEEP_MPIRUN_H
#define LAB_SWEEP_MPIRUN_H

#include "lab/record/run_experiment.h"

// How many ranks this carrier says, as mpi:4 does; 0 where it is another, or leaves that to mpirun.
unsigned lab_ranks_of_carrier(const char *carrier);

// As lab_run, of one run: `request->command` is what is run, and of its experiment only what is to be kept is looked
// at.
enum ek_status lab_ranks_run(const struct lab_run_request *request, unsigned ranks, struct lab_record *record,
                             struct ek_error *error);

#endif
