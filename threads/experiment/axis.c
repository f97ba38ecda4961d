// SPDX-License-Identifier: MIT
// Reads the axes of an experiment into a machine's plan, and writes the effective values as text.
#include "threads/experiment/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

// About 30 years. The nanoseconds of longer times would not fit an integer.
static const double SECONDS_MAX = 1e9;

static const void *field_of(const struct ek_axis *axis, const struct ek_experiment *experiment)
{
    return (const char *)experiment + axis->place;
}

// Returns the spec that the user gave for an axis of text, or NULL.
static const char *text_of(const struct ek_axis *axis, const struct ek_experiment *experiment)
{
    return *(const char *const *)field_of(axis, experiment);
}

// Returns the cost that the host sets as the default of an axis, or NULL. The axis `host` is read before the costs.
static const char *host_cost(const struct machine_plan *plan, const struct ek_axis *axis)
{
    const struct experiment_axis *row = (const struct experiment_axis *)axis; // `face` is the first member of a row
    const char *cost = row->cost != CORE_COST_NONE ? plan->host.cost[row->cost] : "";
    return *cost ? cost : NULL;
}

// The axis `timing` is read before all axes whose defaults depend on it.
const char *experiment_axis_initial(const struct machine_plan *plan, const struct ek_axis *axis)
{
    const struct machine_engine *engine = plan->engine;
    for (size_t i = 0; engine && engine->initial && engine->initial[i].axis; i++) {
        if (strcmp(engine->initial[i].axis, axis->option) == 0) {
            return engine->initial[i].value;
        }
    }
    if (plan->switches && strcmp(axis->option, "weighting") == 0) {
        return "target"; // a load cannot be divided by the capacity of a switch
    }
    const char *cost = host_cost(plan, axis);
    return cost ? cost : axis->initial;
}

// Returns the number of an axis of numbers; NaN for a text.
static double number_of(const struct ek_axis *axis, const struct ek_experiment *experiment)
{
    const void *field = field_of(axis, experiment);
    switch (axis->kind) {
    case EK_AXIS_WHOLE:
        return (double)*(const uint64_t *)field;
    case EK_AXIS_SECONDS:
    case EK_AXIS_SHARE:
        return *(const double *)field;
    case EK_AXIS_SWITCH:
        return *(const bool *)field;
    case EK_AXIS_TEXT:
        break;
    }
    return NAN;
}

// Returns whether the user gave another value than the default. A 0 counts as given only if the axis admits it.
static bool is_given(const struct ek_axis *axis, const struct machine_plan *plan)
{
    const struct ek_experiment *experiment = plan->experiment;
    if (axis->kind == EK_AXIS_TEXT) {
        const char *spec = text_of(axis, experiment);
        const char *initial = experiment_axis_initial(plan, axis);
        return spec && !(initial && strcmp(spec, initial) == 0);
    }
    double number = number_of(axis, experiment);
    bool zero_counts = axis->kind == EK_AXIS_WHOLE && axis->minimum == 0;
    return (number != 0.0 || zero_counts) && !(axis->initial && number == strtod(axis->initial, NULL));
}

// Checks a number that a program has filled in without ek_axis_set.
static bool check_number(const struct ek_axis *axis, const struct ek_experiment *experiment, struct ek_error *error)
{
    double number = number_of(axis, experiment);
    uint64_t whole;
    switch (axis->kind) {
    case EK_AXIS_WHOLE: // 0 is the default
        whole = *(const uint64_t *)field_of(axis, experiment);
        return whole == 0 || (whole >= axis->minimum && whole <= axis->maximum) ||
               base_fail_at(error, axis->option, 0, "%s is a whole number from %llu to %llu", axis->option,
                            (unsigned long long)axis->minimum, (unsigned long long)axis->maximum);
    case EK_AXIS_SECONDS:
        return (number >= 0.0 && number <= SECONDS_MAX) ||
               base_fail_at(error, axis->option, 0, "%s is a time above 0, of at most %g s", axis->option, SECONDS_MAX);
    case EK_AXIS_SHARE:
        return (number >= 0.0 && number <= 1.0) ||
               base_fail_at(error, axis->option, 0, "%s is a number from 0 to 1", axis->option);
    case EK_AXIS_TEXT:
    case EK_AXIS_SWITCH:
        break;
    }
    return true;
}

static bool read_axis(size_t index, struct ek_machine *machine, struct ek_error *error)
{
    const struct experiment_axis *row = experiment_axis_at(index);
    const struct ek_axis *axis = &row->face;
    struct machine_plan *plan = &machine->plan;
    machine->given[index] = is_given(axis, plan);
    plan->costs_given = plan->costs_given || (axis->role == EK_ROLE_COST && machine->given[index]);
    if (axis->kind != EK_AXIS_TEXT) {
        return check_number(axis, plan->experiment, error);
    }
    const char *spec = text_of(axis, plan->experiment);
    spec = spec ? spec : experiment_axis_initial(plan, axis);
    return row->link   ? core_link_read(&plan->links, row->link, axis->option, spec, plan->units, error)
           : row->cost ? core_cost_read(&plan->links.costs, row->cost, axis->option, spec, error)
                       : row->read(plan, spec, error);
}

