// SPDX-License-Identifier: MIT
// Every kind of mailbox by one thread: order, bounds and memory. tests/concurrency/plain_mailbox.c races two threads.
#include <criterion/criterion.h>

#include "threads/mail/mailbox.h"

static void expect_filled_and_emptied(struct mail_boxes *boxes, uint32_t from, unsigned count)
{
    const struct mail_kind *kind = boxes->kind;
    const char *name = kind->choice.form;
    uint32_t to = boxes->twin[from];
    struct mail_message message;
    cr_assert_eq(kind->room(boxes, from), boxes->capacity, "%s of %u", name, boxes->capacity);
    for (unsigned k = 0; k < count; k++) {
        kind->put(boxes, from, (struct mail_message){100.0 * from + k, k + 1u});
        cr_assert_eq(kind->room(boxes, from), boxes->capacity - k - 1);
        cr_assert_eq(kind->waiting(boxes, to), k + 1);
    }
    cr_assert_eq(kind->waiting(boxes, from), 0, "%s: another port's message", name);
    for (unsigned k = 0; k < count; k++) {
        kind->take(boxes, to, &message);
        cr_assert(message.amount == 100.0 * from + k && message.stamp == k + 1u, "%s: out of order", name);
        cr_assert_eq(kind->waiting(boxes, to), count - k - 1);
        cr_assert_eq(kind->room(boxes, from), boxes->capacity - count + k + 1);
    }
}

// Messages leave in the order in which they came, each port for itself. Each end knows the numbers of places and
// messages.
Test(mailboxes, keep_order_and_bounds)
{
    static const uint32_t twins[] = {1, 2, 0}; // what is put at a port is taken at the next one
    const struct mail_kind *kind;
    for (size_t i = 0; (kind = mail_kind_at(i)) != NULL; i++) {
        for (unsigned capacity = 1; kind->put && capacity <= 5; capacity++) {
            struct base_arena memory = {.count = 0};
            struct mail_boxes boxes = {
                .kind = kind, .count = 3, .twin = twins, .capacity = capacity, .apart = capacity % 2};
            mail_boxes_plan(&boxes, &memory);
            cr_assert(base_arena_take(&memory) && mail_boxes_begin(&boxes));
            for (unsigned round = 0; round < 20; round++) {
                expect_filled_and_emptied(&boxes, round % 3, 1 + round % capacity);
            }
            kind->put(&boxes, 1, (struct mail_message){1.0, 1}); // messages that are left inside are freed
            mail_boxes_end(&boxes);
            base_arena_destroy(&memory);
        }
    }
}

// Mailboxes without memory can be ended, too.
Test(mailboxes, end_where_they_have_not_begun)
{
    static const uint32_t twins[] = {1, 0};
    const struct mail_kind *kind;
    for (size_t i = 0; (kind = mail_kind_at(i)) != NULL; i++) {
        struct base_arena memory = {.count = 0};
        struct mail_boxes boxes = {.kind = kind, .count = 2, .twin = twins, .capacity = 1};
        mail_boxes_plan(&boxes, &memory);
        mail_boxes_end(&boxes);
        cr_assert(base_arena_take(&memory) && mail_boxes_begin(&boxes));
        mail_boxes_end(&boxes);
        mail_boxes_end(&boxes); // a second call does nothing
        base_arena_destroy(&memory);
    }
}
