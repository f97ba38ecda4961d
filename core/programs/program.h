// SPDX-License-Identifier: MIT
// Programs of tasks: the registry, and the execution of a whole problem on one processor.
#ifndef CORE_PROGRAMS_PROGRAM_H
#define CORE_PROGRAMS_PROGRAM_H

#include "base/common.h"

struct ek_problem;

const struct ek_program *core_program_at(size_t index);    // NULL past the last
const struct ek_choice *core_program_choice(size_t index); // as a list shows it; NULL past the last

// Returns whether the program was registered from outside. Then the machine checks what it promises.
bool core_program_is_registered(const struct ek_program *program);

// The counts of a single processor that executes the whole problem, newest task first (serial.c).
struct ek_serial {
    uint64_t executed, nodes; // tasks executed, and those of them that were not dropped
    uint64_t cost, longest;   // the cost of all tasks, and of the costliest path from a first task on
    int64_t result;
    uint64_t most_held;
};

// Executes the problem with `first` first tasks on one processor. Returns false with `error` filled if the tasks
// outgrow `bytes_most`, or if more than `tasks_most` are executed.
bool core_program_serial(const struct ek_program *program, const struct ek_problem *problem, uint64_t first,
                         uint64_t bytes_most, uint64_t tasks_most, struct ek_serial *serial, struct ek_error *error);

#endif
