// SPDX-License-Identifier: MIT
// Sweeps: all runs of some grids, in processes of their own, into a store. A run that crashes or does not end costs
// itself alone. Each run is in the store as soon as it has ended: whoever starts a sweep that was killed, or that
// another process is at, makes only what is missing.
#ifndef LAB_SWEEP_SWEEP_H
#define LAB_SWEEP_SWEEP_H

#include "lab/sweep/plan.h"

// How far it is, for a progress line.
struct lab_sweep_progress {
    uint64_t runs, done; // to be made, and of them those that are over in whatever way
    double elapsed_s;
    double left_s; // NaN where it is not known yet
};

struct lab_sweep {
    struct lab_plan_request request;
    const char *store; // its path
    unsigned jobs;     // processes at once; 0: one a core, and one for runs that are to be alone
    double timeout_s;  // of a run; 0: none
    unsigned parts;    // LAB_WITH_FINAL, LAB_WITH_TRACE: what is kept beside the numbers

    // Who is told, if not NULL, about once a second; and who is asked, some 50 times a second, whether to end.
    void (*progress)(void *context, const struct lab_sweep_progress *so_far);
    bool (*stopped)(void);
    void *context;
};

// Why runs were not made: their line, what was wrong, and how many there were.
struct lab_trouble {
    char *command, *why;
    uint64_t runs;
};

struct lab_troubles {
    struct lab_trouble *of;
    size_t count;
};

// What became of it: runs = made + reused + refused + failed + left.
struct lab_sweep_result {
    uint64_t runs, ran, reused, refused, failed, left;
    uint64_t unreached, violated, stuck; // of those that ran
    double elapsed_s;
    unsigned jobs;
    bool interrupted;
    struct lab_troubles refusals; // a line a cell
    struct lab_troubles failures; // a line a run
    char (*key)[LAB_KEY_SIZE];    // [keys]: under which the store has the runs of this sweep
    size_t keys;
};

// Does it. False and `error` where it could not go on: what was made until then is in the store, and in `result`, which
// is to be destroyed in either case.
bool lab_sweep_run(const struct lab_sweep *sweep, struct lab_sweep_result *result, struct ek_error *error);
void lab_sweep_result_destroy(struct lab_sweep_result *result);

// What it would cost, by some runs of it, which are made for some seconds and not kept.
struct lab_sweep_cost {
    uint64_t runs, reused, refused; // all; what the store has; what is known to be refused
    uint64_t measured;              // runs
    double elapsed_s, bytes;        // NaN where none was measured
    unsigned jobs;
    struct lab_troubles refusals;
};
bool lab_sweep_measure(const struct lab_sweep *sweep, struct lab_sweep_cost *cost, struct ek_error *error);
void lab_troubles_destroy(struct lab_troubles *troubles);

#endif