static bool read_axes(struct ek_machine *machine, bool on_topology, struct ek_error *error)
{
    for (size_t i = 0; experiment_axis_at(i); i++) {
        if (experiment_axis_at(i)->on_topology == on_topology && !read_axis(i, machine, error)) {
            return false;
        }
    }
    return true;
}

// Returns whether all axes that are read after the topology have their defaults, but for the load, which reads no
// links.
static bool leave_links_unread(const struct machine_plan *plan)
{
    bool none = true;
    for (size_t i = 0; experiment_axis_at(i); i++) {
        const struct experiment_axis *row = experiment_axis_at(i);
        bool reads = row->on_topology && row->read != experiment_read_topology && row->read != experiment_read_load;
        none = none && !(reads && is_given(&row->face, plan));
    }
    return none;
}

// The axes that determine the memory of a run are read before the topology, so that its budget can be checked first.
bool experiment_axes_read(struct ek_machine *machine, struct ek_error *error)
{
    if (!read_axes(machine, false, error) || !core_costs_check(&machine->plan.links.costs, error)) {
        return false;
    }
    machine->plan.links_unread = leave_links_unread(&machine->plan);
    if (!read_axes(machine, true, error)) {
        return false;
    }
    const struct machine_engine *engine = machine->plan.engine;
    for (size_t i = 0; experiment_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        if (machine->given[i] && !(axis->timings & engine->timing)) {
            return base_fail_at(error, axis->option, 0, "%s has no meaning with timing %s: %s", axis->option,
                                engine->choice.form, axis->otherwise);
        }
    }
    return true;
}

static size_t index_of(const char *option)
{
    size_t index = 0;
    while (strcmp(ek_axis_at(index)->option, option) != 0) {
        index++;
    }
    return index;
}

const char *experiment_axis_spec(const struct machine_plan *plan, const char *option)
{
    const struct ek_axis *axis = ek_axis_at(index_of(option));
    const char *spec = text_of(axis, plan->experiment);
    return spec ? spec : experiment_axis_initial(plan, axis);
}

bool experiment_axis_settle(struct ek_machine *machine, const char *option, const char *spec, struct ek_error *error)
{
    size_t index = index_of(option);
    const char **field = (const char **)field_of(ek_axis_at(index), machine->plan.experiment);
    if (*field || !*spec) {
        return true;
    }
    *field = spec;
    return read_axis(index, machine, error);
}

void experiment_axes_forget(struct ek_experiment *experiment)
{
    for (size_t i = 0; experiment_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        if (axis->kind == EK_AXIS_TEXT) {
            *(const char **)field_of(axis, experiment) = NULL;
        }
    }
    experiment->graph = NULL;
    experiment->loads = NULL;
}

// Writes a number as text; "" if it has no value.
static void write_number(const struct ek_axis *axis, const struct machine_plan *plan, char *text, size_t size)
{
    double number = number_of(axis, plan->experiment);
    bool absent = !(axis->timings & plan->engine->timing) || (number == 0.0 && !axis->initial);
    if (axis->kind == EK_AXIS_SWITCH) {
        snprintf(text, size, "%s", number != 0.0 ? "true" : "false");
    } else if (absent) {
        *text = '\0';
    } else if (axis->kind == EK_AXIS_WHOLE) {
        snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)field_of(axis, plan->experiment));
    } else {
        snprintf(text, size, "%.17g", number);
    }
}

// Returns an axis' effective value, written into `room` if it is not text already.
static const char *value_of(size_t index, const struct machine_plan *plan, char *room, size_t size)
{
    const struct ek_axis *axis = ek_axis_at(index);
    if (experiment_axis_at(index)->write) {
        experiment_axis_at(index)->write(plan, room, size);
    } else if (axis->kind == EK_AXIS_TEXT) {
        const char *spec = text_of(axis, plan->experiment);
        return spec ? spec : experiment_axis_initial(plan, axis);
    } else {
        write_number(axis, plan, room, size);
    }
    return room;
}

// All values share one allocation, because most have only a few letters.
bool experiment_axes_write(struct ek_machine *machine, struct ek_error *error)
{
    char room[64];
    size_t bytes = 0;
    for (size_t i = 0; experiment_axis_at(i); i++) {
        bytes += strlen(value_of(i, &machine->plan, room, sizeof room)) + 1;
    }
    machine->text = malloc(bytes);
    if (!machine->text) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for a machine");
    }
    char *end = machine->text;
    for (size_t i = 0; experiment_axis_at(i); i++) {
        machine->value[i] = end;
        end = stpcpy(end, value_of(i, &machine->plan, room, sizeof room)) + 1;
    }
    return true;
}
