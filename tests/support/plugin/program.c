// SPDX-License-Identifier: MIT
// A plugin with one program of tasks, branch and bound: which of two numbers to add at each of DEPTH levels, so that
// the sum is least. The function `program_plugin` of tests/support/plugin.sh compiles it with macros for what differs.
#include <evenkeel.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 7 };

#ifndef COST
#define COST 1
#endif
#ifndef BOUND
#define BOUND node.sum // what no leaf below the node falls short of
#endif
#ifndef BEFORE
#define BEFORE // what `execute` does before all else
#endif
#ifndef WRITES
#define WRITES // what it does with the `room` of a child
#endif

struct node {
    uint32_t level, sum;
};

static volatile unsigned calls;

static struct ek_problem *prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    (void)setting, (void)error;
    struct ek_problem *problem = calloc(1, sizeof *problem);
    if (problem) {
        *problem = (struct ek_problem){
            .task_bytes = sizeof(struct node), .first_tasks = 1, .children_most = 2, .best = EK_NO_VALUE};
    }
    return problem;
}

static void begin(const struct ek_problem *problem, uint64_t index, void *task)
{
    (void)problem, (void)index;
    memset(task, 0, sizeof(struct node));
}

static void execute(const struct ek_problem *problem, const void *task, struct ek_execution *execution)
{
    struct node node;
    (void)problem;
    memcpy(&node, task, sizeof node);
    calls++;
    BEFORE
    execution->cost = COST;
    if ((int64_t)(BOUND) >= execution->best) {
        execution->dropped = true;
        return;
    }
    if (node.level == DEPTH) {
        execution->best = node.sum;
        return;
    }
    for (uint32_t i = 0; i < 2; i++) { // the newest is the worse one, so that much is dropped
        struct node child = {node.level + 1, node.sum + (i == 0 ? 1 + node.level % 3 : 2 + node.level % 2)};
        char *room = execution->child(execution);
        if (!room) {
            return;
        }
        memcpy(room, &child, sizeof child);
        WRITES
    }
}

static const struct ek_program program = {.name = "sums",
                                          .choice = {"sums", "the least sum"},
                                          .result = EK_RESULT_LEAST,
                                          .prepare = prepare,
                                          .begin = begin,
                                          .execute = execute};

const struct ek_plugin evenkeel_plugin = {.version = EK_VERSION,
                                          .programs = (const struct ek_program *const[]){&program, NULL}};
