// SPDX-License-Identifier: MIT
// Tasks lie in a stack, each behind guard bytes. A task is executed twice. The children of the second execution are
// compared with those of the first, and forgotten. Below a dropped task the search is repeated as if no value were
// known, which shows whether it leads to a better one.
#include "lab/studies/check_walk.h"
#include "core/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GUARD = 64,          // bytes behind each task
    PATTERN = 0xA5,      // that they have
    TASKS_MOST = 100000, // of the problem
    BELOW_MOST = 1000000 // executions below dropped tasks
};

struct walk {
    struct ek_execution seen; // first, so that add_child finds the others
    const struct ek_program *program;
    const struct ek_problem *problem;
    struct check_walk *found;
    unsigned char *stack; // of tasks with their guards
    size_t count, room, stride;
    uint64_t cost, result; // sums
    uint64_t below;        // executions below dropped tasks
    bool full;
};

static unsigned char *task_at(const struct walk *walk, size_t index)
{
    return walk->stack + index * walk->stride;
}

static void *add_child(struct ek_execution *seen)
{
    struct walk *walk = (struct walk *)seen;
    if (walk->count == walk->room) {
        size_t more = walk->room + walk->room / 2 + 64;
        unsigned char *grown = realloc(walk->stack, more * walk->stride);
        walk->full = walk->full || !grown;
        if (!grown) {
            return NULL;
        }
        walk->stack = grown;
        walk->room = more;
    }
    unsigned char *task = task_at(walk, walk->count++);
    memset(task, 0, walk->problem->task_bytes);
    memset(task + walk->problem->task_bytes, PATTERN, GUARD);
    return task;
}

__attribute__((format(printf, 3, 4))) static void breaks(struct walk *walk, enum check_walk_kind kind,
                                                         const char *format, ...)
{
    va_list arguments;
    if (walk->found->broken[kind]) {
        return;
    }
    walk->found->broken[kind] = true;
    va_start(arguments, format);
    vsnprintf(walk->found->why[kind], sizeof walk->found->why[kind], format, arguments);
    va_end(arguments);
}

// Checks the guards of the tasks from number `from` on.
static void check_guards(struct walk *walk, size_t from)
{
    for (size_t i = from; i < walk->count; i++) {
        for (size_t k = 0; k < GUARD; k++) {
            if (task_at(walk, i)[walk->problem->task_bytes + k] != PATTERN) {
                breaks(walk, CHECK_WALK_SIZES, "byte %zu of a task is written, and tasks have %zu bytes",
                       walk->problem->task_bytes + k, walk->problem->task_bytes);
                return;
            }
        }
    }
}

// Executes a task that knows this best value. Its children follow those in the stack. Returns what it answered.
static struct ek_execution execute(struct walk *walk, const unsigned char *task, int64_t best)
{
    unsigned char own[EK_TASK_BYTES + GUARD];
    size_t from = walk->count, bytes = walk->problem->task_bytes;
    memcpy(own, task, bytes);
    memset(own + bytes, PATTERN, GUARD);
    walk->seen = (struct ek_execution){.best = best, .cost = 1, .child = add_child};
    walk->program->execute(walk->problem, own, &walk->seen);
    if (memcmp(own, task, bytes) != 0) {
        breaks(walk, CHECK_WALK_SIZES, "execute changes the task that it is given");
    }
    check_guards(walk, from);
    return walk->seen;
}

// Checks the numbers of an answer, and adds them up.
static void check_limits(struct walk *walk, const struct ek_execution *seen, int64_t best, size_t children)
{
    const struct ek_problem *problem = walk->problem;
    bool sums = walk->program->result == EK_RESULT_SUM;
    bool known = problem->children_most == 0 && problem->first_tasks > 0;
    uint64_t cost_most = known ? (uint64_t)INT64_MAX / problem->first_tasks : EK_TASK_COST_MOST;
    if (seen->cost < 1 || seen->cost > cost_most) {
        breaks(walk, CHECK_WALK_LIMITS, "a task costs %llu: a cost is from 1 to %llu", (unsigned long long)seen->cost,
               (unsigned long long)cost_most);
    } else if (children > problem->children_most) {
        breaks(walk, CHECK_WALK_LIMITS, "a task has %zu children, and its problem declares at most %llu", children,
               (unsigned long long)problem->children_most);
    } else if (seen->best > best) {
        breaks(walk, CHECK_WALK_LIMITS, "a task raises the best value from %lld to %lld", (long long)best,
               (long long)seen->best);
    } else if (sums && seen->result < 0) {
        breaks(walk, CHECK_WALK_LIMITS, "a task has the result %lld, which is below 0", (long long)seen->result);
    } else if (__builtin_add_overflow(walk->cost, seen->cost, &walk->cost) ||
               __builtin_add_overflow(walk->result, sums ? (uint64_t)seen->result : 0, &walk->result) ||
               walk->cost > INT64_MAX || walk->result > INT64_MAX) {
        breaks(walk, CHECK_WALK_LIMITS, "the costs or the results of the tasks add up to more than 2^63");
    }
}

