// SPDX-License-Identifier: MIT
#include "lab/sweep/grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "threads/api/experiment.h"

static bool is_seed(size_t axis)
{
    return strcmp(ek_axis_at(axis)->option, "seed") == 0;
}

static size_t find_axis(const char *name, size_t length)
{
    size_t i = 0;
    while (ek_axis_at(i) &&
           (strncmp(ek_axis_at(i)->option, name, length) != 0 || ek_axis_at(i)->option[length] != '\0')) {
        i++;
    }
    return i;
}

// Zips the axes of one group: their leader is the first of them in the order of all axes.
static bool tie(struct lab_grid *grid, const char *zip, size_t from, size_t to, struct ek_error *error)
{
    size_t member[EK_AXES_MAX], members = 0, leader = EK_AXES_MAX;
    for (size_t at = from; at < to;) {
        size_t length = strcspn(zip + at, ",/");
        size_t axis = find_axis(zip + at, length);
        if (!ek_axis_at(axis) || is_seed(axis) || grid->values[axis].count == 0) {
            return base_fail_at(error, "zip", at, "--zip takes axes with lists of values, as in topology,load");
        }
        if (grid->leader[axis] != axis || members == EK_AXES_MAX) {
            return base_fail_at(error, "zip", at, "--zip names %s twice: remove one", ek_axis_at(axis)->option);
        }
        grid->leader[axis] = EK_AXES_MAX; // marks it as used
        member[members++] = axis;
        leader = axis < leader ? axis : leader;
        if (grid->values[axis].count != grid->values[member[0]].count) {
            return base_fail_at(error, "zip", at,
                                "%s and %s are zipped but have different numbers of values: give both equally many",
                                ek_axis_at(member[0])->option, ek_axis_at(axis)->option);
        }
        at += length + 1;
    }
    for (size_t i = 0; i < members; i++) {
        grid->leader[member[i]] = leader;
    }
    return members > 1 || base_fail_at(error, "zip", from, "--zip takes two axes or more, as in topology,load");
}

static bool tie_all(struct lab_grid *grid, const char *zip, struct ek_error *error)
{
    for (size_t i = 0; i < EK_AXES_MAX; i++) {
        grid->leader[i] = i;
    }
    bool good = true;
    for (size_t at = 0; good && zip && at <= strlen(zip);) {
        size_t length = strcspn(zip + at, "/");
        good = tie(grid, zip, at, at + length, error);
        at += length + 1;
    }
    if (!good) {
        base_error_show(error, zip);
    }
    return good;
}

static bool read_seeds(struct lab_grid *grid, size_t axis, const char *text, struct ek_error *error)
{
    struct lab_values values;
    if (!lab_values_read(&values, ek_axis_at(axis), text, error)) {
        return false;
    }
    grid->seed = malloc(values.count * sizeof *grid->seed);
    for (size_t i = 0; grid->seed && i < values.count; i++) {
        struct ek_experiment experiment;
        bool number = ek_axis_set(ek_axis_at(axis), &experiment, values.text[i], error);
        assert(number); // lab_values_read has checked it
        (void)number;
        grid->seed[i] = experiment.seed;
    }
    grid->seeds = values.count;
    lab_values_destroy(&values);
    return grid->seed || base_refuse(error, "there is no memory for so many seeds: give fewer");
}

static bool read_all(struct lab_grid *grid, const char *const given[EK_AXES_MAX], struct ek_error *error)
{
    bool good = true;
    for (size_t i = 0; good && ek_axis_at(i); i++) {
        if (is_seed(i)) {
            good = read_seeds(grid, i, given[i] ? given[i] : ek_axis_at(i)->initial, error);
        } else if (given[i]) {
            good = lab_values_read(&grid->values[i], ek_axis_at(i), given[i], error);
        }
    }
    return good;
}

// Returns an axis' number of own steps. A zipped axis that is not the leader has one.
static size_t steps_of(const struct lab_grid *grid, size_t axis)
{
    return grid->leader[axis] == axis && grid->values[axis].count > 0 ? grid->values[axis].count : 1;
}

static bool count_experiments(struct lab_grid *grid, struct ek_error *error)
{
    grid->experiments = 1;
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (steps_of(grid, i) > LAB_EXPERIMENTS_MAX / grid->experiments) {
            return base_refuse(
                error, "this has more than %d combinations: give fewer values, or divide it into several sweeps",
                LAB_EXPERIMENTS_MAX);
        }
        grid->experiments *= steps_of(grid, i);
    }
    return true;
}

bool lab_grid_read(struct lab_grid *grid, const char *const given[EK_AXES_MAX], const char *zip, struct ek_error *error)
{
    *grid = (struct lab_grid){0};
    if (read_all(grid, given, error) && tie_all(grid, zip, error) && count_experiments(grid, error)) {
        return true;
    }
    lab_grid_destroy(grid);
    return false;
}

void lab_grid_destroy(struct lab_grid *grid)
{
    for (size_t i = 0; i < EK_AXES_MAX; i++) {
        lab_values_destroy(&grid->values[i]);
    }
    free(grid->seed);
    *grid = (struct lab_grid){0};
}

struct lab_experiment_spec lab_grid_experiment(const struct lab_grid *grid, size_t index)
{
    assert(index < grid->experiments);
    size_t step[EK_AXES_MAX], axes = 0;
    while (ek_axis_at(axes)) {
        axes++;
    }
    for (size_t i = axes; i-- > 0;) {
        step[i] = index % steps_of(grid, i);
        index /= steps_of(grid, i);
    }
    struct lab_experiment_spec spec = {.plugin = grid->plugin};
    for (size_t i = 0; i < axes; i++) {
        spec.text[i] = grid->values[i].count > 0 ? grid->values[i].text[step[grid->leader[i]]] : NULL;
    }
    return spec;
}
