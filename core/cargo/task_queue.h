// SPDX-License-Identifier: MIT
// Queues of tasks: what a processor holds, and what a parcel carries. A queue is a chain of blocks, and tasks lie in it
// from the oldest to the newest. A queue gives whole blocks away by pointer, so the cost of a parcel hardly depends on
// the number of its tasks.
#ifndef CORE_CARGO_TASK_QUEUE_H
#define CORE_CARGO_TASK_QUEUE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// A task as the machine holds it: its own data, and then the bytes of the program.
struct core_task {
    uint64_t path;        // the cost of the tasks that led to it
    uint32_t born;        // the processor that created it
    unsigned char data[]; // the program's, not aligned
};

enum { CORE_TASK_HEAD = offsetof(struct core_task, data), CORE_TASK_BLOCK_BYTES = 1024 };

struct core_task_block {
    struct core_task_block *newer, *older;
    uint32_t from, end;    // the places from..end-1 are used
    unsigned char place[]; // [per_block * bytes]
};

struct core_task_queue {
    struct core_task_block *oldest, *newest;
    uint64_t count;
};

// The unused blocks of one worker, and the size of its tasks. Only one thread uses a store at a time; a block may be
// taken from one store and returned to another.
struct core_task_store {
    size_t bytes;       // of a task with its head, a multiple of 8
    uint32_t per_block; // tasks in a block
    struct core_task_block *unused;
    // Returns memory for at least one block, and the number of blocks that it has room for; NULL if there is no more.
    void *(*more)(void *context, size_t *blocks);
    void *context;
};

// Prepares a store for tasks whose program uses `task_bytes` bytes, at most EK_TASK_BYTES.
void core_task_store_begin(struct core_task_store *store, size_t task_bytes);

static inline struct core_task *core_task_at(const struct core_task_store *store, struct core_task_block *block,
                                             uint32_t place)
{
    return (struct core_task *)(block->place + place * store->bytes);
}

// Add an empty block as the newest of a queue, or remove the newest block, which is empty. The first one returns NULL
// if there is no memory.
struct core_task_block *core_task_add_block(struct core_task_queue *queue, struct core_task_store *store);
void core_task_remove_block(struct core_task_queue *queue, struct core_task_store *store);

// Adds a task as the newest, with its bytes unset. Returns NULL, with the queue as it was, if there is no memory.
static inline struct core_task *core_task_push(struct core_task_queue *queue, struct core_task_store *store)
{
    struct core_task_block *block = queue->newest;
    if (!block || block->end == store->per_block) {
        block = core_task_add_block(queue, store);
        if (!block) {
            return NULL;
        }
    }
    queue->count++;
    return core_task_at(store, block, block->end++);
}

// Copies the newest task to `task`, which has room for store->bytes, and removes it. The queue must not be empty.
static inline void core_task_pop(struct core_task_queue *queue, struct core_task_store *store, struct core_task *task)
{
    assert(queue->count > 0);
    struct core_task_block *block = queue->newest;
    memcpy(task, core_task_at(store, block, --block->end), store->bytes);
    queue->count--;
    if (block->from == block->end) {
        core_task_remove_block(queue, store);
    }
}

// Returns a number that depends on each of the `bytes` bytes of a task, a multiple of 8. The sum of such numbers does
// not depend on the order of tasks.
static inline uint64_t core_task_print(const struct core_task *task, size_t bytes)
{
    uint64_t print = 0;
    for (size_t at = 0; at < bytes; at += sizeof print) {
        uint64_t word;
        memcpy(&word, (const unsigned char *)task + at, sizeof word);
        print ^= word;
        print = (print << 29 | print >> 35) * 0x9E3779B97F4A7C15u; // a bit reaches the upper ones only, so they turn
    }
    print = (print ^ print >> 32) * 0xD6E8FEB86659FD93u;
    return print ^ print >> 32;
}

// Moves `count` tasks, the oldest or the newest ones, in their order to `parcel`, which is empty. The queue must hold
// as many. Returns false, with nothing moved, if there is no memory.
bool core_task_give(struct core_task_queue *queue, struct core_task_store *store, uint64_t count, bool oldest,
                    struct core_task_queue *parcel);

// Copy the tasks of a queue in their order to `to`, store->bytes each, and empty the queue; append `count` tasks from
// `from` to a queue. The second returns false if there is no memory; the queue then has some of them.
void core_task_pack(struct core_task_queue *queue, struct core_task_store *store, unsigned char *to);
bool core_task_unpack(struct core_task_queue *queue, struct core_task_store *store, const unsigned char *from,
                      uint64_t count);

// Puts the tasks of a parcel, in their order, in front of the oldest task. The parcel is empty then.
void core_task_receive(struct core_task_queue *queue, struct core_task_store *store, struct core_task_queue *parcel);

#endif
