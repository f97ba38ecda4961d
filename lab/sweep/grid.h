// SPDX-License-Identifier: MIT
// A grid of experiments: every axis may have a list of values, and the grid has a cell for each combination of them.
// Axes that are zipped go together: the first values of all of them, then the second, and so on.
#ifndef LAB_SWEEP_GRID_H
#define LAB_SWEEP_GRID_H

#include "lab/sweep/experiment_spec.h"
#include "lab/sweep/values.h"

enum { LAB_EXPERIMENTS_MAX = 1000000 };

struct lab_grid {
    struct lab_values values[EK_AXES_MAX]; // of each axis but the seed; none where it was not given
    size_t leader[EK_AXES_MAX];            // the axis that it goes with: the first of those zipped, else itself
    size_t experiments;
    uint64_t *seed; // [seeds]: every cell is run with each of these
    size_t seeds;
    const char *plugin; // of every cell; NULL when it was read
};

// Reads what was given, a text or NULL for each axis. `zip` names the axes that go together, as in
// "topology,load/method,delay" for two such groups, or is NULL. False and `error` where there is something wrong; then
// there is nothing to be destroyed.
bool lab_grid_read(struct lab_grid *grid, const char *const given[EK_AXES_MAX], const char *zip,
                   struct ek_error *error);
void lab_grid_destroy(struct lab_grid *grid);

// Cell `index`: the first axis changes slowest. Its texts stay alive with the grid.
struct lab_experiment_spec lab_grid_experiment(const struct lab_grid *grid, size_t index);

#endif
