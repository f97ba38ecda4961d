// SPDX-License-Identifier: MIT
// The plan of a sweep: the runs of all its grids that its store lacks, in the order in which they are made.
#ifndef LAB_SWEEP_PLAN_H
#define LAB_SWEEP_PLAN_H

#include <stdatomic.h>

#include "lab/store/store.h"
#include "lab/sweep/grid.h"

enum { LAB_TASKS_MAX = 10000000 };

struct lab_plan_request {
    const struct lab_grid *grids; // [count]: experiments
    size_t count;
    struct ek_reader reader;
    uint64_t shard, shards; // this sweep makes every `shards`-th of all runs, beginning with number `shard` - 1
    bool again;             // repeat the runs that the store has
    uint64_t start;         // the run to begin with: sweeps on one store that begin at different runs share the work
};

// The results of an experiment, in memory that the processes share.
struct lab_outcome {
    _Atomic uint64_t runs, duration_ns; // runs made, and their total duration
    _Atomic uint64_t refused;           // runs that the machine refused
    char why[600];                      // the reason, if `refused` is not 0
};

struct lab_planned_experiment {
    const struct lab_grid *grid;
    size_t index; // of the experiment in its grid
    char key[LAB_KEY_SIZE];
    unsigned parts; // of all grids that have this experiment, as its runs are made once
    bool alone;     // its runs need the computer for themselves: they would disturb others, or be disturbed
};

// A run to be made.
struct lab_task {
    uint64_t seed;
    uint32_t experiment;
    bool skipped; // a worker died of it
};

struct lab_plan {
    struct lab_planned_experiment *experiment; // [experiments]
    struct lab_outcome *outcome;
    double *expected_s; // the expected duration of a run; lab_plan_expect uses it
    size_t experiments;

    // The tasks in their order: first those that may run side by side, then those that run alone. Each of the two
    // groups begins with one run of each of some experiments, which are spread over the whole plan. The durations of
    // these runs predict the durations of the others.
    struct lab_task *task;
    size_t together, alone;             // the number of tasks
    size_t together_first, alone_first; // the number of these that run first and predict
    uint64_t runs, reused, refused;     // all runs; of them those in the store, and those refused already
};

// Makes a plan. Returns false if the request is too large or the store fails; then there is nothing to destroy. The
// grids must stay alive. `store` is NULL if there is none yet.
bool lab_plan_make(struct lab_plan *plan, const struct lab_plan_request *request, struct lab_store *store,
                   struct ek_error *error);
void lab_plan_destroy(struct lab_plan *plan);

// Returns experiment `index` as it is run. If the carrier is not given and cannot influence the result, it is chosen so
// that many runs fit side by side.
struct lab_experiment_spec lab_plan_experiment(const struct lab_plan *plan, size_t index);

// Returns the expected duration of the tasks [from, to) in sequence, in seconds. The estimate for a task uses the
// completed runs of its experiment. If there are none, it uses those of the nearest measured experiment before, or else
// of the first measured one. NaN before any run is completed.
double lab_plan_expect(struct lab_plan *plan, size_t from, size_t to);

#endif
