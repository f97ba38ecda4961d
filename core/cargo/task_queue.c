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

static uint32_t tasks_in(const struct core_task_block *block)
{
    return block->end - block->from;
}

// Returns an empty block, or NULL.
static struct core_task_block *take_block(struct core_task_store *store)
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
        *block = (struct core_task_block){0};
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

struct core_task_block *core_task_add_block(struct core_task_queue *queue, struct core_task_store *store)
{
    struct core_task_block *block = take_block(store);
    if (block) {
        add_newest(queue, block);
    }
    return block;
}

void core_task_remove_block(struct core_task_queue *queue, struct core_task_store *store)
{
    return_block(store, remove_newest(queue));
}

// Moves part of the oldest block to a block of its own, which becomes the parcel's newest.
static void split_oldest(struct core_task_queue *queue, struct core_task_store *store, uint32_t count,
                         struct core_task_queue *parcel, struct core_task_block *room)
{
    struct core_task_block *block = queue->oldest;
    memcpy(room->place, core_task_at(store, block, block->from), count * store->bytes);
    room->end = count;
    block->from += count;
    add_newest(parcel, room);
}

static void split_newest(struct core_task_queue *queue, struct core_task_store *store, uint32_t count,
                         struct core_task_queue *parcel, struct core_task_block *room)
{
    struct core_task_block *block = queue->newest;
    block->end -= count;
    memcpy(room->place, core_task_at(store, block, block->end), count * store->bytes);
    room->end = count;
    add_oldest(parcel, room);
}

bool core_task_give(struct core_task_queue *queue, struct core_task_store *store, uint64_t count, bool oldest,
                    struct core_task_queue *parcel)
{
    assert(count <= queue->count && parcel->count == 0);
    struct core_task_block *room = take_block(store); // for the block that is split, if there is one
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

// Moves the tasks of the queue's oldest block to the middle of the places that remain beside `count` ones in front.
static void make_room(struct core_task_block *block, const struct core_task_store *store, uint32_t count)
{
    uint32_t held = tasks_in(block), from = count + (store->per_block - held - count) / 2;
    memmove(core_task_at(store, block, from), core_task_at(store, block, block->from), held * store->bytes);
    block->from = from;
    block->end = from + held;
}

// Moves the tasks of the parcel's newest block in front of those in the queue's oldest block, if it has places for
// them. Otherwise many small parcels would leave a chain of blocks with one task each.
static void join(struct core_task_queue *queue, struct core_task_store *store, struct core_task_queue *parcel)
{
    struct core_task_block *older = parcel->newest, *newer = queue->oldest;
    uint32_t count = tasks_in(older);
    if (count + tasks_in(newer) > store->per_block) {
        return;
    }
    if (newer->from < count) {
        make_room(newer, store, count);
    }
    newer->from -= count;
    memcpy(core_task_at(store, newer, newer->from), core_task_at(store, older, older->from), count * store->bytes);
    core_task_remove_block(parcel, store);
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
        memcpy(to, core_task_at(store, block, block->from), bytes);
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
