// SPDX-License-Identifier: MIT
// A grid of experiments. Each axis may have a list of values, and the grid has an experiment for each combination.
// Zipped axes advance together: all have their first value, then all their second, and so on.
#ifndef LAB_SWEEP_GRID_H
#define LAB_SWEEP_GRID_H

#include "lab/sweep/experiment_spec.h"
#include "lab/sweep/values.h"

enum { LAB_EXPERIMENTS_MAX = 1000000 };

struct lab_grid {
    struct lab_values values[EK_AXES_MAX]; // of each axis but the seed; none if it was not given
    size_t leader[EK_AXES_MAX];            // the first of the axes it is zipped with, or the axis itself
    size_t experiments;
    uint64_t *seed; // [seeds]: each experiment runs with each of these
    size_t seeds;
    const char *plugin; // the plugins of all experiments; the caller sets it
    unsigned parts;     // what the store keeps besides the numbers (LAB_KEEP_RECORD, ...); the caller sets it
};

// Makes a grid from a text or NULL for each axis. `zip` names the zipped axes, as in "topology,load/method,delay" for
// two groups, or is NULL. If it returns false, there is nothing to destroy.
bool lab_grid_read(struct lab_grid *grid, const char *const given[EK_AXES_MAX], const char *zip,
                   struct ek_error *error);
void lab_grid_destroy(struct lab_grid *grid);

// Returns experiment `index`. The first axis changes slowest. The texts are the grid's.
struct lab_experiment_spec lab_grid_experiment(const struct lab_grid *grid, size_t index);

#endif
