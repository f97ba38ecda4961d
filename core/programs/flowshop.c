// SPDX-License-Identifier: MIT
// The permutation flow shop by branch and bound. Each of J jobs passes machines 0 .. M-1 in turn, and every machine
// takes the jobs in the same order. The program finds the least makespan, the time until the last job is done.
//
// A task has placed jobs at the front and at the back of the order. For each machine i, C_i is the time at which it
// finishes the front jobs, and Q_i the time from its start of the back jobs to the end. The bound is the largest of
// C_i + (the times of the other jobs on machine i) + Q_i. It is the makespan if no other job is left. If jobs are
// placed at the front only, Q_i is the least time that one of the other jobs needs after machine i (Ignall & Schrage
// 1965).
#include <stdlib.h>
#include <string.h>

#include "core/axes/spec.h"
#include "core/programs/branch.h"

enum { MACHINES_MOST = 60, TIME_MOST = 1000000, TAILLARD_TIME_MOST = 99 };

struct flowshop {
    struct core_branch branch; // its items are the jobs
    bool forward;              // children place their job at the front only
    uint32_t machines;
    int32_t time[]; // [jobs * machines] of a job on a machine; the times of a job are next to each other
};

// The state of the machines in a task.
struct shop {
    int32_t front[MACHINES_MOST]; // C_i
    int32_t back[MACHINES_MOST];  // Q_i
    int32_t rest[MACHINES_MOST];  // the sum of the times of the jobs that are not placed
};

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// Places a job behind those at the front.
static void place_front(const struct flowshop *shop, uint32_t job, int32_t *front)
{
    const int32_t *time = shop->time + (size_t)job * shop->machines;
    int32_t before = 0;
    for (uint32_t i = 0; i < shop->machines; i++) {
        before = larger(before, front[i]) + time[i];
        front[i] = before;
    }
}

// Places a job before those at the back.
static void place_back(const struct flowshop *shop, uint32_t job, int32_t *back)
{
    const int32_t *time = shop->time + (size_t)job * shop->machines;
    int32_t after = 0;
    for (uint32_t i = shop->machines; i-- > 0;) {
        after = larger(after, back[i]) + time[i];
        back[i] = after;
    }
}

static struct shop shop_of(const struct flowshop *shop, const struct core_branch_task *task, const uint8_t *unplaced,
                           uint32_t count)
{
    struct shop state = {0};
    for (unsigned i = 0; i < task->front; i++) {
        place_front(shop, task->item[i], state.front);
    }
    for (unsigned i = 1; i <= task->back; i++) {
        place_back(shop, task->item[CORE_BRANCH_ITEMS - i], state.back);
    }
    for (uint32_t k = 0; k < count; k++) {
        const int32_t *time = shop->time + (size_t)unplaced[k] * shop->machines;
        for (uint32_t i = 0; i < shop->machines; i++) {
            state.rest[i] += time[i];
        }
    }
    return state;
}

static int32_t bound_of(const struct flowshop *shop, const struct shop *state)
{
    int32_t bound = 0;
    for (uint32_t i = 0; i < shop->machines; i++) {
        bound = larger(bound, state->front[i] + state->rest[i] + state->back[i]);
    }
    return bound;
}

// Sets Q_i to the least time that one of the unplaced jobs but `placed` needs after machine i.
static void least_tails(const struct flowshop *shop, const uint8_t *unplaced, uint32_t count, uint32_t placed,
                        int32_t *back)
{
    bool any = false;
    for (uint32_t k = 0; k < count; k++) {
        const int32_t *time = shop->time + (size_t)unplaced[k] * shop->machines;
        int32_t after = 0;
        for (uint32_t i = shop->machines; unplaced[k] != placed && i-- > 0;) {
            back[i] = any && back[i] < after ? back[i] : after;
            after += time[i];
        }
        any = any || unplaced[k] != placed;
    }
}

