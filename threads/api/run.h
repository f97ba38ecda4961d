// SPDX-License-Identifier: MIT
// Runs. A machine is prepared from an experiment once, and run any number of times. Part of <evenkeel.h>.
#ifndef EK_RUN_H
#define EK_RUN_H

#include "threads/api/experiment.h"
#include "threads/api/prepared.h"
#include "threads/api/report.h"

// Reads and checks an experiment, builds the topology, and checks that the system has the threads and the memory for a
// run. Starts nothing. Returns NULL with `error` filled on failure.
EK_API struct ek_machine *ek_prepare_sized(const struct ek_experiment *experiment, size_t size, struct ek_error *error);
static inline struct ek_machine *ek_prepare(const struct ek_experiment *experiment, struct ek_error *error)
{
    return ek_prepare_sized(experiment, sizeof *experiment, error);
}

// Runs run `run` (from 0) of the experiment and blocks until it ends. Calls `progress`, unless it is NULL, about ten
// times a second from this thread. Fills the report, and returns
//  * EK_OK if the run converged, or ended as the user wanted,
//  * EK_UNREACHED if it ended before its criterion was reached,
//  * another status with `error` filled.
EK_API enum ek_status ek_run_sized(struct ek_machine *machine, uint64_t run, struct ek_report *report, size_t size,
                                   void (*progress)(void *context, const struct ek_progress *so_far), void *context,
                                   struct ek_error *error);
static inline enum ek_status ek_run(struct ek_machine *machine, uint64_t run, struct ek_report *report,
                                    void (*progress)(void *context, const struct ek_progress *so_far), void *context,
                                    struct ek_error *error)
{
    return ek_run_sized(machine, run, report, sizeof *report, progress, context, error);
}

#endif
