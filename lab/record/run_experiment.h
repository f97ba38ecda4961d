// SPDX-License-Identifier: MIT
// Runs an experiment as often as requested and collects the runs in a record. All runs of the project are made here.
#ifndef LAB_RECORD_RUN_EXPERIMENT_H
#define LAB_RECORD_RUN_EXPERIMENT_H

#include "lab/record/record.h"
#include "threads/api/experiment.h"

struct ek_progress;

struct lab_run_request {
    struct ek_experiment experiment; // the experiment, with what each report keeps
    uint64_t runs;
    const char *command; // the command line, for the record
    bool theory;         // the record gets the theoretical results

    // How many runs, from the first on, keep their loads, and how many keep their traces; UINT64_MAX: all.
    uint64_t loads_kept, traces_kept;

    // If not NULL, returns whether the prepared machine may run, and fills `error` if it may not.
    bool (*on_prepared)(void *context, const struct ek_machine *machine, struct ek_error *error);

    // If not NULL, on_progress is called about ten times a second with the progress of run `run`. `stopped` is called
    // equally often, and also between runs. If `stopped` returns true, the current run ends and no more follow.
    void (*on_progress)(void *context, uint64_t run, const struct ek_progress *so_far);
    bool (*stopped)(void);

    // If not NULL, called after a run under way was asked to end because `stopped` returned true.
    void (*on_stop)(void *context);

    // If not NULL, called after each run with the record. The record's last run is the new one. If on_run returns false
    // with an error, no more runs follow.
    bool (*on_run)(void *context, const struct lab_record *record, struct ek_error *error);
    void *context; // passed to on_prepared, on_progress, on_stop and on_run
};

// Prepares the machine and runs until (1) all runs are done, (2) a run is stuck or violates an invariant (it is the
// record's last), (3) a run cannot be carried out, or (4) `stopped` returns true. Returns the worst status of all runs:
// EK_OK, EK_UNREACHED (also if some runs are missing), EK_STUCK, EK_VIOLATION or EK_BAD_INPUT, with `error` for the
// last three. The record holds the completed runs and is to be destroyed. If there are none, record->count is 0 and
// nothing is to be destroyed.
enum ek_status lab_run(const struct lab_run_request *request, struct lab_record *record, struct ek_error *error);

// Does the same as lab_run on a machine that was prepared from the request's experiment, perhaps with another seed. The
// caller keeps the machine.
enum ek_status lab_run_on(const struct lab_run_request *request, struct ek_machine *machine, struct lab_record *record,
                          struct ek_error *error);

#endif
