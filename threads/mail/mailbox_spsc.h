// SPDX-License-Identifier: MIT
// `spsc`: a bounded ring for one producer and one consumer. A place says itself whether it holds a message (Giacomoni,
// Moseley & Vachharajani, FastForward, PPoPP 2008): each end keeps its own index to itself, so that a message takes one
// cache line from one end to the other instead of two, and four of them lie in a line.
//
// It is the mailbox of free timing unless another one is asked for, so it is inlined where messages go through it: a
// call through the kind's table costs as much as what it does.
//
// Its model is tests/models/mailbox.cpp: two places and five messages. It does not cover the layout in memory.
#ifndef THREADS_MAIL_MAILBOX_SPSC_H
#define THREADS_MAIL_MAILBOX_SPSC_H

#include <stdatomic.h>

#include "threads/mail/mailbox.h"
#include "base/debug.h"

struct mail_place {
    double amount;
    atomic_uint_fast64_t stamp; // 0: empty
};

// What the owner of a port keeps to itself: the ring that it empties and the one that it fills, which is emptied at the
// other end, and its next place in each.
struct mail_end {
    struct mail_place *in, *out;
    uint16_t take_at, put_at;
};

enum { MAIL_ENDS, MAIL_RINGS }; // the arrays in boxes->store

static inline struct mail_end *mail_end_of(const struct mail_boxes *boxes, uint32_t port)
{
    BASE_DEBUG_ASSERT(port < boxes->count);
    return (struct mail_end *)boxes->store[MAIL_ENDS] + port;
}

static inline uint16_t mail_after(const struct mail_boxes *boxes, uint16_t at)
{
    return (uint16_t)(at + 1u == boxes->capacity ? 0u : at + 1u);
}

// Places are freed in the order in which they were filled. So where the one that was filled last is free, all are, and
// that is seen by one look.
static inline uint32_t mail_spsc_room(const struct mail_boxes *boxes, uint32_t port)
{
    const struct mail_end *end = mail_end_of(boxes, port);
    uint16_t next = end->put_at;
    uint16_t last = (uint16_t)(next > 0 ? next - 1u : boxes->capacity - 1u);
    // Acquire, here and below: pairs with the release in fetch. The consumer has read a place before it is written
    // again.
    if (atomic_load_explicit(&end->out[last].stamp, memory_order_acquire) == 0) {
        return boxes->capacity;
    }
    uint32_t room = 0;
    // All may become free meanwhile: hence the bound.
    while (room < boxes->capacity && atomic_load_explicit(&end->out[next].stamp, memory_order_acquire) == 0) {
        next = mail_after(boxes, next);
        room++;
    }
    return room;
}

static inline uint32_t mail_spsc_waiting(const struct mail_boxes *boxes, uint32_t port)
{
    const struct mail_end *end = mail_end_of(boxes, port);
    uint16_t next = end->take_at;
    uint32_t waiting = 0;
    // Acquire: pairs with the release in put. The amount is there when the stamp is.
    while (waiting < boxes->capacity && atomic_load_explicit(&end->in[next].stamp, memory_order_acquire) != 0) {
        next = mail_after(boxes, next);
        waiting++;
    }
    return waiting;
}

// Into the next place, which is free.
static inline void mail_spsc_fill(const struct mail_boxes *boxes, struct mail_end *end, struct mail_message message)
{
    uint16_t at = end->put_at;
    struct mail_place *place = end->out + at;
    BASE_DEBUG_ASSERT(message.stamp != 0 && atomic_load_explicit(&place->stamp, memory_order_relaxed) == 0);
    end->put_at = mail_after(boxes, at);
    place->amount = message.amount;
    // Release: pairs with the acquire in waiting. The amount is there before the stamp says so.
    atomic_store_explicit(&place->stamp, message.stamp, memory_order_release);
}

static inline void mail_spsc_put(struct mail_boxes *boxes, uint32_t port, struct mail_message message)
{
    mail_spsc_fill(boxes, mail_end_of(boxes, port), message);
}

