// SPDX-License-Identifier: MIT
// The mailbox kind `spsc`: a bounded ring for one producer and one consumer (Giacomoni, Moseley & Vachharajani,
// FastForward, PPoPP 2008).
//
// Each place of the ring has a *stamp*: 0 if the place is empty, otherwise that of its message.
//
//   1. The producer waits for stamp 0 in its next place, writes the amount, and then the stamp (release).
//   2. The consumer waits for a stamp other than 0 (acquire), reads the message, and then writes stamp 0 (release),
//      which the producer reads with acquire.
//
// Each end keeps its index to itself. So a message moves one cache line from one end to the other instead of two, and
// four messages lie in a line.
//
// This is the default kind of free timing. Its functions are inlined there, because a call through the table of the
// kind costs as much as the function itself.
//
// The model tests/models/mailbox.cpp has two places and five messages. It does not cover the layout in memory.
#ifndef THREADS_MAIL_MAILBOX_SPSC_H
#define THREADS_MAIL_MAILBOX_SPSC_H

#include <stdatomic.h>

#include "threads/mail/mailbox.h"
#include "base/debug.h"

struct mail_place {
    double amount;
    atomic_uint_fast64_t stamp; // 0: empty
};

// The data that the owner of a port keeps: the ring that it empties, the ring that it fills (which its twin empties),
// and its next place in each ring.
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

// Without a branch: no processor could predict which message of a mailbox fills the last place.
static inline uint16_t mail_after(const struct mail_boxes *boxes, uint16_t at)
{
    uint32_t next = at + 1u;
    return (uint16_t)(next & (0u - (uint32_t)(next != boxes->capacity)));
}

// Places are freed in the order in which they were filled. So if the place that was filled last is free, all are.
static inline uint32_t mail_spsc_room(const struct mail_boxes *boxes, uint32_t port)
{
    const struct mail_end *end = mail_end_of(boxes, port);
    uint16_t next = end->put_at;
    uint16_t last = (uint16_t)(next > 0 ? next - 1u : boxes->capacity - 1u);
    // Acquire, here and below: pairs with the release in fetch. The consumer has read a place before the producer
    // writes it again.
    if (atomic_load_explicit(&end->out[last].stamp, memory_order_acquire) == 0) {
        return boxes->capacity;
    }
    uint32_t room = 0;
    // The bound is needed because all places may become free meanwhile.
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
    // Acquire: pairs with the release in fill. If the stamp is visible, the amount is.
    while (waiting < boxes->capacity && atomic_load_explicit(&end->in[next].stamp, memory_order_acquire) != 0) {
        next = mail_after(boxes, next);
        waiting++;
    }
    return waiting;
}

// Writes into the next place, which is free.
static inline void mail_spsc_fill(const struct mail_boxes *boxes, struct mail_end *end, struct mail_message message)
{
    uint16_t at = end->put_at;
    struct mail_place *place = end->out + at;
    BASE_DEBUG_ASSERT(message.stamp != 0 && atomic_load_explicit(&place->stamp, memory_order_relaxed) == 0);
    end->put_at = mail_after(boxes, at);
    place->amount = message.amount;
    // Release: pairs with the acquire in waiting. The amount is visible before the stamp.
    atomic_store_explicit(&place->stamp, message.stamp, memory_order_release);
}

static inline void mail_spsc_put(struct mail_boxes *boxes, uint32_t port, struct mail_message message)
{
    mail_spsc_fill(boxes, mail_end_of(boxes, port), message);
}

// The next two functions test and act in one call: `offer` puts a message if there is room, `fetch` takes a message if
// one is waiting. Both return whether they did.
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
    // Acquire: pairs with the release in fill, as in mail_spsc_waiting.
    uint64_t stamp = atomic_load_explicit(&place->stamp, memory_order_acquire);
    if (stamp == 0) {
        return false;
    }
    end->take_at = mail_after(boxes, at);
    *message = (struct mail_message){.amount = place->amount, .stamp = stamp};
    // Release: pairs with the acquire in room. It permits the producer to write the place again.
    atomic_store_explicit(&place->stamp, 0, memory_order_release);
    return true;
}

static inline void mail_spsc_take(struct mail_boxes *boxes, uint32_t port, struct mail_message *message)
{
    bool there = mail_spsc_fetch(boxes, port, message);
    BASE_DEBUG_ASSERT(there);
    (void)there;
}

// Prefetch the cache line of what the owner of a port keeps, and after that the lines of its next places.
static inline void mail_prefetch_end(const struct mail_boxes *boxes, uint32_t port)
{
    if (boxes->kind == &mail_spsc) {
        __builtin_prefetch(mail_end_of(boxes, port), 1);
    }
}

static inline void mail_prefetch_places(const struct mail_boxes *boxes, uint32_t port)
{
    if (boxes->kind == &mail_spsc) {
        const struct mail_end *end = mail_end_of(boxes, port);
        __builtin_prefetch(end->in + end->take_at, 1);
        __builtin_prefetch(end->out + end->put_at, 1);
    }
}

// Mailboxes of any kind: `spsc` inlined, the others through their tables.
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
    struct mail_message taken; // a local variable, so that *message can stay in registers
    if (boxes->kind->waiting(boxes, port) == 0) {
        return false;
    }
    boxes->kind->take(boxes, port, &taken);
    *message = taken;
    return true;
}

#endif
