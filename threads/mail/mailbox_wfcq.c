// SPDX-License-Identifier: MIT
// `wfcq`: liburcu's wait-free concurrent queue. Its nodes come from a ring per mailbox, which also bounds it: a node is
// free again when the consumer has counted it as taken.
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <urcu/wfcqueue.h>

#include "threads/mail/mailbox.h"

// ThreadSanitizer does not see liburcu's own ordering. It is told where a message is handed over, and nothing else.
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
    struct __cds_wfcq_head head; // the consumer's
    struct cds_wfcq_tail tail;   // the producer's
    unsigned sent;               // the producer's alone
    atomic_uint taken;           // written by the consumer only
    struct letter *letter;       // [places]
};

struct store {
    unsigned mask;          // places - 1, a power of two of them, so that `sent` may wrap
    struct letter *letters; // [count * places]
    struct queue queue[];
};

static bool wfcq_create(struct mail_boxes *boxes)
{
    unsigned places = 1;
    while (places < boxes->capacity) {
        places *= 2;
    }
    struct store *store = malloc(sizeof *store + boxes->count * sizeof(struct queue));
    struct letter *letters = calloc((size_t)boxes->count * places + 1, sizeof *letters);
    if (!store || !letters) {
        free(store);
        free(letters);
        return false;
    }
    store->mask = places - 1;
    store->letters = letters;
    for (uint32_t port = 0; port < boxes->count; port++) {
        struct queue *queue = &store->queue[port];
        *queue = (struct queue){.letter = letters + (size_t)port * places};
        __cds_wfcq_init(&queue->head, &queue->tail);
    }
    boxes->store = store;
    return true;
}

static void wfcq_destroy(struct mail_boxes *boxes)
{
    struct store *store = boxes->store;
    free(store->letters);
    free(store);
}

static struct queue *queue_of(const struct mail_boxes *boxes, uint32_t port)
{
    assert(port < boxes->count);
    return &((struct store *)boxes->store)->queue[port];
}

static bool wfcq_put(struct mail_boxes *boxes, uint32_t port, struct mail_message message)
{
    struct queue *queue = queue_of(boxes, boxes->twin[port]);
    // Acquire: pairs with the release in take. The consumer is done with a node before we may link it again.
    if (queue->sent - atomic_load_explicit(&queue->taken, memory_order_acquire) == boxes->capacity) {
        return false;
    }
    struct letter *letter = &queue->letter[queue->sent++ & ((struct store *)boxes->store)->mask];
    letter->message = message;
    cds_wfcq_node_init(&letter->node);
    __tsan_release(letter);
    cds_wfcq_enqueue(&queue->head, &queue->tail, &letter->node);
    return true;
}

// The non-blocking form: between a producer's exchange and its store there is nothing to take yet, and the blocking
// form would then sleep for 10 ms.
static bool wfcq_take(struct mail_boxes *boxes, uint32_t port, struct mail_message *message)
{
    struct queue *queue = queue_of(boxes, port);
    struct cds_wfcq_node *node = __cds_wfcq_dequeue_nonblocking(&queue->head, &queue->tail);
    if (!node || node == CDS_WFCQ_WOULDBLOCK) {
        return false;
    }
    struct letter *letter = caa_container_of(node, struct letter, node);
    __tsan_acquire(letter);
    *message = letter->message;
    // Release: pairs with the acquire in put.
    atomic_store_explicit(&queue->taken, atomic_load_explicit(&queue->taken, memory_order_relaxed) + 1,
                          memory_order_release);
    return true;
}

const struct mail_kind mail_wfcq = {
    .name = "wfcq",
    .summary = "liburcu's wait-free queue, bounded",
    .create = wfcq_create,
    .destroy = wfcq_destroy,
    .put = wfcq_put,
    .take = wfcq_take,
};
