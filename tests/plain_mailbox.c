// SPDX-License-Identifier: MIT
// Hammers each kind of mailbox with two threads that send to each other at once: every message arrives, in order,
// unchanged, at every capacity. A plain program, for ThreadSanitizer.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "threads/mailbox.h"

enum { MESSAGES = 20000, CAPACITY_MAX = 4 };

// Each end puts into the other's box and takes from its own.
struct end {
    struct ek_mailboxes *boxes;
    uint32_t own;
    unsigned sent;
    unsigned taken;
    unsigned wrong;
};

static void *talk(void *argument)
{
    struct end *end = argument;
    const struct ek_mailbox_kind *kind = end->boxes->kind;
    struct ek_message message;
    while (end->sent < MESSAGES || end->taken < MESSAGES) {
        bool moved = false;
        if (end->sent < MESSAGES && kind->put(end->boxes, 1 - end->own, (struct ek_message){end->sent + 0.5, end->sent})) {
            end->sent++;
            moved = true;
        }
        if (end->taken < MESSAGES && kind->take(end->boxes, end->own, &message)) {
            end->wrong += message.amount != end->taken + 0.5 || message.stamp != end->taken;
            end->taken++;
            moved = true;
        }
        if (!moved) {
            sched_yield();
        }
    }
    return NULL;
}

static bool hammer(const struct ek_mailbox_kind *kind, unsigned capacity, bool apart)
{
    struct ek_mailboxes boxes = {.kind = kind, .count = 2, .capacity = capacity, .apart = apart};
    struct end ends[2] = {{.boxes = &boxes, .own = 0}, {.boxes = &boxes, .own = 1}};
    pthread_t other;
    struct ek_message message;
    if (!kind->create(&boxes) || pthread_create(&other, NULL, talk, &ends[1]) != 0) {
        return false;
    }
    talk(&ends[0]);
    pthread_join(other, NULL);
    bool empty = !kind->take(&boxes, 0, &message) && !kind->take(&boxes, 1, &message);
    kind->destroy(&boxes);
    return empty && ends[0].wrong == 0 && ends[1].wrong == 0;
}

int main(void)
{
    unsigned passed = 0, failed = 0;
    const struct ek_mailbox_kind *kind;
    for (size_t i = 0; (kind = ek_mailbox_at(i)) != NULL; i++) {
        for (unsigned k = 0; kind->create && k < 2 * CAPACITY_MAX; k++) {
            bool good = hammer(kind, 1 + k / 2, k % 2);
            passed += good;
            failed += !good;
            if (!good) {
                printf("%s with capacity %u: messages were lost, changed or out of order\n", kind->name, 1 + k / 2);
            }
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
