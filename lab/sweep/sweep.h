// SPDX-License-Identifier: MIT
// Sweeps: all runs of some grids, made by worker processes and kept in a store. A run that crashes or does not end
// affects no other run. Each run is stored as soon as it ends. So a sweep that continues a killed sweep, or that shares
// a store with another one, makes only the missing runs.
#ifndef LAB_SWEEP_SWEEP_H
#define LAB_SWEEP_SWEEP_H

#include "lab/sweep/plan.h"

// The progress of a sweep.
struct lab_sweep_progress {
    uint64_t runs, done; // runs to be made, and those that ended in any way
    double elapsed_s;
    double left_s; // NaN if it is not known yet
};

struct lab_sweep {
    struct lab_plan_request request;
    const char *store; // the path of the store
    unsigned jobs;     // worker processes; 0: one per core, or one for runs that need the computer for themselves
    double timeout_s;  // the time limit of a run; 0: none
    unsigned parts;    // what the store keeps besides the numbers, of all grids

    // If not NULL, `progress` is called about once a second. If not NULL, `stopped` is called about 50 times a second;
    // if it returns true, the sweep ends.
    void (*progress)(void *context, const struct lab_sweep_progress *so_far);
    bool (*stopped)(void);
    void *context;
};

// Runs that were not made: their command, the reason, and their number.
struct lab_trouble {
    char *command, *why;
    uint64_t runs;
};

struct lab_troubles {
    struct lab_trouble *of;
    size_t count;
};

// The result of a sweep: runs = ran + reused + refused + failed + left.
struct lab_sweep_result {
    uint64_t runs, ran, reused, refused, failed, left;
    uint64_t unreached, violated, stuck; // of the runs that were made
    double elapsed_s;
    unsigned jobs;
    bool interrupted;
    struct lab_troubles refusals; // one for each experiment
    struct lab_troubles failures; // one for each run
    char (*key)[LAB_KEY_SIZE];    // [keys]: the keys under which the store has this sweep's runs
    size_t keys;
};

// Makes the runs. Returns false if the sweep could not continue. The runs made until then are in the store. `result` is
// to be destroyed in either case.
bool lab_sweep_run(const struct lab_sweep *sweep, struct lab_sweep_result *result, struct ek_error *error);
void lab_sweep_result_destroy(struct lab_sweep_result *result);

// The expected cost of a sweep. It is estimated from a sample of the runs, which are made for some seconds and not
// kept.
struct lab_sweep_cost {
    uint64_t runs, reused, refused; // all runs; those in the store; those known to be refused
    uint64_t measured;              // the number of runs in the sample
    double elapsed_s, bytes;        // NaN if no run was measured
    unsigned jobs;
    struct lab_troubles refusals;
};
bool lab_sweep_measure(const struct lab_sweep *sweep, struct lab_sweep_cost *cost, struct ek_error *error);
void lab_troubles_destroy(struct lab_troubles *troubles);

#endif
