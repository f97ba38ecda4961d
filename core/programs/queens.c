// SPDX-License-Identifier: MIT
// The queens problem: in how many ways can N queens stand on a board of N rows and N columns, so that none attacks
// another? A task is a partial placement, with one queen in each of the first rows.
#include <stdlib.h>
#include <string.h>

#include "core/programs/programs.h"

// The largest N whose number of solutions is known: 234,907,967,154,122,528 (OEIS A000170).
enum { QUEENS_MOST = 27 };

struct queens {
    struct ek_problem problem;
    uint32_t columns; // a bit for each column
};

// The columns of the next row that are attacked from above: straight, and along the two diagonals.
struct placement {
    uint32_t straight, left, right;
};

static struct ek_problem *queens_prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    struct base_cursor cursor = core_program_cursor(setting, error);
    uint64_t queens;
    if (!base_cursor_whole(&cursor, "the number of queens", 1, QUEENS_MOST, &queens) || !base_cursor_end(&cursor)) {
        return NULL;
    }
    struct queens *problem = malloc(sizeof *problem);
    if (!problem) {
        base_cursor_fail(&cursor, setting->at, "there is no memory for the problem");
        return NULL;
    }
    problem->problem = (struct ek_problem){
        .task_bytes = sizeof(struct placement),
        .best = EK_NO_VALUE,
        .first_tasks = 1,
        .children_most = queens,
    };
    problem->columns = ((uint32_t)1 << queens) - 1;
    return &problem->problem;
}

static void queens_begin(const struct ek_problem *problem, uint64_t index, void *task)
{
    (void)problem;
    (void)index;
    memset(task, 0, sizeof(struct placement));
}

// Places a queen on each free column of the next row, the lowest column first.
static void queens_execute(const struct ek_problem *problem, const void *task, struct ek_execution *execution)
{
    const struct queens *queens = (const struct queens *)problem;
    struct placement placed;
    memcpy(&placed, task, sizeof placed);
    if (placed.straight == queens->columns) {
        execution->result = 1;
        return;
    }
    uint32_t free_columns = queens->columns & ~(placed.straight | placed.left | placed.right);
    while (free_columns != 0) {
        uint32_t column = free_columns & -free_columns;
        free_columns ^= column;
        struct placement child = {
            .straight = placed.straight | column,
            .left = (placed.left | column) << 1,
            .right = (placed.right | column) >> 1,
        };
        void *place = execution->child(execution);
        if (!place) {
            return;
        }
        memcpy(place, &child, sizeof child);
    }
}

const struct ek_program core_program_queens = {
    .name = "queens",
    .choice = {"queens:N", "counts the placements of N queens that do not attack one another"},
    .source = "",
    .result = EK_RESULT_SUM,
    .prepare = queens_prepare,
    .begin = queens_begin,
    .execute = queens_execute,
};
