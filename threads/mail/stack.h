// SPDX-License-Identifier: MIT
// A stack to which any thread pushes, and which one thread at a time empties. The elements contain their link.
//
//   call      caller        concurrent with
//   push      any thread    all calls
//   empty     one thread    push
#ifndef THREADS_MAIL_STACK_H
#define THREADS_MAIL_STACK_H

#include <stdatomic.h>
#include <stddef.h>

struct mail_link {
    struct mail_link *next;
};

struct mail_stack {
    _Atomic(struct mail_link *) newest;
};

static inline void mail_stack_push(struct mail_stack *stack, struct mail_link *element)
{
    element->next = atomic_load_explicit(&stack->newest, memory_order_relaxed); // the exchange below tests it
    // Release: pairs with the acquire in mail_stack_empty, whose caller then sees the element.
    while (!atomic_compare_exchange_weak_explicit(&stack->newest, &element->next, element, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

// Removes all elements. Returns the newest one, to which the others are linked.
static inline struct mail_link *mail_stack_empty(struct mail_stack *stack)
{
    // Relaxed: most stacks are empty, and an exchange would take their cache line. An element that the caller must see
    // was pushed before a message that it has received, or before a barrier.
    if (!atomic_load_explicit(&stack->newest, memory_order_relaxed)) {
        return NULL;
    }
    // Acquire: pairs with the release in mail_stack_push.
    return atomic_exchange_explicit(&stack->newest, NULL, memory_order_acquire);
}

// Removes all elements. Returns the oldest one, to which the others are linked.
static inline struct mail_link *mail_stack_empty_in_order(struct mail_stack *stack)
{
    struct mail_link *element = mail_stack_empty(stack), *oldest = NULL;
    while (element) {
        struct mail_link *older = element->next;
        element->next = oldest;
        oldest = element;
        element = older;
    }
    return oldest;
}

#endif
