// SPDX-License-Identifier: MIT
// Tests each kind of mailbox with two threads that send to each other at once: every message arrives, in order,
// unchanged, at every capacity. Then it fills the last place.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "threads/mail/mailbox.h"
#include "base/sanitizers.h"

// ThreadSanitizer finds races by the order of accesses, whether or not they meet, so a slow build needs fewer.
#ifdef __SANITIZE_THREAD__
enum { MESSAGES = 5000 };
#else
enum { MESSAGES = 20000 };
#endif
enum { CAPACITY_MAX = 4, FILLED_MAX = 9 };

// Each end puts into the mailbox of the other and takes from its own.
struct end {
    struct mail_boxes *boxes;
    uint32_t own;
    unsigned sent;
    unsigned taken;
    unsigned wrong;
};

static void *talk(void *argument)
{
    struct end *end = argument;
    const struct mail_kind *kind = end->boxes->kind;
    struct mail_message message;
    while (end->sent < MESSAGES || end->taken < MESSAGES) {
        uint32_t room = kind->room(end->boxes, end->own);
        uint32_t waiting = kind->waiting(end->boxes, end->own);
        bool moves = waiting > 0 || (room > 0 && end->sent < MESSAGES);
        end->wrong += room > end->boxes->capacity || waiting > end->boxes->capacity;
        for (; room > 0 && end->sent < MESSAGES; room--, end->sent++) {
            kind->put(end->boxes, end->own, (struct mail_message){end->sent + 0.5, end->sent + 1});
        }
        for (; waiting > 0; waiting--, end->taken++) {
            kind->take(end->boxes, end->own, &message);
            end->wrong += message.amount != end->taken + 0.5 || message.stamp != end->taken + 1;
        }
        if (!moves) {
            sched_yield();
        }
    }
    return NULL;
}

static bool hammer(const struct mail_kind *kind, unsigned capacity, bool apart)
{
    static const uint32_t twins[] = {1, 0};
    struct base_arena memory = {.count = 0};
    struct mail_boxes boxes = {.kind = kind, .count = 2, .twin = twins, .capacity = capacity, .apart = apart};
    struct end ends[2] = {{.boxes = &boxes, .own = 0}, {.boxes = &boxes, .own = 1}};
    pthread_t other;
    mail_boxes_plan(&boxes, &memory);
    if (!base_arena_take(&memory) || !mail_boxes_begin(&boxes) || pthread_create(&other, NULL, talk, &ends[1]) != 0) {
        return false;
    }
    talk(&ends[0]);
    pthread_join(other, NULL);
    bool empty = kind->waiting(&boxes, 0) == 0 && kind->waiting(&boxes, 1) == 0;
    mail_boxes_end(&boxes);
    base_arena_destroy(&memory);
    return empty && ends[0].wrong == 0 && ends[1].wrong == 0;
}

// A mailbox takes as many messages as its capacity, and not one more, wherever its ring begins.
static bool fill(const struct mail_kind *kind, unsigned capacity)
{
    static const uint32_t itself = 0;
    struct base_arena memory = {.count = 0};
    struct mail_boxes boxes = {.kind = kind, .count = 1, .twin = &itself, .capacity = capacity};
    struct mail_message message = {.stamp = 1};
    mail_boxes_plan(&boxes, &memory);
    if (!base_arena_take(&memory) || !mail_boxes_begin(&boxes)) {
        return false;
    }
    bool good = true;
    for (unsigned begin = 0; good && begin <= 2 * capacity; begin++) {
        unsigned put = 0, taken = 0;
        while (put <= capacity && kind->room(&boxes, 0) > 0) {
            kind->put(&boxes, 0, (struct mail_message){.stamp = ++put});
        }
        while (kind->waiting(&boxes, 0) > 0) {
            kind->take(&boxes, 0, &message);
            good = good && message.stamp == ++taken;
        }
        good = good && put == capacity && taken == capacity;
        kind->put(&boxes, 0, message); // the ring begins one place further on
        kind->take(&boxes, 0, &message);
    }
    mail_boxes_end(&boxes);
    base_arena_destroy(&memory);
    return good;
}

int main(void)
{
    unsigned passed = 0, failed = 0;
    const struct mail_kind *kind;
    for (size_t i = 0; (kind = mail_kind_at(i)) != NULL; i++) {
        for (unsigned k = 0; kind->put && k < 2 * CAPACITY_MAX; k++) {
            bool good = hammer(kind, 1 + k / 2, k % 2);
            passed += good;
            failed += !good;
            if (!good) {
                printf("%s with capacity %u: messages were lost, changed or out of order\n", kind->choice.form,
                       1 + k / 2);
            }
        }
        for (unsigned capacity = 1; kind->put && capacity <= FILLED_MAX; capacity++) {
            bool good = fill(kind, capacity);
            passed += good;
            failed += !good;
            if (!good) {
                printf("%s with capacity %u takes more or fewer messages\n", kind->choice.form, capacity);
            }
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
