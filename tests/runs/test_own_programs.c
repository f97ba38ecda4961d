// SPDX-License-Identifier: MIT
// Programs of tasks from outside: what is registered, how a spec is read, and what a run notices if a program breaks a
// promise.
#include <criterion/criterion.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/program.h"
#include "core/register.h"
#include "tests/support/runs.h"
#include "threads/api/axis.h"

// The problem of all tests: a tree in which a node of height h > 0 has two children of height h - 1. It has
// 2^(height + 1) - 1 tasks, and each of them counts 1.
struct tree {
    struct ek_problem problem;
    unsigned height;
};

static struct ek_problem shape; // what `prepare` answers
static enum { HONEST, NO_COST, COSTLY, FERTILE, NEGATIVE, RAISES, HUGE_RESULTS } breach;

// The part of a task's answer that changes when the task is executed again, from execution number `from` on.
static enum { NOTHING, COST, RESULT, BEST, DROPPED, CHILDREN, CHILD, ORDER } changes;
static unsigned from;
static _Atomic unsigned executions;

static struct ek_problem *prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    const char *own = setting->spec + setting->at;
    unsigned height = *own ? (unsigned)strtoul(own, NULL, 10) : 5;
    if (height > 30 && height < 99) {
        error->at = (int)setting->at + 1;
        snprintf(error->sentence, sizeof error->sentence, "the tree is too high");
    }
    struct tree *tree = height > 30 ? NULL : calloc(1, sizeof *tree);
    if (tree) {
        *tree = (struct tree){shape, height};
    }
    return tree ? &tree->problem : NULL;
}

static void begin(const struct ek_problem *problem, uint64_t index, void *task)
{
    const struct tree *tree = (const struct tree *)problem;
    (void)index;
    memcpy(task, &(uint32_t){tree->height}, sizeof(uint32_t));
}

static void change(struct ek_execution *execution)
{
    execution->cost += changes == COST;
    execution->result += changes == RESULT;
    execution->best -= changes == BEST;
    execution->dropped = changes == DROPPED;
}

static void misbehave(struct ek_execution *execution)
{
    execution->cost = breach == NO_COST ? 0 : breach == COSTLY ? (uint64_t)EK_TASK_COST_MOST + 1 : 1;
    execution->result = breach == NEGATIVE ? -7 : breach == HUGE_RESULTS ? INT64_MAX : 1;
    execution->best += breach == RAISES;
}

static void execute(const struct ek_problem *problem, const void *task, struct ek_execution *execution)
{
    unsigned number = atomic_fetch_add(&executions, 1);
    bool changed = changes != NOTHING && number >= from && number % 2 == 0;
    uint32_t height;
    (void)problem;
    memcpy(&height, task, sizeof height);
    misbehave(execution);
    if (changed) {
        change(execution);
    }
    unsigned children = height == 0 ? 0 : breach == FERTILE || (changed && changes == CHILDREN) ? 3 : 2;
    for (unsigned i = 0; i < children; i++) {
        uint32_t child[2] = {height - 1, changed && changes == ORDER ? !i : i};
        child[1] += changed && changes == CHILD && i == 1;
        void *room = execution->child(execution);
        if (!room) {
            return;
        }
        memcpy(room, child, sizeof child);
    }
}

static struct ek_program tree_program = {.name = "tree",
                                         .choice = {"tree:H", "a binary tree"},
                                         .result = EK_RESULT_SUM,
                                         .prepare = prepare,
                                         .begin = begin,
                                         .execute = execute};

static void set_up(void)
{
    struct ek_error error;
    shape = (struct ek_problem){.task_bytes = 8, .first_tasks = 1, .children_most = 2};
    cr_assert(ek_program_register(&tree_program, &error), "%s", error.sentence);
}

static struct tests_outcome try_with(struct ek_experiment experiment)
{
    struct tests_outcome outcome;
    experiment.topology = experiment.topology ? experiment.topology : "ring:6";
    experiment.method = "adf";
    tests_try(&experiment, 0, &outcome);
    return outcome;
}

