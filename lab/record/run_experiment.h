// SPDX-License-Identifier: MIT
// An experiment run as often as asked, into a record: the one way in which anybody runs anything.
#ifndef LAB_RECORD_RUN_EXPERIMENT_H
#define LAB_RECORD_RUN_EXPERIMENT_H

#include "lab/record/record.h"

struct lab_run_request {
    struct ek_experiment experiment; // with what is to be kept of each run
    uint64_t runs;
    const char *command; // for the record
    bool theory;         // the record has what is known beforehand

    // Loads and traces are kept of so many runs, the first ones; all where this is UINT64_MAX.
    uint64_t loads_kept, traces_kept;

    // Who is asked, if not NULL, whether this prepared machine will do; `error` where not.
    bool (*on_prepared)(void *context, const struct ek_machine *machine, struct ek_error *error);

    // Who is told, if not NULL, some ten times a second how far run `run` is; and who is asked, as often and between
    // runs, whether the one under way is to end and those that are left are not to be made.
    void (*on_progress)(void *context, uint64_t run, const struct ek_progress *so_far);
    bool (*stopped)(void);

    // Who is told, if not NULL, that the record has one run more, its last. False and `error`: no more are to be made.
    bool (*on_run)(void *context, const struct lab_record *record, struct ek_error *error);
    void *context; // of on_prepared, progress and made
};

// Prepares and runs, until all runs are done, one is stuck or violates an invariant (it is the record's last), one
// cannot be carried, or `stopped`. Returns the worst status of all runs: EK_OK, EK_UNREACHED (also where not all were
// made), EK_STUCK, EK_VIOLATION or EK_BAD_INPUT, with `error` for the last three. The record has the runs that were
// made, and is to be destroyed; without any (record->count is 0) there is none.
enum ek_status lab_run(const struct lab_run_request *request, struct lab_record *record, struct ek_error *error);

// The same on a machine that was prepared from the order's experiment, or given its seed, and stays the caller's.
enum ek_status lab_run_on(const struct lab_run_request *request, struct ek_machine *machine, struct lab_record *record,
                          struct ek_error *error);

#endif
