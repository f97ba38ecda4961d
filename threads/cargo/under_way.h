// SPDX-License-Identifier: MIT
// What messages without rounds carry apart from their number: tasks, and the best value that the sender knows. A
// message itself has no room for them, so each direction of a link has a list of the parcels under way and a list of
// the new best values. The messages of a direction arrive in the order in which they were sent, so the receiver finds
// its own parcel first in the list.
//
// The lists belong to the sender's port. If the link leads to another process, each of the two processes has such
// lists, and whoever carries the messages between them stands for the other end. The tasks of such parcels are packed
// as bytes.
//
//   call              caller                                  concurrent with
//   post, note_sent   the worker of the sender                calls of the receiver
//   take, turn_back,  the worker of the receiver              calls of the sender
//   note_taken
//   leave             who carries messages to others,         calls of the sender
//                     as the receiver
//   enter             who carries messages from others,       calls of the receiver
//                     as the sender
#ifndef THREADS_CARGO_UNDER_WAY_H
#define THREADS_CARGO_UNDER_WAY_H

#include "threads/cargo/tasks.h"
#include "threads/mail/way.h"
#include "topologies/topology.h"

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

// Returns whether the port's link leads to another process.
static inline bool cargo_crosses(const struct cargo_tasks *tasks, uint32_t port)
{
    return tasks->here && !tasks->here[tasks->machine->topology->neighbour[port]];
}

// Returns whether messages carry best values.
static inline bool cargo_has_values(const struct cargo_tasks *tasks)
{
    return tasks->teller != NULL;
}

// Notes that a processor sends a message from its port, or that the processor receives one that was sent from `port`.
void cargo_note_sent(struct cargo_worker *worker, uint32_t processor, uint32_t port);
void cargo_note_taken(struct cargo_worker *worker, uint32_t processor, uint32_t port);

// A message from `port` that brings `count` tasks leaves this process, and enters that of its receiver. Meanwhile, what
// it carries has as many bytes as cargo_crossing_bytes says, a multiple of 8. `enter` returns false if there is no
// memory.
size_t cargo_crossing_bytes(const struct cargo_tasks *tasks, uint64_t count);
void cargo_leave(struct cargo_tasks *tasks, uint32_t port, uint64_t count, void *to);
bool cargo_enter(struct cargo_tasks *tasks, uint32_t port, uint64_t count, const void *from);

#endif
