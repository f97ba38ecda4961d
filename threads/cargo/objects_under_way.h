// SPDX-License-Identifier: MIT
// Objects without rounds. A message with load has no room for objects, so each direction of a link has a list of the
// parcels under way. The messages of a direction arrive in the order in which they were sent, so the receiver finds its
// own parcel first in the list. The list belongs to the sender's port.
//
// With `choose communicating` a giver has to know where the partners of its objects are. At the start every processor
// knows it. A processor then sees the objects that it gives and receives. An object takes along what its holder knows
// of its partners.
//
//   call                        caller                      concurrent with
//   post, depart, forget_rest   the worker of the sender    calls of the receiver, and for other processors
//   first, take, turn_back      the worker of the receiver  calls of the sender, and for other processors
//   sum, lightest, would_give   the worker of the processor calls for other processors
//   leave                       who carries messages to     calls of the sender
//                               other processes, as the
//                               receiver
//   enter                       who carries messages from   calls of the receiver
//                               other processes, as the
//                               sender
//   all others                  the owner of the run        nothing
//
// If a link leads to another process, each of the two processes has a list for each direction, as in under_way.h. Every
// process has the whole set, so a parcel crosses as the numbers of its objects. The holder's knowledge of their
// partners crosses with them.
#ifndef THREADS_CARGO_OBJECTS_UNDER_WAY_H
#define THREADS_CARGO_OBJECTS_UNDER_WAY_H

#include "threads/cargo/objects.h"

// Plan the memory, in addition to cargo_objects_plan, and begin a run. With `departs` parcels wait for
// cargo_objects_depart.
void cargo_objects_under_way_plan(struct cargo_objects *objects, bool departs, struct base_arena *memory);
void cargo_objects_under_way_begin(struct cargo_objects *objects);

// Gives objects of a processor to a parcel of its port, for an amount that may be 0 or less. `other` is the load of the
// neighbour as the processor knows it, NAN if it does not. Returns the load of the parcel; there is no parcel if it is
// 0.
double cargo_objects_post(struct cargo_objects *objects, uint32_t processor, uint32_t port, double amount,
                          double other);

// Returns whether cargo_objects_post would give anything over a port, now or when the rest of this amount has been
// carried to further ones.
bool cargo_objects_would_give(const struct cargo_objects *objects, uint32_t processor, double amount, double other);

// Forgets the rest of the amounts over a port, because its neighbour gives, or nothing moves.
static inline void cargo_objects_forget_rest(struct cargo_objects *objects, uint32_t port)
{
    objects->rest[port] = 0.0;
}

// Returns the bytes of the oldest parcel of the sender's port that has not departed, which now departs.
uint64_t cargo_objects_depart(struct cargo_objects *objects, uint32_t port);

// Returns the objects of the first parcel that was sent from `port`.
const struct core_object_list *cargo_objects_first(struct cargo_objects *objects, uint32_t port);

// Gives the first parcel that was sent from `port` to a processor: its receiver, or its sender, to which it has come
// back.
void cargo_objects_take(struct cargo_objects *objects, uint32_t processor, uint32_t port);
void cargo_objects_take_back(struct cargo_objects *objects, uint32_t processor, uint32_t port);

// Sends the first parcel that was sent from `port` back, from the port at its other end.
void cargo_objects_turn_back(struct cargo_objects *objects, uint32_t port, uint32_t back);

// Adds the objects of the parcels that were sent from `port` and have not arrived.
void cargo_objects_sum_under_way(const struct cargo_objects *objects, uint32_t port, struct cargo_objects_sum *sum);

// Ends a run: objects under way count for the processors to which they go, and are summed up in `landed`.
void cargo_objects_land(struct cargo_objects *objects);

// The first parcel that was sent from `port` leaves this process, as so many doubles as `leaving` says. `enter` returns
// how many it has read.
size_t cargo_objects_leaving(struct cargo_objects *objects, uint32_t port);
void cargo_objects_leave(struct cargo_objects *objects, uint32_t port, double *to);
size_t cargo_objects_enter(struct cargo_objects *objects, uint32_t port, const double *from);

// Writes where the objects are, and all else that decides what objects do, as words. The first function returns the
// most words.
size_t cargo_objects_words_most(const struct cargo_objects *objects);
uint64_t *cargo_objects_put_words(const struct cargo_objects *objects, uint64_t *words);

#endif
