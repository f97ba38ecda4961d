// SPDX-License-Identifier: MIT
// The tasks of a run.
#include "threads/cargo/tasks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/program.h"
#include "threads/api/run.h"
#include "threads/cargo/picture.h"
#include "threads/cargo/promises.h"
#include "threads/host/limits.h"
#include "topologies/topology.h"

enum { SLAB_BLOCKS = 64, SHARED_PERCENT = 95 };

// Blocks that were allocated together.
struct cargo_slab {
    struct cargo_slab *next;
    _Alignas(64) unsigned char block[SLAB_BLOCKS * CORE_TASK_BLOCK_BYTES];
};

static void *more_blocks(void *context, size_t *blocks)
{
    struct cargo_worker *worker = context;
    struct cargo_tasks *tasks = worker->tasks;
    uint64_t before = atomic_fetch_add_explicit(&tasks->bytes, sizeof(struct cargo_slab), memory_order_relaxed);
    struct cargo_slab *slab = before + sizeof *slab <= tasks->bytes_most ? aligned_alloc(64, sizeof *slab) : NULL;
    if (!slab) {
        worker->short_of_memory = true;
        return NULL;
    }
    slab->next = worker->slabs;
    worker->slabs = slab;
    *blocks = SLAB_BLOCKS;
    return slab->block;
}

void *cargo_more_memory(struct cargo_worker *worker, size_t *bytes)
{
    size_t blocks = 0;
    void *memory = more_blocks(worker, &blocks);
    *bytes = blocks * CORE_TASK_BLOCK_BYTES;
    return memory;
}

void cargo_tasks_plan(struct cargo_tasks *tasks, const struct machine_plan *machine, unsigned workers,
                      struct base_arena *memory)
{
    uint32_t processors = machine->topology->processors;
    *tasks = (struct cargo_tasks){.machine = machine,
                                  .program = machine->program,
                                  .problem = machine->problem,
                                  .grain = machine->experiment->grain,
                                  .give_newest = machine->give_newest,
                                  .capacity = machine->capacity,
                                  .processors = processors,
                                  .workers = workers};
    cargo_promises_plan(tasks, machine);
    cargo_picture_plan(tasks, machine, memory);
    base_arena_plan(memory, &tasks->here, machine->ranks ? processors : 0, sizeof *tasks->here);
    watch_profile_plan(&tasks->profile, machine->experiment->profile, processors, memory);
    base_arena_plan(memory, &tasks->processor, processors, sizeof *tasks->processor);
    uint32_t looked_at = machine->experiment->show_tasks ? processors : 0;
    base_arena_plan(memory, &tasks->had, looked_at, sizeof *tasks->had);
    base_arena_plan(memory, &tasks->works_until, looked_at, sizeof *tasks->works_until);
    base_arena_plan(memory, &tasks->busy, processors, sizeof *tasks->busy);
    base_arena_plan_isolated(memory, &tasks->worker, workers, sizeof *tasks->worker);
}

void cargo_parcels_plan(struct cargo_tasks *tasks, uint32_t ports, struct base_arena *memory)
{
    base_arena_plan(memory, &tasks->idle, tasks->processors, sizeof *tasks->idle);
    base_arena_plan(memory, &tasks->said, tasks->processors, sizeof *tasks->said);
    base_arena_plan(memory, &tasks->parcel, ports, sizeof *tasks->parcel);
}

// Appends a task with cleared bytes. The caller adds its print when its bytes are written.
static struct core_task *add_task(struct cargo_worker *worker, struct core_task_queue *queue, uint64_t path,
                                  uint32_t born)
{
    struct core_task *task = core_task_push(queue, &worker->store);
    if (task) {
        memset(task, 0, worker->store.bytes);
        task->path = path;
        task->born = born;
    }
    return task;
}

// Adds what did not go well.
static void add_failures(struct cargo_worker *sum, const struct cargo_worker *worker)
{
    sum->overflows |= worker->overflows || __builtin_add_overflow(sum->result, worker->result, &sum->result);
    sum->short_of_memory |= worker->short_of_memory;
    if (worker->broken && !sum->broken) {
        sum->broken = true;
        sum->breach = worker->breach;
    }
}

