// SPDX-License-Identifier: MIT
// Checks the promises of a program.
#include "threads/cargo/promises.h"

#include <string.h>

#include "base/error.h"
#include "core/program.h"
#include "threads/api/experiment.h"

// A program is asked again for one task in this number, and for the first tasks of each worker: this takes less than
// 2 % of a long run, and a short run is checked whole.
enum { ASKED_AGAIN = 64 };

void cargo_promises_plan(struct cargo_tasks *tasks, const struct machine_plan *machine)
{
    const struct ek_problem *problem = machine->problem;
    bool registered = machine->program && core_program_is_registered(machine->program);
    bool known = registered && problem->children_most == 0 && problem->first_tasks > 0;
    tasks->again_every = machine->experiment->checks ? 1 : registered ? ASKED_AGAIN : 0;
    tasks->cost_most = !registered ? UINT64_MAX : known ? INT64_MAX / problem->first_tasks : EK_TASK_COST_MOST;
}

// A second execution of a task. Its children go nowhere.
struct second {
    struct ek_execution seen; // first, so that second_child finds the others
    const struct cargo_worker *worker;
    uint64_t path; // the cost that led to the task
    uint32_t processor;
    uint64_t children, print, factor;
    struct core_task *child; // room for the newest
};

static void add_print(struct second *second)
{
    if (second->children > 0) {
        second->print += core_task_print(second->child, second->worker->store.bytes) * second->factor;
        second->factor *= CARGO_ANSWER_FACTOR;
    }
}

static void *second_child(struct ek_execution *seen)
{
    struct second *second = (struct second *)seen;
    add_print(second);
    second->children++;
    memset(second->child, 0, second->worker->store.bytes);
    second->child->path = second->path + seen->cost;
    second->child->born = second->processor;
    return second->child->data;
}

// Names what differs between two answers, or returns NULL.
static const char *difference(const struct cargo_answer *answer, const struct second *second)
{
    const struct ek_execution *first = answer->seen;
    return first->cost != second->seen.cost         ? "cost"
           : first->result != second->seen.result   ? "result"
           : first->best != second->seen.best       ? "best value"
           : first->dropped != second->seen.dropped ? "value of `dropped`"
           : answer->children != second->children   ? "number of children"
           : answer->print != second->print         ? "child"
                                                    : NULL;
}

static bool answers_again(const struct cargo_worker *worker, const struct core_task *task,
                          const struct cargo_answer *answer, struct ek_error *error)
{
    const struct cargo_tasks *tasks = worker->tasks;
    union {
        struct core_task task;
        unsigned char room[CORE_TASK_HEAD + EK_TASK_BYTES + 8];
    } child;
    struct second second = {.seen = {.best = answer->best, .cost = 1, .child = second_child, .picture = tasks->picture},
                            .worker = worker,
                            .path = task->path,
                            .processor = answer->processor,
                            .factor = 1,
                            .child = &child.task};
    tasks->program->execute(tasks->problem, task->data, &second.seen);
    add_print(&second);
    const char *what = difference(answer, &second);
    return !what ||
           base_fail(error, EK_BAD_INPUT, "tasks",
                     "the program %s answers differently when it is asked again: a task has another %s when it is "
                     "executed once more; execute may depend on the problem, the task and the best value only",
                     tasks->program->name, what);
}

// Checks the numbers of an answer, which do not need a second one.
static bool within_limits(const struct cargo_tasks *tasks, const struct cargo_answer *answer, struct ek_error *error)
{
    const struct ek_execution *seen = answer->seen;
    const char *name = tasks->program->name;
    if (seen->cost < 1 || seen->cost > tasks->cost_most) {
        return base_fail(error, EK_BAD_INPUT, "tasks",
                         "the program %s gave a task the cost %llu: a cost is from 1 to %llu", name,
                         (unsigned long long)seen->cost, (unsigned long long)tasks->cost_most);
    }
    if (answer->children > tasks->problem->children_most) {
        return base_fail(error, EK_BAD_INPUT, "tasks",
                         "the program %s gave a task %llu children, and its problem allows %llu: raise children_most",
                         name, (unsigned long long)answer->children, (unsigned long long)tasks->problem->children_most);
    }
    if (seen->best > answer->best) {
        return base_fail(error, EK_BAD_INPUT, "tasks",
                         "the program %s raised the best value from %lld to %lld: it may only lower it", name,
                         (long long)answer->best, (long long)seen->best);
    }
    return tasks->program->result != EK_RESULT_SUM || seen->result >= 0 ||
           base_fail(error, EK_BAD_INPUT, "tasks",
                     "the program %s gave a task the result %lld: a result that is summed is at least 0", name,
                     (long long)seen->result);
}

bool cargo_promises_hold(const struct cargo_worker *worker, const struct core_task *task,
                         const struct cargo_answer *answer, struct ek_error *error)
{
    uint64_t every = worker->tasks->again_every;
    bool again = worker->executed < every || worker->executed % every == 0;
    return within_limits(worker->tasks, answer, error) && (!again || answers_again(worker, task, answer, error));
}
