// SPDX-License-Identifier: MIT
// `spsc`: a bounded ring for one producer and one consumer (Lamport 1983), on two indices.
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "threads/mailbox.h"

// `sent` is written by the producer only, `taken` by the consumer only; both count up and wrap together, which the
// places, a power of two of them, do not notice.
struct ring {
    atomic_uint sent;
    atomic_uint taken;
    struct ek_message message[];
};

enum { CACHE_LINE = 64 };

struct store {
    size_t stride;
    unsigned mask; // places - 1
    char *rings;
};

static struct ring *ring_of(const struct store *store, uint32_t port)
{
    return (struct ring *)(store->rings + port * store->stride);
}

static bool spsc_create(struct ek_mailboxes *boxes)
{
    assert(boxes->capacity > 0 && boxes->capacity <= EK_MAILBOX_MAX);
    unsigned places = 1;
    while (places < boxes->capacity) {
        places *= 2;
    }
    struct store *store = malloc(sizeof *store);
    if (!store) {
        return false;
    }
    size_t size = sizeof(struct ring) + places * sizeof(struct ek_message);
    store->stride = boxes->apart ? (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE : size;
    store->mask = places - 1;
    size_t bytes = (boxes->count * store->stride / CACHE_LINE + 1) * CACHE_LINE;
    store->rings = aligned_alloc(CACHE_LINE, bytes);
    if (!store->rings) {
        free(store);
        return false;
    }
    memset(store->rings, 0, bytes);
    boxes->store = store;
    return true;
}

static void spsc_destroy(struct ek_mailboxes *boxes)
{
    free(((struct store *)boxes->store)->rings);
    free(boxes->store);
}

static bool spsc_put(struct ek_mailboxes *boxes, uint32_t port, struct ek_message message)
{
    assert(port < boxes->count);
    const struct store *store = boxes->store;
    struct ring *ring = ring_of(store, port);
    unsigned sent = atomic_load_explicit(&ring->sent, memory_order_relaxed); // our own index
    // Acquire: pairs with the release in take. The consumer has read a place before we may write it again.
    if (sent - atomic_load_explicit(&ring->taken, memory_order_acquire) == boxes->capacity) {
        return false;
    }
    ring->message[sent & store->mask] = message;
    // Release: pairs with the acquire in take. The message is there before its count says so.
    atomic_store_explicit(&ring->sent, sent + 1, memory_order_release);
    return true;
}

static bool spsc_take(struct ek_mailboxes *boxes, uint32_t port, struct ek_message *message)
{
    assert(port < boxes->count);
    const struct store *store = boxes->store;
    struct ring *ring = ring_of(store, port);
    unsigned taken = atomic_load_explicit(&ring->taken, memory_order_relaxed); // our own index
    // Acquire: pairs with the release in put.
    if (atomic_load_explicit(&ring->sent, memory_order_acquire) == taken) {
        return false;
    }
    *message = ring->message[taken & store->mask];
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
