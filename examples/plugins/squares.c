// SPDX-License-Identifier: MIT
// A plugin with a program of tasks: in how many ways do 1, 4, 9, ..., N^2 form two groups with equal sums?
//     cc -shared -fPIC squares.c $(pkg-config --cflags evenkeel) -o squares.so
//     evenkeel run --plugin ./squares.so --tasks squares:20 --topology torus:8x8 --method liquid:c4
#include <evenkeel.h>
#include <stdlib.h>
#include <string.h>

struct squares {
    struct ek_problem problem; // first: the part that the machine reads
    int64_t n;
};

struct task {
    int64_t next, difference; // the largest number that is in no group; the difference of the groups' sums
};

static struct ek_problem *prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    int64_t n = atoi(setting->spec + setting->at);
    struct squares *squares = n >= 1 && n <= 60 ? malloc(sizeof *squares) : NULL;
    if (!squares) {
        strcpy(error->sentence, "squares needs N, from 1 to 60");
        return NULL;
    }
    *squares = (struct squares){{.task_bytes = sizeof(struct task), .first_tasks = 1, .children_most = 2}, n};
    return &squares->problem;
}

static void begin(const struct ek_problem *problem, uint64_t index, void *task)
{
    int64_t n = ((const struct squares *)problem)->n - (int64_t)index; // `index` is 0: there is one first task
    memcpy(task, &(struct task){n - 1, n * n}, sizeof(struct task));
}

static void execute(const struct ek_problem *problem, const void *data, struct ek_execution *execution)
{
    (void)problem;
    struct task task;
    memcpy(&task, data, sizeof task); // it is not aligned
    int64_t n = task.next, rest = n * (n + 1) * (2 * n + 1) / 6;
    execution->result = n == 0 && task.difference == 0;
    for (int sign = -1; sign <= 1 && n > 0 && llabs(task.difference) <= rest; sign += 2) {
        void *child = execution->child(execution);
        if (child) {
            memcpy(child, &(struct task){n - 1, task.difference + sign * n * n}, sizeof task);
        }
    }
}

static const struct ek_program squares = {
    .name = "squares",
    .choice = {"squares:N", "the ways to form two groups with equal sums of 1, 4, 9, ..., N^2"},
    .prepare = prepare,
    .begin = begin,
    .execute = execute};

const struct ek_plugin evenkeel_plugin = {.version = EK_VERSION,
                                          .programs = (const struct ek_program *const[]){&squares, NULL}};
