// SPDX-License-Identifier: MIT
// `spsc`: a bounded ring for one producer and one consumer (Lamport 1983), on two indices.
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "threads/mailbox.h"

// `sent` is written by the producer only, `taken` by the consumer only; both count up and wrap together.
struct ring {
    atomic_uint sent;
    atomic_uint taken;
    double message[];
};

enum { CACHE_LINE = 64 };

static size_t stride(const struct ek_mailboxes *boxes)
{
    size_t size = sizeof(struct ring) + boxes->capacity * sizeof(double);
    return boxes->apart ? (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE : size;
}

static struct ring *ring_of(const struct ek_mailboxes *boxes, uint32_t port)
{
    assert(port < boxes->count);
    return (struct ring *)((char *)boxes->store + port * stride(boxes));
}

static bool spsc_create(struct ek_mailboxes *boxes)
{
    assert(boxes->capacity > 0);
    size_t size = (boxes->count * stride(boxes) / CACHE_LINE + 1) * CACHE_LINE;
    boxes->store = aligned_alloc(CACHE_LINE, size);
    if (boxes->store) {
        memset(boxes->store, 0, size);
    }
    return boxes->store != NULL;
}

static void spsc_destroy(struct ek_mailboxes *boxes)
{
    free(boxes->store);
}

static bool spsc_put(struct ek_mailboxes *boxes, uint32_t port, double amount)
{
    struct ring *ring = ring_of(boxes, port);
    unsigned sent = atomic_load_explicit(&ring->sent, memory_order_relaxed); // our own index
    // Acquire: pairs with the release in take. The consumer has read a place before we may write it again.
    if (sent - atomic_load_explicit(&ring->taken, memory_order_acquire) == boxes->capacity) {
        return false;
    }
    ring->message[sent % boxes->capacity] = amount;
    // Release: pairs with the acquire in take. The message is there before its count says so.
    atomic_store_explicit(&ring->sent, sent + 1, memory_order_release);
    return true;
}

static bool spsc_take(struct ek_mailboxes *boxes, uint32_t port, double *amount)
{
    struct ring *ring = ring_of(boxes, port);
    unsigned taken = atomic_load_explicit(&ring->taken, memory_order_relaxed); // our own index
    // Acquire: pairs with the release in put.
    if (atomic_load_explicit(&ring->sent, memory_order_acquire) == taken) {
        return false;
    }
    *amount = ring->message[taken % boxes->capacity];
    // Release: pairs with the acquire in put. This is the producer's licence to write the place again.
    atomic_store_explicit(&ring->taken, taken + 1, memory_order_release);
    return true;
}

const struct ek_mailbox_kind ek_mailbox_spsc = {
    .name = "spsc",
    .summary = "bounded ring, one producer and one consumer, lock-free",
    .create = spsc_create,
    .destroy = spsc_destroy,
    .put = spsc_put,
    .take = spsc_take,
};