// The bound of the child that places `job` at the front or at the back.
static int32_t child_bound(const struct flowshop *shop, const struct shop *state, bool at_back, uint32_t job,
                           const uint8_t *unplaced, uint32_t count)
{
    struct shop child = *state;
    const int32_t *time = shop->time + (size_t)job * shop->machines;
    if (at_back) {
        place_back(shop, job, child.back);
    } else {
        place_front(shop, job, child.front);
    }
    if (shop->forward) {
        least_tails(shop, unplaced, count, job, child.back);
    }
    for (uint32_t i = 0; i < shop->machines; i++) {
        child.rest[i] -= time[i];
    }
    return bound_of(shop, &child);
}

// Lists the children that place a job at the front or at the back. Returns the sum of their bounds.
static int64_t list_children(const struct flowshop *shop, const struct shop *state, bool at_back,
                             const uint8_t *unplaced, uint32_t count, struct core_branch_child *children)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        children[k].item = unplaced[k];
        children[k].bound = child_bound(shop, state, at_back, unplaced[k], unplaced, count);
        sum += children[k].bound;
    }
    return sum;
}

// Places the next job on the side whose children have the larger sum of bounds, at the front if the sums are equal.
static void flowshop_execute(const struct ek_problem *problem, const void *task_bytes, struct ek_execution *execution)
{
    const struct flowshop *shop = (const struct flowshop *)problem;
    struct core_branch_task task;
    memcpy(&task, task_bytes, sizeof task);
    if (core_branch_ends(&shop->branch, &task, execution)) {
        return;
    }
    uint8_t unplaced[CORE_BRANCH_ITEMS];
    struct core_branch_child at_front[CORE_BRANCH_ITEMS];
    struct core_branch_child at_back[CORE_BRANCH_ITEMS];
    uint32_t count = core_branch_unplaced(&shop->branch, &task, unplaced);
    struct shop state = shop_of(shop, &task, unplaced, count);
    int64_t front_sum = list_children(shop, &state, false, unplaced, count, at_front);
    bool back = !shop->forward && list_children(shop, &state, true, unplaced, count, at_back) > front_sum;
    core_branch_create(&task, back, back ? at_back : at_front, count, execution);
}

static void flowshop_begin(const struct ek_problem *problem, uint64_t index, void *task)
{
    const struct flowshop *shop = (const struct flowshop *)problem;
    struct core_branch_task root = {0};
    uint8_t unplaced[CORE_BRANCH_ITEMS];
    (void)index;
    uint32_t count = core_branch_unplaced(&shop->branch, &root, unplaced);
    struct shop state = shop_of(shop, &root, unplaced, count);
    if (shop->forward) {
        least_tails(shop, unplaced, count, CORE_BRANCH_ITEMS, state.back);
    }
    root.bound = bound_of(shop, &state);
    memcpy(task, &root, sizeof root);
}

// Makes a problem whose times are not known yet. Returns NULL if there is no memory.
static struct flowshop *make_shop(struct base_cursor *cursor, uint64_t jobs, uint64_t machines, bool forward)
{
    struct flowshop *shop = malloc(sizeof *shop + jobs * machines * sizeof shop->time[0]);
    if (!shop) {
        base_cursor_fail(cursor, cursor->at, "there is no memory for the problem");
        return NULL;
    }
    shop->branch = core_branch_problem((uint32_t)jobs, EK_NO_VALUE);
    shop->forward = forward;
    shop->machines = (uint32_t)machines;
    return shop;
}

// Reads JxM:SEED[:UPPER], and draws the times machine by machine, job by job (Taillard 1993).
static struct flowshop *draw_shop(struct base_cursor *cursor, bool forward)
{
    uint64_t jobs;
    uint64_t machines;
    int64_t state;
    int64_t upper;
    if (!base_cursor_whole(cursor, "the number of jobs", 1, CORE_BRANCH_ITEMS, &jobs) ||
        !base_cursor_expect(cursor, 'x', "the number of jobs") ||
        !base_cursor_whole(cursor, "the number of machines", 1, MACHINES_MOST, &machines) ||
        !base_cursor_expect(cursor, ':', "the number of machines") || !core_branch_read(cursor, &state, &upper)) {
        return NULL;
    }
    struct flowshop *shop = make_shop(cursor, jobs, machines, forward);
    for (uint64_t i = 0; shop && i < machines; i++) {
        for (uint64_t job = 0; job < jobs; job++) {
            shop->time[job * machines + i] = 1 + core_branch_draw(&state, TAILLARD_TIME_MOST);
        }
    }
    if (shop) {
        shop->branch.problem.best = upper;
    }
    return shop;
}

