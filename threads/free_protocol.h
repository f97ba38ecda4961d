// SPDX-License-Identifier: MIT
// What the two halves of the operation protocol share: free_protocol.c (what a message does) and free_operation.c (an
// operation of a processor's own).
#ifndef EK_FREE_PROTOCOL_H
#define EK_FREE_PROTOCOL_H

#include "threads/free_state.h"

// Flags of a message: a GIVE in answer to a PULL; a TELL or SEEN of a member that was in another operation, too.
enum { EK_FLAG_ANSWER = 1, EK_FLAG_MET = 1 };

static inline uint32_t ek_degree(const struct ek_free *free, uint32_t p)
{
    return free->topology->first[p + 1] - free->topology->first[p];
}

// What a method compares.
static inline double ek_level(const struct ek_free *free, uint32_t p)
{
    double held = free->processor[p].held;
    const double *capacity = free->machine->capacity;
    return free->target ? held - free->target[p] : capacity ? held / capacity[p] : held;
}

static inline bool ek_usable(const struct ek_free_worker *worker, uint32_t port)
{
    return !worker->usable || worker->usable[port];
}

// A violation of the protocol by processor p, or towards it, over the link at this port.
void ek_violate_at(struct ek_free *free, uint32_t p, uint32_t port, const char *what);

// Sends load: no more than is there, and than the link carries. Returns what is sent.
double ek_give(struct ek_free_worker *worker, uint32_t p, uint32_t port, double amount, unsigned flag);

// Whether p has promised itself to an older ticket than the one of this age at the port; UINT32_MAX: its own.
bool ek_promised_before(const struct ek_free_worker *worker, uint32_t p, uint32_t port, unsigned age);

// A processor has entered another operation.
void ek_enter(struct ek_free_worker *worker, struct ek_free_processor *processor);

// A neighbour's part in the own operation is done; a measured operation looks at what it holds now.
void ek_settle_port(struct ek_free_worker *worker, uint32_t p, uint32_t port);

// Takes the own operation on, where no answer is out any more.
void ek_go_on(struct ek_free_worker *worker, uint32_t p);

#endif
