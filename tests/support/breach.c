// SPDX-License-Identifier: MIT
#include "tests/support/breach.h"
#include "core/program.h"
#include "core/register.h"

#include <stdlib.h>
#include <string.h>

struct ek_program_setting;

enum { HEIGHT = 9, BAD_LEAF = 200 };

// A node of a binary tree: its height, and its number among those of this height.
struct node {
    uint32_t height, number;
};

static struct ek_problem *prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    (void)setting, (void)error;
    struct ek_problem *problem = calloc(1, sizeof *problem);
    if (problem) {
        *problem = (struct ek_problem){.task_bytes = sizeof(struct node), .first_tasks = 1, .children_most = 2};
    }
    return problem;
}

static void begin(const struct ek_problem *problem, uint64_t index, void *task)
{
    (void)problem, (void)index;
    memcpy(task, &(struct node){.height = HEIGHT}, sizeof(struct node));
}

static void execute(const struct ek_problem *problem, const void *task, struct ek_execution *execution)
{
    struct node node;
    (void)problem;
    memcpy(&node, task, sizeof node);
    execution->result = 1;
    execution->cost = node.height > 0 || node.number != BAD_LEAF;
    for (uint32_t i = 0; node.height > 0 && i < 2; i++) {
        struct node child = {node.height - 1, 2 * node.number + i};
        void *room = execution->child(execution);
        if (!room) {
            return;
        }
        memcpy(room, &child, sizeof child);
    }
}

static struct ek_program program = {.name = "breach",
                                    .choice = {"breach", "a binary tree with a leaf that costs nothing"},
                                    .result = EK_RESULT_SUM,
                                    .prepare = prepare,
                                    .begin = begin,
                                    .execute = execute};

void tests_breach_on_ranks(const struct ek_experiment *experiment)
{
    static const char sentence[] = "the program breach gave a task the cost 0: a cost is from 1 to 2147483647";
    struct ek_error error;
    ek_program_register(&program, &error);
    struct tests_room room = {.count = 3, .deaf_after = UINT32_MAX};
    struct tests_seat seat[TESTS_RANKS_MAX];
    for (unsigned r = 0; r < room.count; r++) {
        seat[r] = (struct tests_seat){.experiment = *experiment};
        seat[r].experiment.topology = "torus:4x4";
        seat[r].experiment.method = "adf";
        seat[r].experiment.tasks = "breach";
    }
    tests_carry(&room, seat);
    for (unsigned r = 0; r < room.count; r++) {
        const struct tests_outcome *outcome = &seat[r].outcome;
        tests_note(outcome->status == EK_BAD_INPUT && strcmp(outcome->error.sentence, sentence) == 0,
                   "a program that breaks a promise", outcome->error.sentence);
        tests_outcome_destroy(&seat[r].outcome);
    }
}
