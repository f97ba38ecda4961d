// SPDX-License-Identifier: MIT
// `wfcq`: liburcu's wait-free concurrent queue. Its nodes come from a ring per mailbox, which also bounds it: a node is
// free again when the consumer has counted it as taken.
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <urcu/wfcqueue.h>

#include "threads/mailbox.h"

// ThreadSanitizer does not see liburcu's own ordering. It is told where a message is handed over, and nothing else.
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#else
static inline void __tsan_release(void *message)
{
    (void)message;
}

static inline void __tsan_acquire(void *message)
{
    (void)message;
}
#endif

struct message {
    struct cds_wfcq_node node;
    double amount;
};

struct queue {
    struct __cds_wfcq_head head; // the consumer's
    struct cds_wfcq_tail tail;   // the producer's
    unsigned sent;               // the producer's alone
    atomic_uint taken;           // written by the consumer only
    struct message *message;     // [capacity]
};

struct store {
    struct message *messages; // [count * capacity]
    struct queue queue[];
};

static bool wfcq_create(struct ek_mailboxes *boxes)
{
    struct store *store = malloc(sizeof *store + boxes->count * sizeof(struct queue));
    struct message *messages = calloc((size_t)boxes->count * boxes->capacity + 1, sizeof *messages);
    if (!store || !messages) {
        free(store);
        free(messages);
        return false;
    }
    store->messages = messages;
    for (uint32_t port = 0; port < boxes->count; port++) {
        struct queue *queue = &store->queue[port];
        *queue = (struct queue){.message = messages + (size_t)port * boxes->capacity};
        __cds_wfcq_init(&queue->head, &queue->tail);
    }
    boxes->store = store;
    return true;
}

static void wfcq_destroy(struct ek_mailboxes *boxes)
{
    struct store *store = boxes->store;
    free(store->messages);
    free(store);
}

static struct queue *queue_of(const struct ek_mailboxes *boxes, uint32_t port)
{
    assert(port < boxes->count);
    return &((struct store *)boxes->store)->queue[port];
}

static bool wfcq_put(struct ek_mailboxes *boxes, uint32_t port, double amount)
{
    struct queue *queue = queue_of(boxes, port);
    // Acquire: pairs with the release in take. The consumer is done with a node before we may link it again.
    if (queue->sent - atomic_load_explicit(&queue->taken, memory_order_acquire) == boxes->capacity) {
        return false;
    }
    struct message *message = &queue->message[queue->sent++ % boxes->capacity];
    message->amount = amount;
    cds_wfcq_node_init(&message->node);
    __tsan_release(message);
    cds_wfcq_enqueue(&queue->head, &queue->tail, &message->node);
    return true;
}

// The non-blocking form: between a producer's exchange and its store there is nothing to take yet, and the blocking
// form would then sleep for 10 ms.
static bool wfcq_take(struct ek_mailboxes *boxes, uint32_t port, double *amount)
{
    struct queue *queue = queue_of(boxes, port);
    struct cds_wfcq_node *node = __cds_wfcq_dequeue_nonblocking(&queue->head, &queue->tail);
    if (!node || node == CDS_WFCQ_WOULDBLOCK) {
        return false;
    }
    struct message *message = caa_container_of(node, struct message, node);
    __tsan_acquire(message);
    *amount = message->amount;
    // Release: pairs with the acquire in put.
    atomic_store_explicit(&queue->taken, atomic_load_explicit(&queue->taken, memory_order_relaxed) + 1,
                          memory_order_release);
    return true;
}

const struct ek_mailbox_kind ek_mailbox_wfcq = {
    .name = "wfcq",
    .summary = "liburcu's wait-free queue, bounded",
    .create = wfcq_create,
    .destroy = wfcq_destroy,
    .put = wfcq_put,
    .take = wfcq_take,
};