// Executes a task once more, compares the answers, and forgets the second one.
static void check_again(struct walk *walk, const unsigned char *task, int64_t best, const struct ek_execution *first,
                        size_t from)
{
    size_t end = walk->count, children = end - from;
    struct ek_execution second = execute(walk, task, best);
    const char *what = first->cost != second.cost         ? "cost"
                       : first->result != second.result   ? "result"
                       : first->best != second.best       ? "best value"
                       : first->dropped != second.dropped ? "value of `dropped`"
                       : walk->count - end != children    ? "number of children"
                                                          : NULL;
    for (size_t i = 0; !what && i < children; i++) {
        bool same = memcmp(task_at(walk, from + i), task_at(walk, end + i), walk->problem->task_bytes) == 0;
        what = same ? NULL : "child";
    }
    if (what) {
        breaks(walk, CHECK_WALK_PURE, "a task has another %s when it is executed again", what);
    }
    walk->count = end;
}

// Searches below a dropped task as if no value were known.
static void check_dropped(struct walk *walk, const unsigned char *task, int64_t best)
{
    size_t base = walk->count;
    void *copy = add_child(&walk->seen);
    if (!copy || walk->below >= BELOW_MOST) {
        walk->count = base;
        return;
    }
    memcpy(copy, task, walk->problem->task_bytes);
    while (walk->count > base && walk->below < BELOW_MOST && !walk->full) {
        unsigned char newest[EK_TASK_BYTES];
        memcpy(newest, task_at(walk, --walk->count), walk->problem->task_bytes);
        walk->below++;
        struct ek_execution seen = execute(walk, newest, EK_NO_VALUE);
        if (seen.best < best) {
            breaks(walk, CHECK_WALK_BOUNDS, "a task was dropped when %lld was known, and leads to %lld",
                   (long long)best, (long long)seen.best);
            break;
        }
    }
    walk->found->tested[CHECK_WALK_BOUNDS]++;
    walk->count = base;
}

static void execute_newest(struct walk *walk, int64_t *best)
{
    unsigned char task[EK_TASK_BYTES];
    memcpy(task, task_at(walk, --walk->count), walk->problem->task_bytes);
    size_t from = walk->count;
    struct ek_execution first = execute(walk, task, *best);
    check_limits(walk, &first, *best, walk->count - from);
    check_again(walk, task, *best, &first, from);
    for (int kind = 0; kind < CHECK_WALK_BOUNDS; kind++) {
        walk->found->tested[kind]++;
    }
    if (first.dropped && walk->program->result == EK_RESULT_LEAST && *best != EK_NO_VALUE) {
        check_dropped(walk, task, *best);
    }
    *best = first.best < *best ? first.best : *best;
}

static bool goes_on(const struct walk *walk)
{
    const struct check_walk *found = walk->found;
    return walk->count > 0 && !walk->full && !found->broken[CHECK_WALK_LIMITS] && !found->broken[CHECK_WALK_SIZES];
}

static void begin(struct walk *walk, uint64_t first)
{
    for (uint64_t i = 0; i < first && !walk->full; i++) {
        void *task = add_child(&walk->seen);
        if (task) {
            walk->program->begin(walk->problem, i, task);
        }
    }
    check_guards(walk, 0);
}

void check_walk(const struct ek_program *program, const struct ek_problem *problem, struct check_walk *found)
{
    struct walk walk = {.program = program, .problem = problem, .found = found, .stride = problem->task_bytes + GUARD};
    uint64_t first = problem->first_tasks > 0 ? problem->first_tasks : CHECK_WALK_PLACED;
    int64_t best = problem->best;
    uint64_t executed = 0;
    begin(&walk, first < TASKS_MOST ? first : TASKS_MOST);
    for (; goes_on(&walk) && executed < TASKS_MOST; executed++) {
        execute_newest(&walk, &best);
    }
    found->done = walk.count == 0 && !walk.full;
    found->result = program->result == EK_RESULT_SUM ? (int64_t)walk.result : best;
    found->cost = executed > 0 ? walk.cost / executed : 1;
    snprintf(found->refusal, sizeof found->refusal, "%s",
             walk.full ? "there is no memory for the tasks of this problem: choose a smaller one"
                       : "this problem has more than 100,000 tasks: choose a smaller one for a check");
    free(walk.stack);
}
