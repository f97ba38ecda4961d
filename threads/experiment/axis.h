// SPDX-License-Identifier: MIT
// The axes of experiments: one row each (axes.c).
#ifndef THREADS_EXPERIMENT_AXIS_H
#define THREADS_EXPERIMENT_AXIS_H

#include <string.h>

#include "threads/machine/machine.h"

struct experiment_axis {
    struct ek_axis face;
    const struct ek_choice *names;                   // the names that a value can be, then {NULL}; NULL: no names
    const struct ek_choice *(*choice)(size_t index); // the forms that a spec can have; else NULL

    bool on_topology; // the axis is the topology, or is read after the topology has been made

    const struct core_link_rule *link; // the rule of links that the axis sets; NULL: none
    enum core_cost cost;               // the cost that the axis sets; CORE_COST_NONE: none

    // Reads a spec into the plan: the given one, or the default, or NULL if there is no default. All axes before this
    // one have been read. Axes that are not `on_topology` are read before those that are. `read` is NULL if the axis
    // sets a rule of links or a cost, or if it is a number, which stays in plan->experiment->
    bool (*read)(struct machine_plan *plan, const char *spec, struct ek_error *error);

    // Writes the effective value of the axis. `write` is NULL if that is always the given value or the default.
    void (*write)(const struct machine_plan *plan, char *text, size_t size);
};

// Returns row `index`, or NULL past the last.
const struct experiment_axis *experiment_axis_at(size_t index);

// Reads all axes of the machine's experiment.
bool experiment_axes_read(struct ek_machine *machine, struct ek_error *error);

// Returns the default of an axis of text in the timing of the plan, or NULL if there is none.
const char *experiment_axis_initial(const struct machine_plan *plan, const struct ek_axis *axis);

// Returns the spec that was given for an axis of text, or else the default.
const char *experiment_axis_spec(const struct machine_plan *plan, const char *option);

// Reads an axis of text once more, with the spec that the method wants, if the user gave none. If `spec` is "", the
// axis keeps its default.
bool experiment_axis_settle(struct ek_machine *machine, const char *option, const char *spec, struct ek_error *error);

// Writes the effective values as text, after everything else has been settled.
bool experiment_axes_write(struct ek_machine *machine, struct ek_error *error);

// Sets the texts and arrays of an experiment to NULL: they belong to the caller of ek_prepare.
void experiment_axes_forget(struct ek_experiment *experiment);

// Readers and writers of the rows, by option.
typedef bool experiment_axis_read(struct machine_plan *plan, const char *spec, struct ek_error *error);
experiment_axis_read experiment_read_topology, experiment_read_method, experiment_read_units, experiment_read_tasks,
    experiment_read_detect, experiment_read_give, experiment_read_ports, experiment_read_timing, experiment_read_clock,
    experiment_read_invoke, experiment_read_load, experiment_read_work, experiment_read_demand, experiment_read_working,
    experiment_read_capacity, experiment_read_weighting, experiment_read_delay, experiment_read_domains,
    experiment_read_slow, experiment_read_faults, experiment_read_stop, experiment_read_carrier,
    experiment_read_mailbox, experiment_read_barrier, experiment_read_order, experiment_read_window,
    experiment_read_announce, experiment_read_delay_load, experiment_read_host, experiment_read_within,
    experiment_read_rounding, experiment_read_objects, experiment_read_phase, experiment_read_choose,
    experiment_read_remainder, experiment_read_migrate;

typedef void experiment_axis_write(const struct machine_plan *plan, char *text, size_t size);
experiment_axis_write experiment_write_units, experiment_write_demand, experiment_write_stop, experiment_write_carrier,
    experiment_write_mailbox, experiment_write_barrier;

// Returns whether the load consists of objects, or of tasks.
static inline bool experiment_has_objects(const struct ek_experiment *experiment)
{
    return experiment->objects && strcmp(experiment->objects, "none") != 0;
}

static inline bool experiment_has_tasks(const struct ek_experiment *experiment)
{
    return experiment->tasks && strcmp(experiment->tasks, "none") != 0;
}

// Checks that the experiment asks for nothing that a machine with objects cannot do.
bool experiment_check_objects(const struct machine_plan *plan, struct ek_error *error);

// Checks that the method, whose plan is made, can move objects.
bool experiment_check_objects_method(const struct machine_plan *plan, struct ek_error *error);

// Frees the objects of a plan.
void experiment_objects_destroy(struct machine_plan *plan);

// Reads a spec that is one of these names. `what` says in errors what the names stand for.
bool experiment_read_name(const char *axis, const char *what, const char *spec, const struct ek_choice *names,
                          size_t *index, struct ek_error *error);

// The names of the axes whose values are names.
extern const struct ek_choice experiment_demand_names[], experiment_detect_names[], experiment_give_names[],
    experiment_working_names[], experiment_units_names[], experiment_ports_names[], experiment_domains_names[],
    experiment_clock_names[], experiment_weighting_names[], experiment_order_names[], experiment_announce_names[],
    experiment_phase_names[], experiment_remainder_names[], experiment_migrate_names[];

#endif
