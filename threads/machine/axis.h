// SPDX-License-Identifier: MIT
// The axes of experiments as the machine reads them: one row an axis (axes.c).
#ifndef THREADS_MACHINE_AXIS_H
#define THREADS_MACHINE_AXIS_H

#include "threads/machine/machine.h"

struct machine_axis {
    struct ek_axis face;
    const struct ek_choice *names;                   // a value is one of these names, the last has none; else NULL
    const struct ek_choice *(*choice)(size_t index); // the forms that a spec can have; else NULL

    bool on_topology; // it is the topology, or what is read when that is there

    const struct core_link_rule *link; // it sets this rule of links; else NULL

    // Reads the spec, as asked for or the default (NULL where there is none), into the machine, in which all axes
    // before it have been read; those that are not `on_topology` are before those that are. NULL: it sets a rule of
    // links, or is a number and stays in machine->experiment.
    bool (*read)(struct ek_machine *machine, const char *spec, struct ek_error *error);

    // Writes the effective value of a prepared machine. NULL: what was asked for, or the default.
    void (*write)(const struct ek_machine *machine, char *text, size_t size);
};

// Row `index`, or NULL past the last.
const struct machine_axis *machine_axis_at(size_t index);

// Reads all axes of machine->experiment. And, after everything else is settled, writes down their effective values.
bool machine_axes_read(struct ek_machine *machine, struct ek_error *error);
bool machine_axes_write(struct ek_machine *machine, struct ek_error *error);
// Reads an axis of texts that the user left open once more, as the method is made for it; `spec`, "" for the usual
// default, must stay alive with the machine.
bool machine_axis_settle(struct ek_machine *machine, const char *option, const char *spec, struct ek_error *error);
void machine_axes_destroy(struct ek_machine *machine);

// Readers and writers of the rows, by option.
typedef bool machine_axis_read(struct ek_machine *machine, const char *spec, struct ek_error *error);
machine_axis_read machine_read_topology, machine_read_method, machine_read_units, machine_read_ports,
    machine_read_timing, machine_read_clock, machine_read_invoke, machine_read_load, machine_read_work,
    machine_read_demand, machine_read_working, machine_read_capacity, machine_read_weighting, machine_read_delay,
    machine_read_domains, machine_read_slow, machine_read_faults, machine_read_stop, machine_read_carrier,
    machine_read_mailbox, machine_read_barrier, machine_read_order, machine_read_window, machine_read_announce;

typedef void machine_axis_write(const struct ek_machine *machine, char *text, size_t size);
machine_axis_write machine_write_units, machine_write_demand, machine_write_stop, machine_write_carrier,
    machine_write_mailbox, machine_write_barrier;

// The names that the axes of names can have.
extern const struct ek_choice machine_demand_names[], machine_working_names[], machine_units_names[],
    machine_ports_names[], machine_domains_names[], machine_clock_names[], machine_weighting_names[],
    machine_order_names[], machine_announce_names[];

#endif
