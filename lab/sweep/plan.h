// SPDX-License-Identifier: MIT
// What a sweep is to run: the runs of all its grids that its store does not have, in the order in which they are made.
#ifndef LAB_SWEEP_PLAN_H
#define LAB_SWEEP_PLAN_H

#include <stdatomic.h>

#include "lab/store/store.h"
#include "lab/sweep/grid.h"

enum { LAB_TASKS_MAX = 10000000 };

// What is asked for.
struct lab_plan_request {
    const struct lab_grid *grids; // [count]: experiments
    size_t count;
    struct ek_reader reader;
    uint64_t shard, shards; // of all runs every `shards`-th, from number `shard` - 1 on
    bool again;             // also what the store has
    uint64_t start; // where among its runs it begins: two sweeps on one store that begin elsewhere share the work
};

// What becomes of a cell, in memory that the processes share.
struct lab_outcome {
    _Atomic uint64_t runs, duration_ns; // that were made, and how long they took together
    _Atomic uint64_t refused;           // runs that the machine refused
    char why[600];                      // it did, where `refused` is not 0
};

struct lab_planned_experiment {
    const struct lab_grid *grid;
    size_t index; // of the cell in its grid
    char key[LAB_KEY_SIZE];
    bool alone; // its runs would disturb others, or be disturbed: they have the computer for themselves
};

// One run that is to be made.
struct lab_task {
    uint64_t seed;
    uint32_t experiment;
};

struct lab_plan {
    struct lab_planned_experiment *experiment; // [cells]
    struct lab_outcome *outcome;
    double *expected_s; // of a run; for lab_plan_expect
    size_t experiments;

    // First those that may run side by side, then those that are alone. Of both, first one run of some cells all over
    // the plan, which tell how long the others will take.
    struct lab_task *task;
    size_t together, alone;             // how many
    size_t together_first, alone_first; // of them those that tell
    uint64_t runs, reused, refused;     // all together; of them what the store has, and what was refused at once
};

// False and `error` where the request is too large, or the store fails; then there is nothing to be destroyed. The
// grids must stay alive. `store` is NULL where there is none yet.
bool lab_plan_make(struct lab_plan *plan, const struct lab_plan_request *request, struct lab_store *store,
                   struct ek_error *error);
void lab_plan_destroy(struct lab_plan *plan);

// Cell `index` as it is run: what it leaves open that the result does not depend on is settled so that many runs go
// well side by side.
struct lab_experiment_spec lab_plan_experiment(const struct lab_plan *plan, size_t index);

// How long the tasks [from, to) will take one after the other, in seconds, by the runs that were made so far of the
// same cells or, where there are none, of the measured cells before them in the plan; NaN where nothing was made yet.
double lab_plan_expect(struct lab_plan *plan, size_t from, size_t to);

#endif