// A file of times while it is read. The first line has the numbers of jobs and machines. Then there is a line for each
// machine, which has the time of each job.
struct flowshop_file {
    struct flowshop *shop; // NULL before the first line
    bool forward;
    uint32_t machines; // lines read after the first
};

static bool take_size(struct flowshop_file *file, struct base_cursor *line)
{
    static const char looks[] = "the first line has the numbers of jobs and machines, as in 20 5";
    uint64_t jobs;
    uint64_t machines;
    if (!base_cursor_whole(line, "the number of jobs", 1, CORE_BRANCH_ITEMS, &jobs) || !core_spec_gap(line, looks) ||
        !base_cursor_whole(line, "the number of machines", 1, MACHINES_MOST, &machines)) {
        return false;
    }
    file->shop = make_shop(line, jobs, machines, file->forward);
    return file->shop;
}

static bool take_times(void *context, struct base_cursor *line)
{
    struct flowshop_file *file = context;
    struct flowshop *shop = file->shop;
    if (!shop) {
        return take_size(file, line);
    }
    if (file->machines == shop->machines) {
        return base_cursor_fail(line, 0, "the first line names %u machines, and this line is one more",
                                (unsigned)shop->machines);
    }
    for (uint32_t job = 0; job < shop->branch.items; job++) {
        uint64_t time;
        if ((job > 0 && !core_spec_gap(line, "a machine's line has the time of each job")) ||
            !base_cursor_whole(line, "the time of a job", 0, TIME_MOST, &time)) {
            return false;
        }
        shop->time[(size_t)job * shop->machines + file->machines] = (int32_t)time;
    }
    file->machines++;
    return true;
}

static struct flowshop *read_shop(struct base_cursor *cursor, struct ek_reader reader, bool forward)
{
    struct flowshop_file file = {.forward = forward};
    size_t at = cursor->at;
    bool good = core_spec_lines(cursor, reader, take_times, &file);
    if (good && (!file.shop || file.machines < file.shop->machines)) {
        good = base_cursor_fail(cursor, at,
                                "the file ends too early: after the numbers of jobs and machines, it needs "
                                "a line of times for each machine");
    }
    if (!good) {
        free(file.shop);
        return NULL;
    }
    return file.shop;
}

static struct ek_problem *prepare(const struct ek_program_setting *setting, bool forward, struct ek_error *error)
{
    struct base_cursor cursor = core_program_cursor(setting, error);
    struct flowshop *shop =
        core_program_is_file(&cursor) ? read_shop(&cursor, setting->reader, forward) : draw_shop(&cursor, forward);
    return shop ? &shop->branch.problem : NULL;
}

static struct ek_problem *flowshop_prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    return prepare(setting, false, error);
}

static struct ek_problem *flowshop_forward_prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    return prepare(setting, true, error);
}

const struct ek_program core_program_flowshop = {
    .name = "flowshop",
    .choice = {"flowshop:JxM:SEED[:UPPER]", "the least makespan of J jobs on M machines; UPPER is a makespan that is "
                                            "known. Or flowshop:file:PATH"},
    .source = "Taillard, Benchmarks for basic scheduling problems, European Journal of Operational Research 64, 1993",
    .result = EK_RESULT_LEAST,
    .prepare = flowshop_prepare,
    .begin = flowshop_begin,
    .execute = flowshop_execute,
};

const struct ek_program core_program_flowshop_forward = {
    .name = "flowshop-forward",
    .choice = {"flowshop-forward:JxM:SEED[:UPPER]", "the same, where tasks place jobs at the front only"},
    .source = "Taillard, Benchmarks for basic scheduling problems, European Journal of Operational Research 64, 1993",
    .result = EK_RESULT_LEAST,
    .prepare = flowshop_forward_prepare,
    .begin = flowshop_begin,
    .execute = flowshop_execute,
};
