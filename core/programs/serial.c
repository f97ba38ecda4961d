// SPDX-License-Identifier: MIT
// Executes a program on one processor, newest task first. A run on many processors is compared with it.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/program.h"
#include "core/programs/program.h"

// The tasks that the processor holds, oldest first. In front of each stands the cost of the costliest path from a first
// task to its parent, as a uint64_t.
struct serial_machine {
    struct ek_execution execution; // first, so that serial_child finds the others
    const struct ek_program *program;
    const struct ek_problem *problem;
    struct ek_serial *serial;
    unsigned char *held;
    uint64_t count, room, room_most;
    size_t stride; // the bytes of a task and its path
    bool full;     // there was no memory for a task
};

static bool grow(struct serial_machine *machine)
{
    uint64_t more = machine->room == 0 ? 64 : 2 * machine->room;
    more = more < machine->room_most ? more : machine->room_most;
    unsigned char *held = more > machine->room ? realloc(machine->held, more * machine->stride) : NULL;
    if (!held) {
        machine->full = true;
        return false;
    }
    machine->held = held;
    machine->room = more;
    return true;
}

// Returns room for a task that is newer than all others, and sets its path to 0.
static void *serial_child(struct ek_execution *execution)
{
    struct serial_machine *machine = (struct serial_machine *)execution;
    if (machine->count == machine->room && !grow(machine)) {
        return NULL;
    }
    unsigned char *place = machine->held + machine->count++ * machine->stride;
    memset(place, 0, sizeof(uint64_t));
    return place + sizeof(uint64_t);
}

// Adds what the execution of a task returned. The children are the tasks from number `older` on; they get the path to
// their parent.
static bool add_execution(struct serial_machine *machine, uint64_t path, uint64_t older)
{
    struct ek_serial *serial = machine->serial;
    const struct ek_execution *execution = &machine->execution;
    path += execution->cost;
    for (uint64_t i = older; i < machine->count; i++) {
        memcpy(machine->held + i * machine->stride, &path, sizeof path);
    }
    serial->longest = path > serial->longest ? path : serial->longest;
    serial->most_held = machine->count > serial->most_held ? machine->count : serial->most_held;
    serial->executed++;
    serial->nodes += execution->dropped ? 0 : 1;
    return !__builtin_add_overflow(serial->cost, execution->cost, &serial->cost) &&
           !__builtin_add_overflow(serial->result, execution->result, &serial->result);
}

static bool execute_newest(struct serial_machine *machine)
{
    unsigned char task[EK_TASK_BYTES]; // a copy, since its children overwrite it
    uint64_t path;
    const unsigned char *newest = machine->held + --machine->count * machine->stride;
    uint64_t older = machine->count;
    memcpy(&path, newest, sizeof path);
    memcpy(task, newest + sizeof path, machine->problem->task_bytes);
    machine->execution.result = 0;
    machine->execution.cost = 1;
    machine->execution.dropped = false;
    machine->program->execute(machine->problem, task, &machine->execution);
    return add_execution(machine, path, older);
}

static bool execute_all(struct serial_machine *machine, uint64_t first, uint64_t tasks_most, struct ek_error *error)
{
    if (first > EK_FIRST_TASKS_MOST) {
        return base_fail(error, EK_BAD_INPUT, "tasks", "no more than 2^32 - 1 tasks can begin: use a smaller load");
    }
    for (uint64_t i = 0; i < first && !machine->full; i++) {
        void *task = serial_child(&machine->execution);
        if (task) {
            machine->program->begin(machine->problem, i, task);
        }
    }
    machine->serial->most_held = machine->count;
    while (machine->count > 0 && !machine->full) {
        if (machine->serial->executed == tasks_most) {
            return base_fail(error, EK_BAD_INPUT, "tasks",
                             "the problem has more than %llu tasks: choose a smaller one, or allow more tasks",
                             (unsigned long long)tasks_most);
        }
        if (!execute_newest(machine)) {
            return base_fail(
                error, EK_BAD_INPUT, "tasks",
                "the costs or the results of the tasks add up to more than 2^63: choose a smaller problem");
        }
    }
    return !machine->full ||
           base_fail(error, EK_BAD_INPUT, "tasks",
                     "one processor would hold more than %llu tasks, and there is no memory for more: choose a smaller "
                     "problem",
                     (unsigned long long)machine->count);
}

bool core_program_serial(const struct ek_program *program, const struct ek_problem *problem, uint64_t first,
                         uint64_t bytes_most, uint64_t tasks_most, struct ek_serial *serial, struct ek_error *error)
{
    size_t stride = sizeof(uint64_t) + problem->task_bytes;
    struct serial_machine machine = {
        .execution = {.best = problem->best, .child = serial_child},
        .program = program,
        .problem = problem,
        .serial = serial,
        .room_most = bytes_most / stride,
        .stride = stride,
    };
    *serial = (struct ek_serial){0};
    bool good = execute_all(&machine, first, tasks_most, error);
    free(machine.held);
    if (program->result == EK_RESULT_LEAST) {
        serial->result = machine.execution.best;
    }
    return good;
}
