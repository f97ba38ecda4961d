// SPDX-License-Identifier: MIT
// A bag of independent tasks, as many as the load places. Their costs are drawn, whole, and at least 1. The cost of a
// task depends on its number and the seed only, so every machine executes the same tasks. The result is the sum of the
// costs.
#include <stdlib.h>
#include <string.h>

#include "core/axes/spec.h"
#include "core/programs/programs.h"

// Limits of means, which keep every draw below EK_TASK_COST_MOST (BASE_RANDOM_NORMAL_MAX, BASE_RANDOM_EXPONENTIAL_MAX).
static const double NORMAL_MEAN_MOST = 1e9, DEVIATION_MOST = 1e8, EXPONENTIAL_MEAN_MOST = 5e7;

struct bag {
    struct ek_problem problem;
    struct core_load cost; // its distribution, in whole numbers
    uint64_t seed;
};

static const char *known_cost(size_t index)
{
    static const char *const names[] = {"constant", "uniform", "modulo", "normal", "exponential"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static bool read_cost(struct base_cursor *cursor, const char *what, double *cost)
{
    uint64_t whole;
    if (!base_cursor_whole(cursor, what, 1, EK_TASK_COST_MOST, &whole)) {
        return false;
    }
    *cost = (double)whole;
    return true;
}

static bool read_uniform(struct base_cursor *cursor, struct core_load *cost)
{
    size_t at = cursor->at;
    return read_cost(cursor, "the lowest cost", &cost->low) && base_cursor_expect(cursor, ':', "the lowest cost") &&
           read_cost(cursor, "the highest cost", &cost->high) &&
           (cost->low <= cost->high ||
            base_cursor_fail(cursor, at, "the lowest cost comes first, as in bag:uniform:1:1000"));
}

static bool read_modulo(struct base_cursor *cursor, struct core_load *cost)
{
    return base_cursor_whole(cursor, "the factor", 0, UINT32_MAX, &cost->factor) &&
           base_cursor_expect(cursor, ':', "the factor") &&
           base_cursor_whole(cursor, "the modulus", 1, EK_TASK_COST_MOST, &cost->modulus);
}

static bool read_distribution(struct base_cursor *cursor, struct core_load *cost)
{
    size_t kind;
    if (!base_cursor_known(cursor, "distribution of costs", known_cost, &kind) ||
        !base_cursor_expect(cursor, ':', "the distribution")) {
        return false;
    }
    switch (kind) { // in the order of known_cost
    case 0:
        cost->kind = CORE_LOAD_CONSTANT;
        return read_cost(cursor, "the cost", &cost->amount);
    case 1:
        cost->kind = CORE_LOAD_UNIFORM;
        return read_uniform(cursor, cost);
    case 2:
        cost->kind = CORE_LOAD_MODULO;
        return read_modulo(cursor, cost);
    case 3:
        cost->kind = CORE_LOAD_NORMAL;
        return base_cursor_real(cursor, "the mean cost", 0.0, NORMAL_MEAN_MOST, &cost->amount) &&
               base_cursor_expect(cursor, ':', "the mean cost") &&
               base_cursor_real(cursor, "the standard deviation", 0.0, DEVIATION_MOST, &cost->deviation);
    default:
        cost->kind = CORE_LOAD_EXPONENTIAL;
        return base_cursor_real(cursor, "the mean cost", 0.0, EXPONENTIAL_MEAN_MOST, &cost->amount);
    }
}

static struct ek_problem *bag_prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    struct base_cursor cursor = core_program_cursor(setting, error);
    struct core_load cost = {.units = EK_TOKENS};
    uint64_t seed = 1;
    if (!read_distribution(&cursor, &cost) ||
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
