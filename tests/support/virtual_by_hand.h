// SPDX-License-Identifier: MIT
// Virtual time by hand: a machine whose turns the test makes, in windows or by a queue of events.
#ifndef TESTS_VIRTUAL_BY_HAND_H
#define TESTS_VIRTUAL_BY_HAND_H

#include <criterion/criterion.h>

#include "tests/support/must.h"
#include "threads/drivers/virtual/virtual_engine.h"
#include "threads/drivers/virtual/virtual_turn.h"
#include "threads/drivers/virtual/window_end.h"
#include "threads/drivers/virtual/wires.h"
#include "threads/machine/machine.h"
#include "topologies/topology.h"

// Creates a run with one worker, in which no turn has been made. `prepared` must live as long.
static inline struct virtual_machine *virtual_create(struct ek_machine *prepared)
{
    struct ek_error error;
    struct virtual_machine *machine = virtual_engine.create(&prepared->plan, 0, &error);
    cr_assert(machine, "%s", error.sentence);
    return machine;
}

static inline bool virtual_is_over(const struct virtual_machine *machine)
{
    return machine->over;
}

static inline struct virtual_agenda *virtual_agenda_of(struct virtual_machine *machine)
{
    return &machine->worker[0].agenda;
}

// Returns the processor whose turn is the earliest one, of several the first.
static inline uint32_t virtual_earliest(struct virtual_machine *machine)
{
    const struct virtual_leaf *leaf = virtual_agenda_of(machine)->leaf;
    uint32_t earliest = 0;
    for (uint32_t p = 1; p < machine->run->topology->processors; p++) {
        earliest = leaf[p].next < leaf[earliest].next ? p : earliest;
    }
    return earliest;
}

// Makes all turns in the order of their times, and ends each window when the next turn belongs to another one. At most
// 64 processors, so that the agenda has one node.
static inline void virtual_run_by_queue(struct virtual_machine *machine)
{
    struct virtual_agenda *agenda = virtual_agenda_of(machine);
    cr_assert_eq(agenda->top, 1);
    while (!virtual_is_over(machine)) {
        uint32_t p = virtual_earliest(machine);
        if (agenda->leaf[p].next < machine->window.until) {
            virtual_turn(&machine->worker[0], p);
        } else {
            agenda->time[1][0] = agenda->leaf[p].next;
            virtual_window_end(machine);
        }
    }
}

// Runs in windows, as the engine does.
static inline void virtual_run_by_windows(struct virtual_machine *machine)
{
    virtual_engine.run_worker(machine, 0);
}

// Sets another length of windows, before the first turn.
static inline void virtual_set_lookahead(struct virtual_machine *machine, uint64_t lookahead_ns)
{
    machine->lookahead_ns = lookahead_ns;
    virtual_window_begin(machine);
}

// Reports, and destroys the run.
static inline enum ek_status virtual_end(struct virtual_machine *machine, struct ek_report *report,
                                         struct ek_error *error)
{
    enum ek_status status = virtual_engine.report(machine, report, error);
    virtual_engine.destroy(machine);
    return status;
}

#endif
