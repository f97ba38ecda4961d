// SPDX-License-Identifier: MIT
// Messages under way in virtual time.
#ifndef THREADS_DRIVERS_VIRTUAL_WIRES_H
#define THREADS_DRIVERS_VIRTUAL_WIRES_H

#include "threads/drivers/virtual/virtual_state.h"

// How turns send and receive. `each` needs all batches delivered.
extern const struct free_wires virtual_wires;

// Lets the messages of a turn of processor p depart: the n-th one at sending_from + n * each. The turn ends at `ends`.
void virtual_wires_depart(struct virtual_worker *own, uint32_t p, uint64_t sending_from, uint64_t each, uint64_t ends);

// Delivers the messages to the worker's processors that other workers have sent in windows of this parity.
void virtual_wires_deliver(struct virtual_worker *own, unsigned parity);

// Brings a message of another process to its receiver.
void virtual_wires_arrive(struct virtual_worker *own, const struct virtual_crossing *crossing);

// Returns the earliest arrival among the worker's messages to other workers, in the batches of this parity.
uint64_t virtual_wires_first(const struct virtual_worker *own, unsigned parity);

// Returns the earliest arrival at a port of p, VIRTUAL_NEVER if no message is on the way.
static inline uint64_t virtual_wires_next(const struct free_run *run, uint32_t p)
{
    uint64_t next = VIRTUAL_NEVER;
    for (uint32_t port = run->topology->first[p], end = run->topology->first[p + 1]; port < end; port++) {
        next = run->arrival[port].at < next ? run->arrival[port].at : next;
    }
    return next;
}

// Returns when the first kept message of p can be put on its wire, VIRTUAL_NEVER if p keeps none.
uint64_t virtual_wires_room_at(const struct virtual_worker *own, uint32_t p);

#endif
