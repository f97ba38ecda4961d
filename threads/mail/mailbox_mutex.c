// SPDX-License-Identifier: MIT
// `mutex`: a bounded ring under a lock, the comparison that shows what the lock costs.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "threads/mail/mailbox.h"

struct ring {
    pthread_mutex_t lock;
    unsigned first; // place of the oldest message
    unsigned held;  // how many there are
    struct mail_message *message;
};

struct store {
    struct mail_message *messages; // [count * capacity]
    struct ring ring[];
};

static bool mutex_create(struct mail_boxes *boxes)
{
    struct store *store = malloc(sizeof *store + boxes->count * sizeof(struct ring));
    struct mail_message *messages = calloc((size_t)boxes->count * boxes->capacity + 1, sizeof *messages);
    if (!store || !messages) {
        free(store);
        free(messages);
        return false;
    }
    store->messages = messages;
    for (uint32_t port = 0; port < boxes->count; port++) {
        store->ring[port] = (struct ring){.message = messages + (size_t)port * boxes->capacity};
        pthread_mutex_init(&store->ring[port].lock, NULL);
    }
    boxes->store = store;
    return true;
}

static void mutex_destroy(struct mail_boxes *boxes)
{
    struct store *store = boxes->store;
    for (uint32_t port = 0; port < boxes->count; port++) {
        pthread_mutex_destroy(&store->ring[port].lock);
    }
    free(store->messages);
    free(store);
}

static struct ring *ring_of(const struct mail_boxes *boxes, uint32_t port)
{
    assert(port < boxes->count);
    return &((struct store *)boxes->store)->ring[port];
}

static bool mutex_put(struct mail_boxes *boxes, uint32_t port, struct mail_message message)
{
    struct ring *ring = ring_of(boxes, boxes->twin[port]);
    pthread_mutex_lock(&ring->lock);
    bool room = ring->held < boxes->capacity;
    if (room) {
        ring->message[(ring->first + ring->held++) % boxes->capacity] = message;
    }
    pthread_mutex_unlock(&ring->lock);
    return room;
}

static bool mutex_take(struct mail_boxes *boxes, uint32_t port, struct mail_message *message)
{
    struct ring *ring = ring_of(boxes, port);
    pthread_mutex_lock(&ring->lock);
    bool some = ring->held > 0;
    if (some) {
        *message = ring->message[ring->first];
        ring->first = (ring->first + 1) % boxes->capacity;
        ring->held--;
    }
    pthread_mutex_unlock(&ring->lock);
    return some;
}

const struct mail_kind mail_mutex = {
    .name = "mutex",
    .summary = "bounded ring under a pthread mutex",
    .create = mutex_create,
    .destroy = mutex_destroy,
    .put = mutex_put,
    .take = mutex_take,
};
