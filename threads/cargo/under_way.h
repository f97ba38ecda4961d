// SPDX-License-Identifier: MIT
// What messages without rounds carry apart from their number: tasks, and the best value that the sender knows. A
// message itself has no room for them, so each direction of a link has a list of the parcels under way and a list of
// the new best values. The messages of a direction arrive in the order in which they were sent, so the receiver finds
// its own parcel first in the list.
//
// The lists belong to the sender's port.
//
//   call              caller                                  concurrent with
//   post, note_sent   the worker of the sender                calls of the receiver
//   take, turn_back,  the worker of the receiver              calls of the sender
//   note_taken
#ifndef THREADS_CARGO_UNDER_WAY_H
#define THREADS_CARGO_UNDER_WAY_H

#include "threads/cargo/tasks.h"
#include "threads/mail/stack.h"

// A list: what the sender has pushed, and what the receiver has taken over from there, the oldest element first.
struct cargo_way {
    struct mail_stack pushed;
    struct mail_link *first;
};

static inline void cargo_way_push(struct cargo_way *way, struct mail_link *element)
{
    mail_stack_push(&way->pushed, element);
}

// Returns the first element, NULL if nothing was pushed.
static inline struct mail_link *cargo_way_first(struct cargo_way *way)
{
    if (!way->first) {
        way->first = mail_stack_empty_in_order(&way->pushed);
    }
    return way->first;
}

// Removes and returns the first element, which must be there.
static inline struct mail_link *cargo_way_take(struct cargo_way *way)
{
    struct mail_link *element = cargo_way_first(way);
    way->first = element->next;
    return element;
}

// Plans the lists of all ports.
void cargo_under_way_plan(struct cargo_tasks *tasks, uint32_t ports, struct base_arena *memory);
void cargo_under_way_begin(struct cargo_tasks *tasks); // also of a run that begins anew
void cargo_under_way_end(struct cargo_tasks *tasks);

// Moves `count` tasks of a processor to a parcel of its port, or as many as it holds. Returns their number.
uint64_t cargo_post(struct cargo_worker *worker, uint32_t processor, uint32_t port, uint64_t count);

// Gives the first parcel that was sent from `port` to its receiver.
void cargo_take(struct cargo_worker *worker, uint32_t processor, uint32_t port);

// Sends the first parcel that was sent from `port` back, from the port at its other end.
void cargo_turn_back(struct cargo_tasks *tasks, uint32_t port, uint32_t back);

// Returns whether messages carry best values.
static inline bool cargo_has_values(const struct cargo_tasks *tasks)
{
    return tasks->teller != NULL;
}

// Notes that a processor sends a message from its port, or that the processor receives one that was sent from `port`.
void cargo_note_sent(struct cargo_worker *worker, uint32_t processor, uint32_t port);
void cargo_note_taken(struct cargo_worker *worker, uint32_t processor, uint32_t port);

#endif