Test(own_program, runs_like_a_built_in_one, .init = set_up, .timeout = 60)
{
    static const struct ek_experiment kinds[] = {
        {.carrier = "threads"}, {.carrier = "pool:2"}, {.timing = "turns"}, {.carrier = "pool:1", .checks = true}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ek_experiment experiment = kinds[i];
        experiment.tasks = i % 2 ? "tree:9" : "tree";
        struct tests_outcome outcome = try_with(experiment);
        cr_assert_eq(outcome.status, EK_OK, "%zu: %s", i, outcome.error.sentence);
        cr_expect_eq(outcome.report.tasks.executed, i % 2 ? 1023 : 63);
        cr_expect_eq(outcome.report.tasks.result, i % 2 ? 1023 : 63);
        tests_outcome_destroy(&outcome);
    }
}

Test(own_program, is_asked_again_for_few_tasks, .init = set_up)
{
    struct tests_outcome outcome = try_with((struct ek_experiment){.tasks = "tree:12", .carrier = "pool:1"});
    cr_assert_eq(outcome.report.tasks.executed, 8191);
    cr_expect_eq(atomic_load(&executions), 8191 + 64 + 8191 / 64); // the first 64 tasks, and each 64th
    tests_outcome_destroy(&outcome);
}

static void expect_refused(const char *tasks, int at, const char *sentence)
{
    struct tests_outcome outcome = try_with((struct ek_experiment){.tasks = tasks, .carrier = "pool:1"});
    cr_expect_eq(outcome.status, EK_BAD_INPUT);
    cr_expect_str_eq(outcome.error.sentence, sentence);
    cr_expect_str_eq(outcome.error.axis, "tasks");
    cr_expect_eq(outcome.error.at, at, "%s: at %d", tasks, outcome.error.at);
    tests_outcome_destroy(&outcome);
}

Test(own_program, reads_its_part_of_the_spec, .init = set_up)
{
    expect_refused("tree;4", 4, "write ':' after tree");
    expect_refused("tree:40", 6, "the tree is too high");
    expect_refused("tree:99", 5, "tree makes no problem of this");
    expect_refused("tee:4", 0, "there is no program called 'tee': did you mean tree?");
}

Test(own_program, has_a_problem_that_the_machine_can_run, .init = set_up)
{
    shape.task_bytes = 65;
    expect_refused("tree:4", 0, "tree has tasks of 65 bytes: set task_bytes, from 1 to 64");
    shape.task_bytes = 0;
    expect_refused("tree:4", 0, "tree has tasks of 0 bytes: set task_bytes, from 1 to 64");
    shape.task_bytes = 8;
    shape.first_tasks = (uint64_t)UINT32_MAX + 1;
    expect_refused("tree:4", 5,
                   "tree begins with 4294967296 tasks, and no more than 2^32 - 1 can begin: choose a smaller problem");
    shape.first_tasks = 1;
    shape.picture_width = 5;
    expect_refused("tree:4", 0, "tree has a picture without points: set both picture_width and picture_height");
}

Test(own_program, keeps_its_numbers_within_limits, .init = set_up)
{
    breach = NO_COST;
    expect_refused("tree:4", -1, "the program tree gave a task the cost 0: a cost is from 1 to 2147483647");
    breach = COSTLY;
    expect_refused("tree:4", -1, "the program tree gave a task the cost 2147483648: a cost is from 1 to 2147483647");
    breach = FERTILE;
    expect_refused("tree:4", -1,
                   "the program tree gave a task 3 children, and its problem allows 2: raise children_most");
    breach = NEGATIVE;
    expect_refused("tree:4", -1, "the program tree gave a task the result -7: a result that is summed is at least 0");
    breach = RAISES;
    expect_refused("tree:4", -1, "the program tree raised the best value from 0 to 1: it may only lower it");
    breach = HUGE_RESULTS;
    expect_refused("tree:4", -1, "the sum of the results needs more than 64 bits: choose a smaller problem");
}

// The costs of tasks whose number is known may be larger, as long as their sum has 63 bits.
Test(own_program, may_have_costly_tasks_if_their_number_is_known, .init = set_up)
{
    shape.first_tasks = 4;
    shape.children_most = 0;
    breach = COSTLY;
    struct tests_outcome outcome =
        try_with((struct ek_experiment){.tasks = "tree:0", .carrier = "pool:1", .grain = 1000000});
    cr_expect_eq(outcome.report.tasks.cost, 4 * ((uint64_t)EK_TASK_COST_MOST + 1), "%s", outcome.error.sentence);
    tests_outcome_destroy(&outcome);
}