// Looks and acts at once, where all that the other end has done so far may be used: puts a message, if there is room;
// takes one, if one is waiting.
static inline bool mail_spsc_offer(struct mail_boxes *boxes, uint32_t port, struct mail_message message)
{
    struct mail_end *end = mail_end_of(boxes, port);
    // Acquire: pairs with the release in fetch, as in mail_spsc_room.
    if (atomic_load_explicit(&end->out[end->put_at].stamp, memory_order_acquire) != 0) {
        return false;
    }
    mail_spsc_fill(boxes, end, message);
    return true;
}

static inline bool mail_spsc_fetch(struct mail_boxes *boxes, uint32_t port, struct mail_message *message)
{
    struct mail_end *end = mail_end_of(boxes, port);
    uint16_t at = end->take_at;
    struct mail_place *place = end->in + at;
    // Acquire: pairs with the release in put, as in mail_spsc_waiting.
    uint64_t stamp = atomic_load_explicit(&place->stamp, memory_order_acquire);
    if (stamp == 0) {
        return false;
    }
    end->take_at = mail_after(boxes, at);
    *message = (struct mail_message){.amount = place->amount, .stamp = stamp};
    // Release: pairs with the acquire in room. This is the producer's licence to write the place again.
    atomic_store_explicit(&place->stamp, 0, memory_order_release);
    return true;
}

static inline void mail_spsc_take(struct mail_boxes *boxes, uint32_t port, struct mail_message *message)
{
    bool there = mail_spsc_fetch(boxes, port, message);
    BASE_DEBUG_ASSERT(there);
    (void)there;
}

// Asks for the lines of what the owner of a port keeps to itself; and when they have come, of the places that are next.
static inline void mail_ask_for_end(const struct mail_boxes *boxes, uint32_t port)
{
    if (boxes->kind == &mail_spsc) {
        __builtin_prefetch(mail_end_of(boxes, port), 1);
    }
}

static inline void mail_ask_for_places(const struct mail_boxes *boxes, uint32_t port)
{
    if (boxes->kind == &mail_spsc) {
        const struct mail_end *end = mail_end_of(boxes, port);
        __builtin_prefetch(end->in + end->take_at, 1);
        __builtin_prefetch(end->out + end->put_at, 1);
    }
}

// Mailboxes of any kind: spsc inlined, another through its table.
static inline uint32_t mail_room(const struct mail_boxes *boxes, uint32_t port)
{
    return boxes->kind == &mail_spsc ? mail_spsc_room(boxes, port) : boxes->kind->room(boxes, port);
}

static inline uint32_t mail_waiting(const struct mail_boxes *boxes, uint32_t port)
{
    return boxes->kind == &mail_spsc ? mail_spsc_waiting(boxes, port) : boxes->kind->waiting(boxes, port);
}

static inline void mail_put(struct mail_boxes *boxes, uint32_t port, struct mail_message message)
{
    if (boxes->kind == &mail_spsc) {
        mail_spsc_put(boxes, port, message);
    } else {
        boxes->kind->put(boxes, port, message);
    }
}

static inline bool mail_offer(struct mail_boxes *boxes, uint32_t port, struct mail_message message)
{
    if (boxes->kind == &mail_spsc) {
        return mail_spsc_offer(boxes, port, message);
    }
    bool room = boxes->kind->room(boxes, port) > 0;
    if (room) {
        boxes->kind->put(boxes, port, message);
    }
    return room;
}

static inline bool mail_fetch(struct mail_boxes *boxes, uint32_t port, struct mail_message *message)
{
    if (boxes->kind == &mail_spsc) {
        return mail_spsc_fetch(boxes, port, message);
    }
    struct mail_message taken; // not *message, which then need not lie in memory
    if (boxes->kind->waiting(boxes, port) == 0) {
        return false;
    }
    boxes->kind->take(boxes, port, &taken);
    *message = taken;
    return true;
}

#endif
