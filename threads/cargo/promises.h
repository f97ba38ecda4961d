// SPDX-License-Identifier: MIT
// The promises of a program that was registered from outside: its numbers are within their limits, and it answers the
// same when it is asked again. A worker checks the answer of each task that it executes.
#ifndef THREADS_CARGO_PROMISES_H
#define THREADS_CARGO_PROMISES_H

#include "threads/cargo/tasks.h"

// The program's answer to the execution of a task.
struct cargo_answer {
    const struct ek_execution *seen;
    int64_t best; // the best value before
    uint32_t processor;
    uint64_t children;
    uint64_t print; // of the children: the sum of print(i) * CARGO_ANSWER_FACTOR^i, with child 0 the oldest
};

#define CARGO_ANSWER_FACTOR 0xD1342543DE82EF95u

// The limits that hold for each task, and how often the program is asked again.
void cargo_promises_plan(struct cargo_tasks *tasks, const struct machine_plan *machine);

// Checks the answer. Returns false with `error` filled if a promise is broken.
bool cargo_promises_hold(const struct cargo_worker *worker, const struct core_task *task,
                         const struct cargo_answer *answer, struct ek_error *error);

#endif