struct cargo_worker cargo_sum_of(const struct cargo_tasks *tasks, unsigned first, unsigned end)
{
    struct cargo_worker sum = {.best = EK_NO_VALUE};
    for (unsigned w = first; w < end; w++) {
        const struct cargo_worker *worker = &tasks->worker[w];
        sum.busy += worker->busy;
        sum.owing += worker->owing;
        sum.created += worker->created;
        sum.executed += worker->executed;
        sum.nodes += worker->nodes;
        sum.native += worker->native;
        sum.cost += worker->cost;
        sum.longest = worker->longest > sum.longest ? worker->longest : sum.longest;
        sum.most_held = worker->most_held > sum.most_held ? worker->most_held : sum.most_held;
        sum.left += worker->left;
        sum.created_print += worker->created_print;
        sum.executed_print += worker->executed_print;
        sum.best = worker->best < sum.best ? worker->best : sum.best;
        sum.work_ns += worker->work_ns + worker->took_ns * (double)worker->untimed;
        sum.done_ns = worker->done_ns > sum.done_ns ? worker->done_ns : sum.done_ns;
        add_failures(&sum, worker);
    }
    return sum;
}

struct cargo_worker cargo_sum(const struct cargo_tasks *tasks)
{
    return cargo_sum_of(tasks, 0, tasks->workers);
}

void cargo_set_counts(struct cargo_tasks *tasks, unsigned worker, const struct cargo_worker *counted)
{
    tasks->worker[worker] = *counted;
    tasks->worker[worker].tasks = tasks;
}

bool cargo_good(const struct cargo_tasks *tasks, bool done, struct ek_error *error)
{
    struct cargo_worker sum = cargo_sum(tasks);
    if (sum.broken) {
        *error = sum.breach;
        return false;
    }
    if (sum.short_of_memory) {
        return base_fail(error, EK_BAD_INPUT, "tasks",
                         "the tasks outgrow the memory: processors hold %llu of them, and there are %llu MiB for "
                         "tasks: choose a smaller problem, or raise the limit on memory",
                         (unsigned long long)(sum.created - sum.executed),
                         (unsigned long long)(tasks->bytes_most >> 20));
    }
    if (sum.overflows) {
        return base_fail(error, EK_BAD_INPUT, "tasks",
                         "the sum of the results needs more than 64 bits: choose a smaller problem");
    }
    return !done || sum.created_print == sum.executed_print ||
           base_fail(error, EK_VIOLATION, "tasks",
                     "the executed tasks are not those that were created: a task was lost, doubled or changed");
}

// Finds the processors of this process.
static void find_here(struct cargo_tasks *tasks)
{
    const struct machine_plan *machine = tasks->machine;
    const struct rank_placement *placement = &machine->placement;
    for (uint32_t i = 0; tasks->here && i < placement->spans; i++) {
        for (uint32_t p = placement->begin[i]; p < placement->begin[i + 1]; p++) {
            tasks->here[p] = placement->rank[i] == machine->ranks->rank;
        }
    }
}

bool cargo_tasks_begin(struct cargo_tasks *tasks, const double *held, struct ek_error *error)
{
    struct ek_limits limits;
    cargo_tasks_end(tasks);
    memset(tasks->processor, 0, tasks->processors * sizeof *tasks->processor);
    memset(tasks->busy, 0, tasks->processors * sizeof *tasks->busy);
    if (tasks->idle) {
        memset(tasks->idle, 0, tasks->processors * sizeof *tasks->idle);
    }
    if (tasks->works_until) {
        memset(tasks->works_until, 0, tasks->processors * sizeof *tasks->works_until);
    }
    watch_profile_begin(&tasks->profile);
    atomic_store_explicit(&tasks->bytes, 0, memory_order_relaxed); // no worker runs
    host_limits_read_memory("", &limits);
    // An eighth stays free for the rest of the program.
    tasks->bytes_most = *limits.memory_bound ? limits.memory_free - limits.memory_free / 8 : UINT64_MAX / 2;
    for (unsigned w = 0; w < tasks->workers; w++) {
        struct cargo_worker *worker = &tasks->worker[w];
        *worker = (struct cargo_worker){0};
        worker->tasks = tasks;
        worker->store.more = more_blocks;
        worker->store.context = worker;
        worker->best = tasks->problem->best;
        core_task_store_begin(&worker->store, tasks->problem->task_bytes);
    }
    find_here(tasks);
    struct cargo_worker *worker = &tasks->worker[tasks->first_worker];
    uint64_t index = 0;
    for (uint32_t p = 0; p < tasks->processors; p++) {
        tasks->processor[p].best = tasks->problem->best;
        if (tasks->said) {
            tasks->said[p] = tasks->problem->best;
        }
        if (tasks->here && !tasks->here[p]) {
            index += (uint64_t)held[p];
            continue;
        }
        for (uint64_t last = index + (uint64_t)held[p]; index < last; index++) {
            struct core_task *task = add_task(worker, &tasks->processor[p].held, 0, p);
            if (!task) {
                return cargo_good(tasks, false, error);
            }
            tasks->program->begin(tasks->problem, index, task->data);
            worker->created++;
            worker->created_print += core_task_print(task, worker->store.bytes);
        }
        watch_profile_count(&tasks->profile, p, 0.0, held[p]);
        worker->most_held =
            tasks->processor[p].held.count > worker->most_held ? tasks->processor[p].held.count : worker->most_held;
    }
    return true;
}

