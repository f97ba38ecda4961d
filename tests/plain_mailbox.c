// SPDX-License-Identifier: MIT
// Hammers each kind of mailbox with two threads that send to each other at once: every message arrives, in order,
// unchanged, at every capacity; then fills it to the last place. A plain program, for ThreadSanitizer.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "threads/mail/mailbox.h"

enum { MESSAGES = 20000, CAPACITY_MAX = 4, FILLED_MAX = 9 };

// Each end puts into the other's box and takes from its own.
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
        bool moved = false;
        if (end->sent < MESSAGES &&
            kind->put(end->boxes, end->own, (struct mail_message){end->sent + 0.5, end->sent + 1})) {
            end->sent++;
            moved = true;
        }
        if (end->taken < MESSAGES && kind->take(end->boxes, end->own, &message)) {
            end->wrong += message.amount != end->taken + 0.5 || message.stamp != end->taken + 1;
            end->taken++;
            moved = true;
        }
        if (!moved) {
            sched_yield();
        }
    }
    return NULL;
}

static bool hammer(const struct mail_kind *kind, unsigned capacity, bool apart)
{
    static const uint32_t twins[] = {1, 0};
    struct mail_boxes boxes = {.kind = kind, .count = 2, .twin = twins, .capacity = capacity, .apart = apart};
    struct end ends[2] = {{.boxes = &boxes, .own = 0}, {.boxes = &boxes, .own = 1}};
    pthread_t other;
    struct mail_message message;
    if (!kind->create(&boxes) || pthread_create(&other, NULL, talk, &ends[1]) != 0) {
        return false;
    }
    talk(&ends[0]);
    pthread_join(other, NULL);
    bool empty = !kind->take(&boxes, 0, &message) && !kind->take(&boxes, 1, &message);
    kind->destroy(&boxes);
    return empty && ends[0].wrong == 0 && ends[1].wrong == 0;
}

// A mailbox takes as many messages as it has room for, and not one more, wherever its ring begins.
static bool fill(const struct mail_kind *kind, unsigned capacity)
{
    static const uint32_t itself = 0;
    struct mail_boxes boxes = {.kind = kind, .count = 1, .twin = &itself, .capacity = capacity};
    struct mail_message message = {.stamp = 1};
    bool good = kind->create(&boxes);
    for (unsigned begin = 0; good && begin <= 2 * capacity; begin++) {
        unsigned put = 0, taken = 0;
        while (put <= capacity && kind->put(&boxes, 0, (struct mail_message){.stamp = put + 1})) {
            put++;
        }
        while (kind->take(&boxes, 0, &message)) {
            good = good && message.stamp == ++taken;
        }
        good = good && put == capacity && taken == capacity && kind->put(&boxes, 0, message) &&
               kind->take(&boxes, 0, &message);
    }
    if (boxes.store) {
        kind->destroy(&boxes);
    }
    return good;
}

int main(void)
{
    unsigned passed = 0, failed = 0;
    const struct mail_kind *kind;
    for (size_t i = 0; (kind = mail_kind_at(i)) != NULL; i++) {
        for (unsigned k = 0; kind->create && k < 2 * CAPACITY_MAX; k++) {
            bool good = hammer(kind, 1 + k / 2, k % 2);
            passed += good;
            failed += !good;
            if (!good) {
                printf("%s with capacity %u: messages were lost, changed or out of order\n", kind->name, 1 + k / 2);
            }
        }
        for (unsigned capacity = 1; kind->create && capacity <= FILLED_MAX; capacity++) {
            bool good = fill(kind, capacity);
            passed += good;
            failed += !good;
            if (!good) {
                printf("%s with capacity %u takes more or fewer messages\n", kind->name, capacity);
            }
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