static void expect_noticed(const char *what)
{
    char sentence[400];
    snprintf(sentence, sizeof sentence,
             "the program tree answers differently when it is asked again: a task has another %s when it is executed "
             "once more; execute may depend on the problem, the task and the best value only",
             what);
    expect_refused("tree:12", -1, sentence);
}

Test(own_program, answers_the_same_when_asked_again, .init = set_up)
{
    static const char *const differs[] = {[COST] = "cost",
                                          [RESULT] = "result",
                                          [BEST] = "best value",
                                          [DROPPED] = "value of `dropped`",
                                          [CHILDREN] = "number of children",
                                          [CHILD] = "child",
                                          [ORDER] = "child"};
    shape.children_most = 3;
    for (unsigned i = COST; i <= ORDER; i++) {
        changes = i;
        atomic_store(&executions, 0);
        from = 0;
        expect_noticed(differs[i]);
        atomic_store(&executions, 0);
        from = 1000; // only later tasks
        expect_noticed(differs[i]);
    }
}

Test(own_program, with_checks_built_in_programs_are_asked_again)
{
    static const char *const specs[] = {"queens:6", "uts:geo:linear:5:3:1", "flowshop:7x4:3", "flowshop-forward:7x4:3",
                                        "tsp:8:1",  "mandelbrot:40x30:7",   "bag:uniform:1:9"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct tests_outcome outcome =
            try_with((struct ek_experiment){.tasks = specs[i], .carrier = "pool:2", .checks = true});
        cr_expect_eq(outcome.status, EK_OK, "%s: %s", specs[i], outcome.error.sentence);
        tests_outcome_destroy(&outcome);
    }
}

static void expect_unregistered(struct ek_program program, const char *sentence)
{
    struct ek_error error;
    cr_expect_not(ek_program_register(&program, &error));
    cr_expect_str_eq(error.sentence, sentence);
    cr_expect_eq(error.status, EK_BAD_INPUT);
}

Test(own_program, is_registered_once_and_whole, .init = set_up)
{
    static const char *const wrong[] = {NULL,   "",    "tree", "queens",
                                        "none", "a b", "x:y",  "a-name-of-thirty-two-characters-"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ek_program program = tree_program;
        program.name = wrong[i];
        expect_unregistered(program, "a program needs a name that no other program has, of at most 31 letters, digits "
                                     "and '-'");
    }
    struct ek_program program = tree_program;
    program.name = "whole";
    program.choice.summary = NULL;
    expect_unregistered(program, "the program whole lacks its choice, which a list shows");
    program.choice = tree_program.choice;
    program.execute = NULL;
    expect_unregistered(program, "the program whole lacks a function: set prepare, begin and execute");
    program.execute = execute;
    program.result = 2;
    expect_unregistered(program,
                        "the program whole has no known result: set result to EK_RESULT_SUM or EK_RESULT_LEAST");
    struct ek_error error;
    cr_expect_not(ek_program_register_for(EK_API_VERSION + 1, &tree_program, &error));
    char sentence[160];
    snprintf(sentence, sizeof sentence,
             "this program was compiled with version %u of the header, and the library has version %u: compile it "
             "again with the library's header",
             EK_API_VERSION + 1, EK_API_VERSION);
    cr_expect_str_eq(error.sentence, sentence);
}

Test(own_program, is_listed_and_there_are_64_places, .init = set_up)
{
    const struct ek_axis *axis = ek_axis_named("tasks");
    size_t last = 0;
    while (ek_axis_choice(axis, last + 1)) {
        last++;
    }
    cr_expect_str_eq(ek_axis_choice(axis, last)->form, "tree:H");
    static struct ek_program many[64];
    static char name[64][16];
    struct ek_error error;
    for (unsigned i = 0; i < 64; i++) {
        snprintf(name[i], sizeof name[i], "tree-%u", i);
        many[i] = tree_program;
        many[i].name = name[i];
        cr_expect_eq(ek_program_register(&many[i], &error), i < 63, "number %u", i);
    }
    cr_expect_str_eq(error.sentence, "no more than 64 programs can be registered");
}
