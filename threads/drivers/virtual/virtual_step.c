// SPDX-License-Identifier: MIT
// A run turn by turn.
#include "threads/drivers/virtual/virtual_step.h"

#include "threads/drivers/virtual/virtual_turn.h"
#include "threads/drivers/virtual/window_end.h"
#include "threads/drivers/virtual/wires.h"

// Returns the worker with the earliest turn. Workers have blocks of processors, in the order of both.
static struct virtual_worker *earliest_worker(struct virtual_machine *machine)
{
    struct virtual_worker *earliest = &machine->worker[0];
    for (unsigned w = 1; w < machine->run->machine->workers; w++) {
        struct virtual_worker *own = &machine->worker[w];
        earliest = virtual_agenda_first(&own->agenda) < virtual_agenda_first(&earliest->agenda) ? own : earliest;
    }
    return earliest;
}

struct stepping {
    struct virtual_worker *own;
    uint32_t processor; // whose turn it was
};

static void visit(void *context, uint32_t place)
{
    struct stepping *stepping = context;
    stepping->processor = stepping->own->worker->begin + place;
    virtual_turn(stepping->own, stepping->processor);
}

bool virtual_step(struct virtual_machine *machine, uint32_t *processor, uint64_t *time)
{
    while (machine->marks.status == EK_REPLAY_TURN) {
        struct stepping stepping = {.own = earliest_worker(machine)};
        *time = virtual_agenda_first(&stepping.own->agenda);
        if (*time < machine->window.until) {
            if (virtual_marks_all_made(machine)) {
                return false;
            }
            virtual_agenda_step(&stepping.own->agenda, visit, &stepping);
            *processor = stepping.processor;
            return true;
        }
        if (machine->over) {
            virtual_marks_check_end(machine);
            return false;
        }
        virtual_window_end(machine);
        for (unsigned w = 0; w < machine->run->machine->workers; w++) {
            virtual_wires_deliver(&machine->worker[w], machine->window.parity ^ 1);
        }
    }
    return false;
}
