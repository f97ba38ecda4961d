// SPDX-License-Identifier: MIT
// The mailbox kind `wfcq`: liburcu's wait-free concurrent queue. Its nodes come from a ring for each mailbox, which
// also bounds the queue: a node is free again when the consumer has counted it as taken.
#include <sched.h>
#include <stdatomic.h>
#include <urcu/wfcqueue.h>

#include "threads/mail/mailbox.h"
#include "base/debug.h"
#include "base/sanitizers.h"

// ThreadSanitizer does not see the memory ordering of liburcu. These calls tell it where a message is handed over.
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#else
static inline void __tsan_release(void *letter)
{
    (void)letter;
}

static inline void __tsan_acquire(void *letter)
{
    (void)letter;
}
#endif

struct letter {
    struct cds_wfcq_node node;
    struct mail_message message;
};

struct queue {
    struct __cds_wfcq_head head; // used by the consumer
    struct cds_wfcq_tail tail;   // used by the producer
    atomic_uint put;             // messages put so far; written only by the producer
    atomic_uint taken;           // messages taken so far; written only by the consumer
};

enum { QUEUES, LETTERS }; // the arrays in boxes->store

static void wfcq_plan(struct mail_boxes *boxes, struct base_arena *memory)
{
    assert(boxes->capacity > 0 && boxes->capacity <= MAIL_CAPACITY_MAX);
    boxes->stride = 1; // a power of two, so that the counts may wrap
    while (boxes->stride < boxes->capacity) {
        boxes->stride *= 2;
    }
    base_arena_plan_isolated(memory, &boxes->store[QUEUES], boxes->count, sizeof(struct queue));
    base_arena_plan_isolated(memory, &boxes->store[LETTERS], boxes->count * boxes->stride, sizeof(struct letter));
}

static struct queue *queue_of(const struct mail_boxes *boxes, uint32_t port)
{
    BASE_DEBUG_ASSERT(port < boxes->count);
    return (struct queue *)boxes->store[QUEUES] + port;
}

static bool wfcq_begin(struct mail_boxes *boxes)
{
    for (uint32_t port = 0; port < boxes->count; port++) {
        __cds_wfcq_init(&queue_of(boxes, port)->head, &queue_of(boxes, port)->tail);
    }
    return true;
}

static uint32_t wfcq_room(const struct mail_boxes *boxes, uint32_t port)
{
    const struct queue *queue = queue_of(boxes, boxes->twin[port]);
    uint32_t put = atomic_load_explicit(&queue->put, memory_order_relaxed); // written by this end
    // Acquire: pairs with the release in take. The consumer has read a node before it is linked again.
    return boxes->capacity - (put - atomic_load_explicit(&queue->taken, memory_order_acquire));
}

static uint32_t wfcq_waiting(const struct mail_boxes *boxes, uint32_t port)
{
    const struct queue *queue = queue_of(boxes, port);
    uint32_t taken = atomic_load_explicit(&queue->taken, memory_order_relaxed); // written by this end
    // Acquire: pairs with the release in put. A counted message is linked.
    return atomic_load_explicit(&queue->put, memory_order_acquire) - taken;
}

static void wfcq_put(struct mail_boxes *boxes, uint32_t port, struct mail_message message)
{
    uint32_t to = boxes->twin[port];
    struct queue *queue = queue_of(boxes, to);
    uint32_t put = atomic_load_explicit(&queue->put, memory_order_relaxed);
    BASE_DEBUG_ASSERT(put - atomic_load_explicit(&queue->taken, memory_order_relaxed) < boxes->capacity);
    struct letter *letter = (struct letter *)boxes->store[LETTERS] + to * boxes->stride + (put & (boxes->stride - 1));
    letter->message = message;
    cds_wfcq_node_init(&letter->node);
    __tsan_release(letter);
    cds_wfcq_enqueue(&queue->head, &queue->tail, &letter->node);
    atomic_store_explicit(&queue->put, put + 1, memory_order_release); // pairs with the acquire in waiting
}

// A counted message is linked, but the queue may still block for a moment: if it is the only one, and the producer has
// begun to link the next. Then the producer needs the core for two more instructions, so this function yields. The
// blocking dequeue of liburcu would sleep for 10 ms.
static void wfcq_take(struct mail_boxes *boxes, uint32_t port, struct mail_message *message)
{
    struct queue *queue = queue_of(boxes, port);
    struct cds_wfcq_node *node;
    while ((node = __cds_wfcq_dequeue_nonblocking(&queue->head, &queue->tail)) == CDS_WFCQ_WOULDBLOCK) {
        sched_yield();
    }
    BASE_DEBUG_ASSERT(node);
    struct letter *letter = caa_container_of(node, struct letter, node);
    __tsan_acquire(letter);
    *message = letter->message;
    // Release: pairs with the acquire in room.
    atomic_store_explicit(&queue->taken, atomic_load_explicit(&queue->taken, memory_order_relaxed) + 1,
                          memory_order_release);
}

const struct mail_kind mail_wfcq = {
    .choice = {"wfcq", "liburcu's wait-free queue, bounded"},
    .plan = wfcq_plan,
    .begin = wfcq_begin,
    .room = wfcq_room,
    .waiting = wfcq_waiting,
    .put = wfcq_put,
    .take = wfcq_take,
};
