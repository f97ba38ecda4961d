// SPDX-License-Identifier: MIT
// Tasks that were measured elsewhere. Each line of the file is a task: its cost, and the number of its parent unless it
// is a first task. Tasks are numbered from 0 in the order of their lines; a parent may come later than its children.
// The children of a task are created in this order. The result is the sum of the costs.
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "core/axes/spec.h"
#include "core/programs/programs.h"

#define NONE UINT32_MAX // no task

struct file_task {
    uint32_t cost;
    uint32_t parent;
    uint32_t child;   // the first child
    uint32_t sibling; // the next child of the same parent
};

struct task_file {
    struct ek_problem problem;
    struct file_task *task; // [count]
    uint32_t count;
    uint32_t *first; // [first_tasks] the tasks without a parent
};

static void task_file_release(struct ek_problem *problem)
{
    struct task_file *file = (struct task_file *)problem;
    free(file->task);
    free(file->first);
    free(file);
}

static bool take_task(void *context, struct base_cursor *line)
{
    struct task_file *file = context;
    uint64_t cost;
    uint64_t parent = NONE;
    if (!base_cursor_whole(line, "the cost of a task", 1, EK_TASK_COST_MOST, &cost) ||
        (core_spec_blanks(line) && !base_cursor_whole(line, "the number of the parent", 0, NONE - 1, &parent))) {
        return false;
    }
    struct file_task *grown = file->count < NONE ? base_grow(file->task, file->count, sizeof *file->task) : NULL;
    if (!grown) {
        return base_cursor_fail(line, 0, "there is no memory for more than %u tasks", (unsigned)file->count);
    }
    file->task = grown;
    file->task[file->count++] = (struct file_task){(uint32_t)cost, (uint32_t)parent, NONE, NONE};
    return true;
}

static bool check_parents(const struct task_file *file, struct base_cursor *cursor, size_t at)
{
    for (uint32_t i = 0; i < file->count; i++) {
        uint32_t parent = file->task[i].parent;
        if (parent != NONE && parent >= file->count) {
            return base_cursor_fail(cursor, at,
                                    "task %u has the parent %u, but the last task is %u: tasks are numbered "
                                    "from 0, a line each",
                                    (unsigned)i, (unsigned)parent, (unsigned)file->count - 1);
        }
    }
    return file->count > 0 || base_cursor_fail(cursor, at, "the file has no tasks: write the cost of a task in a line");
}

// Fails if a task is its own ancestor. From each task, the walk to its first ancestor stops at a task that an earlier
// walk has visited. `visited` holds zeros.
static bool check_circles(const struct task_file *file, uint32_t *visited, struct base_cursor *cursor, size_t at)
{
    for (uint32_t i = 0; i < file->count; i++) {
        uint32_t ancestor = i;
        while (ancestor != NONE && visited[ancestor] == 0) {
            visited[ancestor] = i + 1;
            ancestor = file->task[ancestor].parent;
        }
        if (ancestor != NONE && visited[ancestor] == i + 1) {
            return base_cursor_fail(cursor, at,
                                    "task %u is its own ancestor: a task's parents must end at a task that "
                                    "has none",
                                    (unsigned)ancestor);
        }
    }
    return true;
}

// Lists the children of every task, and the first tasks in `first`, which has room for all tasks.
static void list_children(struct task_file *file, uint32_t *first)
{
    for (uint32_t i = file->count; i-- > 0;) {
        if (file->task[i].parent != NONE) {
            struct file_task *parent = &file->task[file->task[i].parent];
            file->task[i].sibling = parent->child;
            parent->child = i;
        }
    }
    for (uint32_t i = 0; i < file->count; i++) {
        uint64_t children = 0;
        for (uint32_t child = file->task[i].child; child != NONE; child = file->task[child].sibling) {
            children++;
        }
        file->problem.children_most = children > file->problem.children_most ? children : file->problem.children_most;
        if (file->task[i].parent == NONE) {
            first[file->problem.first_tasks++] = i;
        }
    }
}

static bool read_tasks(struct task_file *file, struct base_cursor *cursor, struct ek_reader reader)
{
    size_t at = cursor->at;
    if (!core_spec_lines(cursor, reader, take_task, file) || !check_parents(file, cursor, at)) {
        return false;
    }
    file->first = calloc(file->count, sizeof *file->first);
    if (!file->first) {
        return base_cursor_fail(cursor, at, "there is no memory for %u tasks", (unsigned)file->count);
    }
    if (!check_circles(file, file->first, cursor, at)) {
        return false;
    }
    list_children(file, file->first);
    return true;
}

static struct ek_problem *task_file_prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    struct base_cursor cursor = core_program_cursor(setting, error);
    struct task_file *file = calloc(1, sizeof *file);
    if (!file) {
        base_cursor_fail(&cursor, setting->at, "there is no memory for the problem");
        return NULL;
    }
    file->problem.task_bytes = sizeof(uint32_t);
    if (!read_tasks(file, &cursor, setting->reader)) {
        task_file_release(&file->problem);
        return NULL;
    }
    return &file->problem;
}

static void task_file_begin(const struct ek_problem *problem, uint64_t index, void *task)
{
    const struct task_file *file = (const struct task_file *)problem;
    memcpy(task, &file->first[index], sizeof file->first[index]);
}

static void task_file_execute(const struct ek_problem *problem, const void *task, struct ek_execution *execution)
{
    const struct task_file *file = (const struct task_file *)problem;
    uint32_t number;
    memcpy(&number, task, sizeof number);
    execution->cost = file->task[number].cost;
    execution->result = file->task[number].cost;
    for (uint32_t child = file->task[number].child; child != NONE; child = file->task[child].sibling) {
        void *place = execution->child(execution);
        if (!place) {
            return;
        }
        memcpy(place, &child, sizeof child);
    }
}

const struct ek_program core_program_task_file = {
    .name = "file",
    .choice = {"file:PATH", "the tasks of a file, a line each: the cost, and the number of the parent's line from 0 "
                            "unless it is a first task"},
    .source = "",
    .result = EK_RESULT_SUM,
    .prepare = task_file_prepare,
    .release = task_file_release,
    .begin = task_file_begin,
    .execute = task_file_execute,
};
