// SPDX-License-Identifier: MIT
// The memory and the table of the mailbox kind `spsc`.
#include "threads/mail/mailbox_spsc.h"

enum { CACHE_LINE = 64 };

_Static_assert(MAIL_CAPACITY_MAX <= UINT16_MAX, "a place fits its index");

// Returns the ports of this process.
static struct base_range here_of(const struct mail_boxes *boxes)
{
    return boxes->here.end > 0 ? boxes->here : (struct base_range){0, boxes->count};
}

static void spsc_plan(struct mail_boxes *boxes, struct base_arena *memory)
{
    assert(boxes->capacity > 0 && boxes->capacity <= MAIL_CAPACITY_MAX);
    size_t size = boxes->capacity * sizeof(struct mail_place);
    boxes->stride = boxes->apart ? (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE : size;
    struct base_range here = here_of(boxes);
    base_arena_plan(memory, &boxes->store[MAIL_ENDS], boxes->count, sizeof(struct mail_end));
    base_arena_touch(memory, boxes->count, here.end - here.begin);
    base_arena_plan_isolated(memory, &boxes->store[MAIL_RINGS], boxes->count, boxes->stride);
    base_arena_touch(memory, boxes->count, here.end - here.begin);
}

static void begin_end(struct mail_boxes *boxes, uint32_t port)
{
    char *rings = boxes->store[MAIL_RINGS];
    struct mail_end *end = mail_end_of(boxes, port);
    end->in = (struct mail_place *)(rings + port * boxes->stride);
    end->out = (struct mail_place *)(rings + boxes->twin[port] * boxes->stride);
}

static bool spsc_begin(struct mail_boxes *boxes)
{
    struct base_range here = here_of(boxes);
    for (uint64_t port = here.begin; port < here.end; port++) {
        uint32_t twin = boxes->twin[port];
        begin_end(boxes, (uint32_t)port);
        if (twin < here.begin || twin >= here.end) { // a porter uses this end of a link to another rank
            begin_end(boxes, twin);
        }
    }
    return true;
}

const struct mail_kind mail_spsc = {
    .choice = {"spsc", "bounded ring, one producer and one consumer, lock-free"},
    .plan = spsc_plan,
    .begin = spsc_begin,
    .room = mail_spsc_room,
    .waiting = mail_spsc_waiting,
    .put = mail_spsc_put,
    .take = mail_spsc_take,
};