void cargo_tasks_end(struct cargo_tasks *tasks)
{
    for (unsigned w = 0; tasks->worker && w < tasks->workers; w++) {
        struct cargo_slab *slab = tasks->worker[w].slabs;
        while (slab) {
            struct cargo_slab *next = slab->next;
            free(slab);
            slab = next;
        }
        tasks->worker[w].slabs = NULL;
    }
}

// A processor's work in a tick, and the machine's data for a child that the program creates.
//
// The prints show that no task is lost, doubled or changed between ticks. So a task is printed when it stays after the
// tick that created it, and when a later tick executes it. A task that is executed in the tick that created it is in no
// other hands: it is counted, not printed.
struct execution {
    struct ek_execution seen; // the part that the program sees
    struct cargo_worker *worker;
    struct cargo_processor *processor;
    uint32_t number; // of the processor
    uint64_t path;   // the cost that led to the task
    uint64_t before; // tasks that were held before the tick
    uint64_t old;    // those of them that are still held: the oldest ones
};

static void *add_child(struct ek_execution *seen)
{
    struct execution *execution = (struct execution *)seen;
    struct core_task *child =
        add_task(execution->worker, &execution->processor->held, execution->path + seen->cost, execution->number);
    return child ? child->data : NULL;
}

// Returns the sum of the prints of the newest `count` tasks, with print i (from the oldest) times the factor to the
// power of i.
static uint64_t print_newest(const struct cargo_worker *worker, const struct core_task_queue *queue, uint64_t count,
                             uint64_t factor)
{
    const struct core_task_store *store = &worker->store;
    struct core_task_block *block = queue->newest;
    uint64_t sum = 0;
    for (uint32_t place = block ? block->end : 0; count > 0; count--) {
        sum = sum * factor + core_task_print(core_task_at(store, block, --place), store->bytes);
        if (place == block->from && count > 1) {
            block = block->older;
            place = block->end;
        }
    }
    return sum;
}

static inline void note_executed(const struct execution *execution, const struct core_task *task)
{
    const struct ek_execution *seen = &execution->seen;
    struct cargo_worker *worker = execution->worker;
    struct cargo_processor *processor = execution->processor;
    uint64_t path = execution->path + seen->cost, held = processor->held.count;
    worker->executed++;
    worker->nodes += !seen->dropped;
    worker->native += task->born == execution->number;
    worker->cost += seen->cost;
    worker->longest = path > worker->longest ? path : worker->longest;
    worker->most_held = held > worker->most_held ? held : worker->most_held;
    if (worker->tasks->program->result == EK_RESULT_SUM) {
        if (seen->result < 0 || __builtin_add_overflow(worker->result, (uint64_t)seen->result, &worker->result)) {
            worker->overflows = true;
        }
    } else if (seen->best < processor->best) {
        processor->best = seen->best;
        worker->best = seen->best < worker->best ? seen->best : worker->best;
    }
}

// Checks what the program answered. Not inlined: few runs have a program to check.
__attribute__((noinline)) static void check_answer(const struct execution *execution, const struct core_task *task,
                                                   uint64_t children)
{
    struct cargo_worker *worker = execution->worker;
    const struct cargo_processor *processor = execution->processor;
    struct cargo_answer answer = {.seen = &execution->seen,
                                  .best = processor->best,
                                  .processor = execution->number,
                                  .children = children,
                                  .print = print_newest(worker, &processor->held, children, CARGO_ANSWER_FACTOR)};
    if (!worker->short_of_memory && !worker->broken) {
        worker->broken = !cargo_promises_hold(worker, task, &answer, &worker->breach);
    }
}

