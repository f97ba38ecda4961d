// SPDX-License-Identifier: MIT
// Queues of tasks against a plain array: any sequence of calls keeps every task, once, and in its order.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "core/cargo/task_queue.h"
#include "tests/support/runs.h"

enum { QUEUES = 4, TASKS_MAX = 4096 };

// A queue as an array: the numbers of its tasks, from the oldest to the newest.
struct model {
    uint64_t number[TASKS_MAX];
    size_t count;
};

static struct core_task_store store;
static struct core_task_queue queue[QUEUES];
static struct model model[QUEUES];
static size_t blocks_left;
static void *slabs[TASKS_MAX];
static size_t slabs_count;

static void *more_blocks(void *context, size_t *blocks)
{
    (void)context;
    if (blocks_left == 0) {
        return NULL;
    }
    *blocks = blocks_left < 3 ? blocks_left : 3;
    blocks_left -= *blocks;
    return slabs[slabs_count++] = malloc(*blocks * CORE_TASK_BLOCK_BYTES);
}

static void begin(size_t bytes, size_t blocks)
{
    store = (struct core_task_store){.more = more_blocks};
    core_task_store_begin(&store, bytes);
    memset(queue, 0, sizeof queue);
    memset(model, 0, sizeof model);
    blocks_left = blocks;
}

static void end(void)
{
    while (slabs_count > 0) {
        free(slabs[--slabs_count]);
    }
}

// Checks the order and the number of a queue's tasks, and that both directions of the chain agree.
static void check_queue(unsigned q)
{
    size_t at = 0;
    const struct core_task_block *older = NULL;
    for (const struct core_task_block *block = queue[q].oldest; block; older = block, block = block->newer) {
        cr_assert_eq(block->older, older);
        cr_assert_lt(block->from, block->end, "no block is empty");
        for (uint32_t place = block->from; place < block->end; place++, at++) {
            uint64_t number;
            const struct core_task *task = (const struct core_task *)(block->place + place * store.bytes);
            memcpy(&number, task->data, sizeof number);
            cr_assert_lt(at, model[q].count);
            cr_assert_eq(number, model[q].number[at], "queue %u has task %zu", q, at);
            cr_assert_eq(task->born, (uint32_t)number % 7);
            cr_assert_eq(task->path, 3 * number);
        }
    }
    cr_assert_eq(queue[q].newest, older);
    cr_assert_eq(at, model[q].count);
    cr_assert_eq(queue[q].count, at);
}

static bool push(unsigned q, uint64_t number)
{
    struct core_task *task = core_task_push(&queue[q], &store);
    if (!task) {
        return false;
    }
    task->born = (uint32_t)number % 7;
    task->path = 3 * number;
    memcpy(task->data, &number, sizeof number);
    model[q].number[model[q].count++] = number;
    return true;
}

static void pop(unsigned q)
{
    union {
        struct core_task task;
        unsigned char room[128];
    } newest;
    uint64_t number;
    core_task_pop(&queue[q], &store, &newest.task);
    memcpy(&number, newest.task.data, sizeof number);
    cr_assert_eq(number, model[q].number[--model[q].count]);
}

// Moves tasks to the empty last queue, and from there in front of another one.
static bool move(unsigned from, unsigned to, size_t count, bool oldest)
{
    struct model *source = &model[from], *parcel = &model[QUEUES - 1], *target = &model[to];
    if (!core_task_give(&queue[from], &store, count, oldest, &queue[QUEUES - 1])) {
        return false;
    }
    const uint64_t *given = oldest ? source->number : source->number + source->count - count;
    memcpy(parcel->number, given, count * sizeof *given);
    parcel->count = count;
    memmove(source->number, source->number + (oldest ? count : 0), (source->count - count) * sizeof *given);
    source->count -= count;
    check_queue(from);
    check_queue(QUEUES - 1);
    core_task_receive(&queue[to], &store, &queue[QUEUES - 1]);
    memmove(target->number + count, target->number, target->count * sizeof *given);
    memcpy(target->number, parcel->number, count * sizeof *given);
    target->count += count;
    parcel->count = 0;
    check_queue(QUEUES - 1);
    return true;
}

Test(task_queue, any_sequence_of_calls, .timeout = 120)
{
    for (unsigned draw = 0; draw < tests_part(64); draw++) {
        struct base_random random = base_random_start(draw, 0, BASE_STREAM_LOAD);
        begin(8 + 8 * (draw % 8), 4000);
        uint64_t number = 0;
        for (unsigned step = 0; step < 600; step++) {
            unsigned q = (unsigned)base_random_below(&random, QUEUES - 1);
            unsigned other = (unsigned)base_random_below(&random, QUEUES - 1);
            unsigned action = (unsigned)base_random_below(&random, 4);
            uint64_t amount = base_random_below(&random, step % 5 == 0 ? 90 : 4);
            if (action == 0) {
                for (; amount > 0 && model[q].count < TASKS_MAX / QUEUES; amount--) {
                    cr_assert(push(q, number++));
                }
            } else if (action == 1) {
                for (; amount > 0 && model[q].count > 0; amount--) {
                    pop(q);
                }
            } else {
                size_t count = amount < model[q].count ? amount : model[q].count;
                cr_assert(move(q, other, count, action == 2));
            }
            check_queue(q);
            check_queue(other);
        }
        end();
    }
}

Test(task_queue, blocks_are_used_again)
{
    begin(24, 8);
    for (unsigned round = 0; round < 1000; round++) {
        for (uint64_t number = 0; number < 40; number++) {
            cr_assert(push(0, number), "a block was lost by round %u", round);
        }
        cr_assert(move(0, 1, 13, true));
        cr_assert(move(1, 0, 5, false));
        for (unsigned q = 0; q < 2; q++) {
            while (model[q].count > 0) {
                pop(q);
            }
        }
    }
    end();
}

Test(task_queue, changes_nothing_without_memory)
{
    begin(8, 1);
    uint64_t number = 0;
    while (push(0, number)) {
        number++;
    }
    cr_expect_eq(number, store.per_block);
    check_queue(0);
    cr_expect_not(core_task_give(&queue[0], &store, 3, true, &queue[1]));
    check_queue(0);
    cr_expect_eq(queue[1].count, 0);
    end();
}

// A chain of parcels with one task each must not become a chain of blocks with one task each.
Test(task_queue, joins_small_parcels)
{
    begin(24, 1000);
    for (uint64_t number = 0; number < 200; number++) {
        cr_assert(push(1, number));
    }
    while (model[1].count > 0) {
        cr_assert(move(1, 0, 1, false));
    }
    size_t blocks = 0;
    for (const struct core_task_block *block = queue[0].oldest; block; block = block->newer) {
        blocks++;
    }
    cr_expect_leq(blocks, 2 * (200 / store.per_block + 1), "%zu blocks", blocks);
    end();
}

// A processor that gives and receives few tasks keeps one block: the free places in front of its tasks are used again.
Test(task_queue, small_parcels_reuse_places)
{
    begin(24, 4);
    uint64_t number = 0;
    for (; number < 4; number++) {
        cr_assert(push(0, number));
        cr_assert(push(1, 1000 + number));
    }
    for (unsigned turn = 0; turn < 100; turn++) {
        cr_assert(move(0, 1, 1 + turn % 3, true));
        cr_assert(move(1, 0, 1 + turn % 3, true));
        cr_assert_eq(queue[0].oldest, queue[0].newest);
        cr_assert_eq(queue[1].oldest, queue[1].newest);
    }
    end();
}
