// SPDX-License-Identifier: MIT
// From an experiment, axis by axis, to what a machine works with; and back to the effective values as text.
#include "threads/machine/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

// Some 30 years: what is longer is no time to wait for, and its nanoseconds would not fit.
static const double SECONDS_MAX = 1e9;

static const void *place_of(const struct ek_axis *axis, const struct ek_experiment *experiment)
{
    return (const char *)experiment + axis->place;
}

// The number of an axis of numbers; NaN for a text.
static double number_of(const struct ek_axis *axis, const struct ek_experiment *experiment)
{
    const void *place = place_of(axis, experiment);
    switch (axis->kind) {
    case EK_AXIS_WHOLE:
        return (double)*(const uint64_t *)place;
    case EK_AXIS_SECONDS:
    case EK_AXIS_SHARE:
        return *(const double *)place;
    case EK_AXIS_SWITCH:
        return *(const bool *)place;
    case EK_AXIS_TEXT:
        break;
    }
    return NAN;
}

// Whether the axis was given another value than its default: 0 is one only where a user may say it.
static bool is_given(const struct ek_axis *axis, const struct ek_experiment *experiment)
{
    if (axis->kind == EK_AXIS_TEXT) {
        const char *spec = *(const char *const *)place_of(axis, experiment);
        return spec && !(axis->initial && strcmp(spec, axis->initial) == 0);
    }
    double number = number_of(axis, experiment);
    bool zero_counts = axis->kind == EK_AXIS_WHOLE && axis->minimum == 0;
    return (number != 0.0 || zero_counts) && !(axis->initial && number == strtod(axis->initial, NULL));
}

// What ek_axis_set would not have let through, of a program that fills in the numbers itself.
static bool check_number(const struct ek_axis *axis, const struct ek_experiment *experiment, struct ek_error *error)
{
    double number = number_of(axis, experiment);
    uint64_t whole;
    switch (axis->kind) {
    case EK_AXIS_WHOLE: // 0 is the default
        whole = *(const uint64_t *)place_of(axis, experiment);
        return whole == 0 || (whole >= axis->minimum && whole <= axis->maximum) ||
               base_fail_at(error, axis->option, 0, "--%s is a whole number from %llu to %llu", axis->option,
                            (unsigned long long)axis->minimum, (unsigned long long)axis->maximum);
    case EK_AXIS_SECONDS:
        return (number >= 0.0 && number <= SECONDS_MAX) ||
               base_fail_at(error, axis->option, 0, "--%s is a time above 0, of at most %g s", axis->option,
                            SECONDS_MAX);
    case EK_AXIS_SHARE:
        return (number >= 0.0 && number <= 1.0) ||
               base_fail_at(error, axis->option, 0, "--%s is a number from 0 to 1", axis->option);
    case EK_AXIS_TEXT:
    case EK_AXIS_SWITCH:
        break;
    }
    return true;
}

static bool read_axis(size_t index, struct ek_machine *machine, struct ek_error *error)
{
    const struct machine_axis *row = machine_axis_at(index);
    const struct ek_axis *axis = &row->face;
    machine->given[index] = is_given(axis, &machine->experiment);
    if (!row->read && !row->link) {
        return check_number(axis, &machine->experiment, error);
    }
    const char *spec = *(const char *const *)place_of(axis, &machine->experiment);
    spec = spec ? spec : axis->initial;
    return row->link ? core_link_read(&machine->links, row->link, axis->option, spec, machine->units, error)
                     : row->read(machine, spec, error);
}

static bool read_axes(struct ek_machine *machine, bool on_topology, struct ek_error *error)
{
    for (size_t i = 0; machine_axis_at(i); i++) {
        if (machine_axis_at(i)->on_topology == on_topology && !read_axis(i, machine, error)) {
            return false;
        }
    }
    return true;
}

// The topology comes after what says how much memory a run on it takes.
bool machine_axes_read(struct ek_machine *machine, struct ek_error *error)
{
    if (!read_axes(machine, false, error) || !read_axes(machine, true, error)) {
        return false;
    }
    for (size_t i = 0; machine_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        if (machine->given[i] && !(axis->timings & machine->engine->timing)) {
            return base_fail_at(error, axis->option, 0, "--%s means nothing with --timing %s: %s", axis->option,
                                machine->engine->choice.form, axis->otherwise);
        }
    }
    return true;
}

bool machine_axis_settle(struct ek_machine *machine, const char *option, const char *spec, struct ek_error *error)
{
    size_t index = 0;
    while (strcmp(ek_axis_at(index)->option, option) != 0) {
        index++;
    }
    const char **place = (const char **)place_of(ek_axis_at(index), &machine->experiment);
    if (*place || !*spec) {
        return true;
    }
    *place = spec;
    return read_axis(index, machine, error);
}

// A number as text, "" where it has no value.
static void write_number(const struct ek_axis *axis, const struct ek_machine *machine, char *text, size_t size)
{
    double number = number_of(axis, &machine->experiment);
    bool absent = !(axis->timings & machine->engine->timing) || (number == 0.0 && !axis->initial);
    if (axis->kind == EK_AXIS_SWITCH) {
        snprintf(text, size, "%s", number != 0.0 ? "true" : "false");
    } else if (absent) {
        *text = '\0';
    } else if (axis->kind == EK_AXIS_WHOLE) {
        snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)place_of(axis, &machine->experiment));
    } else {
        snprintf(text, size, "%.17g", number);
    }
}

// An axis' effective value; `text` is room for it where it is not there already.
static const char *say(size_t index, const struct ek_machine *machine, char *text, size_t size)
{
    const struct ek_axis *axis = ek_axis_at(index);
    if (machine_axis_at(index)->write) {
        machine_axis_at(index)->write(machine, text, size);
    } else if (axis->kind == EK_AXIS_TEXT) {
        const char *spec = *(const char *const *)place_of(axis, &machine->experiment);
        return spec ? spec : axis->initial;
    } else {
        write_number(axis, machine, text, size);
    }
    return text;
}

// Most are a few letters: one piece of memory for all.
bool machine_axes_write(struct ek_machine *machine, struct ek_error *error)
{
    char text[64];
    size_t bytes = 0;
    for (size_t i = 0; machine_axis_at(i); i++) {
        bytes += strlen(say(i, machine, text, sizeof text)) + 1;
    }
    machine->words = malloc(bytes);
    if (!machine->words) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for a machine");
    }
    char *place = machine->words;
    for (size_t i = 0; machine_axis_at(i); i++) {
        machine->said[i] = place;
        place = stpcpy(place, say(i, machine, text, sizeof text)) + 1;
    }
    return true;
}

void machine_axes_destroy(struct ek_machine *machine)
{
    free(machine->words);
}
