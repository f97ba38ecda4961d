// SPDX-License-Identifier: MIT
// `spsc`: a bounded ring for one producer and one consumer. A place says itself whether it holds a message (Giacomoni,
// Moseley & Vachharajani, FastForward, PPoPP 2008): each end keeps its own index to itself, so that a message takes one
// cache line from one end to the other instead of two, and four of them lie in a line.
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "threads/mail/mailbox.h"

struct place {
    double amount;
    atomic_uint_fast64_t stamp; // 0: empty
};

struct store {
    size_t stride; // bytes of a ring
    char *rings;
    uint16_t *put_at;  // by the putting port: its next place
    uint16_t *take_at; // by the taking port
};

enum { CACHE_LINE = 64 };
_Static_assert(MAIL_CAPACITY_MAX <= UINT16_MAX, "a place fits its index");

static void spsc_destroy(struct mail_boxes *boxes)
{
    struct store *store = boxes->store;
    free(store->rings);
    free(store->put_at);
    free(store->take_at);
    free(store);
    boxes->store = NULL;
}

static bool spsc_create(struct mail_boxes *boxes)
{
    assert(boxes->capacity > 0 && boxes->capacity <= MAIL_CAPACITY_MAX);
    struct store *store = calloc(1, sizeof *store);
    if (!store) {
        return false;
    }
    size_t size = boxes->capacity * sizeof(struct place);
    store->stride = boxes->apart ? (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE : size;
    size_t bytes = (boxes->count * store->stride / CACHE_LINE + 1) * CACHE_LINE;
    store->rings = aligned_alloc(CACHE_LINE, bytes);
    store->put_at = calloc(boxes->count + 1u, sizeof *store->put_at);
    store->take_at = calloc(boxes->count + 1u, sizeof *store->take_at);
    boxes->store = store;
    if (!store->rings || !store->put_at || !store->take_at) {
        spsc_destroy(boxes);
        return false;
    }
    memset(store->rings, 0, bytes);
    return true;
}

static struct place *place_of(const struct store *store, uint32_t ring, uint16_t at)
{
    return (struct place *)(store->rings + ring * store->stride) + at;
}

static uint16_t after(const struct mail_boxes *boxes, uint16_t at)
{
    return (uint16_t)(at + 1u == boxes->capacity ? 0u : at + 1u);
}

static bool spsc_put(struct mail_boxes *boxes, uint32_t port, struct mail_message message)
{
    assert(port < boxes->count && message.stamp != 0);
    const struct store *store = boxes->store;
    struct place *place = place_of(store, boxes->twin[port], store->put_at[port]);
    // Acquire: pairs with the release in take. The consumer has read a place before we may write it again.
    if (atomic_load_explicit(&place->stamp, memory_order_acquire) != 0) {
        return false;
    }
    place->amount = message.amount;
    // Release: pairs with the acquire in take. The amount is there before the stamp says so.
    atomic_store_explicit(&place->stamp, message.stamp, memory_order_release);
    store->put_at[port] = after(boxes, store->put_at[port]);
    return true;
}

static bool spsc_take(struct mail_boxes *boxes, uint32_t port, struct mail_message *message)
{
    assert(port < boxes->count);
    const struct store *store = boxes->store;
    struct place *place = place_of(store, port, store->take_at[port]);
    // Acquire: pairs with the release in put.
    uint64_t stamp = atomic_load_explicit(&place->stamp, memory_order_acquire);
    if (stamp == 0) {
        return false;
    }
    *message = (struct mail_message){.amount = place->amount, .stamp = stamp};
    // Release: pairs with the acquire in put. This is the producer's licence to write the place again.
    atomic_store_explicit(&place->stamp, 0, memory_order_release);
    store->take_at[port] = after(boxes, store->take_at[port]);
    return true;
}

const struct mail_kind mail_spsc = {
    .name = "spsc",
    .summary = "bounded ring, one producer and one consumer, lock-free",
    .create = spsc_create,
    .destroy = spsc_destroy,
    .put = spsc_put,
    .take = spsc_take,
};
