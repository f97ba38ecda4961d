// SPDX-License-Identifier: MIT
// Runs on ranks of MPI. Each run starts this command with mpirun, and reads back the record that the command writes.
#ifndef LAB_SWEEP_MPIRUN_H
#define LAB_SWEEP_MPIRUN_H

#include "lab/record/run_experiment.h"

// Returns the number of ranks that a carrier names, as mpi:4 does; 0 for any other carrier.
unsigned lab_ranks_of_carrier(const char *carrier);

// Makes one run, as lab_run does. The ranks run `request->command`; the request's experiment only says what the report
// keeps.
enum ek_status lab_ranks_run(const struct lab_run_request *request, unsigned ranks, struct lab_record *record,
                             struct ek_error *error);

#endif
