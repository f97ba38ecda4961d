// SPDX-License-Identifier: MIT
// A first-in, first-out list of what is under way in one direction of a link. The sender pushes its newest element on a
// stack. The receiver takes over all elements of the stack when it needs one that it does not have yet.
//
//   call            caller                        concurrent with
//   push            the worker of the sender      calls of the receiver
//   first, remove   the worker of the receiver    push
#ifndef THREADS_MAIL_WAY_H
#define THREADS_MAIL_WAY_H

#include "threads/mail/stack.h"

struct mail_way {
    struct mail_stack pushed;
    struct mail_link *first; // what the receiver has taken over, the oldest element first
};

static inline void mail_way_push(struct mail_way *way, struct mail_link *element)
{
    mail_stack_push(&way->pushed, element);
}

// Returns the oldest element, or NULL if the receiver cannot see one. Elements that were pushed before a message that
// the receiver has received are visible.
static inline struct mail_link *mail_way_first(struct mail_way *way)
{
    if (!way->first) {
        way->first = mail_stack_empty_in_order(&way->pushed);
    }
    return way->first;
}

// Removes the oldest element, which there must be, and returns it.
static inline struct mail_link *mail_way_remove(struct mail_way *way)
{
    struct mail_link *oldest = mail_way_first(way);
    way->first = oldest->next;
    return oldest;
}

#endif
