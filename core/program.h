// SPDX-License-Identifier: MIT
// The interface of a program: work that runs. Part of <evenkeel.h>.
//
// A program divides a problem into tasks, and the machine executes them. Executing a task takes a cost, and may create
// further tasks, its *children*. A program knows no processor and no thread: it is a pure function of the problem and
// of the task, but for the *best value* that a processor knows.
//
// A search program begins with one task, the root. A program of independent tasks begins with all its tasks, which the
// load places.
#ifndef EK_PROGRAM_H
#define EK_PROGRAM_H

#include "base/common.h"

enum { EK_TASK_BYTES = 64 }; // the largest size of a task

// How the results of the tasks combine.
enum ek_result {
    EK_RESULT_SUM,  // the result of the run is the sum of what the tasks return
    EK_RESULT_LEAST // the least value found. Processors tell one another the best value that they know
};

#define EK_NO_VALUE INT64_MAX          // no value has been found yet
#define EK_FIRST_TASKS_MOST UINT32_MAX // the most tasks at the begin

// The most that a task may cost if the number of tasks is not known. So the costs of all tasks fit into 63 bits.
#define EK_TASK_COST_MOST INT32_MAX

// One execution of a task, between the machine and the program.
struct ek_execution {
    int64_t best;   // EK_RESULT_LEAST: the best value that the processor knows; the program lowers it when it finds a
                    // better one. EK_NO_VALUE at first
    int64_t result; // EK_RESULT_SUM: what the task adds to the result; 0 at first
    uint64_t cost;  // the units of cost that the task takes; 1 at first, and set before the first child
    bool dropped;   // the program sets it if it drops the task, because the task cannot lead to a better value
    // Returns room for the next child, in the order of creation, or NULL if there is no memory. Then the program
    // returns at once. The room is not aligned, and not cleared.
    void *(*child)(struct ek_execution *execution);
    // The points of the problem's picture, in rows from the bottom; NULL if nobody keeps the picture. The task writes
    // the values of its own points, which no other task writes.
    uint32_t *picture;
};

// The experiment, as a program's `prepare` sees it.
struct ek_program_setting {
    const char *spec; // the whole value of --tasks
    size_t at;        // the place of the program's own part in it, after the name and a colon; the end if there is none
    struct ek_reader reader;
};

// The problem that `prepare` has read. The machine reads these fields; the program's own data follow them.
struct ek_problem {
    size_t task_bytes;      // the size of a task, from 1 to EK_TASK_BYTES
    uint64_t first_tasks;   // the number of tasks at the begin; 0: as many as the load places
    uint64_t children_most; // the most children of a task
    int64_t best;           // the best value that is known at the begin; EK_NO_VALUE: none
    uint32_t picture_width; // of the picture that the tasks compute, in points; 0: they compute none
    uint32_t picture_height;
    uint32_t picture_most; // the largest value of a point; a point that no task has computed is 0
};

// A program. All functions but `release` are required. The run's threads call `execute`, for several tasks at once.
struct ek_program {
    const char *name;        // "uts": at most 31 letters, digits and '-'
    struct ek_choice choice; // the form, as in "queens:N", and what it computes
    const char *source;      // the paper that defines it, or "" or NULL
    enum ek_result result;
    // Reads the spec. Returns NULL with `error` filled if it is wrong: a sentence, and `at`, the place in the spec.
    struct ek_problem *(*prepare)(const struct ek_program_setting *setting, struct ek_error *error);
    void (*release)(struct ek_problem *problem); // NULL: the problem is a single block of malloc, which is freed
    // Writes the first task number `index` (from 0) to `task`.
    void (*begin)(const struct ek_problem *problem, uint64_t index, void *task);
    void (*execute)(const struct ek_problem *problem, const void *task, struct ek_execution *execution);
};

// Returns the program with this name, or NULL.
EK_API const struct ek_program *ek_program_find(const char *name);

// Finds the program of a spec, and reads the problem. Returns NULL with `error` filled if the spec or its file is
// wrong. The caller releases the problem.
EK_API struct ek_problem *ek_problem_read(const char *spec, struct ek_reader reader, const struct ek_program **program,
                                          struct ek_error *error);
EK_API void ek_problem_release(const struct ek_program *program, struct ek_problem *problem);

#endif
