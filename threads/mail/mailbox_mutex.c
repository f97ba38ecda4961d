// SPDX-License-Identifier: MIT
// The mailbox kind `mutex`: a bounded ring under a lock. A comparison with `spsc` shows what the lock costs.
#include <pthread.h>

#include "threads/mail/mailbox.h"
#include "base/debug.h"

struct ring {
    pthread_mutex_t lock;
    uint32_t first; // place of the oldest message
    uint32_t held;  // messages in the ring
};

enum { RINGS, MESSAGES }; // the arrays in boxes->store

static void mutex_plan(struct mail_boxes *boxes, struct base_arena *memory)
{
    assert(boxes->capacity > 0 && boxes->capacity <= MAIL_CAPACITY_MAX);
    base_arena_plan(memory, &boxes->store[RINGS], boxes->count, sizeof(struct ring));
    base_arena_plan(memory, &boxes->store[MESSAGES], (uint64_t)boxes->count * boxes->capacity,
                    sizeof(struct mail_message));
}

static struct ring *ring_of(const struct mail_boxes *boxes, uint32_t port)
{
    BASE_DEBUG_ASSERT(port < boxes->count);
    return (struct ring *)boxes->store[RINGS] + port;
}

static bool mutex_begin(struct mail_boxes *boxes)
{
    for (uint32_t port = 0; port < boxes->count; port++) {
        if (pthread_mutex_init(&ring_of(boxes, port)->lock, NULL) != 0) {
            while (port-- > 0) {
                pthread_mutex_destroy(&ring_of(boxes, port)->lock);
            }
            return false;
        }
    }
    return true;
}

static void mutex_end(struct mail_boxes *boxes)
{
    for (uint32_t port = 0; port < boxes->count; port++) {
        pthread_mutex_destroy(&ring_of(boxes, port)->lock);
    }
}

static uint32_t held_in(struct ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    uint32_t held = ring->held;
    pthread_mutex_unlock(&ring->lock);
    return held;
}

static uint32_t mutex_room(const struct mail_boxes *boxes, uint32_t port)
{
    return boxes->capacity - held_in(ring_of(boxes, boxes->twin[port]));
}

static uint32_t mutex_waiting(const struct mail_boxes *boxes, uint32_t port)
{
    return held_in(ring_of(boxes, port));
}

static struct mail_message *place_of(const struct mail_boxes *boxes, uint32_t port, uint32_t at)
{
    return (struct mail_message *)boxes->store[MESSAGES] + (size_t)port * boxes->capacity + at % boxes->capacity;
}

static void mutex_put(struct mail_boxes *boxes, uint32_t port, struct mail_message message)
{
    uint32_t to = boxes->twin[port];
    struct ring *ring = ring_of(boxes, to);
    pthread_mutex_lock(&ring->lock);
    BASE_DEBUG_ASSERT(ring->held < boxes->capacity);
    *place_of(boxes, to, ring->first + ring->held++) = message;
    pthread_mutex_unlock(&ring->lock);
}

static void mutex_take(struct mail_boxes *boxes, uint32_t port, struct mail_message *message)
{
    struct ring *ring = ring_of(boxes, port);
    pthread_mutex_lock(&ring->lock);
    BASE_DEBUG_ASSERT(ring->held > 0);
    *message = *place_of(boxes, port, ring->first);
    ring->first = (ring->first + 1) % boxes->capacity;
    ring->held--;
    pthread_mutex_unlock(&ring->lock);
}

const struct mail_kind mail_mutex = {
    .choice = {"mutex", "bounded ring under a pthread mutex"},
    .plan = mutex_plan,
    .begin = mutex_begin,
    .end = mutex_end,
    .room = mutex_room,
    .waiting = mutex_waiting,
    .put = mutex_put,
    .take = mutex_take,
};
