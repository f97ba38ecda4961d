// SPDX-License-Identifier: MIT
// Queues of tasks.
#include "core/cargo/task_queue.h"

#include <assert.h>
#include <string.h>

void core_task_store_begin(struct core_task_store *store, size_t task_bytes)
{
    store->bytes = (CORE_TASK_HEAD + task_bytes + 7) / 8 * 8;
    store->per_block = (uint32_t)((CORE_TASK_BLOCK_BYTES - sizeof(struct core_task_block)) / store->bytes);
}

static struct core_task *task_at(const struct core_task_store *store, struct core_task_block *block, uint32_t place)
{
    return (struct core_task *)(block->place + place * store->bytes);
}

static uint32_t tasks_in(const struct core_task_block *block)
{
    return block->end - block->from;
}

// Returns an empty block whose first task will lie at `place`, or NULL.
static struct core_task_block *take_block(struct core_task_store *store, uint32_t place)
{
    if (!store->unused) {
        size_t blocks = 0;
        unsigned char *memory = store->more(store->context, &blocks);
        for (size_t i = 0; memory && i < blocks; i++) {
            struct core_task_block *block = (struct core_task_block *)(memory + i * CORE_TASK_BLOCK_BYTES);
            block->newer = store->unused;
            store->unused = block;
        }
    }
    struct core_task_block *block = store->unused;
    if (block) {
        store->unused = block->newer;
        *block = (struct core_task_block){.from = place, .end = place};
    }
    return block;
}

static void return_block(struct core_task_store *store, struct core_task_block *block)
{
    block->newer = store->unused;
    store->unused = block;
}

static void add_newest(struct core_task_queue *queue, struct core_task_block *block)
{
    block->older = queue->newest;
    block->newer = NULL;
    *(queue->newest ? &queue->newest->newer : &queue->oldest) = block;
    queue->newest = block;
}

static void add_oldest(struct core_task_queue *queue, struct core_task_block *block)
{
    block->newer = queue->oldest;
    block->older = NULL;
    *(queue->oldest ? &queue->oldest->older : &queue->newest) = block;
    queue->oldest = block;
}

static struct core_task_block *remove_oldest(struct core_task_queue *queue)
{
    struct core_task_block *block = queue->oldest;
    queue->oldest = block->newer;
    *(queue->oldest ? &queue->oldest->older : &queue->newest) = NULL;
    return block;
}

static struct core_task_block *remove_newest(struct core_task_queue *queue)
{
    struct core_task_block *block = queue->newest;
    queue->newest = block->older;
    *(queue->newest ? &queue->newest->newer : &queue->oldest) = NULL;
    return block;
}

struct core_task *core_task_push(struct core_task_queue *queue, struct core_task_store *store)
{
    if (!queue->newest || queue->newest->end == store->per_block) {
        struct core_task_block *block = take_block(store, 0);
        if (!block) {
            return NULL;
        }
        add_newest(queue, block);
    }
    queue->count++;
    return task_at(store, queue->newest, queue->newest->end++);
}

void core_task_pop(struct core_task_queue *queue, struct core_task_store *store, struct core_task *task)
{
    assert(queue->count > 0);
    struct core_task_block *block = queue->newest;
    memcpy(task, task_at(store, block, --block->end), store->bytes);
    queue->count--;
    if (block->from == block->end) {
        return_block(store, remove_newest(queue));
    }
}

// Moves part of the oldest block to a block of its own, which becomes the parcel's newest.
static void split_oldest(struct core_task_queue *queue, struct core_task_store *store, uint32_t count,
                         struct core_task_queue *parcel, struct core_task_block *room)
{
    struct core_task_block *block = queue->oldest;
    memcpy(room->place, task_at(store, block, block->from), count * store->bytes);
    room->end = count;
    block->from += count;
    add_newest(parcel, room);
}

static void split_newest(struct core_task_queue *queue, struct core_task_store *store, uint32_t count,
                         struct core_task_queue *parcel, struct core_task_block *room)
{
    struct core_task_block *block = queue->newest;
    block->end -= count;
    memcpy(room->place, task_at(store, block, block->end), count * store->bytes);
    room->end = count;
    add_oldest(parcel, room);
}

bool core_task_give(struct core_task_queue *queue, struct core_task_store *store, uint64_t count, bool oldest,
                    struct core_task_queue *parcel)
{
    assert(count <= queue->count && parcel->count == 0);
    struct core_task_block *room = take_block(store, 0); // for the block that is split, if there is one
    if (!room) {
        return false;
    }
    uint64_t left = count;
    while (left > 0) {
        struct core_task_block *block = oldest ? queue->oldest : queue->newest;
        if (tasks_in(block) > left) {
            (oldest ? split_oldest : split_newest)(queue, store, (uint32_t)left, parcel, room);
            room = NULL;
            break;
        }
        left -= tasks_in(block);
        if (oldest) {
            add_newest(parcel, remove_oldest(queue));
        } else {
            add_oldest(parcel, remove_newest(queue));
        }
    }
    if (room) {
        return_block(store, room);
    }
    queue->count -= count;
    parcel->count = count;
    return true;
}

// Appends the tasks of the queue's oldest block to the parcel's newest block, if it has room for them. Otherwise many
// small parcels would leave a chain of blocks with one task each.
static void join(struct core_task_queue *queue, struct core_task_store *store, struct core_task_queue *parcel)
{
    struct core_task_block *older = parcel->newest, *newer = queue->oldest;
    uint32_t count = tasks_in(newer);
    if (older->end + count <= store->per_block) {
        memcpy(task_at(store, older, older->end), task_at(store, newer, newer->from), count * store->bytes);
        older->end += count;
        return_block(store, remove_oldest(queue));
    }
}

void core_task_receive(struct core_task_queue *queue, struct core_task_store *store, struct core_task_queue *parcel)
{
    if (parcel->count == 0) {
        return;
    }
    if (queue->oldest) {
        join(queue, store, parcel);
    }
    queue->count += parcel->count;
    while (parcel->newest) {
        add_oldest(queue, remove_newest(parcel));
    }
    parcel->count = 0;
}

void core_task_pack(struct core_task_queue *queue, struct core_task_store *store, unsigned char *to)
{
    while (queue->oldest) {
        struct core_task_block *block = queue->oldest;
        size_t bytes = tasks_in(block) * store->bytes;
        memcpy(to, task_at(store, block, block->from), bytes);
        to += bytes;
        return_block(store, remove_oldest(queue));
    }
    queue->count = 0;
}

bool core_task_unpack(struct core_task_queue *queue, struct core_task_store *store, const unsigned char *from,
                      uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        struct core_task *task = core_task_push(queue, store);
        if (!task) {
            return false;
        }
        memcpy(task, from + k * store->bytes, store->bytes);
    }
    return true;
}