static struct execution begin_executing(struct cargo_worker *worker, uint32_t p)
{
    struct cargo_tasks *tasks = worker->tasks;
    struct cargo_processor *processor = &tasks->processor[p];
    return (struct execution){.seen = {.child = add_child, .picture = tasks->picture},
                              .worker = worker,
                              .processor = processor,
                              .number = p,
                              .before = processor->held.count,
                              .old = processor->held.count};
}

static inline bool can_execute(const struct execution *execution)
{
    return execution->processor->held.count > 0 && !execution->worker->short_of_memory && !execution->worker->broken;
}

// Executes the newest task.
static inline void execute(struct execution *execution)
{
    struct cargo_worker *worker = execution->worker;
    struct core_task_queue *held = &execution->processor->held;
    const struct cargo_tasks *tasks = worker->tasks;
    union {
        struct core_task task;
        unsigned char room[CORE_TASK_HEAD + EK_TASK_BYTES + 8];
    } newest;
    core_task_pop(held, &worker->store, &newest.task);
    uint64_t others = held->count;
    if (others < execution->old) {
        worker->executed_print += core_task_print(&newest.task, worker->store.bytes);
        execution->old = others;
    }
    execution->seen.best = execution->processor->best;
    execution->seen.result = 0;
    execution->seen.cost = 1;
    execution->seen.dropped = false;
    execution->path = newest.task.path;
    tasks->program->execute(tasks->problem, newest.task.data, &execution->seen);
    if (tasks->again_every > 0) {
        check_answer(execution, &newest.task, held->count - others);
    }
    note_executed(execution, &newest.task);
}

// Notes the tasks that stay after `executed` executions.
static struct core_ticked end_executing(const struct execution *execution, uint64_t executed)
{
    struct cargo_worker *worker = execution->worker;
    struct cargo_processor *processor = execution->processor;
    uint64_t now = processor->held.count, stay = now - execution->old, taken = execution->before - execution->old;
    uint64_t created = now + executed - execution->before;
    processor->created = stay + (processor->created > taken ? processor->created - taken : 0);
    worker->created_print += print_newest(worker, &processor->held, stay, 1);
    worker->created += created;
    return (struct core_ticked){.generated = (double)created, .consumed = (double)executed};
}

struct core_ticked cargo_execute(struct cargo_worker *worker, uint32_t p, double *held, uint64_t *cost)
{
    struct execution execution = begin_executing(worker, p);
    uint64_t cost_before = worker->cost, executed = 0, grain = worker->tasks->grain;
    for (; executed < grain && can_execute(&execution); executed++) {
        execute(&execution);
    }
    *cost = worker->cost - cost_before;
    *held = (double)execution.processor->held.count;
    struct core_ticked ticked = end_executing(&execution, executed);
    watch_profile_count(&worker->tasks->profile, p, ticked.consumed, ticked.generated);
    return ticked;
}

double *cargo_tasks_had(struct cargo_tasks *tasks, const double *held, uint64_t now_ns)
{
    for (uint32_t p = 0; tasks->had && p < tasks->processors; p++) {
        tasks->had[p] = held[p] + (tasks->processor[p].budget < 0.0 || tasks->works_until[p] > now_ns);
    }
    return tasks->had;
}

uint64_t cargo_left(const struct cargo_tasks *tasks)
{
    uint64_t left = 0; // by worker it may wrap around
    for (unsigned w = 0; w < tasks->workers; w++) {
        left += tasks->worker[w].created - tasks->worker[w].executed;
    }
    return left;
}

void cargo_begin_tick(struct cargo_worker *worker)
{
    worker->left = 0;
    worker->busy = worker->owing = 0;
}

static void note_left(struct cargo_worker *worker, uint32_t p)
{
    const struct cargo_processor *processor = &worker->tasks->processor[p];
    worker->owing += processor->budget < 0.0;
    worker->left += processor->held.count;
}

// Adds this tick to the profile. Not inlined: few runs have one.
static __attribute__((noinline)) void note_profile(struct cargo_tasks *tasks, uint32_t p, enum ek_profile_kind kind,
                                                   struct core_ticked ticked)
{
    if (kind != EK_PROFILE_IDLE) {
        watch_profile_add(&tasks->profile, p, kind, tasks->ticks, tasks->ticks + 1);
    }
    watch_profile_count(&tasks->profile, p, ticked.consumed, ticked.generated);
}

