// SPDX-License-Identifier: MIT
// `spsc`: a bounded ring for one producer and one consumer. A place says itself whether it holds a message (Giacomoni,
// Moseley & Vachharajani, FastForward, PPoPP 2008): each end keeps its own index to itself, so that a message takes one
// cache line from one end to the other instead of two, and four of them lie in a line.
//
// Its model is tests/models/mailbox.cpp: two places and five messages. It does not cover the layout in memory.
#include <assert.h>
#include <stdatomic.h>

#include "threads/mail/mailbox.h"

struct place {
    double amount;
    atomic_uint_fast64_t stamp; // 0: empty
};

enum { RINGS, PUT_AT, TAKE_AT, CACHE_LINE = 64 }; // the arrays in boxes->store

_Static_assert(MAIL_CAPACITY_MAX <= UINT16_MAX, "a place fits its index");

static void spsc_plan(struct mail_boxes *boxes, struct core_memory *memory)
{
    assert(boxes->capacity > 0 && boxes->capacity <= MAIL_CAPACITY_MAX);
    size_t size = boxes->capacity * sizeof(struct place);
    boxes->stride = boxes->apart ? (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE : size;
    core_memory_plan_apart(memory, &boxes->store[RINGS], boxes->count, boxes->stride);
    core_memory_plan(memory, &boxes->store[PUT_AT], boxes->count, sizeof(uint16_t));
    core_memory_plan(memory, &boxes->store[TAKE_AT], boxes->count, sizeof(uint16_t));
}

// The places of the ring that is emptied at this port.
static struct place *ring_of(const struct mail_boxes *boxes, uint32_t port)
{
    assert(port < boxes->count);
    return (struct place *)((char *)boxes->store[RINGS] + port * boxes->stride);
}

// The next place of the port's owner in the ring that it fills, or empties.
static uint16_t *next_of(const struct mail_boxes *boxes, int end, uint32_t port)
{
    return (uint16_t *)boxes->store[end] + port;
}

static uint16_t after(const struct mail_boxes *boxes, uint16_t at)
{
    return (uint16_t)(at + 1u == boxes->capacity ? 0u : at + 1u);
}

// Places are freed in the order in which they were filled. So where the one that was filled last is free, all are, and
// that is seen by one look.
static uint32_t spsc_room(const struct mail_boxes *boxes, uint32_t port)
{
    const struct place *ring = ring_of(boxes, boxes->twin[port]);
    uint16_t next = *next_of(boxes, PUT_AT, port);
    uint16_t last = (uint16_t)(next > 0 ? next - 1u : boxes->capacity - 1u);
    // Acquire, here and below: pairs with the release in take. The consumer has read a place before it is written
    // again.
    if (atomic_load_explicit(&ring[last].stamp, memory_order_acquire) == 0) {
        return boxes->capacity;
    }
    uint32_t room = 0;
    // All may become free meanwhile: hence the bound.
    while (room < boxes->capacity && atomic_load_explicit(&ring[next].stamp, memory_order_acquire) == 0) {
        next = after(boxes, next);
        room++;
    }
    return room;
}

static uint32_t spsc_waiting(const struct mail_boxes *boxes, uint32_t port)
{
    const struct place *ring = ring_of(boxes, port);
    uint16_t next = *next_of(boxes, TAKE_AT, port);
    uint32_t waiting = 0;
    // Acquire: pairs with the release in put. The amount is there when the stamp is.
    while (waiting < boxes->capacity && atomic_load_explicit(&ring[next].stamp, memory_order_acquire) != 0) {
        next = after(boxes, next);
        waiting++;
    }
    return waiting;
}

static void spsc_put(struct mail_boxes *boxes, uint32_t port, struct mail_message message)
{
    uint16_t *next = next_of(boxes, PUT_AT, port);
    struct place *place = ring_of(boxes, boxes->twin[port]) + *next;
    assert(message.stamp != 0 && atomic_load_explicit(&place->stamp, memory_order_relaxed) == 0);
    place->amount = message.amount;
    // Release: pairs with the acquire in waiting. The amount is there before the stamp says so.
    atomic_store_explicit(&place->stamp, message.stamp, memory_order_release);
    *next = after(boxes, *next);
}

static void spsc_take(struct mail_boxes *boxes, uint32_t port, struct mail_message *message)
{
    uint16_t *next = next_of(boxes, TAKE_AT, port);
    struct place *place = ring_of(boxes, port) + *next;
    // Relaxed: `waiting` has seen the stamp, and whatever came with it.
    *message = (struct mail_message){.amount = place->amount,
                                     .stamp = atomic_load_explicit(&place->stamp, memory_order_relaxed)};
    assert(message->stamp != 0);
    // Release: pairs with the acquire in room. This is the producer's licence to write the place again.
    atomic_store_explicit(&place->stamp, 0, memory_order_release);
    *next = after(boxes, *next);
}

const struct mail_kind mail_spsc = {
    .choice = {"spsc", "bounded ring, one producer and one consumer, lock-free"},
    .plan = spsc_plan,
    .room = spsc_room,
    .waiting = spsc_waiting,
    .put = spsc_put,
    .take = spsc_take,
};
