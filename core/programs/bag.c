// SPDX-License-Identifier: MIT
// A bag of independent tasks, as many as the load places. Their costs are drawn, whole, and at least 1. The cost of a
// task depends on its number and the seed only, so every machine executes the same tasks. The result is the sum of the
// costs.
#include <stdlib.h>
#include <string.h>

#include "core/axes/costs.h"
#include "core/programs/programs.h"

_Static_assert(CORE_COST_MOST_DRAWN <= EK_TASK_COST_MOST, "a task may have every cost that is drawn");

struct bag {
    struct ek_problem problem;
    struct core_load cost; // its distribution, in whole numbers
    uint64_t seed;
};

static struct ek_problem *bag_prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    struct base_cursor cursor = core_program_cursor(setting, error);
    struct core_load cost;
    uint64_t seed = 1;
    if (!core_costs_read(&cost, &cursor, "cost") ||
        (base_cursor_accept(&cursor, '@') && !base_cursor_whole(&cursor, "the seed", 0, UINT64_MAX, &seed)) ||
        !base_cursor_end(&cursor)) {
        return NULL;
    }
    struct bag *bag = malloc(sizeof *bag);
    if (!bag) {
        base_cursor_fail(&cursor, setting->at, "there is no memory for the problem");
        return NULL;
    }
    *bag = (struct bag){.problem = {.task_bytes = sizeof(uint32_t)}, .cost = cost, .seed = seed};
    return &bag->problem;
}

static void bag_begin(const struct ek_problem *problem, uint64_t index, void *task)
{
    const uint32_t number = (uint32_t)index;
    (void)problem;
    memcpy(task, &number, sizeof number);
}

static void bag_execute(const struct ek_problem *problem, const void *task, struct ek_execution *execution)
{
    const struct bag *bag = (const struct bag *)problem;
    uint32_t number;
    memcpy(&number, task, sizeof number);
    double cost = core_load_draw_one(&bag->cost, bag->seed, BASE_STREAM_TASKS, number);
    execution->cost = cost > 1.0 ? (uint64_t)cost : 1;
    execution->result = (int64_t)execution->cost;
}

const struct ek_program core_program_bag = {
    .name = "bag",
    .choice = {"bag:DIST[@SEED]", "independent tasks, as many as the load places, with drawn costs: constant:V, "
                                  "uniform:LOW:HIGH, modulo:A:M, normal:M:SD or exponential:M"},
    .source = "",
    .result = EK_RESULT_SUM,
    .prepare = bag_prepare,
    .begin = bag_begin,
    .execute = bag_execute,
};