void cargo_rest(struct cargo_worker *worker, uint32_t p)
{
    if (worker->tasks->profile.most > 0) {
        note_profile(worker->tasks, p, EK_PROFILE_OVERHEAD, (struct core_ticked){0});
    }
    note_left(worker, p);
}

// Executes tasks as long as the budget lasts.
static struct core_ticked execute_budget(struct cargo_worker *worker, uint32_t p)
{
    struct execution execution = begin_executing(worker, p);
    uint64_t executed = 0;
    for (; execution.processor->budget >= 1.0 && can_execute(&execution); executed++) {
        uint64_t before = worker->cost;
        execute(&execution);
        execution.processor->budget -= (double)(worker->cost - before);
    }
    return end_executing(&execution, executed);
}

struct core_ticked cargo_tick(struct cargo_worker *worker, uint32_t p, double *held)
{
    struct cargo_tasks *tasks = worker->tasks;
    struct cargo_processor *processor = &tasks->processor[p];
    struct core_ticked ticked = {0};
    bool works = processor->budget < 0.0;
    processor->created = 0;
    processor->budget += (double)tasks->grain * (tasks->capacity ? tasks->capacity[p] : 1.0);
    if (processor->held.count > 0) {
        ticked = execute_budget(worker, p);
        works = works || ticked.consumed > 0.0;
    }
    if (processor->budget >= 1.0) { // a processor without tasks keeps the fraction only
        processor->budget -= floor(processor->budget);
    }
    tasks->busy[p] += works;
    worker->busy += works;
    if (tasks->profile.most > 0) {
        note_profile(tasks, p, works ? EK_PROFILE_WORK : EK_PROFILE_IDLE, ticked);
    }
    note_left(worker, p);
    // Without capacities budgets are whole, so the next tick begins and ends with 0 again.
    tasks->idle[p] = !works && processor->held.count == 0 && !tasks->capacity && tasks->profile.most == 0;
    *held = (double)processor->held.count;
    return ticked;
}

bool cargo_tick_done(struct cargo_tasks *tasks, double in_flight)
{
    uint64_t left = 0, busy = 0;
    for (unsigned w = 0; w < tasks->workers; w++) {
        left += tasks->worker[w].left + tasks->worker[w].owing;
        busy += tasks->worker[w].busy;
    }
    tasks->ticks++;
    tasks->worked_ticks += busy > 0;
    if (tasks->shared_tick == 0 && 100 * busy >= SHARED_PERCENT * (uint64_t)tasks->processors) {
        tasks->shared_tick = tasks->ticks;
    }
    return left == 0 && in_flight == 0.0;
}

uint64_t cargo_give(struct cargo_worker *worker, uint32_t p, uint64_t count, bool newest, struct core_task_queue *queue)
{
    struct cargo_tasks *tasks = worker->tasks;
    struct core_task_queue *held = &tasks->processor[p].held;
    bool oldest = !newest && !tasks->give_newest;
    count = count < held->count ? count : held->count;
    return count == 0 || core_task_give(held, &worker->store, count, oldest, queue) ? count : 0;
}

void cargo_hold(struct cargo_worker *worker, uint32_t p, struct core_task_queue *queue)
{
    struct core_task_queue *held = &worker->tasks->processor[p].held;
    if (worker->tasks->idle) {
        worker->tasks->idle[p] = false;
    }
    core_task_receive(held, &worker->store, queue);
    worker->most_held = held->count > worker->most_held ? held->count : worker->most_held;
}

uint64_t cargo_send(struct cargo_worker *worker, uint32_t p, uint32_t port, uint64_t count)
{
    return cargo_give(worker, p, count, false, &worker->tasks->parcel[port]);
}

void cargo_receive(struct cargo_worker *worker, uint32_t p, uint32_t port)
{
    cargo_hold(worker, p, &worker->tasks->parcel[port]);
}

void cargo_say(struct cargo_tasks *tasks, uint32_t p)
{
    tasks->said[p] = tasks->processor[p].best;
}

void cargo_hear(struct cargo_tasks *tasks, uint32_t p, uint32_t neighbour)
{
    struct cargo_processor *processor = &tasks->processor[p];
    processor->best = tasks->said[neighbour] < processor->best ? tasks->said[neighbour] : processor->best;
}

void cargo_tell(struct cargo_tasks *tasks, uint32_t sender, uint32_t receiver)
{
    cargo_say(tasks, sender);
    cargo_hear(tasks, receiver, sender);
}
